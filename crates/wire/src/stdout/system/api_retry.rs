//! `api_retry`: a request failed and is tried again.

use super::super::AssistantError;
use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// How long nothing came.
    pub struct NoResponse {
        waited_ms: Number,
        retry_wait_ms: Number,
    }
}

wire_struct! {
    /// A request is tried again.
    pub struct ApiRetry ["type" = "system", "subtype" = "api_retry"] {
        attempt: u64,
        max_retries: u64,
        retry_delay_ms: Number,
        /// Null when no answer came at all.
        error_status: Option<u64> = null,
        error: AssistantError,
        no_response: Option<NoResponse>,
        session_id: String,
        uuid: String,
    }
}
