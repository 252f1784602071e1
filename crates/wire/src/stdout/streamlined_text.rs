//! `streamlined_text`: text without its frame, declared from 2.1.33 to 2.1.44.

use crate::record::wire_struct;

wire_struct! {
    /// Text of the answer.
    pub struct StreamlinedText ["type" = "streamlined_text"] {
        text: Option<String>,
        session_id: Option<String>,
        uuid: Option<String>,
    }
}
