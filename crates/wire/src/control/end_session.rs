//! `end_session`: end the session and the process.

use crate::record::wire_struct;

wire_struct! {
    /// Ends the session and the process.
    pub struct EndSession ["subtype" = "end_session"] {
        reason: Option<String>,
    }
}
