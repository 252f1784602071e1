//! `generate_session_title`: a title made by the model.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for a title made by the model.
    pub struct GenerateSessionTitle ["subtype" = "generate_session_title"] {
        description: Option<String>,
        persist: Option<bool>,
    }
}

wire_struct! {
    /// The title, if one was found.
    pub struct GenerateSessionTitleResponse {
        title: Option<String> = null,
    }
}
