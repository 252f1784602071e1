//! The fields of `assistant`, `user`, `stream_event` and `result`.

use serde::Deserialize;

use super::{Content, Flag, Later, List, Num, Obj, Word};

/// `assistant` and `user`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MessageFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) message: Obj<Inner<'a>>,
    #[serde(rename = "isReplay")]
    pub(crate) is_replay: Flag,
    #[serde(rename = "isSynthetic")]
    pub(crate) is_synthetic: Flag,
    #[serde(borrow)]
    pub(crate) user_message_uuids: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_result: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_result_meta: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_meta: Later<'a>,
    /// The HTTP status of a request that failed.
    pub(crate) api_error_status: Num,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
    pub(crate) is_api_error_message: Flag,
    #[serde(borrow)]
    pub(crate) local_command_run: Obj<LocalRun<'a>>,
    pub(crate) thinking_duration_ms: Num,
    /// The person who sent a prompt, where the agent is shared.
    #[serde(borrow)]
    pub(crate) sluice_by: Word<'a>,
}

/// The local command that an answer comes from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LocalRun<'a> {
    #[serde(borrow)]
    pub(crate) command: Word<'a>,
    #[serde(borrow)]
    pub(crate) args: Word<'a>,
}

/// How a call came to its result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ResultMeta<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) permission_decision: Obj<Decided<'a>>,
}

/// The names for people of a tool of an MCP server.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct UseMeta<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) server_display_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) display_name: Word<'a>,
}

/// Who decided about a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Decided<'a> {
    #[serde(borrow)]
    pub(crate) decision: Word<'a>,
    #[serde(borrow)]
    pub(crate) source: Word<'a>,
    #[serde(borrow)]
    pub(crate) reason_type: Word<'a>,
}

/// `message` inside one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Inner<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) model: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    pub(crate) usage: Obj<Usage>,
}

/// One block. What it says is left unread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) ty: Word<'a>,
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    pub(crate) is_error: Flag,
    #[serde(borrow)]
    pub(crate) text: Later<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Later<'a>,
    #[serde(borrow)]
    pub(crate) input: Later<'a>,
    #[serde(borrow)]
    pub(crate) content: Later<'a>,
    /// The content of an image.
    #[serde(borrow)]
    pub(crate) source: Later<'a>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) input_tokens: Num,
    pub(crate) cache_creation_input_tokens: Num,
    pub(crate) cache_read_input_tokens: Num,
    pub(crate) output_tokens: Num,
}

/// `stream_event`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Stream<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) event: Obj<ApiEvent<'a>>,
}

/// The event of the Messages API inside one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ApiEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) ty: Word<'a>,
    pub(crate) index: Num,
    #[serde(borrow)]
    pub(crate) message: Obj<Inner<'a>>,
    #[serde(borrow)]
    pub(crate) content_block: Obj<Block<'a>>,
    #[serde(borrow)]
    pub(crate) delta: Obj<Delta<'a>>,
    pub(crate) usage: Obj<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Word<'a>,
    #[serde(borrow)]
    pub(crate) partial_json: Word<'a>,
    #[serde(borrow)]
    pub(crate) stop_reason: Word<'a>,
}

/// `result`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TurnResult<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    #[serde(borrow)]
    pub(crate) session_id: Word<'a>,
    pub(crate) is_error: Flag,
    #[serde(borrow)]
    pub(crate) terminal_reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) origin: Obj<Origin<'a>>,
    #[serde(borrow)]
    pub(crate) user_message_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) user_message_uuids: List<Word<'a>>,
    pub(crate) total_cost_usd: Num,
    pub(crate) usage: Obj<Usage>,
    #[serde(borrow, rename = "modelUsage")]
    pub(crate) model_usage: Later<'a>,
    #[serde(borrow)]
    pub(crate) model_usage_since_last_result: Later<'a>,
    pub(crate) duration_api_ms: Num,
    #[serde(borrow)]
    pub(crate) result: Later<'a>,
    #[serde(borrow)]
    pub(crate) errors: List<Word<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Origin<'a> {
    #[serde(borrow)]
    pub(crate) kind: Word<'a>,
    #[serde(borrow)]
    pub(crate) subkind: Word<'a>,
    #[serde(borrow, rename = "fireReason")]
    pub(crate) fire_reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) from: Word<'a>,
    #[serde(borrow)]
    pub(crate) server: Word<'a>,
}

/// Totals of one model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ModelUsage {
    #[serde(rename = "costUSD")]
    pub(crate) cost: Num,
    #[serde(rename = "contextWindow")]
    pub(crate) window: Num,
}
