//! Polling, for systems on which no kernel notifications are used.

use std::path::PathBuf;

/// No notifications.
pub(super) struct Notices;

impl Notices {
    pub(super) fn of(_paths: &[PathBuf]) -> Self {
        Self
    }

    /// Waits until it is time to look.
    pub(super) async fn heard(&self) {
        tokio::time::sleep(super::EVERY).await;
    }
}
