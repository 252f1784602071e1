//! `model_refusal_fallback`: a model refused, and the session continues with another one.

use crate::record::wire_struct;

wire_struct! {
    /// A model refused, and the session continues with another one.
    pub struct ModelRefusalFallback ["type" = "system", "subtype" = "model_refusal_fallback"] {
        trigger: String,
        /// `retry`, `revert` or `sticky`.
        direction: String,
        scope: Option<String>,
        original_model: String,
        fallback_model: String,
        request_id: Option<String> = null,
        api_refusal_category: Option<String>,
        api_refusal_explanation: Option<String>,
        retracted_message_uuids: Option<Vec<String>>,
        refused_user_message_uuid: Option<String>,
        content: String,
        uuid: String,
        session_id: String,
    }
}
