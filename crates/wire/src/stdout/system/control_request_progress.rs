//! `control_request_progress`: the progress of a slow control request.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// The progress of a slow control request.
    pub struct ControlRequestProgress ["type" = "system", "subtype" = "control_request_progress"] {
        request_id: String,
        /// `started` or `api_retry`.
        status: String,
        attempt: Option<u64>,
        max_retries: Option<u64>,
        retry_delay_ms: Option<Number>,
        error_status: Option<u64>,
        uuid: String,
        session_id: String,
    }
}
