//! `generate_session_title`: let the model write a title.

use crate::record::wire_struct;

wire_struct! {
    /// Requests a session title written by the model.
    pub struct GenerateSessionTitle ["subtype" = "generate_session_title"] {
        description: Option<String>,
        persist: Option<bool>,
    }
}

wire_struct! {
    /// The title, if the model returned one.
    pub struct GenerateSessionTitleResponse {
        title: Option<String> = null,
    }
}
