//! What a hook may answer.

use super::HookSpecificOutput;
use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// What a hook says about a call. The default is the cautious one.
    pub enum HookPermissionDecision {
        Ask = "ask",
        Deny = "deny",
        Allow = "allow",
        Defer = "defer",
    }
}

open_enum! {
    /// What a hook says about going on.
    pub enum HookDecision {
        Block = "block",
        Approve = "approve",
    }
}

wire_struct! {
    /// A hook's answer; empty when it has no opinion.
    pub struct HookOutput {
        /// The hook goes on by itself and is not waited for.
        is_async: Option<bool> as "async",
        /// In milliseconds.
        async_timeout: Option<Number> as "asyncTimeout",
        /// `false` ends the turn.
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
