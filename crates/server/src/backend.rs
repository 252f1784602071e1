//! `Backend`: the sessions behind the server. This crate says who may connect; a [`Backend`] says what they get.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::scope::Scope;
use crate::socket::Socket;

/// How a device shows who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A browser, paired by a code.
    Cookie,
    /// A program, with `Authorization: Bearer`.
    Token,
}

impl DeviceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cookie => "cookie",
            Self::Token => "token",
        }
    }
}

/// A device that was let in.
#[derive(Debug, Clone)]
pub struct Who {
    /// Its id.
    pub device: String,
    pub name: String,
    pub scope: Scope,
    pub kind: DeviceKind,
    /// Fires when the device is revoked or the server has to cut it off. [`Socket`] ends by itself then; a command
    /// that takes long should look.
    pub revoked: CancellationToken,
    /// Where it comes from, without a port.
    pub address: String,
    /// Over TLS, our own or that of the proxy.
    pub secure: bool,
}

/// What the server asks of the sessions.
pub trait Backend: Send + Sync + 'static {
    /// Talks with a client until either side is done. The guard has let it in; the scope of each command is for the
    /// backend to check. The server drops the future soon after `who.revoked` fires.
    fn serve(self: Arc<Self>, socket: Socket, who: Who) -> BoxFuture<'static, ()>;

    /// A session to take along. `format` is `md`, `html` or `jsonl`; `query` what stood after the `?`, decoded.
    fn export<'a>(
        &'a self,
        who: &'a Who,
        session: String,
        format: String,
        query: Vec<(String, String)>,
    ) -> BoxFuture<'a, Result<Exported, Refusal>>;

    /// A heavy body. `hash` is 64 hexadecimal digits.
    fn blob<'a>(&'a self, who: &'a Who, hash: String) -> BoxFuture<'a, Result<BlobFile, Refusal>>;

    /// An image, at most 20 MiB, of the type it says it is: not looked into yet.
    fn upload<'a>(&'a self, who: &'a Who, mime: String, bytes: Bytes) -> BoxFuture<'a, Result<Uploaded, Refusal>>;

    /// Lines in Prometheus' text form, put below the server's own.
    fn metrics(&self) -> String;

    /// What `sluice serve status` shows of the sessions.
    fn status(&self) -> BoxFuture<'_, serde_json::Value>;

    /// Whether sessions can be served and stored now.
    fn health(&self) -> Health;

    /// The server stops: nobody new comes. Tell the sockets, write what waits, and return; at the server's deadline
    /// the sockets are cut.
    fn closing(&self) -> BoxFuture<'_, ()>;
}

/// What health checks report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// What prevents the bridge from storing what clients send; none when it is well. Shown without authentication: no
    /// paths and no names.
    pub problems: Vec<String>,
}

/// The answer to an export.
#[derive(Debug)]
pub struct Exported {
    pub mime: String,
    /// For `Content-Disposition`; any text.
    pub file_name: String,
    pub body: Body,
}

/// The answer to a blob.
#[derive(Debug)]
pub struct BlobFile {
    pub content: Content,
    pub mime: String,
    pub len: u64,
}

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Content {
    Bytes(Bytes),
    File(PathBuf),
}

/// The answer to an upload, as the page reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    pub hash: String,
    pub width: u32,
    pub height: u32,
    pub bytes: u64,
    pub mime_type: String,
}

/// Why a request is not answered with what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// It cannot be read, or says what cannot be.
    Invalid,
    /// The device's scope is too small.
    Scope,
    NotFound,
    /// There is such a thing, and it is in the way.
    Conflict,
    TooLarge,
    /// Not this kind of content.
    Unsupported,
    /// Not now; later perhaps.
    Unavailable,
    Internal,
}

impl Refusal {
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl RefusalKind {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Scope => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unsupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Scope => "scope",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::Unsupported => "unsupported",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(out, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}
