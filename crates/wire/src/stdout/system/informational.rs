//! `informational`: a notice to display in the conversation.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The severity of a notice.
    pub enum Level {
        Info = "info",
        Notice = "notice",
        Suggestion = "suggestion",
        Warning = "warning",
    }
}

wire_struct! {
    /// The effect of a `UserPromptSubmit` hook on a prompt.
    pub struct PromptSubmitOutcome {
        kind: String,
        prompt_kept: Option<bool>,
        reason: Option<String>,
    }
}

wire_struct! {
    /// A hook that ended without a decision.
    pub struct HookNoVerdict {
        hook_event: String,
        tool_use_id: Option<String>,
        timed_out: Option<bool>,
    }
}

wire_struct! {
    /// A notice to display in the conversation.
    pub struct Informational ["type" = "system", "subtype" = "informational"] {
        content: String,
        is_meta: Option<bool> as "isMeta",
        timestamp: Option<String>,
        uuid: String,
        level: Level,
        tool_use_id: Option<String>,
        prevent_continuation: Option<bool>,
        prompt_submit_outcome: Option<PromptSubmitOutcome>,
        tag: Option<String>,
        hook_no_verdict: Option<HookNoVerdict>,
        session_id: String,
    }
}
