//! The fields of `system` messages and of `rate_limit_event`.

use serde::Deserialize;

use super::{Flag, Later, List, MaybeFlag, Num, Obj, Word};

/// The small `system` messages; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct System<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow, rename = "permissionMode")]
    pub(crate) mode: Word<'a>,
    #[serde(borrow)]
    pub(crate) state: Word<'a>,
    #[serde(borrow)]
    pub(crate) title: Word<'a>,
    #[serde(borrow)]
    pub(crate) user_message_uuids: Later<'a>,
    #[serde(borrow)]
    pub(crate) compact_metadata: Later<'a>,
    #[serde(borrow)]
    pub(crate) commands: Later<'a>,
    #[serde(borrow)]
    pub(crate) task_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) task_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(borrow)]
    pub(crate) subagent_type: Word<'a>,
    pub(crate) is_backgrounded: MaybeFlag,
    #[serde(borrow)]
    pub(crate) output_file: Word<'a>,
    #[serde(borrow)]
    pub(crate) summary: Word<'a>,
    #[serde(borrow)]
    pub(crate) last_tool_name: Word<'a>,
    pub(crate) usage: Obj<TaskUsage>,
    #[serde(borrow)]
    pub(crate) patch: Obj<Patch<'a>>,
    #[serde(borrow)]
    pub(crate) tasks: List<Obj<Listed<'a>>>,
    #[serde(borrow)]
    pub(crate) compact_error: Word<'a>,
    pub(crate) skip_transcript: Flag,
}

/// `api_retry`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RetryFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    pub(crate) attempt: Num,
    pub(crate) max_retries: Num,
    pub(crate) retry_delay_ms: Num,
    pub(crate) error_status: Num,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
}

/// `hook_started` and `hook_response`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HookFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_event: Word<'a>,
    #[serde(borrow)]
    pub(crate) outcome: Word<'a>,
    pub(crate) exit_code: Num,
    #[serde(borrow)]
    pub(crate) output: Word<'a>,
    #[serde(borrow)]
    pub(crate) stderr: Word<'a>,
}

/// `system` messages that tell the person something; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NoticeFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: Word<'a>,
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) level: Word<'a>,
    #[serde(borrow)]
    pub(crate) tag: Word<'a>,
    #[serde(rename = "isMeta")]
    pub(crate) is_meta: Flag,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) original_model: Word<'a>,
    #[serde(borrow)]
    pub(crate) fallback_model: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
    #[serde(borrow)]
    pub(crate) memories: List<Obj<PathField<'a>>>,
    #[serde(borrow)]
    pub(crate) files: List<Obj<PathField<'a>>>,
}

/// A file that a notice names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PathField<'a> {
    #[serde(borrow)]
    pub(crate) path: Word<'a>,
    #[serde(borrow)]
    pub(crate) filename: Word<'a>,
}

/// `permission_denied`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DeniedFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) decision_reason_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) message: Word<'a>,
}

/// `thinking_tokens`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ThinkingFields {
    pub(crate) estimated_tokens: Num,
}

/// `rate_limit_event`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LimitFields<'a> {
    #[serde(borrow)]
    pub(crate) rate_limit_info: Obj<Limit<'a>>,
}

/// The state of a limit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Limit<'a> {
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow, rename = "rateLimitType")]
    pub(crate) kind: Word<'a>,
    #[serde(rename = "resetsAt")]
    pub(crate) resets_at: Num,
    pub(crate) utilization: Num,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TaskUsage {
    pub(crate) total_tokens: Num,
    pub(crate) tool_uses: Num,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Patch<'a> {
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(rename = "is_backgrounded")]
    pub(crate) background: Flag,
}

/// A task in the list of running ones.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Listed<'a> {
    #[serde(borrow)]
    pub(crate) task_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) task_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(borrow)]
    pub(crate) subagent_type: Word<'a>,
}
