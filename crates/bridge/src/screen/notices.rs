//! Notices to a client, and the record of what it did.

use super::{Connection, scopes};
use crate::api::{ClientMessage, Problem};
use crate::level0;

impl Connection {
    /// The first messages to a client of level 0: the sessions, and that this connection has joined none that runs.
    pub(super) fn greet_zero(&self) {
        self.send_list();
        self.outbox.answer(0, level0::no_session().to_string());
        self.send_notices();
    }

    pub(super) fn send_notices(&self) {
        for problem in self.hub.notices(&self.person.by.device) {
            self.complain(&problem, None, None);
        }
    }

    /// Records what this client did, with its address.
    pub(super) async fn audit(&self, action: &str, session: Option<&str>, detail: &str) {
        let detail = format!("{detail} from {}", self.person.address);
        self.hub.audit(&self.person.by, action, session, detail.trim()).await;
    }

    /// Refuses a message that the scope of the device does not allow, and records it.
    pub(super) async fn check_scope(&self, message: &ClientMessage, name: &str) -> Result<(), Problem> {
        let checked = scopes::check(message, self.person.scope);
        if let Err(problem) = &checked {
            self.audit(
                "refused",
                self.joined.as_deref(),
                &format!("{name}: {}", problem.message),
            )
            .await;
        }
        checked
    }
}
