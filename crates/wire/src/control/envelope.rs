//! What requests and answers travel in.

use serde::Serialize;
use serde_json::Value;

use super::{Request, RequestId};
use crate::record::wire_struct;
use crate::union::wire_union;

wire_struct! {
    /// A request of either side.
    pub struct ControlRequest ["type" = "control_request"] {
        request_id: RequestId,
        request: Request,
    }
}

impl ControlRequest {
    /// A request.
    pub fn new(id: impl Into<RequestId>, request: impl Into<Request>) -> Self {
        Self {
            request_id: id.into(),
            request: request.into(),
            ..Self::default()
        }
    }
}

wire_struct! {
    /// It worked.
    pub struct Success ["subtype" = "success"] {
        request_id: RequestId,
        /// What the subtype's own response struct reads.
        response: Option<Value>,
        /// Asks still open, for a host that comes back.
        pending_permission_requests: Option<Vec<ControlRequest>>,
        /// Dialogs still open.
        pending_user_dialog_requests: Option<Vec<ControlRequest>>,
        /// Elicitations still open.
        pending_elicitation_requests: Option<Vec<ControlRequest>>,
    }
}

impl Success {
    /// What it is called on the wire.
    pub const SUBTYPE: &'static str = "success";
}

wire_struct! {
    /// It did not.
    pub struct Failure ["subtype" = "error"] {
        request_id: RequestId,
        error: String,
        error_code: Option<String>,
        pending_permission_requests: Option<Vec<ControlRequest>>,
    }
}

wire_union! {
    /// The answer to a request.
    pub enum Response by "subtype", else Unknown {
        Success(Success) = "success",
        Error(Failure) = "error",
    }
}

impl Response {
    /// The request it answers.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        match self {
            Self::Success(success) => success.request_id.clone(),
            Self::Error(failure) => failure.request_id.clone(),
            Self::Unknown(unknown) => {
                let value = unknown.value.to_value();
                RequestId(value.get("request_id").cloned())
            }
        }
    }
}

wire_struct! {
    /// An answer of either side.
    pub struct ControlResponse ["type" = "control_response"] {
        response: Response,
    }
}

impl ControlResponse {
    /// A success without a value.
    pub fn ok(id: impl Into<RequestId>) -> Self {
        Self::from(Success {
            request_id: id.into(),
            ..Success::default()
        })
    }

    /// A success with a value; one that JSON cannot hold is left out.
    pub fn success<T: Serialize + ?Sized>(id: impl Into<RequestId>, response: &T) -> Self {
        Self::from(Success {
            request_id: id.into(),
            response: serde_json::to_value(response).ok(),
            ..Success::default()
        })
    }

    /// A failure.
    pub fn error(id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self::from(Failure {
            request_id: id.into(),
            error: error.into(),
            ..Failure::default()
        })
    }

    /// The request it answers.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        self.response.request_id()
    }
}

impl From<Success> for ControlResponse {
    fn from(success: Success) -> Self {
        Self {
            response: success.into(),
            ..Self::default()
        }
    }
}

impl From<Failure> for ControlResponse {
    fn from(failure: Failure) -> Self {
        Self {
            response: failure.into(),
            ..Self::default()
        }
    }
}

wire_struct! {
    /// The sender no longer wants an answer.
    pub struct ControlCancelRequest ["type" = "control_cancel_request"] {
        request_id: RequestId,
    }
}

impl ControlCancelRequest {
    /// Withdraws the request `id`.
    pub fn new(id: impl Into<RequestId>) -> Self {
        Self {
            request_id: id.into(),
            ..Self::default()
        }
    }
}
