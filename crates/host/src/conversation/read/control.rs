//! The fields of control messages and of the smallest other ones.

use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_wire::control::{RequestId, Success};

use super::{Flag, Later, List, Obj, Word};

/// `command_lifecycle`, `tool_progress`, `conversation_reset`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Note<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) command_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) state: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) new_conversation_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) summary: Word<'a>,
    #[serde(borrow)]
    pub(crate) suggestion: Word<'a>,
}

/// `control_request` and `control_cancel_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Control<'a> {
    pub(crate) request_id: RequestId,
    #[serde(borrow)]
    pub(crate) request: Obj<Asked<'a>>,
}

/// What a request is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked<'a> {
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) agent_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) callback_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) server_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) mcp_server_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) mode: Word<'a>,
    #[serde(borrow)]
    pub(crate) model: Word<'a>,
    #[serde(borrow)]
    pub(crate) message_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) user_message_id: Word<'a>,
    pub(crate) dry_run: Flag,
    #[serde(borrow)]
    pub(crate) decision_reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) input: Later<'a>,
}

/// `control_response`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Responded<'a> {
    #[serde(borrow)]
    pub(crate) response: Obj<Response<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Response<'a> {
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    pub(crate) request_id: RequestId,
    #[serde(borrow)]
    pub(crate) response: Later<'a>,
    #[serde(borrow)]
    pub(crate) pending_permission_requests: List<&'a RawValue>,
}

impl Response<'_> {
    pub(crate) fn is_success(&self) -> bool {
        self.subtype.get() == Some(Success::SUBTYPE)
    }
}
