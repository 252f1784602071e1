//! A server with a backend that echoes messages, for trying it with a browser and for `interop/hostile`.
//!
//! `cargo run -p sluice-server --example door -- STATE_FOLDER`
#![allow(clippy::print_stdout, reason = "it prints the address to open, as the real one does")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sluice_server::{
    Access, AccessOptions, Backend, BlobFile, Body, Content, Exported, Health, Message, Refusal, RefusalKind, Server,
    ServerOptions, Socket, StateFolder, Uploaded, Who,
};
use sluice_store::Store;

struct Echo;

const MARKUP: &str = "<!doctype html><title>made by an agent</title><script>document.title = 'ran'</script>";

impl Backend for Echo {
    fn serve(self: Arc<Self>, mut socket: Socket, who: Who) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let hello = json!({"type": "hello", "device": who.name, "scope": who.scope}).to_string();
            let mut next = Some(Message::text(hello));
            while let Some(message) = next {
                if matches!(message, Message::Text(_)) && socket.send(message).await.is_err() {
                    return;
                }
                next = socket.recv().await;
            }
        })
    }

    fn export<'a>(
        &'a self,
        _: &'a Who,
        session: String,
        format: String,
        _: Vec<(String, String)>,
    ) -> BoxFuture<'a, Result<Exported, Refusal>> {
        Box::pin(async move {
            Ok(Exported {
                mime: "text/html; charset=utf-8".to_owned(),
                file_name: format!("{session}.{format}"),
                body: Body::from(MARKUP),
            })
        })
    }

    fn blob<'a>(&'a self, _: &'a Who, _: String) -> BoxFuture<'a, Result<BlobFile, Refusal>> {
        Box::pin(async move {
            Ok(BlobFile {
                content: Content::Bytes(Bytes::from_static(MARKUP.as_bytes())),
                mime: "text/html".to_owned(),
                len: MARKUP.len() as u64,
            })
        })
    }

    fn upload<'a>(&'a self, _: &'a Who, _: String, _: Bytes) -> BoxFuture<'a, Result<Uploaded, Refusal>> {
        Box::pin(async { Err(Refusal::new(RefusalKind::Unsupported, "nothing is kept here")) })
    }

    fn metrics(&self) -> String {
        String::new()
    }

    fn health(&self) -> Health {
        Health::default()
    }

    fn status(&self) -> BoxFuture<'_, Value> {
        Box::pin(async { json!({}) })
    }

    fn closing(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("which folder to keep devices in")?
        .into();
    let state = StateFolder::take(&folder)?;
    let (store, _) = Store::open(&folder.join("bridge.db"), sluice_store::Options::default())?;
    let access = Access::open(Arc::new(store), AccessOptions::default(), |notice| {
        println!("{notice:?}");
    })
    .await?;
    let options = ServerOptions::new(env!("CARGO_PKG_VERSION"));
    let mut running = Server::start(options, None, state, access.clone(), Arc::new(Echo)).await?;
    for url in access.offer(None).urls.iter().take(1) {
        println!("{url}");
    }
    running.wanted().await.reply.accept(json!({"stopping": true}));
    running.stop(Duration::from_secs(2)).await;
    Ok(())
}
