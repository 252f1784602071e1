//! `result`: the end of a turn.

use crate::open::open_enum;
use crate::origin::Origin;
use crate::record::wire_struct;
use crate::usage::{ModelUsage, Usage};
use crate::{Map, Number, Raw};

open_enum! {
    /// The outcome of a turn. A failed API request is `success` with `is_error`.
    pub enum ResultSubtype {
        Success = "success",
        ErrorDuringExecution = "error_during_execution",
        ErrorMaxTurns = "error_max_turns",
        ErrorMaxBudgetUsd = "error_max_budget_usd",
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

open_enum! {
    /// Why a turn ended.
    pub enum TerminalReason {
        Completed = "completed",
        BlockingLimit = "blocking_limit",
        RapidRefillBreaker = "rapid_refill_breaker",
        PromptTooLong = "prompt_too_long",
        ImageError = "image_error",
        ModelError = "model_error",
        ApiError = "api_error",
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        AbortedStreaming = "aborted_streaming",
        AbortedTools = "aborted_tools",
        StopHookPrevented = "stop_hook_prevented",
        HookStopped = "hook_stopped",
        ToolDeferred = "tool_deferred",
        MaxTurns = "max_turns",
        BackgroundRequested = "background_requested",
        BudgetExhausted = "budget_exhausted",
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        TurnSetupFailed = "turn_setup_failed",
    }
}

open_enum! {
    /// The state of fast mode, which costs more.
    pub enum FastModeState {
        Off = "off",
        Cooldown = "cooldown",
        On = "on",
    }
}

wire_struct! {
    /// A tool call that was denied.
    pub struct PermissionDenial {
        tool_name: String,
        tool_use_id: String,
        tool_input: Raw,
    }
}

wire_struct! {
    /// A tool call that a hook deferred.
    pub struct DeferredToolUse {
        id: String,
        name: String,
        input: Raw,
    }
}

wire_struct! {
    /// The number of requested subagents, by the requested mode.
    pub struct SubagentRequested {
        background: u64,
        foreground: u64,
        unset: u64,
    }
}

wire_struct! {
    /// The number of stopped subagents, by who stopped them.
    pub struct SubagentKilled {
        parent: u64,
        user: u64,
        system: u64,
    }
}

wire_struct! {
    /// The number of refused subagents, by reason.
    pub struct SubagentRefused {
        depth_limit: u64,
        concurrency_limit: u64,
        budget: u64,
    }
}

wire_struct! {
    /// Statistics of the subagents of a turn.
    pub struct SubagentStats {
        spawned: u64,
        requested: SubagentRequested,
        started_in_background: u64,
        max_depth: u64,
        spawned_by_subagents: u64,
        completed: u64,
        failed: u64,
        killed: SubagentKilled,
        refused: SubagentRefused,
        by_type: Map<Raw>,
    }
}

wire_struct! {
    /// A configuration file that could not be parsed.
    pub struct InvalidConfigFile {
        path: String,
        is_global: bool,
        backup_searched: bool,
        backup_path: Option<String>,
    }
}

wire_struct! {
    /// The end of a turn. Each turn has exactly one.
    pub struct TurnResult ["type" = "result"] {
        subtype: ResultSubtype,
        duration_ms: u64,
        duration_api_ms: u64,
        is_error: bool,
        num_turns: u64,
        /// `null` if no API error occurred.
        api_error_status: Option<u64> = null,
        api_error_type: Option<String>,
        api_error: Option<String>,
        /// The last text of the reply; absent on errors.
        result: Option<String>,
        /// The error messages; absent on success.
        errors: Option<Vec<String>>,
        stop_reason: Option<String> = null,
        session_id: String,
        /// Total since the process started.
        total_cost_usd: Number,
        usage: Usage,
        /// Total since the process started.
        model_usage: Map<ModelUsage> as "modelUsage",
        permission_denials: Vec<PermissionDenial>,
        structured_output: Option<serde_json::Value>,
        deferred_tool_use: Option<DeferredToolUse>,
        terminal_reason: Option<TerminalReason>,
        fast_mode_state: Option<FastModeState>,
        fast_mode_disabled_reason: Option<String>,
        subagent_stats: Option<SubagentStats>,
        safety_stops: Option<u64>,
        origin: Option<Origin>,
        uuid: String,
        queued_turn_count: Option<u64>,
        result_index: Option<u64>,
        model_usage_since_last_result: Option<Map<ModelUsage>>,
        user_message_uuid: Option<String>,
        user_message_uuids: Option<Vec<String>>,
        resume_reason: Option<String>,
        local_command: Option<String>,
        ttft_ms: Option<Number>,
        ttft_stream_ms: Option<Number>,
        time_to_request_ms: Option<Number>,
        request_sent_wall_ms: Option<Number>,
        first_content_frame_ms: Option<Number>,
        first_stream_post_ms: Option<Number>,
        first_stream_post_ack_ms: Option<Number>,
        first_stream_post_queue_wait_ms: Option<Number>,
        first_stream_post_queued_behind: Option<String>,
        first_stream_post_wall_ms: Option<Number>,
        first_text_post_ms: Option<Number>,
        first_text_post_queue_wait_ms: Option<Number>,
        first_text_post_queued_behind: Option<String>,
        first_text_post_wall_ms: Option<Number>,
        time_to_request_from_spawn_ms: Option<Number>,
        warm_spare_claimed: Option<bool>,
        time_origin_ms: Option<Number>,
        first_request_input_tokens: Option<u64>,
        first_request_cache_read_input_tokens: Option<u64>,
        startup_failure_reason: Option<String>,
        invalid_config_file: Option<InvalidConfigFile>,
        credential_expires_at: Option<String>,
    }
}
