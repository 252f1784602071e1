//! Where the session speaks.

use sluice_wire::ToHost;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::say::Signed;

/// The session's mouth. A door that is gone ends the session: nobody listens.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    messages: mpsc::Sender<ToHost>,
    session_id: std::sync::Arc<str>,
    quit: CancellationToken,
}

impl Out {
    pub(crate) fn new(messages: mpsc::Sender<ToHost>, session_id: &str, quit: CancellationToken) -> Self {
        Self {
            messages,
            session_id: session_id.into(),
            quit,
        }
    }

    /// Says it, as soon as the door has room. Everything said carries the session's id.
    pub(crate) async fn say(&self, mut message: impl Signed) {
        message.sign(&self.session_id);
        if self.messages.send(message.into()).await.is_err() {
            self.quit.cancel();
        }
    }
}
