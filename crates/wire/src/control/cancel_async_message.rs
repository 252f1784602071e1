//! `cancel_async_message`: take back a prompt that waits.

use crate::record::wire_struct;

wire_struct! {
    /// Takes back a prompt that waits.
    pub struct CancelAsyncMessage ["subtype" = "cancel_async_message"] {
        message_uuid: String,
    }
}

wire_struct! {
    /// Whether it still waited.
    pub struct CancelAsyncMessageResponse {
        cancelled: bool,
    }
}
