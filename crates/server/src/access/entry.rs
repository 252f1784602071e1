//! Pairing and login: a code or token is checked, and a device is added.

use super::devices::{Access, unix_ms};
use super::secret::TokenHash;
use crate::backend::{DeviceKind, Who};

/// Why a secret is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    #[error("this device is not known here\nhint: pair it with a code; `sluice serve pair` makes one")]
    Unknown,
    #[error(
        "this device was away for too long\nhint: pair it again with a code from `sluice serve pair`; a program needs a new token"
    )]
    Expired,
}

/// Counts an open WebSocket of a device until dropped.
#[derive(Debug)]
pub(crate) struct Connected {
    access: Access,
    device: String,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut state = self.access.state();
        if let Some(live) = state.devices.iter_mut().find(|live| live.known.id == self.device) {
            live.sockets = live.sockets.saturating_sub(1);
            // The device was active until now, regardless of when it connected.
            live.known.last_seen_at = unix_ms();
        }
    }
}

impl Access {
    /// Finds the device with this secret. The secret of a cookie is not accepted as a token, or vice versa.
    ///
    /// # Errors
    /// No device has this secret, or the device was inactive for too long.
    pub fn authenticate(&self, secret: &str, kind: DeviceKind, address: &str, secure: bool) -> Result<Who, AuthError> {
        let hash = TokenHash::of(secret).ok_or(AuthError::Unknown)?;
        let now = unix_ms();
        let mut state = self.state();
        // All devices are compared, so that timing does not reveal which one matched.
        let mut found = None;
        for (place, live) in state.devices.iter().enumerate() {
            if live.hash.is(&hash) {
                found = Some(place);
            }
        }
        let live = found.and_then(|place| state.devices.get_mut(place));
        let live = live.filter(|live| live.known.kind == kind).ok_or(AuthError::Unknown)?;
        let away = now.saturating_sub(live.known.last_seen_at);
        let idle = i64::try_from(self.inner.options.idle.as_millis()).unwrap_or(i64::MAX);
        if away > idle {
            return Err(AuthError::Expired);
        }
        live.known.last_seen_at = now;
        live.known.last_address = Some(address.to_owned());
        let who = Who {
            device: live.known.id.clone(),
            name: live.known.name.clone(),
            scope: live.known.scope,
            kind,
            revoked: live.revoked.clone(),
            address: address.to_owned(),
            secure,
        };
        let touch_every = i64::try_from(self.inner.options.touch_every.as_millis()).unwrap_or(i64::MAX);
        if now.saturating_sub(live.touched_at) >= touch_every {
            live.touched_at = now;
            self.touch(who.device.clone(), now, who.address.clone());
        }
        Ok(who)
    }

    /// Counts a WebSocket of the device.
    pub(crate) fn connect(&self, who: &Who) -> Connected {
        if let Some(live) = self.state().devices.iter_mut().find(|live| live.known.id == who.device) {
            live.sockets += 1;
        }
        Connected {
            access: self.clone(),
            device: who.device.clone(),
        }
    }

    /// Updates the last visit without waiting for the write.
    fn touch(&self, id: String, at: i64, address: String) {
        let book = self.inner.book.clone();
        tokio::spawn(async move {
            if let Err(error) = book.touch(id, at, address).await {
                tracing::warn!(%error, "a device's last visit could not be written");
            }
        });
    }
}
