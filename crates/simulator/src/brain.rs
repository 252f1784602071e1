//! `Brain`: decides what the model answers; the transport around it is [`crate::ModelServer`].

use serde_json::Value;

use crate::script::Reply;

/// Answers Messages API requests.
///
/// A request is *main* if it offers tools or is not for a haiku model; the others are the small errands
/// an agent runs beside the conversation (titles, summaries of a command) and are never scripted.
pub trait Brain: Send + Sync + 'static {
    /// The reply to the `n`-th main request, counted from 1.
    fn reply(&self, request: &Value, n: usize) -> Reply;

    /// The reply to a request that is not main.
    fn errand(&self, request: &Value) -> Reply {
        let _ = request;
        Reply::text("aux")
    }

    /// The middle of message and request ids, as in `msg_<tag>_1`.
    fn tag(&self) -> &str {
        "sim"
    }

    /// Whether nothing shall listen on the port, so that every connection is refused.
    fn refuses(&self) -> bool {
        false
    }
}

/// A function is a brain too, for tests whose replies depend on the request.
impl<F> Brain for F
where
    F: Fn(&Value, usize) -> Reply + Send + Sync + 'static,
{
    fn reply(&self, request: &Value, n: usize) -> Reply {
        self(request, n)
    }
}

/// Whether a request belongs to the conversation itself.
pub(crate) fn is_main(request: &Value) -> bool {
    let offers_tools = request
        .get("tools")
        .and_then(Value::as_array)
        .is_some_and(|tools| !tools.is_empty());
    let model = request.get("model").and_then(Value::as_str).unwrap_or("");
    offers_tools || !model.contains("haiku")
}
