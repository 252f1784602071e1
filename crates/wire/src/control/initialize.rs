//! `initialize`: the first request of a host.

use crate::mode::PermissionMode;
use crate::record::wire_struct;
use crate::stdout::FastModeState;
use crate::stdout::system::SessionState;
use crate::text_or_texts::TextOrTexts;
use crate::{Map, Number, Raw};

wire_struct! {
    /// The hook callbacks of the host for an event and a matcher.
    pub struct HookMatcher {
        /// The tools or reasons to match. Some hosts write `null` to match all.
        matcher: Option<String>,
        hook_callback_ids: Vec<String> as "hookCallbackIds",
        /// In seconds.
        timeout: Option<Number>,
        /// `continue` or `block`.
        on_failure: Option<String> as "onFailure",
    }
}

wire_struct! {
    /// The definition of a subagent.
    pub struct AgentDefinition {
        description: String,
        tools: Option<Vec<String>>,
        disallowed_tools: Option<Vec<String>> as "disallowedTools",
        prompt: String,
        model: Option<String>,
        mcp_servers: Option<Vec<Raw>> as "mcpServers",
        critical_system_reminder: Option<String> as "criticalSystemReminder_EXPERIMENTAL",
        skills: Option<Vec<String>>,
        initial_prompt: Option<String> as "initialPrompt",
        max_turns: Option<u64> as "maxTurns",
        auto_compact_window: Option<Number> as "autoCompactWindow",
        background: Option<bool>,
        omit_claude_md: Option<bool> as "omitClaudeMd",
        memory: Option<String>,
        /// The name of an effort level, or a number.
        effort: Option<Raw>,
        permission_mode: Option<PermissionMode> as "permissionMode",
        observer: Option<String>,
        observer_message: Option<String> as "observerMessage",
    }
}

wire_struct! {
    /// Options for an MCP server that runs in the host.
    pub struct SdkMcpServerConfig {
        timeout: Option<Number>,
        /// A list of [`McpToolPolicy`](super::McpToolPolicy). Agents ignore entries that they cannot parse.
        tools: Option<Raw>,
    }
}

wire_struct! {
    /// The responses of an MCP server in the host to its first requests, so that the agent need not send them.
    pub struct SdkMcpServerManifest {
        initialize_result: Raw as "initializeResult",
        tools_list_result: Option<Raw> as "toolsListResult",
    }
}

wire_struct! {
    /// Starts a session with the hooks, agents, MCP servers and system prompts of the host.
    pub struct Initialize ["subtype" = "initialize"] {
        /// Hook callbacks by event. One official host writes `null` for an event without callbacks.
        hooks: Option<Map<Vec<HookMatcher>>>,
        sdk_mcp_servers: Option<Vec<String>> as "sdkMcpServers",
        sdk_mcp_server_configs: Option<Map<SdkMcpServerConfig>> as "sdkMcpServerConfigs",
        sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>> as "sdkMcpServerManifests",
        sdk_mcp_server_manifests_origin: Option<String> as "sdkMcpServerManifestsOrigin",
        /// MCP servers by name, as in `--mcp-config`. They are applied only if the agent was started with
        /// `--await-initialize`: see `mcp_servers_applied` of the response.
        mcp_servers: Option<Map<Raw>> as "mcpServers",
        json_schema: Option<Raw> as "jsonSchema",
        /// One text, or several texts with a marker for the end of the part that can be cached.
        system_prompt: Option<TextOrTexts> as "systemPrompt",
        append_system_prompt: Option<String> as "appendSystemPrompt",
        system_prompt_snapshot: Option<bool> as "systemPromptSnapshot",
        plan_mode_instructions: Option<String> as "planModeInstructions",
        tool_aliases: Option<Map<String>> as "toolAliases",
        exclude_dynamic_sections: Option<bool> as "excludeDynamicSections",
        agents: Option<Map<Raw>>,
        title: Option<String>,
        skills: Option<Vec<String>>,
        prompt_suggestions: Option<bool> as "promptSuggestions",
        agent_progress_summaries: Option<bool> as "agentProgressSummaries",
        forward_subagent_text: Option<bool> as "forwardSubagentText",
        supported_dialog_kinds: Option<Vec<String>> as "supportedDialogKinds",
        per_task_stop_affordance: Option<bool> as "perTaskStopAffordance",
        plugins: Option<Vec<Raw>>,
    }
}

wire_struct! {
    /// A slash command.
    pub struct SlashCommand {
        name: String,
        description: String,
        argument_hint: Option<String> as "argumentHint",
        aliases: Option<Vec<String>>,
        builtin: Option<bool>,
    }
}

wire_struct! {
    /// An available subagent.
    pub struct AgentInfo {
        name: String,
        description: String,
        model: Option<String>,
    }
}

wire_struct! {
    /// A model that the user can choose.
    pub struct ModelInfo {
        value: String,
        resolved_model: Option<String> as "resolvedModel",
        display_name: String as "displayName",
        description: String,
        supports_effort: Option<bool> as "supportsEffort",
        supported_effort_levels: Option<Vec<String>> as "supportedEffortLevels",
        supports_adaptive_thinking: Option<bool> as "supportsAdaptiveThinking",
        supports_thinking_off: Option<bool> as "supportsThinkingOff",
        supports_fast_mode: Option<bool> as "supportsFastMode",
        supports_auto_mode: Option<bool> as "supportsAutoMode",
    }
}

wire_struct! {
    /// The account that pays for requests to the model.
    pub struct AccountInfo {
        email: Option<String>,
        organization: Option<String>,
        subscription_type: Option<String> as "subscriptionType",
        token_source: Option<String> as "tokenSource",
        api_key_source: Option<String> as "apiKeySource",
        api_provider: Option<String> as "apiProvider",
    }
}

wire_struct! {
    /// How feedback can be sent.
    pub struct FeedbackMode {
        kind: String,
    }
}

wire_struct! {
    /// The capabilities and the state of the session.
    pub struct InitializeResponse {
        commands: Option<Vec<SlashCommand>>,
        agents: Option<Vec<AgentInfo>>,
        output_style: Option<String>,
        available_output_styles: Option<Vec<String>>,
        user_output_styles_dir: Option<String>,
        models: Option<Vec<ModelInfo>>,
        account: Option<AccountInfo>,
        pid: Option<u64>,
        claude_code_version: Option<String>,
        current_permission_mode: Option<PermissionMode>,
        hooks_applied: Option<bool>,
        hook_on_failure_supported: Option<bool>,
        /// The number of host hooks that stay in effect although the host does not answer. CLI 2.1.326 sends it, but
        /// its types do not describe it. Sluice sends 0.
        hooks_when_unanswered_kept: Option<u64>,
        other_hook_ask_outranks_host: Option<bool>,
        plugins_applied: Option<bool>,
        sdk_mcp_manifests_parked: Option<Map<String>>,
        feedback_mode: Option<FeedbackMode>,
        analytics_disabled: Option<bool>,
        remote_control_auto_enable: Option<bool>,
        remote_control_auto_connect_default: Option<bool>,
        remote_control_available: Option<bool>,
        remote_control_auto_on_by_default: Option<bool>,
        ide_rc_auto_enable_gate: Option<bool>,
        fast_mode_state: Option<FastModeState>,
        fast_mode_disabled_reason: Option<String>,
        session_state: Option<SessionState>,
        capabilities: Option<Vec<String>>,
        /// Whether `mcpServers` of the request were applied; absent if the request has none. It does not mean that
        /// every server is connected.
        mcp_servers_applied: Option<bool>,
    }
}
