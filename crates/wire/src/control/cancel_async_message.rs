//! `cancel_async_message`: remove a prompt from the queue.

use crate::record::wire_struct;

wire_struct! {
    /// Removes a prompt from the queue.
    pub struct CancelAsyncMessage ["subtype" = "cancel_async_message"] {
        message_uuid: String,
    }
}

wire_struct! {
    /// Reports whether the prompt was still in the queue.
    pub struct CancelAsyncMessageResponse {
        cancelled: bool,
    }
}
