//! `rename_session`: change the title of the session.

use crate::record::wire_struct;

wire_struct! {
    /// Changes the title of the session.
    pub struct RenameSession ["subtype" = "rename_session"] {
        title: String,
        source: Option<String>,
        session_id: Option<String>,
    }
}
