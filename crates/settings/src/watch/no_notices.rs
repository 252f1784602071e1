//! Polling, for systems without kernel notifications.

use std::path::PathBuf;

/// The replacement for kernel notifications.
pub(super) struct Notices;

impl Notices {
    pub(super) fn of(_paths: &[PathBuf]) -> Self {
        Self
    }

    /// Waits for the polling interval.
    pub(super) async fn changed(&self) {
        tokio::time::sleep(super::EVERY).await;
    }
}
