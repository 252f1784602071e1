//! `message_rated`: a person rated an answer.

use crate::record::wire_struct;

wire_struct! {
    /// A person rated an answer; its fields are not described anywhere and stay in `extra`.
    pub struct MessageRated ["subtype" = "message_rated"] {}
}
