//! The server of the control socket.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::request::BridgeRequest;
use super::{MAX_LINE, SOCKET};
use crate::access::qr_rows;
use crate::state::BridgeNote;
use crate::web::Door;

/// A request that the server passes to the program.
#[derive(Debug)]
pub struct Wanted {
    pub what: What,
    /// Receives the response.
    pub reply: Reply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Stop,
    Upgrade,
}

/// The response to a [`Wanted`] request. Dropping it reports that the request was not carried out.
#[derive(Debug)]
pub struct Reply(oneshot::Sender<Result<Value, String>>);

impl Reply {
    /// Reports success.
    pub fn accept(self, answer: Value) {
        // An error means that the client disconnected.
        self.0.send(Ok(answer)).ok();
    }

    /// Reports why the request is refused.
    pub fn refuse(self, message: impl Into<String>) {
        self.0.send(Err(message.into())).ok();
    }
}

pub(crate) struct Control {
    pub(crate) door: Arc<Door>,
    pub(crate) note: BridgeNote,
    pub(crate) fingerprint: Option<String>,
    pub(crate) wanted: mpsc::Sender<Wanted>,
}

/// Creates the socket for this user only. The state folder is locked, so an existing socket is stale.
pub(crate) fn listen(folder: &Path) -> io::Result<UnixListener> {
    let path = folder.join(SOCKET);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    // Until then, the permissions of the folder protect the socket.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

impl Control {
    pub(crate) async fn run(self: Arc<Self>, listener: UnixListener, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    tokio::spawn(self.clone().answer(stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "the control socket could not be accepted at");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    async fn answer(self: Arc<Self>, stream: UnixStream) {
        let own = rustix::process::geteuid().as_raw();
        if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
            tracing::warn!("another user tried the control socket");
            return;
        }
        let (reading, mut writing) = stream.into_split();
        let mut line = Vec::new();
        let mut reading = BufReader::new(reading.take(MAX_LINE));
        if !matches!(
            timeout(Duration::from_secs(10), reading.read_until(b'\n', &mut line)).await,
            Ok(Ok(1..))
        ) {
            return;
        }
        let outcome = match serde_json::from_slice(&line) {
            Ok(request) => self.fulfil(request).await,
            Err(_) => {
                Err("the bridge does not know that request\nhint: it may be of another version; restart it".to_owned())
            }
        };
        let answer = outcome.map_or_else(|error| json!({"error": error}), |answer| json!({"ok": answer}));
        if let Err(error) = writing.write_all(format!("{answer}\n").as_bytes()).await {
            tracing::debug!(%error, "who asked at the control socket is gone");
        }
    }

    async fn fulfil(&self, request: BridgeRequest) -> Result<Value, String> {
        let access = &self.door.access;
        match request {
            BridgeRequest::Status => Ok(self.status().await),
            BridgeRequest::Pair { scope } => {
                let offer = access.offer(scope);
                let scan = offer.url_to_scan().unwrap_or_default();
                Ok(json!({
                    "code": offer.code, "urls": offer.urls, "expiresAt": offer.expires_at, "scope": offer.scope,
                    "scan": scan, "qr": qr_rows(scan),
                }))
            }
            BridgeRequest::Token { name, scope } => {
                let made = access
                    .token(&name, scope, None)
                    .await
                    .map_err(|error| error.to_string())?;
                Ok(json!({"device": made.device, "token": made.secret}))
            }
            BridgeRequest::Devices => Ok(json!({"devices": access.devices()})),
            BridgeRequest::Revoke { device } => {
                access.revoke(&device, None).await.map_err(|error| error.to_string())?;
                Ok(json!({"revoked": device}))
            }
            BridgeRequest::Stop => self.want(What::Stop).await,
            BridgeRequest::Upgrade => self.want(What::Upgrade).await,
        }
    }

    async fn want(&self, what: What) -> Result<Value, String> {
        let (reply, answer) = oneshot::channel();
        let wanted = Wanted {
            what,
            reply: Reply(reply),
        };
        let undone = || "the bridge is busy stopping".to_owned();
        self.wanted.send(wanted).await.map_err(|_| undone())?;
        answer.await.map_err(|_| undone())?
    }

    async fn status(&self) -> Value {
        let door = &self.door;
        let devices = door.access.devices();
        json!({
            "pid": self.note.pid,
            "version": self.note.version,
            "startedAt": self.note.started_at,
            "uptimeSeconds": door.metrics.uptime().as_secs(),
            "addresses": self.note.addresses,
            "fingerprint": self.fingerprint,
            "page": crate::page::BUILD,
            "connections": door.crowd.connections(),
            "sockets": door.crowd.sockets(),
            "devices": devices.len(),
            "online": devices.iter().filter(|device| device.online).count(),
            "bridge": door.backend.status().await,
        })
    }
}
