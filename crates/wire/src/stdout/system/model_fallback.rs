//! `model_fallback`: another model goes on.

use crate::record::wire_struct;

wire_struct! {
    /// The model could not answer and another goes on.
    pub struct ModelFallback ["type" = "system", "subtype" = "model_fallback"] {
        uuid: String,
        trigger: String,
        original_model: String,
        fallback_model: String,
        content: String,
        session_id: String,
    }
}
