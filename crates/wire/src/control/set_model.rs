//! `set_model`: switch the model.

use crate::record::wire_struct;

wire_struct! {
    /// Switches the model; without one, back to the default.
    pub struct SetModel ["subtype" = "set_model"] {
        model: Option<String>,
    }
}

wire_struct! {
    /// The model that answers now.
    pub struct SetModelResponse {
        model: Option<String>,
    }
}
