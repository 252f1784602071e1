//! `side_question`: ask the model without adding to the conversation.

use crate::record::wire_struct;

wire_struct! {
    /// Asks the model without adding to the conversation.
    pub struct SideQuestion ["subtype" = "side_question"] {
        question: Option<String>,
    }
}

wire_struct! {
    /// The reply of the model.
    pub struct SideQuestionResponse {
        response: Option<String> = null,
        synthetic: Option<bool>,
    }
}
