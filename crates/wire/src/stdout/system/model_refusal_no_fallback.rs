//! `model_refusal_no_fallback`: a model refused, and there is no fallback model.

use crate::record::wire_struct;

wire_struct! {
    /// A model refused, and there is no fallback model.
    pub struct ModelRefusalNoFallback ["type" = "system", "subtype" = "model_refusal_no_fallback"] {
        original_model: String,
        request_id: Option<String> = null,
        api_refusal_category: Option<String>,
        api_refusal_explanation: Option<String>,
        refused_user_message_uuid: Option<String>,
        content: String,
        uuid: String,
        session_id: String,
    }
}
