//! `session_title_changed`: the session has a new title.

use crate::record::wire_struct;

wire_struct! {
    /// The session has a new title.
    pub struct SessionTitleChanged ["type" = "system", "subtype" = "session_title_changed"] {
        title: Option<String>,
        source: Option<String>,
        uuid: Option<String>,
        session_id: String,
    }
}
