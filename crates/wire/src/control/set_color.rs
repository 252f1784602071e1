//! `set_color`: a colour for the session.

use crate::record::wire_struct;

wire_struct! {
    /// Gives the session a colour.
    pub struct SetColor ["subtype" = "set_color"] {
        color: Option<String> = null,
    }
}
