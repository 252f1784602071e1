//! `ui_invalidate`: the host must redraw the parts of its interface that the agent provides.

use crate::record::wire_struct;

wire_struct! {
    /// The host must redraw the parts of its interface that the agent provides.
    pub struct UiInvalidate ["type" = "system", "subtype" = "ui_invalidate"] {
        event: String,
        uuid: String,
        session_id: String,
    }
}
