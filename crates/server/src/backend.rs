//! `Backend`: the sessions behind the server. This crate decides who may connect; a [`Backend`] decides what clients
//! can do.

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

/// How a device authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A browser, paired with a code.
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

/// An authenticated device.
#[derive(Debug, Clone)]
pub struct Who {
    /// Id of the device.
    pub device: String,
    pub name: String,
    pub scope: Scope,
    pub kind: DeviceKind,
    /// Cancelled when the device is revoked or the server disconnects it. A [`Socket`] then ends by itself;
    /// long-running commands should check it.
    pub revoked: CancellationToken,
    /// Address of the client, without port.
    pub address: String,
    /// True for TLS, of this server or of the proxy.
    pub secure: bool,
}

/// Functions that the server needs from the sessions.
pub trait Backend: Send + Sync + 'static {
    /// Serves a client until either side disconnects. The client is authenticated; the backend checks the scope of each
    /// command. The server drops the future soon after `who.revoked` is cancelled.
    fn serve(self: Arc<Self>, socket: Socket, who: Who) -> BoxFuture<'static, ()>;

    /// Exports a session. `format` is `md`, `html` or `jsonl`; `query` is the decoded query string.
    fn export<'a>(
        &'a self,
        who: &'a Who,
        session: String,
        format: String,
        query: Vec<(String, String)>,
    ) -> BoxFuture<'a, Result<Exported, Refusal>>;

    /// Returns a large body. `hash` is 64 hexadecimal digits.
    fn blob<'a>(&'a self, who: &'a Who, hash: String) -> BoxFuture<'a, Result<BlobFile, Refusal>>;

    /// Stores an image of at most 20 MiB. The content was not checked against its declared type.
    fn upload<'a>(&'a self, who: &'a Who, mime: String, bytes: Bytes) -> BoxFuture<'a, Result<Uploaded, Refusal>>;

    /// Returns metrics in the Prometheus text format, appended to those of the server.
    fn metrics(&self) -> String;

    /// Returns the session part of `sluice serve status`.
    fn status(&self) -> BoxFuture<'_, serde_json::Value>;

    /// Returns whether sessions can be served and stored now.
    fn health(&self) -> Health;

    /// Prepares for the stop of the server, which accepts no new clients. Notifies clients, writes pending data and
    /// returns; at the server's deadline connections are closed.
    fn closing(&self) -> BoxFuture<'_, ()>;
}

/// Result of a health check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// Problems that prevent the bridge from storing client data; empty if there are none. Shown without
    /// authentication, so it contains no paths or names.
    pub problems: Vec<String>,
}

/// Response to an export.
#[derive(Debug)]
pub struct Exported {
    pub mime: String,
    /// File name for `Content-Disposition`; any text.
    pub file_name: String,
    pub body: Body,
}

/// Response to a request for a body.
#[derive(Debug)]
pub struct BlobFile {
    pub content: Content,
    pub mime: String,
    pub len: u64,
}

/// Location of the content.
#[derive(Debug, Clone)]
pub enum Content {
    Bytes(Bytes),
    File(PathBuf),
}

/// Response to an upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    pub hash: String,
    pub width: u32,
    pub height: u32,
    pub bytes: u64,
    pub mime_type: String,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Malformed or invalid.
    Invalid,
    /// The scope of the device is insufficient.
    Scope,
    NotFound,
    /// It conflicts with an existing object.
    Conflict,
    TooLarge,
    /// The content type is not supported.
    Unsupported,
    /// Temporarily unavailable.
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
