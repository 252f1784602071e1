//! The device store in the database.

use futures_util::future::BoxFuture;
use sluice_store::{AuditRow, DeviceRow, Store, StoreError};

use super::book::{AuditNote, BookError, DeviceBook, KnownDevice};
use crate::backend::DeviceKind;

impl From<StoreError> for BookError {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

/// Converts a row to a device; `None` if it is revoked or has an unknown kind or scope, which must not give access.
fn known(row: DeviceRow) -> Option<KnownDevice> {
    let kind = match row.kind.as_str() {
        "cookie" => DeviceKind::Cookie,
        "token" => DeviceKind::Token,
        _ => return None,
    };
    let scope = row.scopes.parse().ok()?;
    row.revoked_at.is_none().then_some(KnownDevice {
        id: row.id,
        name: row.name,
        kind,
        scope,
        token_hash: row.token_hash,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        last_address: row.last_address,
        user_agent: row.user_agent,
    })
}

impl DeviceBook for Store {
    fn load(&self) -> BoxFuture<'_, Result<Vec<KnownDevice>, BookError>> {
        Box::pin(async { Ok(self.devices().await?.into_iter().filter_map(known).collect()) })
    }

    fn add(&self, device: KnownDevice) -> BoxFuture<'_, Result<(), BookError>> {
        let row = DeviceRow {
            id: device.id,
            name: device.name,
            kind: device.kind.as_str().to_owned(),
            token_hash: device.token_hash,
            scopes: device.scope.to_string(),
            created_at: device.created_at,
            last_seen_at: device.last_seen_at,
            last_address: device.last_address,
            revoked_at: None,
            user_agent: device.user_agent,
        };
        Box::pin(async move { Ok(self.add_device(row).await?) })
    }

    fn revoke(&self, id: String, at: i64) -> BoxFuture<'_, Result<(), BookError>> {
        Box::pin(async move { Ok(self.revoke_device(&id, at).await.map(drop)?) })
    }

    fn touch(&self, id: String, at: i64, address: String) -> BoxFuture<'_, Result<(), BookError>> {
        Box::pin(async move { Ok(self.touch_device(&id, at, Some(&address)).await.map(drop)?) })
    }

    fn note(&self, note: AuditNote) -> BoxFuture<'_, Result<(), BookError>> {
        let row = AuditRow {
            id: 0,
            at: note.at,
            device: note.device,
            device_name: note.device_name,
            action: note.action.to_owned(),
            session: None,
            detail: note.detail.to_string(),
        };
        Box::pin(async move { Ok(self.audit(row).await.map(drop)?) })
    }
}
