//! `model_fallback`: the session continues with another model.

use crate::record::wire_struct;

wire_struct! {
    /// The model failed to respond, and the session continues with another one.
    pub struct ModelFallback ["type" = "system", "subtype" = "model_fallback"] {
        uuid: String,
        trigger: String,
        original_model: String,
        fallback_model: String,
        content: String,
        session_id: String,
    }
}
