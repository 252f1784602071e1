//! `rename_session`: give the session a title.

use crate::record::wire_struct;

wire_struct! {
    /// Gives the session a title.
    pub struct RenameSession ["subtype" = "rename_session"] {
        title: String,
        source: Option<String>,
        session_id: Option<String>,
    }
}
