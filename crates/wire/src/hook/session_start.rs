//! `SessionStart`: when a session starts.

use super::base::hook_input;
use crate::Number;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `SessionStart` hook, which runs when a session starts.
    pub struct SessionStartInput = "SessionStart" {
        source: String,
        model: Option<String>,
        session_title: Option<String>,
        seconds_since_last_response: Option<Number>,
        context_tokens: Option<u64>,
        prompt_cache_likely_expired: Option<bool>,
        estimated_cache_write_usd: Option<Number>,
    }
}

wire_struct! {
    /// Output of the `SessionStart` hook.
    pub struct SessionStartOutput ["hookEventName" = "SessionStart"] {
        additional_context: Option<String> as "additionalContext",
        initial_user_message: Option<String> as "initialUserMessage",
        session_title: Option<String> as "sessionTitle",
        watch_paths: Option<Vec<String>> as "watchPaths",
        reload_skills: Option<bool> as "reloadSkills",
    }
}
