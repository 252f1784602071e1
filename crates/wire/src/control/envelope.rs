//! The messages that carry control requests, responses and cancellations.

use serde::Serialize;
use serde_json::Value;

use super::{Request, RequestId};
use crate::record::wire_struct;
use crate::union::wire_union;

wire_struct! {
    /// A control request of the host or the agent.
    pub struct ControlRequest ["type" = "control_request"] {
        request_id: RequestId,
        request: Request,
    }
}

impl ControlRequest {
    /// Creates a request.
    pub fn new(id: impl Into<RequestId>, request: impl Into<Request>) -> Self {
        Self {
            request_id: id.into(),
            request: request.into(),
            ..Self::default()
        }
    }
}

wire_struct! {
    /// The response of a request that succeeded.
    pub struct Success ["subtype" = "success"] {
        request_id: RequestId,
        /// The response in the format of the request's subtype.
        response: Option<Value>,
        /// Permission requests that are still open, for a host that reconnects.
        pending_permission_requests: Option<Vec<ControlRequest>>,
        /// Dialogs that are still open.
        pending_user_dialog_requests: Option<Vec<ControlRequest>>,
        /// Elicitations that are still open.
        pending_elicitation_requests: Option<Vec<ControlRequest>>,
    }
}

impl Success {
    /// The value of `subtype`.
    pub const SUBTYPE: &'static str = "success";
}

wire_struct! {
    /// The response of a request that failed.
    pub struct Failure ["subtype" = "error"] {
        request_id: RequestId,
        error: String,
        error_code: Option<String>,
        pending_permission_requests: Option<Vec<ControlRequest>>,
    }
}

wire_union! {
    /// The response to a control request.
    pub enum Response by "subtype", else Unknown {
        Success(Success) = "success",
        Error(Failure) = "error",
    }
}

impl Response {
    /// Returns the id of the request that this responds to.
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
    /// The message that carries the response to a control request.
    pub struct ControlResponse ["type" = "control_response"] {
        response: Response,
    }
}

impl ControlResponse {
    /// Creates a success response without a value.
    pub fn ok(id: impl Into<RequestId>) -> Self {
        Self::from(Success {
            request_id: id.into(),
            ..Success::default()
        })
    }

    /// Creates a success response with a value. A value that cannot be serialised as JSON is left out.
    pub fn success<T: Serialize + ?Sized>(id: impl Into<RequestId>, response: &T) -> Self {
        Self::from(Success {
            request_id: id.into(),
            response: serde_json::to_value(response).ok(),
            ..Success::default()
        })
    }

    /// Creates an error response.
    pub fn error(id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self::from(Failure {
            request_id: id.into(),
            error: error.into(),
            ..Failure::default()
        })
    }

    /// Returns the id of the request that this responds to.
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
    /// Cancels a request: its sender does not need a response any more.
    pub struct ControlCancelRequest ["type" = "control_cancel_request"] {
        request_id: RequestId,
    }
}

impl ControlCancelRequest {
    /// Creates the cancellation of the request `id`.
    pub fn new(id: impl Into<RequestId>) -> Self {
        Self {
            request_id: id.into(),
            ..Self::default()
        }
    }
}
