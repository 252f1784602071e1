//! `set_model`: change the model.

use crate::record::wire_struct;

wire_struct! {
    /// Changes the model. Without a model the default applies again.
    pub struct SetModel ["subtype" = "set_model"] {
        model: Option<String>,
    }
}

wire_struct! {
    /// The current model.
    pub struct SetModelResponse {
        model: Option<String>,
    }
}
