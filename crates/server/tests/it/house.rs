//! Test server with a simple backend, and a client for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sluice_server::page::{Page, PageFile};
use sluice_server::{
    Access, AccessOptions, Backend, BlobFile, Body, Content, Exported, Health, Message, Notice, Port, Refusal,
    RefusalKind, Running, Scope, Server, ServerOptions, Socket, StateFolder, Uploaded, Who,
};
use sluice_store::Store;
use tokio_util::sync::CancellationToken;

use crate::raw::{Request, Response, post};

pub(crate) const PICTURE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub(crate) const MARKUP: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
pub(crate) const ON_DISK: &str = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

/// A page of three files.
pub(crate) const PAGE: &[PageFile] = &[
    PageFile {
        path: "/index.html",
        hash: "0011",
        plain: Some(b"<!doctype html>plain"),
        br: Some(b"BR"),
        gz: Some(b"GZ"),
    },
    PageFile {
        path: "/assets/index-abcdefgh.js",
        hash: "2233",
        plain: Some(b"plain js"),
        br: None,
        gz: Some(b"GZ js"),
    },
    PageFile {
        path: "/sw.js",
        hash: "4455",
        plain: Some(b"worker"),
        br: None,
        gz: None,
    },
];

/// Session, format, query.
pub(crate) type Asked = (String, String, Vec<(String, String)>);

/// Sends the identity of the device, then echoes messages. `stuck`: stops reading its WebSockets.
#[derive(Default)]
pub(crate) struct Echo {
    pub(crate) stuck: Mutex<bool>,
    pub(crate) uploads: Mutex<Vec<(String, usize)>>,
    pub(crate) exports: Mutex<Vec<Asked>>,
    pub(crate) closing: CancellationToken,
    pub(crate) folder: Mutex<Option<std::path::PathBuf>>,
    pub(crate) problems: Mutex<Vec<String>>,
}

impl Backend for Echo {
    fn serve(self: Arc<Self>, mut socket: Socket, who: Who) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let hello = json!({"name": who.name, "scope": who.scope, "kind": who.kind, "address": who.address, "secure": who.secure});
            socket.send(Message::text(hello.to_string())).await.ok();
            if *self.stuck.lock().unwrap() {
                std::future::pending::<()>().await;
            }
            loop {
                tokio::select! {
                    message = socket.recv() => match message {
                        Some(Message::Text(text)) => {
                            if socket.send(Message::Text(text)).await.is_err() {
                                return;
                            }
                        }
                        Some(Message::Close(_)) | None => return,
                        Some(_) => {}
                    },
                    () = self.closing.cancelled() => {
                        socket.send(Message::text("bye")).await.ok();
                        return;
                    }
                }
            }
        })
    }

    fn export<'a>(
        &'a self,
        _: &'a Who,
        session: String,
        format: String,
        query: Vec<(String, String)>,
    ) -> BoxFuture<'a, Result<Exported, Refusal>> {
        Box::pin(async move {
            self.exports
                .lock()
                .unwrap()
                .push((session.clone(), format.clone(), query));
            if session == "none" {
                return Err(Refusal::new(RefusalKind::NotFound, "no such session").with_hint("look at the list"));
            }
            Ok(Exported {
                mime: "text/html; charset=utf-8".to_owned(),
                file_name: format!("{session}.{format}"),
                body: Body::from(format!("<script>alert(1)</script>{}", "x".repeat(5000))),
            })
        })
    }

    fn blob<'a>(&'a self, _: &'a Who, hash: String) -> BoxFuture<'a, Result<BlobFile, Refusal>> {
        Box::pin(async move {
            let (content, mime, len) = match hash.as_str() {
                PICTURE => (Content::Bytes(Bytes::from_static(b"PNG")), "image/png", 3),
                MARKUP => (Content::Bytes(Bytes::from_static(b"<script>")), "text/html", 8),
                ON_DISK => {
                    let path = self.folder.lock().unwrap().clone().unwrap().join("blob");
                    (Content::File(path), "image/png", 100_000)
                }
                _ => return Err(Refusal::new(RefusalKind::NotFound, "no such body")),
            };
            let mime = mime.to_owned();
            Ok(BlobFile { content, mime, len })
        })
    }

    fn upload<'a>(&'a self, _: &'a Who, mime: String, bytes: Bytes) -> BoxFuture<'a, Result<Uploaded, Refusal>> {
        Box::pin(async move {
            self.uploads.lock().unwrap().push((mime.clone(), bytes.len()));
            Ok(Uploaded {
                hash: PICTURE.to_owned(),
                width: 1,
                height: 1,
                bytes: bytes.len() as u64,
                mime_type: mime,
            })
        })
    }

    fn metrics(&self) -> String {
        "# TYPE sluice_sessions gauge\nsluice_sessions 3\n".to_owned()
    }

    fn health(&self) -> Health {
        Health {
            problems: self.problems.lock().unwrap().clone(),
        }
    }

    fn status(&self) -> BoxFuture<'_, Value> {
        Box::pin(async { json!({"sessions": 3}) })
    }

    fn closing(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.closing.cancel() })
    }
}

pub(crate) struct House {
    pub(crate) running: Running,
    pub(crate) port: u16,
    pub(crate) access: Access,
    pub(crate) store: Store,
    pub(crate) backend: Arc<Echo>,
    pub(crate) notices: Arc<Mutex<Vec<Notice>>>,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn options() -> ServerOptions {
    let mut options = ServerOptions::new("9.9.9");
    options.listen.port = Port::Exactly(0);
    options.page = Page::of(PAGE);
    options
}

pub(crate) async fn open_access(store: &Store, options: AccessOptions) -> (Access, Arc<Mutex<Vec<Notice>>>) {
    let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
    let told = notices.clone();
    let book = Arc::new(store.clone());
    let access = Access::open(book, options, move |notice| told.lock().unwrap().push(notice))
        .await
        .unwrap();
    (access, notices)
}

pub(crate) fn open_store(folder: &std::path::Path) -> Store {
    Store::open(&folder.join("bridge.db"), sluice_store::Options::default())
        .unwrap()
        .0
}

impl House {
    pub(crate) async fn open() -> Self {
        Self::with(options()).await
    }

    pub(crate) async fn with(options: ServerOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::take(&folder.path().join("state")).unwrap();
        let store = open_store(folder.path());
        let (access, notices) = open_access(&store, AccessOptions::default()).await;
        let backend = Arc::new(Echo::default());
        *backend.folder.lock().unwrap() = Some(folder.path().to_owned());
        let running = Server::start(options, None, state, access.clone(), backend.clone())
            .await
            .unwrap();
        Self {
            port: running.addresses()[0].port(),
            running,
            access,
            store,
            backend,
            notices,
            folder,
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    /// Sends a code like the page: in the body, with our origin.
    pub(crate) async fn post_code(&self, code: &str) -> Response {
        let body = json!({"code": code, "device": "a browser"}).to_string();
        self.as_page(post("/api/pair", "application/json", body))
            .send(self.port)
            .await
    }

    /// Pairs a browser and returns its `Cookie` header.
    pub(crate) async fn pair(&self, scope: Scope) -> String {
        let offer = self.access.offer(Some(scope));
        let response = self.post_code(&offer.code).await;
        assert_eq!(response.status, 200, "{}", response.text());
        let cookie = response.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Creates a token and returns its `Authorization` header.
    pub(crate) async fn token(&self, scope: Scope) -> String {
        let made = self.access.token("a program", scope, None).await.unwrap();
        format!("Bearer {}", made.secret)
    }

    /// Adds the headers of a request from our page.
    pub(crate) fn as_page(&self, request: Request) -> Request {
        request
            .with("Origin", &self.origin())
            .with("Sec-Fetch-Site", "same-origin")
    }
}

/// Polls a condition until it is true.
pub(crate) async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(tokio::time::Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
