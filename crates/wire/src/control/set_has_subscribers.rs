//! `set_has_subscribers`: report whether clients are subscribed to the session.

use crate::record::wire_struct;

wire_struct! {
    /// Reports whether clients are subscribed to the session.
    pub struct SetHasSubscribers ["subtype" = "set_has_subscribers"] {
        has_subscribers: Option<bool> = null,
    }
}
