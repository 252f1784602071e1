//! `ui_invalidate`: what a host draws for the agent is out of date.

use crate::record::wire_struct;

wire_struct! {
    /// Draw again.
    pub struct UiInvalidate ["type" = "system", "subtype" = "ui_invalidate"] {
        event: String,
        uuid: String,
        session_id: String,
    }
}
