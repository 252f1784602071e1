//! Devices: pairing, revoking and web push, which sessions and commands need of the web server.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use crate::api::{Code, PairingCode, Problem, Scope};

/// Access control: pairing and revoking devices.
pub trait Doorkeeper: Send + Sync + 'static {
    /// A fresh pairing code.
    fn offer(&self, scope: Scope) -> BoxFuture<'_, Result<PairingCode, Problem>>;
    /// Shuts a device out; its sockets close at once.
    fn revoke(&self, device: &str) -> BoxFuture<'_, Result<(), Problem>>;
    /// The addresses people open.
    fn addresses(&self) -> Vec<String>;
    /// Tells devices that asked for it, wherever they are, that somebody is waited for. `away` says which of them are
    /// not looking.
    fn notify(&self, notice: &Waiting, away: Away) -> BoxFuture<'static, ()>;
}

/// Whether a device is not connected.
pub type Away = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Something that waits for a person, in the words of a notification.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Waiting {
    /// The session.
    pub session: String,
    /// Its title.
    pub title: String,
    /// What it wants.
    pub body: String,
    /// The ask: a newer message about it takes the place of an older one.
    pub ask: String,
}

/// The doorkeeper, once there is one.
#[derive(Default)]
pub(crate) struct Doors {
    keeper: Mutex<Option<Arc<dyn Doorkeeper>>>,
}

impl Doors {
    pub(crate) fn set(&self, keeper: Arc<dyn Doorkeeper>) {
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(keeper);
    }

    fn keeper(&self) -> Result<Arc<dyn Doorkeeper>, Problem> {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        keeper
            .clone()
            .ok_or_else(|| Problem::new(Code::Internal, "this bridge has no door"))
    }

    pub(crate) async fn offer(&self, scope: Scope) -> Result<PairingCode, Problem> {
        self.keeper()?.offer(scope).await
    }

    pub(crate) async fn revoke(&self, device: &str) -> Result<(), Problem> {
        self.keeper()?.revoke(device).await
    }

    pub(crate) async fn notify(&self, notice: &Waiting, away: Away) {
        if let Ok(keeper) = self.keeper() {
            keeper.notify(notice, away).await;
        }
    }

    pub(crate) fn addresses(&self) -> Vec<String> {
        self.keeper().map(|keeper| keeper.addresses()).unwrap_or_default()
    }
}
