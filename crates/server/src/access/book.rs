//! The trait of a device store. The store crate implements it; other implementations are possible.

use futures_util::future::BoxFuture;

use crate::backend::DeviceKind;
use crate::scope::Scope;

/// A stored device. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDevice {
    pub id: String,
    pub name: String,
    pub kind: DeviceKind,
    pub scope: Scope,
    /// SHA-256 of its secret, in hexadecimal.
    pub token_hash: String,
    pub created_at: i64,
    pub last_seen_at: i64,
    pub last_address: Option<String>,
    pub user_agent: Option<String>,
}

/// An event for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditNote {
    pub at: i64,
    /// Device that caused it; `None` for the terminal.
    pub device: Option<String>,
    pub device_name: Option<String>,
    /// `pair`, `pairing_failed`, `pairing_locked`, `token`, `revoke`, `logout` or `refused`.
    pub action: &'static str,
    pub detail: serde_json::Value,
}

/// The device store could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BookError(pub String);

pub trait DeviceBook: Send + Sync + 'static {
    /// Returns all devices that are not revoked.
    fn load(&self) -> BoxFuture<'_, Result<Vec<KnownDevice>, BookError>>;
    fn add(&self, device: KnownDevice) -> BoxFuture<'_, Result<(), BookError>>;
    fn revoke(&self, id: String, at: i64) -> BoxFuture<'_, Result<(), BookError>>;
    fn touch(&self, id: String, at: i64, address: String) -> BoxFuture<'_, Result<(), BookError>>;
    fn note(&self, note: AuditNote) -> BoxFuture<'_, Result<(), BookError>>;
}
