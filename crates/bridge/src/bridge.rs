//! The bridge: the hub of sessions behind the web server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sluice_server::{Backend, BlobFile, Body, Content, Exported, Health, Refusal, RefusalKind, Socket, Uploaded, Who};

use crate::api::{Bye, Code, Problem, Scope, ServerMessage};
use crate::hub::Hub;
use crate::look::export::{Export, Format, Without};
use crate::screen::{self, Person};
use crate::session::By;

/// The backend of the web server.
#[derive(Debug, Clone)]
pub struct Bridge {
    hub: Hub,
    decoding: Arc<tokio::sync::Mutex<()>>,
    comes_back: Arc<AtomicBool>,
}

impl Bridge {
    /// The sessions of `hub`, for a server.
    #[must_use]
    pub fn new(hub: Hub) -> Self {
        Self {
            hub,
            decoding: Arc::default(),
            comes_back: Arc::default(),
        }
    }

    /// When it closes, it is to come back at once: screens are told so.
    pub fn comes_back(&self) {
        self.comes_back.store(true, Ordering::Relaxed);
    }

    async fn make_export(&self, session: &str, format: &str, query: &[(String, String)]) -> Result<Exported, Problem> {
        let format = match format {
            "md" => Format::Markdown,
            "html" => Format::Html,
            "jsonl" => Format::Jsonl,
            _ => return Err(Problem::new(Code::Field, "format is md, html or jsonl")),
        };
        let left_out = |what: &str| query.iter().any(|(key, value)| key == "without" && value == what);
        let without = Without {
            thinking: left_out("thinking"),
            results: left_out("results"),
            images: left_out("images"),
            secrets: left_out("secrets"),
        };
        let export = Export::begin(self.hub.clone(), session, format, without).await?;
        let (mime, file_name) = (export.mime().to_owned(), export.file_name());
        let pieces = futures_util::stream::unfold(Some(export), |export| async move {
            let mut export = export?;
            match export.next().await {
                Ok(Some(piece)) => Some((Ok(piece), Some(export))),
                Ok(None) => None,
                Err(problem) => Some((Err(std::io::Error::other(problem.message)), None)),
            }
        });
        Ok(Exported {
            mime,
            file_name,
            body: Body::from_stream(pieces),
        })
    }
}

impl Bridge {
    /// Metrics of the storage and of what waits for it.
    fn storage_metrics(&self, queued: u32) -> String {
        let shared = &self.hub.shared;
        let counts = shared.store.storage_counts();
        let free = crate::hub::free_space(&shared.config.state).unwrap_or_default() as f64;
        let failing = f64::from(u8::from(self.hub.storage_problem().is_some()));
        let rows: [(&str, &str, &str, f64); 8] = [
            (
                "prompts_queued",
                "gauge",
                "Prompts that wait for an agent.",
                queued.into(),
            ),
            (
                "store_queue",
                "gauge",
                "Calls that wait for the database.",
                shared.store.waiting() as f64,
            ),
            ("store_commits_total", "counter", "Transactions.", counts.commits as f64),
            (
                "store_commit_seconds_total",
                "counter",
                "Time spent in transactions.",
                counts.commit_time.as_secs_f64(),
            ),
            (
                "storage_errors_total",
                "counter",
                "Calls that the storage failed.",
                counts.errors as f64,
            ),
            ("storage_failing", "gauge", "1 while nothing can be stored.", failing),
            (
                "disk_free_bytes",
                "gauge",
                "Free space on the disk of the state folder.",
                free,
            ),
            (
                "gaps_total",
                "counter",
                "Clients whose cursor could not be continued.",
                shared.condition.gaps() as f64,
            ),
        ];
        let line = |(name, kind, help, value): (&str, &str, &str, f64)| {
            format!("# HELP sluice_{name} {help}\n# TYPE sluice_{name} {kind}\nsluice_{name} {value}\n")
        };
        rows.map(line).concat()
    }
}

impl Backend for Bridge {
    fn serve(self: Arc<Self>, socket: Socket, who: Who) -> BoxFuture<'static, ()> {
        let person = Person {
            by: By {
                device: who.device.clone(),
                name: who.name.clone(),
            },
            scope: scope(who.scope),
            kind: who.kind.as_str().to_owned(),
            address: who.address,
        };
        Box::pin(screen::serve(self.hub.clone(), socket, person))
    }

    fn export<'a>(
        &'a self,
        _: &'a Who,
        session: String,
        format: String,
        query: Vec<(String, String)>,
    ) -> BoxFuture<'a, Result<Exported, Refusal>> {
        Box::pin(async move { self.make_export(&session, &format, &query).await.map_err(refusal) })
    }

    fn blob<'a>(&'a self, _: &'a Who, hash: String) -> BoxFuture<'a, Result<BlobFile, Refusal>> {
        Box::pin(async move {
            let missing = || Refusal::new(RefusalKind::NotFound, "there is no such body");
            let found = self
                .hub
                .shared
                .store
                .blob(&hash)
                .await
                .map_err(|error| refusal(error.into()))?;
            if let Some(found) = found {
                return Ok(BlobFile {
                    content: Content::File(found.path),
                    mime: found.mime,
                    len: found.bytes,
                });
            }
            let (path, mime, len) = self.hub.shared.uploads.get(&hash).ok_or_else(missing)?;
            Ok(BlobFile {
                content: Content::File(path),
                mime,
                len,
            })
        })
    }

    fn upload<'a>(&'a self, who: &'a Who, _: String, bytes: bytes::Bytes) -> BoxFuture<'a, Result<Uploaded, Refusal>> {
        Box::pin(async move {
            if scope(who.scope) < Scope::Operate {
                return Err(Refusal::new(RefusalKind::Scope, "this device may only look"));
            }
            // One at a time: a picture that is large takes much memory while it is decoded.
            let one = self.decoding.lock().await;
            let image = tokio::task::spawn_blocking(move || sluice_render::image::normalise(&bytes)).await;
            drop(one);
            let image = image.map_err(|error| Refusal::new(RefusalKind::Internal, error.to_string()))?;
            let image = image.map_err(|error| Refusal::new(RefusalKind::Unsupported, error.to_string()))?;
            let (width, height) = (image.width, image.height);
            let (mime, len) = (image.mime.to_string(), image.bytes.len());
            let hash = self.hub.shared.uploads.put(image.bytes, &mime).await.map_err(refusal)?;
            Ok(Uploaded {
                hash,
                width,
                height,
                bytes: len as u64,
                mime_type: mime,
            })
        })
    }

    fn metrics(&self) -> String {
        let sessions = self.hub.sessions();
        let mut by_standing = std::collections::BTreeMap::new();
        for info in &sessions {
            let word = serde_json::to_value(info.standing).unwrap_or_default();
            *by_standing
                .entry(word.as_str().unwrap_or_default().to_owned())
                .or_insert(0_u32) += 1;
        }
        let mut text = String::from("# HELP sluice_sessions Sessions by state.\n# TYPE sluice_sessions gauge\n");
        for (standing, count) in by_standing {
            text.push_str(&format!("sluice_sessions{{state=\"{standing}\"}} {count}\n"));
        }
        let loaded = self.hub.loaded_count();
        let resident = crate::look::memory::resident();
        let asks: u32 = sessions.iter().map(|info| info.pending_asks).sum();
        text.push_str(&format!(
            "# HELP sluice_sessions_loaded Sessions in memory.\n# TYPE sluice_sessions_loaded gauge\nsluice_sessions_loaded {loaded}\n\
             # HELP sluice_asks_pending Asks that wait for a person.\n# TYPE sluice_asks_pending gauge\nsluice_asks_pending {asks}\n\
             # HELP sluice_resident_bytes Memory the bridge holds.\n# TYPE sluice_resident_bytes gauge\nsluice_resident_bytes {resident}\n"
        ));
        let queued: u32 = sessions.iter().map(|info| info.queue).sum();
        text.push_str(&self.storage_metrics(queued));
        text
    }

    fn health(&self) -> Health {
        let problem = self.hub.storage_problem();
        Health {
            problems: problem.iter().map(|_| "nothing can be stored".to_owned()).collect(),
        }
    }

    fn status(&self) -> BoxFuture<'_, Value> {
        Box::pin(async move {
            let sessions = self.hub.sessions();
            let live: Vec<Value> = sessions
                .iter()
                .filter(|info| info.is_active())
                .map(|info| {
                    json!({
                        "sessionId": info.session_id, "title": info.title, "folder": info.project_path,
                        "state": info.standing, "about": info.about, "agent": info.agent, "queue": info.queue,
                        "pendingAsks": info.pending_asks, "cost": info.cost,
                    })
                })
                .collect();
            let stats = self.hub.shared.store.stats().await.ok();
            json!({
                "sessions": sessions.len(), "live": live, "clients": self.hub.shared.list.screens(),
                "loaded": self.hub.loaded_count(), "resident": crate::look::memory::resident(),
                "database": stats.as_ref().map(|stats| stats.database_bytes),
                "schema": stats.map(|stats| stats.schema),
                "problem": self.hub.storage_problem().map(|problem| problem.message),
            })
        })
    }

    fn closing(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let (reason, message) = match self.comes_back.load(Ordering::Relaxed) {
                true => (Bye::Restarting, "the bridge is upgraded and back at once; agents go on"),
                false => (
                    Bye::Stopping,
                    "the bridge is stopped; agents go on, and everything is here when it is back",
                ),
            };
            let bye = ServerMessage::Bye {
                reason,
                message: message.to_owned(),
            };
            self.hub.shared.list.close_all(&bye);
            self.hub.shut_down().await;
        })
    }
}

fn scope(scope: sluice_server::Scope) -> Scope {
    match scope {
        sluice_server::Scope::View => Scope::View,
        sluice_server::Scope::Operate => Scope::Operate,
        sluice_server::Scope::Approve => Scope::Approve,
        sluice_server::Scope::Admin => Scope::Admin,
    }
}

fn refusal(problem: Problem) -> Refusal {
    let kind = match problem.code {
        Code::Session | Code::Ask | Code::Prompt => RefusalKind::NotFound,
        Code::Scope => RefusalKind::Scope,
        Code::Limit => RefusalKind::TooLarge,
        Code::Storage | Code::Stopped => RefusalKind::Unavailable,
        Code::Internal => RefusalKind::Internal,
        _ => RefusalKind::Invalid,
    };
    let refusal = Refusal::new(kind, problem.message);
    match problem.hint {
        Some(hint) => refusal.with_hint(hint),
        None => refusal,
    }
}
