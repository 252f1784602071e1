//! `streamlined_text`: text of the reply in a short form. Only CLI versions 2.1.33 to 2.1.44 declare it.

use crate::record::wire_struct;

wire_struct! {
    /// Text of the reply.
    pub struct StreamlinedText ["type" = "streamlined_text"] {
        text: Option<String>,
        session_id: Option<String>,
        uuid: Option<String>,
    }
}
