//! `set_has_subscribers`: whether anyone watches.

use crate::record::wire_struct;

wire_struct! {
    /// Says whether anyone watches.
    pub struct SetHasSubscribers ["subtype" = "set_has_subscribers"] {
        has_subscribers: Option<bool> = null,
    }
}
