//! The output of a hook.

use super::HookSpecificOutput;
use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The permission decision of a hook about a tool call. The default, `ask`, is the cautious one.
    pub enum HookPermissionDecision {
        Ask = "ask",
        Deny = "deny",
        Allow = "allow",
        Defer = "defer",
    }
}

open_enum! {
    /// The decision of a hook whether to proceed.
    pub enum HookDecision {
        Block = "block",
        Approve = "approve",
    }
}

wire_struct! {
    /// The output of a hook. An empty output changes nothing.
    pub struct HookOutput {
        /// Whether the hook continues in the background instead of being waited for.
        is_async: Option<bool> as "async",
        /// In milliseconds.
        async_timeout: Option<Number> as "asyncTimeout",
        /// `false` stops the turn.
        go_on: Option<bool> as "continue",
        suppress_output: Option<bool> as "suppressOutput",
        stop_reason: Option<String> as "stopReason",
        decision: Option<HookDecision>,
        system_message: Option<String> as "systemMessage",
        terminal_sequence: Option<String> as "terminalSequence",
        reason: Option<String>,
        hook_specific_output: Option<HookSpecificOutput> as "hookSpecificOutput",
    }
}
