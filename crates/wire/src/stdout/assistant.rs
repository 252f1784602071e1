//! `assistant`: a completed content block of a model message.

use crate::content::Block;
use crate::open::open_enum;
use crate::record::wire_struct;
use crate::usage::{ModelUsage, Usage};
use crate::{Map, Number, Raw};

open_enum! {
    /// The kind of error that the message reports.
    pub enum AssistantError {
        Unknown = "unknown",
        AuthenticationFailed = "authentication_failed",
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        AccountOnHold = "account_on_hold",
        VerificationRequired = "verification_required",
        BillingError = "billing_error",
        RateLimit = "rate_limit",
        Overloaded = "overloaded",
        InvalidRequest = "invalid_request",
        ModelNotFound = "model_not_found",
        ServerError = "server_error",
        MaxOutputTokens = "max_output_tokens",
        CloudCredentialError = "cloud_credential_error",
    }
}

wire_struct! {
    /// A message of the Messages API.
    pub struct ApiMessage ["type" = "message"] {
        id: String,
        role: String,
        /// `<synthetic>` for messages written by the agent itself.
        model: String,
        content: Vec<Block>,
        stop_reason: Option<String> = null,
        stop_sequence: Option<String> = null,
        stop_details: Option<Raw>,
        usage: Usage,
        container: Option<Raw>,
        diagnostics: Option<Raw>,
        context_management: Option<Raw> = null,
    }
}

wire_struct! {
    /// The display name of a tool of an MCP server.
    pub struct ToolUseMeta {
        id: String,
        display_name: Option<String>,
        server_display_name: Option<String>,
        tool_name: Option<String>,
    }
}

wire_struct! {
    /// The local command that produced the message.
    pub struct LocalCommandRun {
        command: String,
        args: String,
    }
}

wire_struct! {
    /// The exceeded limit of the context window, and by how many tokens it is exceeded.
    pub struct OverLimit {
        tokens_over: u64,
        kind: String,
    }
}

wire_struct! {
    /// A category of the context usage.
    pub struct ContextCategory {
        name: String,
        tokens: u64,
        kind: String,
    }
}

wire_struct! {
    /// A tool of an MCP server and its size in tokens.
    pub struct ContextMcpTool {
        name: String,
        server_name: String,
        tokens: u64,
    }
}

wire_struct! {
    /// A memory file and its size in tokens.
    pub struct ContextMemoryFile {
        path: String,
        kind: String as "type",
        tokens: u64,
    }
}

wire_struct! {
    /// A subagent definition and its size in tokens.
    pub struct ContextAgent {
        agent_type: String,
        source: String,
        tokens: u64,
    }
}

wire_struct! {
    /// A skill and its size in tokens.
    pub struct ContextSkill {
        name: String,
        source: String,
        plugin_name: Option<String>,
        tokens: u64,
    }
}

wire_struct! {
    /// The usage of the context window.
    pub struct ContextUsage {
        model: String,
        total_tokens: u64,
        raw_max_tokens: u64,
        percentage: Number,
        over_limit: Option<OverLimit>,
        categories: Vec<ContextCategory>,
        mcp_tools: Vec<ContextMcpTool>,
        memory_files: Vec<ContextMemoryFile>,
        agents: Vec<ContextAgent>,
        skills: Option<Vec<ContextSkill>>,
    }
}

wire_struct! {
    /// The cost and usage of the session.
    pub struct UsageReportSession {
        total_cost_usd: Number,
        total_api_duration_ms: Number,
        total_duration_ms: Number,
        total_lines_added: u64,
        total_lines_removed: u64,
        model_usage: Map<ModelUsage>,
    }
}

wire_struct! {
    /// The report of `/usage`.
    pub struct UsageReport {
        session: UsageReportSession,
        rate_limits: Option<Raw> = null,
    }
}

wire_struct! {
    /// A content block of a model message. All blocks of one message have the same `message.id`.
    pub struct Assistant ["type" = "assistant"] {
        message: ApiMessage,
        parent_tool_use_id: Option<String> = null,
        session_id: String,
        uuid: String,
        timestamp: Option<String>,
        error: Option<AssistantError>,
        request_id: Option<String>,
        is_api_error_message: Option<bool>,
        api_error_status: Option<u64>,
        api_error_type: Option<String>,
        api_error: Option<String>,
        /// The parameters of `api_error`.
        api_error_params: Option<Raw>,
        user_message_uuid: Option<String>,
        user_message_uuids: Option<Vec<String>>,
        resume_reason: Option<String>,
        resumed_from_incomplete_thinking: Option<bool>,
        supersedes: Option<Vec<String>>,
        aborted: Option<bool>,
        agent_id: Option<String>,
        subagent_type: Option<String>,
        task_description: Option<String>,
        tool_use_meta: Option<Vec<ToolUseMeta>>,
        thinking_duration_ms: Option<Number>,
        thinking_display: Option<String>,
        local_command_source: Option<String>,
        local_command_run: Option<LocalCommandRun>,
        local_command_outcome: Option<Raw>,
        context_usage: Option<ContextUsage>,
        usage_report: Option<UsageReport>,
    }
}
