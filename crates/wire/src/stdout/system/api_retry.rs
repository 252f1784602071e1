//! `api_retry`: an API request failed and will be retried.

use super::super::AssistantError;
use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// A request that got no response in time.
    pub struct NoResponse {
        waited_ms: Number,
        retry_wait_ms: Number,
    }
}

wire_struct! {
    /// An API request failed and will be retried.
    pub struct ApiRetry ["type" = "system", "subtype" = "api_retry"] {
        attempt: u64,
        max_retries: u64,
        retry_delay_ms: Number,
        /// `null` if there was no response.
        error_status: Option<u64> = null,
        error: AssistantError,
        no_response: Option<NoResponse>,
        session_id: String,
        uuid: String,
    }
}
