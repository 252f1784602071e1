//! `Brain`: decides the replies of a model. [`crate::ModelServer`] is the transport.

use serde_json::Value;

use crate::script::Reply;

/// Replies to Messages API requests.
///
/// A request is *main* if it offers tools or is not for a haiku model. Other requests are auxiliary: agents send them
/// in addition to the conversation (titles, summaries of a command), and they are never scripted.
pub trait Brain: Send + Sync + 'static {
    /// Returns the reply to the `n`-th main request, counted from 1.
    fn reply(&self, request: &Value, n: usize) -> Reply;

    /// Returns the reply to an auxiliary request.
    fn errand(&self, request: &Value) -> Reply {
        let _ = request;
        Reply::text("aux")
    }

    /// Returns the middle part of message and request ids, as in `msg_<tag>_1`.
    fn tag(&self) -> &str {
        "sim"
    }

    /// Whether the server does not listen on its port, so that every connection is refused.
    fn refuses(&self) -> bool {
        false
    }
}

/// A function is a brain as well, for tests whose replies depend on the request.
impl<F> Brain for F
where
    F: Fn(&Value, usize) -> Reply + Send + Sync + 'static,
{
    fn reply(&self, request: &Value, n: usize) -> Reply {
        self(request, n)
    }
}

/// Whether a request belongs to the conversation.
pub(crate) fn is_main(request: &Value) -> bool {
    let offers_tools = request
        .get("tools")
        .and_then(Value::as_array)
        .is_some_and(|tools| !tools.is_empty());
    let model = request.get("model").and_then(Value::as_str).unwrap_or("");
    offers_tools || !model.contains("haiku")
}
