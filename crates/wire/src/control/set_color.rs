//! `set_color`: set the colour of the session.

use crate::record::wire_struct;

wire_struct! {
    /// Sets the colour of the session.
    pub struct SetColor ["subtype" = "set_color"] {
        color: Option<String> = null,
    }
}
