//! `message_rated`: the user rated a reply of the model.

use crate::record::wire_struct;

wire_struct! {
    /// Reports that the user rated a reply of the model. Its fields are undocumented and are stored in `extra`.
    pub struct MessageRated ["subtype" = "message_rated"] {}
}
