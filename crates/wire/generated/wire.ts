// Generated from crates/wire. Do not edit.
// Ignore unknown fields, values and message types: newer versions may send them.

/** The content blocks of a response that was abandoned. */
export type AbandonedBlocks = { api_message_id: string, from_block_index: number };

/** The account that pays for requests to the model. */
export type AccountInfo = { email?: string | null, organization?: string | null, subscriptionType?: string | null, tokenSource?: string | null, apiKeySource?: string | null, apiProvider?: string | null };

/** The goal changed. `None` if the session has no goal any more. */
export type ActiveGoal = { type: "active_goal", value: Goal | null, uuid?: string | null, session_id: string };

/** The activity of the session. */
export type Activity = "requesting" | "compacting" | (string & {});

/** Adds working directories. */
export type AddDirectories = { type: "addDirectories", directories: Array<string>, destination: Destination };

/** Adds rules. */
export type AddRules = { type: "addRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** The result of the API's advisor tool. */
export type AdvisorToolResult = { type: "advisor_tool_result", tool_use_id: string, content: unknown };

/** An available subagent. */
export type AgentInfo = { name: string, description: string, model?: string | null };

/** Allows the call, optionally with a changed input. */
export type Allow = { behavior: "allow", updatedInput?: unknown | null, updatedPermissions?: Array<PermissionUpdate> | null, toolUseID?: string | null, decisionClassification?: string | null };

/** A message of the Messages API. */
export type ApiMessage = { type: "message", id: string, role: string, model: string, content: Array<Block>, stop_reason: string | null, stop_sequence: string | null, stop_details?: unknown | null, usage: Usage, container?: unknown | null, diagnostics?: unknown | null, context_management: unknown | null };

/** An API request failed and will be retried. */
export type ApiRetry = { type: "system", subtype: "api_retry", attempt: number, max_retries: number, retry_delay_ms: number, error_status: number | null, error: AssistantError, no_response?: NoResponse | null, session_id: string, uuid: string };

/** Values that the session uses as a result of the settings. */
export type AppliedSettings = { model?: string | null, effort?: unknown | null };

/** Changes the settings of the command-line layer, which override those of files. `null` removes a setting. */
export type ApplyFlagSettings = { subtype: "apply_flag_settings", settings: unknown };

/** A content block of a model message. All blocks of one message have the same `message.id`. */
export type Assistant = { type: "assistant", message: ApiMessage, parent_tool_use_id: string | null, session_id: string, uuid: string, timestamp?: string | null, error?: AssistantError | null, request_id?: string | null, is_api_error_message?: boolean | null, api_error_status?: number | null, api_error_type?: string | null, api_error?: string | null, api_error_params?: unknown | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, resumed_from_incomplete_thinking?: boolean | null, supersedes?: Array<string> | null, aborted?: boolean | null, agent_id?: string | null, subagent_type?: string | null, task_description?: string | null, tool_use_meta?: Array<ToolUseMeta> | null, thinking_duration_ms?: number | null, thinking_display?: string | null, local_command_source?: string | null, local_command_run?: LocalCommandRun | null, local_command_outcome?: unknown | null, context_usage?: ContextUsage | null, usage_report?: UsageReport | null };

/** The kind of error that the message reports. */
export type AssistantError = "unknown" | "authentication_failed" | "oauth_org_not_allowed" | "account_on_hold" | "verification_required" | "billing_error" | "rate_limit" | "overloaded" | "invalid_request" | "model_not_found" | "server_error" | "max_output_tokens" | "cloud_credential_error" | (string & {});

/** The progress of a sign-in. */
export type AuthStatus = { type: "auth_status", isAuthenticating: boolean, output: Array<string>, error?: string | null, uuid: string, session_id: string };

/** A running background task. */
export type BackgroundTask = { task_id: string, run_id?: string | null, task_type: string, subagent_type?: string | null, description: string, parent_task_id?: string | null, ambient?: boolean | null };

/** A background task that is still running. */
export type BackgroundTaskSummary = { id: string, type: string, status: string, description: string, command?: string | null, agent_type?: string | null, server?: string | null, tool?: string | null, name?: string | null };

/** Moves all running calls, or the given one, to the background. */
export type BackgroundTasks = { subtype: "background_tasks", tool_use_id?: string | null };

/** All running background tasks. Replaces the previous list. */
export type BackgroundTasksChanged = { type: "system", subtype: "background_tasks_changed", tasks: Array<BackgroundTask>, uuid: string, session_id: string };

/** Reports whether a call was moved. */
export type BackgroundTasksResponse = { backgrounded?: boolean | null };

/** Data encoded as base64. */
export type Base64Source = { type: "base64", media_type: string, data: string };

/** One call of the batch. */
export type BatchCall = { tool_name: string, tool_input: unknown, tool_use_id: string, tool_response?: unknown | null };

/** The effect of a rule. The default, `deny`, is the cautious one. */
export type Behavior = "deny" | "ask" | "allow" | (string & {});

/** A content block. */
export type Block = Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image | Document | ServerToolUse | WebSearchToolResult | AdvisorToolResult | ToolReference;

/** Tokens written to the prompt cache, by the lifetime of the cache entry. */
export type CacheCreation = { ephemeral_1h_input_tokens: number, ephemeral_5m_input_tokens: number };

/** Changes that would invalidate the prompt cache. */
export type CacheImpact = { mcp_servers_added: Array<string>, mcp_servers_removed: Array<string>, lsp_tool_change: string | null };

/** Asks the host whether a tool call may run. */
export type CanUseTool = { subtype: "can_use_tool", tool_name: string, display_name?: string | null, mcp_server?: McpServerProvenance | null, input: unknown, permission_suggestions?: Array<PermissionUpdate> | null, blocked_path?: string | null, decision_reason?: string | null, decision_reason_type?: DecisionReasonType | null, decision_reason_rule_source?: string | null, decision_reason_hook_event?: string | null, decision_reason_hook_source?: string | null, classifier_approvable?: boolean | null, suppress_always_allow_rule?: boolean | null, default_to_no?: boolean | null, matched_ask_rule?: MatchedAskRule | null, server_policy_ask_only?: boolean | null, title?: string | null, description?: string | null, tool_use_id?: string | null, agent_id?: string | null, requires_user_interaction?: boolean | null };

/** The answer to a permission request. */
export type CanUseToolResponse = Allow | Deny;

/** Removes a prompt from the queue. */
export type CancelAsyncMessage = { subtype: "cancel_async_message", message_uuid: string };

/** Reports whether the prompt was still in the queue. */
export type CancelAsyncMessageResponse = { cancelled: boolean };

/** Lets a channel send messages. */
export type ChannelEnable = { subtype: "channel_enable", serverName?: string | null };

/** Takes over a process that was started in advance. */
export type ClaimSession = { subtype: "claim_session", cwd: string, permission_mode?: PermissionMode | null, env?: { [key in string]: string } | null, additional_directories?: Array<string> | null, append_system_prompt?: string | null, title?: string | null, agents?: { [key in string]: unknown } | null, sdk_mcp_servers?: Array<string> | null, include_initialize?: boolean | null };

/** The state of a prompt changed. */
export type CommandLifecycle = { type: "command_lifecycle", command_uuid: string, state: CommandState, uuid: string, session_id: string };

/** The state of a prompt. */
export type CommandState = "queued" | "started" | "completed" | "cancelled" | (string & {});

/** All available slash commands. Replaces the previous list. */
export type CommandsChanged = { type: "system", subtype: "commands_changed", commands: Array<SlashCommand>, uuid: string, session_id: string };

/** The point in the conversation where a compaction took place. */
export type CompactBoundary = { type: "system", subtype: "compact_boundary", session_id: string, uuid: string, compact_metadata: CompactMetadata, logical_parent_uuid?: string | null };

/** Details of a compaction. */
export type CompactMetadata = { trigger: string, pre_tokens: number, post_tokens?: number | null, duration_ms?: number | null, cumulative_dropped_tokens?: number | null, preserved_segment?: PreservedSegment | null, preserved_messages?: PreservedMessages | null };

/** Input of the `ConfigChange` hook, which runs when a settings file changed. */
export type ConfigChangeInput = { hook_event_name: "ConfigChange", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, source: string, file_path?: string | null };

/** A subagent definition and its size in tokens. */
export type ContextAgent = { agent_type: string, source: string, tokens: number };

/** A category of the context usage. */
export type ContextCategory = { name: string, tokens: number, kind: string };

/** A tool of an MCP server and its size in tokens. */
export type ContextMcpTool = { name: string, server_name: string, tokens: number };

/** A memory file and its size in tokens. */
export type ContextMemoryFile = { path: string, type: string, tokens: number };

/** A category of the context usage. */
export type ContextPart = { id?: string | null, name: string, tokens: number, color?: string | null, isDeferred?: boolean | null, kind?: string | null };

/** A skill and its size in tokens. */
export type ContextSkill = { name: string, source: string, plugin_name?: string | null, tokens: number };

/** Skills and their size in tokens. */
export type ContextSkills = { totalSkills: number, includedSkills: number, tokens: number, skillFrontmatter: Array<unknown> };

/** Slash commands and their size in tokens. */
export type ContextSlashCommands = { totalCommands: number, includedCommands: number, tokens: number };

/** The usage of the context window. */
export type ContextUsage = { model: string, total_tokens: number, raw_max_tokens: number, percentage: number, over_limit?: OverLimit | null, categories: Array<ContextCategory>, mcp_tools: Array<ContextMcpTool>, memory_files: Array<ContextMemoryFile>, agents: Array<ContextAgent>, skills?: Array<ContextSkill> | null };

/** Cancels a request: its sender does not need a response any more. */
export type ControlCancelRequest = { type: "control_cancel_request", request_id?: string | number };

/** A control request of the host or the agent. */
export type ControlRequest = { type: "control_request", request_id?: string | number, request: Request };

/** The progress of a slow control request. */
export type ControlRequestProgress = { type: "system", subtype: "control_request_progress", request_id: string, status: string, attempt?: number | null, max_retries?: number | null, retry_delay_ms?: number | null, error_status?: number | null, uuid: string, session_id: string };

/** The message that carries the response to a control request. */
export type ControlResponse = { type: "control_response", response: Response };

/** The conversation restarts. This message has the old session id; all later messages have the new one. */
export type ConversationReset = { type: "conversation_reset", new_conversation_id: string, uuid: string, trigger?: ResetTrigger | null, user_message_uuid?: string | null, timestamp?: string | null, session_id: string };

/** The price list from which a cost was calculated. */
export type CostBasis = "unknown" | "list" | "managed" | (string & {});

/** Input of the `CwdChanged` hook, which runs when the working directory changed. */
export type CwdChangedInput = { hook_event_name: "CwdChanged", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, old_cwd: string, new_cwd: string };

/** Output of the `CwdChanged` hook. */
export type CwdChangedOutput = { hookEventName: "CwdChanged", watchPaths?: Array<string> | null };

/** Why a call needs an answer to a permission request. */
export type DecisionReasonType = "other" | "rule" | "mode" | "subcommandResults" | "permissionPromptTool" | "hook" | "asyncAgent" | "sandboxOverride" | "workingDir" | "safetyCheck" | "classifier" | (string & {});

/** A tool call that a hook deferred. */
export type DeferredToolUse = { id: string, name: string, input: unknown };

/** Denies the call. */
export type Deny = { behavior: "deny", message: string, interrupt?: boolean | null, toolUseID?: string | null, decisionClassification?: string | null };

/** Where a change is stored. The default, `session`, ends with the process. */
export type Destination = "session" | "userSettings" | "projectSettings" | "localSettings" | "cliArg" | (string & {});

/** The user closed the dialog. */
export type DialogCancelled = { behavior: "cancelled" };

/** The user answered the dialog. */
export type DialogCompleted = { behavior: "completed", result: unknown };

/** The hunks of a file. */
export type DiffFileHunks = { path: string, hunks: Array<DiffHunk> };

/** The size of the changes of a file. */
export type DiffFileStats = { path: string, added: number, removed: number, isBinary: boolean, isUntracked: boolean, status: string };

/** A hunk of a diff. */
export type DiffHunk = { oldStart: number, oldLines: number, newStart: number, newLines: number, lines: Array<string> };

/** The number of changed files that are left out of the response. */
export type DiffOmitted = { files: number, exact: boolean };

/** The source of the diff. */
export type DiffSource = { kind: string };

/** The total size of the changes. */
export type DiffStats = { filesCount: number, linesAdded: number, linesRemoved: number };

/** Input of the `DirectoryAdded` hook, which runs when a working directory was added. */
export type DirectoryAddedInput = { hook_event_name: "DirectoryAdded", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, directory: string, source: string };

/** A document, such as a PDF. */
export type Document = { type: "document", source: Source, title?: string | null, context?: string | null, citations?: unknown | null, cache_control?: unknown | null };

/** A hook as it is written in its settings file, for a host that edits it. */
export type EditableHook = { matcher: string, config: unknown, headersRedacted?: boolean | null };

/** Forwards a request of an MCP server for user input: a form, or a URL to open. */
export type Elicitation = { subtype: "elicitation", mcp_server_name: string, message: string, mode?: string | null, url?: string | null, elicitation_id?: string | null, requested_schema?: unknown | null, property_order?: Array<string> | null, title?: string | null, display_name?: string | null, description?: string | null };

/** The user's response to an elicitation. */
export type ElicitationAction = "decline" | "accept" | "cancel" | (string & {});

/** An MCP server received the answer to its elicitation outside the session, for example on a web page. */
export type ElicitationComplete = { type: "system", subtype: "elicitation_complete", mcp_server_name: string, elicitation_id: string, uuid: string, session_id: string };

/** Input of the `Elicitation` hook, which runs when an MCP server asks the user for input. */
export type ElicitationInput = { hook_event_name: "Elicitation", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, mcp_server_name: string, message: string, mode?: string | null, url?: string | null, elicitation_id?: string | null, requested_schema?: unknown | null };

/** Output of the `Elicitation` hook. With an `action` the user is not asked. */
export type ElicitationOutput = { hookEventName: "Elicitation", action?: ElicitationAction | null, content?: unknown | null };

/** The response to an elicitation: the action and, if accepted, the content of the form. */
export type ElicitationResponse = { action: ElicitationAction, content?: unknown | null };

/** Input of the `ElicitationResult` hook, which runs when the user has answered an MCP server. */
export type ElicitationResultInput = { hook_event_name: "ElicitationResult", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, mcp_server_name: string, elicitation_id?: string | null, mode?: string | null, action: ElicitationAction, content?: unknown | null };

/** Output of the `ElicitationResult` hook, which can replace the answer. */
export type ElicitationResultOutput = { hookEventName: "ElicitationResult", action?: ElicitationAction | null, content?: unknown | null };

/** Ends the session and the process. */
export type EndSession = { subtype: "end_session", reason?: string | null };

/** A file that could not be uploaded. */
export type FailedFile = { filename: string, error: string };

/** The response of a request that failed. */
export type Failure = { subtype: "error", request_id?: string | number, error: string, error_code?: string | null, pending_permission_requests?: Array<ControlRequest> | null };

/** The state of fast mode, which costs more. */
export type FastModeState = "off" | "cooldown" | "on" | (string & {});

/** How feedback can be sent. */
export type FeedbackMode = { kind: string };

/** Input of the `FileChanged` hook, which runs when a watched file changed. */
export type FileChangedInput = { hook_event_name: "FileChanged", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, file_path: string, event: string };

/** Output of the `FileChanged` hook. */
export type FileChangedOutput = { hookEventName: "FileChanged", watchPaths?: Array<string> | null };

/** A file that was uploaded to the API. */
export type FileSource = { type: "file", file_id: string };

/** Requests files whose path matches a query. */
export type FileSuggestions = { subtype: "file_suggestions", query: string };

/** The matching files. */
export type FileSuggestionsResponse = { suggestions: Array<unknown>, cwd: string };

/** Files were uploaded. */
export type FilesPersisted = { type: "system", subtype: "files_persisted", files: Array<PersistedFile>, failed: Array<FailedFile>, processed_at: string, uuid: string, session_id: string };

/** Requests a session title written by the model. */
export type GenerateSessionTitle = { subtype: "generate_session_title", description?: string | null, persist?: boolean | null };

/** The title, if the model returned one. */
export type GenerateSessionTitleResponse = { title: string | null };

/** Requests the version of the agent program. */
export type GetBinaryVersion = { subtype: "get_binary_version" };

/** The version of the agent program. */
export type GetBinaryVersionResponse = { version: string, buildTime?: string | null };

/** Requests the usage of the context window by category. */
export type GetContextUsage = { subtype: "get_context_usage", detail?: string | null };

/** The usage of the context window. */
export type GetContextUsageResponse = { categories: Array<ContextPart>, totalTokens: number, maxTokens: number, rawMaxTokens: number, autocompactSource?: string | null, percentage: number, gridRows: Array<unknown>, model: string, memoryFiles: Array<unknown>, mcpTools: Array<unknown>, mcpInstructions?: Array<unknown> | null, deferredBuiltinTools?: Array<unknown> | null, systemTools?: Array<unknown> | null, systemPromptSections?: Array<unknown> | null, agents: Array<unknown>, slashCommands?: ContextSlashCommands | null, skills?: ContextSkills | null, autoCompactThreshold?: number | null, isAutoCompactEnabled: boolean, messageBreakdown?: MessageBreakdown | null, apiUsage: Usage | null };

/** Requests the list of configured hooks. */
export type GetHooksListing = { subtype: "get_hooks_listing" };

/** The configured hooks. */
export type GetHooksListingResponse = { events: Array<HookEventListing>, hooks: Array<HookListing>, eventCatalog: Array<HookEventListing>, policy: HookPolicy, safeMode?: unknown | null, bareMode?: unknown | null, errors?: Array<unknown> | null };

/** Requests the plan. */
export type GetPlan = { subtype: "get_plan" };

/** The plan and the path of its file, if there is a plan. */
export type GetPlanResponse = { exists: boolean, plan?: string | null, filePath?: string | null };

/** Requests the cost of the session. */
export type GetSessionCost = { subtype: "get_session_cost" };

/** The cost of the session as text. */
export type GetSessionCostResponse = { text: string };

/** Requests the effective settings. */
export type GetSettings = { subtype: "get_settings" };

/** The effective settings and their sources. */
export type GetSettingsResponse = { effective: unknown, sources: Array<unknown>, applied?: AppliedSettings | null, errors?: Array<unknown> | null };

/** Requests the end of a background task's output. */
export type GetTaskOutput = { subtype: "get_task_output", task_id: string };

/** The end of a background task's output. */
export type GetTaskOutputResponse = { output: string, total_bytes: number, truncated: boolean };

/** Requests the usage of the session and the account's rate limits. */
export type GetUsage = { subtype: "get_usage", skip_behaviors?: boolean | null };

/** The usage of the session and the account's rate limits. */
export type GetUsageResponse = { session: UsageReportSession, subscription_type: string | null, rate_limits_available: boolean, rate_limits: unknown | null, behaviors: unknown | null };

/** Requests the changes in the working folder. */
export type GetWorkspaceDiff = { subtype: "get_workspace_diff" };

/** The changes, or the reason why there is no diff. */
export type GetWorkspaceDiffResponse = { diff: WorkspaceDiff | null, noDiffReason?: string | null };

/** A goal and its progress. */
export type Goal = { condition: string, iterations: number, set_at: number, tokens_at_start: number, last_reason?: string | null };

/** Calls a hook of the host. The response is a [`HookOutput`](crate::hook::HookOutput). */
export type HookCallback = { subtype: "hook_callback", callback_id: string, input: HookInput, tool_use_id?: string | null };

/** The decision of a hook whether to proceed. */
export type HookDecision = "block" | "approve" | (string & {});

/** The effort level of the model. */
export type HookEffort = { level: string };

/** A hook event and the number of hooks configured for it. */
export type HookEventListing = { name: string, summary: string, supportsMatcher: boolean, hookCount?: number | null };

/** The input of a hook. */
export type HookInput = PreToolUseInput | PostToolUseInput | PostToolUseFailureInput | PostToolBatchInput | NotificationInput | UserPromptSubmitInput | UserPromptExpansionInput | SessionStartInput | SessionEndInput | StopInput | StopFailureInput | SubagentStartInput | SubagentStopInput | PreCompactInput | PostCompactInput | PreModelSwitchInput | PostModelSwitchInput | PermissionRequestInput | PermissionDeniedInput | SetupInput | TeammateIdleInput | TaskCreatedInput | TaskCompletedInput | ElicitationInput | ElicitationResultInput | ConfigChangeInput | InstructionsLoadedInput | WorktreeCreateInput | WorktreeRemoveInput | CwdChangedInput | FileChangedInput | DirectoryAddedInput | MessageDisplayInput;

/** A configured hook. */
export type HookListing = { event: string, matcher: string, source: string, sourceLabel: string, pluginName?: string | null, type: string, displayText: string, commandText: string, contentLabel: string, condition?: string | null, timeout?: number | null, statusMessage?: string | null, runsOnce?: boolean | null, runsInBackground?: boolean | null, disabled?: boolean | null, editable?: EditableHook | null };

/** The hook callbacks of the host for an event and a matcher. */
export type HookMatcher = { matcher?: string | null, hookCallbackIds: Array<string>, timeout?: number | null, onFailure?: string | null };

/** A hook that ended without a decision. */
export type HookNoVerdict = { hook_event: string, tool_use_id?: string | null, timed_out?: boolean | null };

/** The outcome of a command hook. */
export type HookOutcome = "success" | "error" | "cancelled" | (string & {});

/** The output of a hook. An empty output changes nothing. */
export type HookOutput = { async?: boolean | null, asyncTimeout?: number | null, continue?: boolean | null, suppressOutput?: boolean | null, stopReason?: string | null, decision?: HookDecision | null, systemMessage?: string | null, terminalSequence?: string | null, reason?: string | null, hookSpecificOutput?: HookSpecificOutput | null };

/** The permission decision of a hook about a tool call. The default, `ask`, is the cautious one. */
export type HookPermissionDecision = "ask" | "deny" | "allow" | "defer" | (string & {});

/** Restrictions of hooks by managed settings. */
export type HookPolicy = { disabledByPolicy: boolean, managedOnly: boolean, pluginOnly: boolean, allDisabled: boolean, policyHookCount: number, policyUnreadable?: boolean | null };

/** The output of a running command hook so far. */
export type HookProgress = { type: "system", subtype: "hook_progress", hook_id: string, hook_name: string, hook_event: string, stdout: string, stderr: string, output: string, uuid: string, session_id: string };

/** A command hook ended. */
export type HookResponse = { type: "system", subtype: "hook_response", hook_id: string, hook_name: string, hook_event: string, output: string, stdout: string, stderr: string, exit_code?: number | null, outcome?: HookOutcome | null, uuid: string, session_id: string };

/** The event-specific part of a hook's output. */
export type HookSpecificOutput = PreToolUseOutput | PostToolUseOutput | PostToolUseFailureOutput | PostToolBatchOutput | NotificationOutput | UserPromptSubmitOutput | UserPromptExpansionOutput | SessionStartOutput | StopOutput | SubagentStartOutput | SubagentStopOutput | PreModelSwitchOutput | PostModelSwitchOutput | PermissionRequestOutput | PermissionDeniedOutput | SetupOutput | ElicitationOutput | ElicitationResultOutput | WorktreeCreateOutput | CwdChangedOutput | FileChangedOutput | MessageDisplayOutput;

/** A command hook started. */
export type HookStarted = { type: "system", subtype: "hook_started", hook_id: string, hook_name: string, hook_event: string, uuid: string, session_id: string };

/** An image. */
export type Image = { type: "image", source: Source, cache_control?: unknown | null };

/** A notice to display in the conversation. */
export type Informational = { type: "system", subtype: "informational", content: string, isMeta?: boolean | null, timestamp?: string | null, uuid: string, level: Level, tool_use_id?: string | null, prevent_continuation?: boolean | null, prompt_submit_outcome?: PromptSubmitOutcome | null, tag?: string | null, hook_no_verdict?: HookNoVerdict | null, session_id: string };

/** The configuration of the session. Replaces the previous one. */
export type Init = { type: "system", subtype: "init", cwd: string, session_id: string, tools: Array<string>, mcp_servers: Array<McpServer>, model: string, permissionMode?: PermissionMode | null, slash_commands: Array<string>, terminal_slash_commands?: Array<string> | null, apiKeySource: string, betas?: Array<string> | null, claude_code_version: string, output_style: string, agents?: Array<string> | null, skills?: Array<string> | null, plugins?: Array<Plugin> | null, plugin_errors?: Array<PluginError> | null, capabilities?: Array<string> | null, mcp_server_errors?: Array<McpServerError> | null, analytics_disabled?: boolean | null, product_feedback_disabled?: boolean | null, uuid: string, memory_paths?: MemoryPaths | null, original_cwd?: string | null, additional_directories?: Array<string> | null, messaging_socket_path?: string | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, effort?: string | null, per_turn_effort_active?: boolean | null, ultrathink_available?: boolean | null, ultrathink_typed_raises?: boolean | null, view_mode?: string | null, user_message_uuids?: Array<string> | null };

/** Starts a session with the hooks, agents, MCP servers and system prompts of the host. */
export type Initialize = { subtype: "initialize", hooks?: { [key in string]: Array<HookMatcher> } | null, sdkMcpServers?: Array<string> | null, sdkMcpServerConfigs?: { [key in string]: SdkMcpServerConfig } | null, sdkMcpServerManifests?: { [key in string]: SdkMcpServerManifest } | null, sdkMcpServerManifestsOrigin?: string | null, mcpServers?: { [key in string]: unknown } | null, jsonSchema?: unknown | null, systemPrompt?: string | Array<string> | null, appendSystemPrompt?: string | null, systemPromptSnapshot?: boolean | null, planModeInstructions?: string | null, toolAliases?: { [key in string]: string } | null, excludeDynamicSections?: boolean | null, agents?: { [key in string]: unknown } | null, title?: string | null, skills?: Array<string> | null, promptSuggestions?: boolean | null, agentProgressSummaries?: boolean | null, forwardSubagentText?: boolean | null, supportedDialogKinds?: Array<string> | null, perTaskStopAffordance?: boolean | null, plugins?: Array<unknown> | null };

/** The capabilities and the state of the session. */
export type InitializeResponse = { commands?: Array<SlashCommand> | null, agents?: Array<AgentInfo> | null, output_style?: string | null, available_output_styles?: Array<string> | null, user_output_styles_dir?: string | null, models?: Array<ModelInfo> | null, account?: AccountInfo | null, pid?: number | null, claude_code_version?: string | null, current_permission_mode?: PermissionMode | null, hooks_applied?: boolean | null, hook_on_failure_supported?: boolean | null, hooks_when_unanswered_kept?: number | null, other_hook_ask_outranks_host?: boolean | null, plugins_applied?: boolean | null, sdk_mcp_manifests_parked?: { [key in string]: string } | null, feedback_mode?: FeedbackMode | null, analytics_disabled?: boolean | null, remote_control_auto_enable?: boolean | null, remote_control_auto_connect_default?: boolean | null, remote_control_available?: boolean | null, remote_control_auto_on_by_default?: boolean | null, ide_rc_auto_enable_gate?: boolean | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, session_state?: SessionState | null, capabilities?: Array<string> | null, mcp_servers_applied?: boolean | null };

/** An input file of the call. */
export type InputFile = { name: string, lane_path: string };

/** Input of the `InstructionsLoaded` hook, which runs when an instructions file was loaded. */
export type InstructionsLoadedInput = { hook_event_name: "InstructionsLoaded", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, file_path: string, memory_type: string, load_reason: string, globs?: Array<string> | null, trigger_file_path?: string | null, parent_file_path?: string | null };

/** Stops the turn. */
export type Interrupt = { subtype: "interrupt", cancel_queued?: boolean | null };

/** The ids of the prompts that are still in the queue, and of those that were removed. */
export type InterruptResponse = { still_queued?: Array<string> | null, cancelled?: Array<string> | null };

/** A configuration file that could not be parsed. */
export type InvalidConfigFile = { path: string, is_global: boolean, backup_searched: boolean, backup_path?: string | null };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/** An empty message that either side may send. */
export type KeepAlive = { type: "keep_alive" };

/** The severity of a notice. */
export type Level = "info" | "notice" | "suggestion" | "warning" | (string & {});

/** Requests the list of available models. */
export type ListModels = { subtype: "list_models" };

/** The available models. */
export type ListModelsResponse = { models: Array<ModelInfo> };

/** Requests the effective permission rules. */
export type ListPermissionRules = { subtype: "list_permission_rules" };

/** The effective permission rules. */
export type ListPermissionRulesResponse = { state: PermissionRulesState };

/** The output of a local command. */
export type LocalCommandOutput = { type: "system", subtype: "local_command_output", content: string, uuid: string, session_id: string };

/** The local command that produced the message. */
export type LocalCommandRun = { command: string, args: string };

/** The managed settings that lock a plugin. */
export type ManagedLock = { plugin_enabled: boolean, name: string, marketplace?: string | null };

/** The ask rule that matched the call. */
export type MatchedAskRule = { source: string, tool_name: string, rule_content?: string | null };

/** Starts the sign-in to an MCP server. */
export type McpAuthenticate = { subtype: "mcp_authenticate", serverName: string };

/** The address where the user signs in, and how the redirect returns. */
export type McpAuthenticateResponse = { authUrl?: string | null, requiresUserAction?: boolean | null, callbackExpected?: boolean | null, redirectScheme?: string | null, state?: string | null, callbackPort?: number | null };

/** Calls a tool of an MCP server without the model. */
export type McpCall = { subtype: "mcp_call", tool: string, arguments?: unknown | null, expires_at?: string | null, timeout_ms?: number | null, result_not_for_model?: boolean | null, check_permissions?: boolean | null, input_files?: Array<InputFile> | null, output_files?: Array<OutputFile> | null };

/** The result of the tool. */
export type McpCallResponse = { content?: unknown | null };

/** Deletes the stored credentials of an MCP server. */
export type McpClearAuth = { subtype: "mcp_clear_auth", serverName: string };

/** Carries a JSON-RPC message to or from an MCP server that runs in the host. */
export type McpMessage = { subtype: "mcp_message", server_name: string, message: unknown };

/** The response of the server. For a notification it is only an acknowledgement. */
export type McpMessageResponse = { mcp_response?: unknown | null };

/** Sends the callback URL to which the browser was redirected after the sign-in. */
export type McpOauthCallbackUrl = { subtype: "mcp_oauth_callback_url", serverName: string, callbackUrl: string };

/** Requests a resource of an MCP server. */
export type McpReadResource = { subtype: "mcp_read_resource", serverName: string, uri: string };

/** The content of the resource. */
export type McpReadResourceResponse = { contents: Array<ResourceContents> };

/** Connects an MCP server again. */
export type McpReconnect = { subtype: "mcp_reconnect", serverName: string };

/** An MCP server and its status. */
export type McpServer = { name: string, status: string, source?: string | null };

/** An MCP server that was skipped because its configuration is invalid. */
export type McpServerError = { name: string, type: McpServerErrorKind, message: string };

/** The error in the configuration of an MCP server. */
export type McpServerErrorKind = "unknown_type" | "invalid_config" | (string & {});

/** The name and version that a server reports. */
export type McpServerInfo = { name: string, version?: string | null };

/** The MCP server that a tool belongs to. */
export type McpServerProvenance = { name: string, source?: string | null };

/** An MCP server and its status. */
export type McpServerStatus = { name: string, status: string, serverInfo?: McpServerInfo | null, error?: string | null, config?: unknown | null, scope?: string | null, source?: string | null, transport?: string | null, tools?: Array<McpTool> | null };

/** Replaces the MCP servers of the host. */
export type McpSetServers = { subtype: "mcp_set_servers", servers: { [key in string]: unknown } };

/** The changes. A server that fails to start is in `errors`. */
export type McpSetServersResponse = { added: Array<string>, removed: Array<string>, errors: { [key in string]: string } };

/** Requests the status of the MCP servers. */
export type McpStatus = { subtype: "mcp_status", liveReply?: boolean | null };

/** The status of all MCP servers. */
export type McpStatusResponse = { mcpServers: Array<McpServerStatus> };

/** Switches an MCP server on or off. */
export type McpToggle = { subtype: "mcp_toggle", serverName: string, enabled: boolean };

/** A tool of an MCP server. */
export type McpTool = { name: string, description?: string | null, annotations?: McpToolAnnotations | null, _meta?: unknown | null };

/** The behaviour that a tool declares. */
export type McpToolAnnotations = { readOnly?: boolean | null, destructive?: boolean | null, openWorld?: boolean | null };

/** A memory. */
export type Memory = { path: string, scope: string, content?: string | null };

/** The folders of memory files. */
export type MemoryPaths = { auto?: string | null };

/** Memories were added to the conversation. */
export type MemoryRecall = { type: "system", subtype: "memory_recall", mode: string, memories: Array<Memory>, uuid: string, session_id: string };

/** The size of the messages by kind, in tokens. */
export type MessageBreakdown = { toolCallTokens: number, toolResultTokens: number, attachmentTokens: number, assistantMessageTokens: number, userMessageTokens: number, redirectedContextTokens?: number | null, unattributedTokens?: number | null, toolCallsByType: Array<unknown>, attachmentsByType: Array<unknown> };

/** Input of the `MessageDisplay` hook, which runs for each displayed part of a reply. */
export type MessageDisplayInput = { hook_event_name: "MessageDisplay", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, turn_id: string, message_id: string, index: number, final: boolean, delta: string };

/** Output of the `MessageDisplay` hook. */
export type MessageDisplayOutput = { hookEventName: "MessageDisplay", displayContent?: string | null };

/** Reports that the user rated a reply of the model. Its fields are undocumented and are stored in `extra`. */
export type MessageRated = { subtype: "message_rated" };

/** A mirrored transcript could not be stored. */
export type MirrorError = { type: "system", subtype: "mirror_error", error: string, key: MirrorKey | null, uuid: string, session_id: string };

/** The transcript. One official host writes the names in snake case; those fields are in `extra`. */
export type MirrorKey = { projectKey?: string | null, sessionId?: string | null, subpath?: string | null };

/** The model failed to respond, and the session continues with another one. */
export type ModelFallback = { type: "system", subtype: "model_fallback", uuid: string, trigger: string, original_model: string, fallback_model: string, content: string, session_id: string };

/** A model that the user can choose. */
export type ModelInfo = { value: string, resolvedModel?: string | null, displayName: string, description: string, supportsEffort?: boolean | null, supportedEffortLevels?: Array<string> | null, supportsAdaptiveThinking?: boolean | null, supportsThinkingOff?: boolean | null, supportsFastMode?: boolean | null, supportsAutoMode?: boolean | null };

/** A model refused, and the session continues with another one. */
export type ModelRefusalFallback = { type: "system", subtype: "model_refusal_fallback", trigger: string, direction: string, scope?: string | null, original_model: string, fallback_model: string, request_id: string | null, api_refusal_category?: string | null, api_refusal_explanation?: string | null, retracted_message_uuids?: Array<string> | null, refused_user_message_uuid?: string | null, content: string, uuid: string, session_id: string };

/** A model refused, and there is no fallback model. */
export type ModelRefusalNoFallback = { type: "system", subtype: "model_refusal_no_fallback", original_model: string, request_id: string | null, api_refusal_category?: string | null, api_refusal_explanation?: string | null, refused_user_message_uuid?: string | null, content: string, uuid: string, session_id: string };

/** The total usage of a model since the process started. */
export type ModelUsage = { inputTokens: number, outputTokens: number, thinkingTokens?: number | null, cacheReadInputTokens: number, cacheCreationInputTokens: number, cacheCreationEphemeral5mInputTokens?: number | null, cacheCreationEphemeral1hInputTokens?: number | null, webSearchRequests: number, costUSD: number, contextWindow?: number | null, maxOutputTokens?: number | null, canonicalModel?: string | null, provider?: string | null, costBasis?: CostBasis | null };

/** A request that got no response in time. */
export type NoResponse = { waited_ms: number, retry_wait_ms: number };

/** A temporary notification to display. */
export type Notification = { type: "system", subtype: "notification", key: string, text: string, priority: NotificationPriority, color?: string | null, timeout_ms?: number | null, uuid: string, session_id: string };

/** Input of the `Notification` hook, which runs when the user gets a notification. */
export type NotificationInput = { hook_event_name: "Notification", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, message: string, title?: string | null, notification_type?: string | null };

/** Output of the `Notification` hook. */
export type NotificationOutput = { hookEventName: "Notification", additionalContext?: string | null };

/** The priority of a notification. */
export type NotificationPriority = "low" | "medium" | "high" | "immediate" | (string & {});

/** The sender of a prompt. The `result` of the turn repeats it. */
export type Origin = { kind: OriginKind, producer?: string | null, server?: string | null, from?: string | null, fromMode?: string | null, name?: string | null, fromSession?: string | null, senderTaskId?: string | null, body?: string | null, verifiedPeerPid?: number | null, subkind?: string | null, fireReason?: string | null, runId?: string | null };

/** The kind of sender. */
export type OriginKind = "human" | "channel" | "peer" | "task-notification" | "coordinator" | "unclassified" | "observer" | "auto-continuation" | "observer-activity" | (string & {});

/** An output file of the call. */
export type OutputFile = { name: string, lane_path: string, if_match?: string | null };

/** Details of the output tokens. */
export type OutputTokensDetails = { thinking_tokens: number };

/** The exceeded limit of the context window, and by how many tokens it is exceeded. */
export type OverLimit = { tokens_over: number, kind: string };

/** The permission decision about a tool call and its source. */
export type PermissionDecision = { decision: string, source?: string | null, reason_type?: string | null };

/** A tool call that was denied. */
export type PermissionDenial = { tool_name: string, tool_use_id: string, tool_input: unknown };

/** A tool call was denied without a permission request. */
export type PermissionDenied = { type: "system", subtype: "permission_denied", tool_name: string, tool_use_id: string, agent_id?: string | null, decision_reason_type?: string | null, decision_reason?: string | null, decision_reason_code?: string | null, message: string, uuid: string, session_id: string };

/** Input of the `PermissionDenied` hook, which runs after a tool call was denied. */
export type PermissionDeniedInput = { hook_event_name: "PermissionDenied", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, reason: string, mcp_server?: McpServerProvenance | null };

/** Output of the `PermissionDenied` hook. */
export type PermissionDeniedOutput = { hookEventName: "PermissionDenied", retry?: boolean | null };

/** The permission mode: which tool calls need a permission request. */
export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto" | "delegate" | (string & {});

/** The decision of the hook. */
export type PermissionRequestDecision = { behavior: Behavior, updatedInput?: unknown | null, updatedPermissions?: Array<PermissionUpdate> | null, message?: string | null, interrupt?: boolean | null };

/** Input of the `PermissionRequest` hook, which runs when a tool call needs permission. */
export type PermissionRequestInput = { hook_event_name: "PermissionRequest", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, permission_suggestions?: Array<PermissionUpdate> | null, mcp_server?: McpServerProvenance | null };

/** Output of the `PermissionRequest` hook. */
export type PermissionRequestOutput = { hookEventName: "PermissionRequest", decision: PermissionRequestDecision };

/** The permission rules and working directories of a session. */
export type PermissionRulesState = { rules: Array<RuleEntry>, workspaceDirectories: Array<WorkspaceDirectory>, originalCwd: string, managedOnly: boolean, errors?: Array<unknown> | null, withheld?: boolean | null };

/** A change of permissions. */
export type PermissionUpdate = AddRules | ReplaceRules | RemoveRules | SetMode | AddDirectories | RemoveDirectories;

/** A file that was uploaded. */
export type PersistedFile = { filename: string, file_id: string };

/** A loaded plugin. */
export type Plugin = { name: string, path: string, source?: string | null, version?: string | null };

/** A plugin that could not be loaded. */
export type PluginError = { plugin: string, type: string, message: string, path?: string | null, managed_lock?: ManagedLock | null };

/** The state of a plugin installation changed. */
export type PluginInstall = { type: "system", subtype: "plugin_install", status: PluginInstallStatus, name?: string | null, error?: string | null, uuid: string, session_id: string };

/** The state of a plugin installation. */
export type PluginInstallStatus = "started" | "installed" | "failed" | "completed" | (string & {});

/** Input of the `PostCompact` hook, which runs after a compaction. */
export type PostCompactInput = { hook_event_name: "PostCompact", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string, compact_summary: string };

/** Input of the `PostModelSwitch` hook, which runs after a change of the model. */
export type PostModelSwitchInput = { hook_event_name: "PostModelSwitch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, from_model: string, to_model: string, requested_model: string | null, source: string, context_tokens: number, prompt_cache_warm: boolean, cache_ttl: string, estimated_cache_write_usd: number, pricing: string };

/** Output of the `PostModelSwitch` hook. */
export type PostModelSwitchOutput = { hookEventName: "PostModelSwitch", additionalContext?: string | null };

/** Input of the `PostToolBatch` hook, which runs after all tool calls of one model message. */
export type PostToolBatchInput = { hook_event_name: "PostToolBatch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_calls: Array<BatchCall> };

/** Output of the `PostToolBatch` hook. */
export type PostToolBatchOutput = { hookEventName: "PostToolBatch", additionalContext?: string | null };

/** Input of the `PostToolUseFailure` hook, which runs after a tool call that failed. */
export type PostToolUseFailureInput = { hook_event_name: "PostToolUseFailure", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, error: string, is_interrupt?: boolean | null, duration_ms?: number | null, mcp_server?: McpServerProvenance | null };

/** Output of the `PostToolUseFailure` hook. */
export type PostToolUseFailureOutput = { hookEventName: "PostToolUseFailure", additionalContext?: string | null };

/** Input of the `PostToolUse` hook, which runs after a tool call that succeeded. */
export type PostToolUseInput = { hook_event_name: "PostToolUse", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_response: unknown, tool_use_id: string, duration_ms?: number | null, mcp_server?: McpServerProvenance | null };

/** Output of the `PostToolUse` hook. */
export type PostToolUseOutput = { hookEventName: "PostToolUse", additionalContext?: string | null, classifierContext?: string | null, updatedToolOutput?: unknown | null, updatedMCPToolOutput?: unknown | null };

/** Input of the `PreCompact` hook, which runs before a compaction. */
export type PreCompactInput = { hook_event_name: "PreCompact", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string, custom_instructions: string | null };

/** Input of the `PreModelSwitch` hook, which runs before a change of the model. */
export type PreModelSwitchInput = { hook_event_name: "PreModelSwitch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, from_model: string, to_model: string, requested_model: string | null, source: string, context_tokens: number, prompt_cache_warm: boolean, cache_ttl: string, estimated_cache_write_usd: number, pricing: string };

/** Output of the `PreModelSwitch` hook. */
export type PreModelSwitchOutput = { hookEventName: "PreModelSwitch", permissionDecision?: HookPermissionDecision | null, permissionDecisionReason?: string | null };

/** Input of the `PreToolUse` hook, which runs before a tool call. */
export type PreToolUseInput = { hook_event_name: "PreToolUse", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, mcp_server?: McpServerProvenance | null };

/** Output of the `PreToolUse` hook. */
export type PreToolUseOutput = { hookEventName: "PreToolUse", permissionDecision?: HookPermissionDecision | null, permissionDecisionReason?: string | null, updatedInput?: unknown | null, additionalContext?: string | null };

/** The preserved messages. */
export type PreservedMessages = { anchor_uuid: string, uuids: Array<string>, all_uuids?: Array<string> | null };

/** The preserved part of the conversation, given by its first and last message. */
export type PreservedSegment = { head_uuid: string, anchor_uuid: string, tail_uuid: string };

/** The effect of a `UserPromptSubmit` hook on a prompt. */
export type PromptSubmitOutcome = { kind: string, prompt_kept?: boolean | null, reason?: string | null };

/** A suggested prompt. */
export type PromptSuggestion = { type: "prompt_suggestion", suggestion: string, uuid: string, session_id: string };

/** The state of a rate limit changed. */
export type RateLimitEvent = { type: "rate_limit_event", rate_limit_info: RateLimitInfo, uuid: string, session_id: string };

/** The state of a rate limit. */
export type RateLimitInfo = { status: RateLimitStatus, resetsAt?: number | null, rateLimitType?: RateLimitType | null, utilization?: number | null, overageStatus?: RateLimitStatus | null, overageResetsAt?: number | null, overageDisabledReason?: string | null, isUsingOverage?: boolean | null, overageInUse?: boolean | null, overageEnabled?: boolean | null, surpassedThreshold?: number | null, limitScope?: string | null, errorCode?: string | null, canUserPurchaseCredits?: boolean | null, hasChargeableSavedPaymentMethod?: boolean | null, unifiedWindows?: { [key in string]: RateLimitWindow } | null };

/** Whether requests are allowed. */
export type RateLimitStatus = "allowed" | "allowed_warning" | "rejected" | (string & {});

/** The kind of rate limit. */
export type RateLimitType = "five_hour" | "seven_day" | "seven_day_opus" | "seven_day_sonnet" | "seven_day_overage_included" | "overage" | (string & {});

/** One window of a rate limit. */
export type RateLimitWindow = { utilization: number, resetsAt: number, status: RateLimitStatus };

/** Requests a file on the agent's machine. */
export type ReadFile = { subtype: "read_file", path: string, max_bytes?: number | null, encoding?: string | null };

/** The content of the file. */
export type ReadFileResponse = { contents: string, absPath: string, truncated?: boolean | null, encoding?: string | null, lossy?: boolean | null, requested_path?: string | null };

/** Encrypted thinking, which only the API can read. */
export type RedactedThinking = { type: "redacted_thinking", data: string };

/** Adds a working directory to the session. */
export type RegisterRepoRoot = { subtype: "register_repo_root", directory: string, reload_claude_md?: boolean | null, reload_plugins?: boolean | null, reload_skills?: boolean | null };

/** The path of the directory after links are resolved. */
export type RegisterRepoRootResponse = { directory: string };

/** Reloads the output styles. */
export type ReloadOutputStyles = { subtype: "reload_output_styles" };

/** The available output styles. */
export type ReloadOutputStylesResponse = { available_output_styles: Array<string> };

/** Reloads the plugins. */
export type ReloadPlugins = { subtype: "reload_plugins", hold_on_cache_impact?: boolean | null, add_plugins?: unknown | null, refuse_if_busy?: boolean | null };

/** The plugins and their parts after the reload. */
export type ReloadPluginsResponse = { commands: Array<SlashCommand>, agents: Array<AgentInfo>, plugins: Array<Plugin>, mcpServers: Array<McpServerStatus>, error_count: number, held?: boolean | null, cache_impact?: CacheImpact | null };

/** Reloads the skills. */
export type ReloadSkills = { subtype: "reload_skills" };

/** The available skills. */
export type ReloadSkillsResponse = { skills: Array<SlashCommand> };

/** Removes working directories. */
export type RemoveDirectories = { type: "removeDirectories", directories: Array<string>, destination: Destination };

/** Removes rules. */
export type RemoveRules = { type: "removeRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** Changes the title of the session. */
export type RenameSession = { subtype: "rename_session", title: string, source?: string | null, session_id?: string | null };

/** Replaces the rules with the same behaviour and destination. */
export type ReplaceRules = { type: "replaceRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** A control request, by subtype: first the requests from hosts to agents, then those from agents to hosts. */
export type Request = Initialize | Interrupt | SetPermissionMode | SetModel | SetMaxThinkingTokens | McpStatus | McpSetServers | McpReconnect | McpToggle | McpMessage | RewindFiles | StopTask | ApplyFlagSettings | GetSettings | CancelAsyncMessage | GetContextUsage | ReloadPlugins | SeedReadState | RenameSession | ReadFile | FileSuggestions | GetBinaryVersion | GetSessionCost | SetColor | McpCall | BackgroundTasks | GetUsage | ReloadSkills | RegisterRepoRoot | ListModels | UpdateSettings | GetHooksListing | ListPermissionRules | ReloadOutputStyles | McpReadResource | GetTaskOutput | SetHasSubscribers | SetMcpPermissionModeOverride | ClaimSession | GetPlan | GetWorkspaceDiff | GenerateSessionTitle | SideQuestion | EndSession | MessageRated | ChannelEnable | McpAuthenticate | McpClearAuth | McpOauthCallbackUrl | CanUseTool | HookCallback | Elicitation | RequestUserDialog;

/** Asks the host to show a dialog. Agents only send kinds that the host declared in `initialize`. */
export type RequestUserDialog = { subtype: "request_user_dialog", dialog_kind: string, payload: unknown, tool_use_id?: string | null };

/** The result of a dialog. */
export type RequestUserDialogResponse = DialogCompleted | DialogCancelled;

/** What caused the restart. */
export type ResetTrigger = "clear" | "plan_mode_exit" | "fresh_session" | "onboarding" | (string & {});

/** A part of a resource's content. */
export type ResourceContents = { uri: string, mimeType?: string | null, text?: string | null, blob?: string | null, _meta?: unknown | null };

/** The response to a control request. */
export type Response = Success | Failure;

/** The outcome of a turn. A failed API request is `success` with `is_error`. */
export type ResultSubtype = "success" | "error_during_execution" | "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries" | (string & {});

/** Restores files to their state before a prompt. */
export type RewindFiles = { subtype: "rewind_files", user_message_id: string, dry_run?: boolean | null };

/** The files that were restored or, in a dry run, would be. */
export type RewindFilesResponse = { canRewind: boolean, error?: string | null, filesChanged?: Array<string> | null, insertions?: number | null, deletions?: number | null, skippedLinks?: number | null };

/** A permission rule for a tool or for some calls of a tool. */
export type Rule = { toolName: string, ruleContent?: string | null };

/** A permission rule and its source. */
export type RuleEntry = { behavior: Behavior, source: string, rule: string, description?: unknown | null, editability?: string | null, notInEffect?: boolean | null };

/** Options for an MCP server that runs in the host. */
export type SdkMcpServerConfig = { timeout?: number | null, tools?: unknown | null };

/** The responses of an MCP server in the host to its first requests, so that the agent need not send them. */
export type SdkMcpServerManifest = { initializeResult: unknown, toolsListResult?: unknown | null };

/** Marks a file as read, so that it can be edited without reading it first. */
export type SeedReadState = { subtype: "seed_read_state", path: string, mtime: number };

/** The number of tool calls that the API ran itself. */
export type ServerToolRequests = { web_search_requests: number, web_fetch_requests?: number | null };

/** A tool call that the API runs itself. */
export type ServerToolUse = { type: "server_tool_use", id: string, name: string, input: unknown };

/** A prompt that is sent on a schedule. */
export type SessionCronSummary = { id: string, schedule: string, recurring: boolean, prompt: string };

/** Input of the `SessionEnd` hook, which runs when a session ends. */
export type SessionEndInput = { hook_event_name: "SessionEnd", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, reason: string };

/** Input of the `SessionStart` hook, which runs when a session starts. */
export type SessionStartInput = { hook_event_name: "SessionStart", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, source: string, model?: string | null, session_title?: string | null, seconds_since_last_response?: number | null, context_tokens?: number | null, prompt_cache_likely_expired?: boolean | null, estimated_cache_write_usd?: number | null };

/** Output of the `SessionStart` hook. */
export type SessionStartOutput = { hookEventName: "SessionStart", additionalContext?: string | null, initialUserMessage?: string | null, sessionTitle?: string | null, watchPaths?: Array<string> | null, reloadSkills?: boolean | null };

/** The state of the session. */
export type SessionState = "idle" | "running" | "requires_action" | (string & {});

/** The state of the session changed. `idle` means that all turns have ended. */
export type SessionStateChanged = { type: "system", subtype: "session_state_changed", state: SessionState, uuid: string, session_id: string, sdk_host_only?: boolean | null };

/** The session has a new title. */
export type SessionTitleChanged = { type: "system", subtype: "session_title_changed", title?: string | null, source?: string | null, uuid?: string | null, session_id: string };

/** Files could not be written. */
export type SessionWritesLost = { type: "system", subtype: "session_writes_lost", error_code: string, lost: Array<string>, transcript_session_ids?: Array<string> | null, uuid: string, session_id: string };

/** Sets the colour of the session. */
export type SetColor = { subtype: "set_color", color: string | null };

/** Reports whether clients are subscribed to the session. */
export type SetHasSubscribers = { subtype: "set_has_subscribers", has_subscribers: boolean | null };

/** Limits the thinking of the model, in tokens. Without a number the default applies again. */
export type SetMaxThinkingTokens = { subtype: "set_max_thinking_tokens", max_thinking_tokens?: number | null, thinking_display?: string | null };

/** Sets the permission mode for the tools of one MCP server. */
export type SetMcpPermissionModeOverride = { subtype: "set_mcp_permission_mode_override", serverName: string, mode: PermissionMode | null };

/** An optional warning about the effect of the mode. */
export type SetMcpPermissionModeOverrideResponse = { warning?: string | null };

/** Changes the permission mode. */
export type SetMode = { type: "setMode", mode: PermissionMode, destination: Destination };

/** Changes the model. Without a model the default applies again. */
export type SetModel = { subtype: "set_model", model?: string | null };

/** The current model. */
export type SetModelResponse = { model?: string | null };

/** Changes the permission mode. */
export type SetPermissionMode = { subtype: "set_permission_mode", mode: PermissionMode };

/** The current permission mode. */
export type SetPermissionModeResponse = { mode?: PermissionMode | null };

/** Input of the `Setup` hook, which runs when a project is set up. */
export type SetupInput = { hook_event_name: "Setup", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string };

/** Output of the `Setup` hook. */
export type SetupOutput = { hookEventName: "Setup", additionalContext?: string | null };

/** Asks the model without adding to the conversation. */
export type SideQuestion = { subtype: "side_question", question?: string | null };

/** The reply of the model. */
export type SideQuestionResponse = { response: string | null, synthetic?: boolean | null };

/** A slash command. */
export type SlashCommand = { name: string, description: string, argumentHint?: string | null, aliases?: Array<string> | null, builtin?: boolean | null };

/** The source of an image or document. */
export type Source = Base64Source | UrlSource | TextSource | FileSource;

/** The activity or the permission mode of the session changed. `status` is `None` if no activity is to be shown. */
export type Status = { type: "system", subtype: "status", status: Activity | null, permissionMode?: PermissionMode | null, compact_output_chars?: number | null, compact_result?: string | null, compact_error?: string | null, session_id: string, uuid: string, user_message_uuids?: Array<string> | null };

/** The priority of a prompt in the queue. */
export type StdinPriority = "next" | "now" | "later" | (string & {});

/** Sets environment variables of the agent. */
export type StdinUpdateEnvironmentVariables = { type: "update_environment_variables", variables: { [key in string]: string } };

/** A prompt. */
export type StdinUser = { type: "user", message: UserMessage, parent_tool_use_id: string | null, session_id?: string | null, uuid?: string | null, isSynthetic?: boolean | null, priority?: StdinPriority | null, timestamp?: string | null, origin?: Origin | null, shouldQuery?: boolean | null, client_composed?: boolean | null, pasted_content?: unknown | null, inline_pastes?: Array<string> | null, tool_use_result?: JsonValue | null, isReplay?: boolean | null };

/** Input of the `StopFailure` hook, which runs when a turn ends with an API error. */
export type StopFailureInput = { hook_event_name: "StopFailure", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, error: AssistantError, error_details?: string | null, last_assistant_message?: string | null };

/** Input of the `Stop` hook, which runs when the agent is about to end its turn. */
export type StopInput = { hook_event_name: "Stop", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, stop_hook_active: boolean, last_assistant_message?: string | null, background_tasks?: Array<BackgroundTaskSummary> | null, session_crons?: Array<SessionCronSummary> | null };

/** Output of the `Stop` hook. */
export type StopOutput = { hookEventName: "Stop", additionalContext?: string | null };

/** Stops a background task. */
export type StopTask = { subtype: "stop_task", task_id: string };

/** One streaming event of the Messages API. It is not parsed, because most messages of a long reply are of this type. */
export type StreamEvent = { type: "stream_event", event: unknown, session_id: string, parent_tool_use_id: string | null, uuid: string, ttft_ms?: number | null, thinking_display?: string | null, api_message_id?: string | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, owed_rows?: unknown | null, abandoned_blocks?: AbandonedBlocks | null };

/** Text of the reply. */
export type StreamlinedText = { type: "streamlined_text", text?: string | null, session_id?: string | null, uuid?: string | null };

/** A summary of tool calls in one line. */
export type StreamlinedToolUseSummary = { type: "streamlined_tool_use_summary", tool_summary?: string | null, session_id?: string | null, uuid?: string | null };

/** The number of stopped subagents, by who stopped them. */
export type SubagentKilled = { parent: number, user: number, system: number };

/** The number of refused subagents, by reason. */
export type SubagentRefused = { depth_limit: number, concurrency_limit: number, budget: number };

/** The number of requested subagents, by the requested mode. */
export type SubagentRequested = { background: number, foreground: number, unset: number };

/** A subagent retries a failed request. */
export type SubagentRetry = { agent_id: string, attempt: number, max_retries: number, retry_delay_ms: number, error_status: number | null, error_category: string };

/** Input of the `SubagentStart` hook, which runs when a subagent starts. */
export type SubagentStartInput = { hook_event_name: "SubagentStart", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null };

/** Output of the `SubagentStart` hook. */
export type SubagentStartOutput = { hookEventName: "SubagentStart", additionalContext?: string | null };

/** Statistics of the subagents of a turn. */
export type SubagentStats = { spawned: number, requested: SubagentRequested, started_in_background: number, max_depth: number, spawned_by_subagents: number, completed: number, failed: number, killed: SubagentKilled, refused: SubagentRefused, by_type: { [key in string]: unknown } };

/** Input of the `SubagentStop` hook, which runs when a subagent is about to end. */
export type SubagentStopInput = { hook_event_name: "SubagentStop", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, stop_hook_active: boolean, agent_transcript_path?: string | null, last_assistant_message?: string | null, background_tasks?: Array<BackgroundTaskSummary> | null, session_crons?: Array<SessionCronSummary> | null };

/** Output of the `SubagentStop` hook. */
export type SubagentStopOutput = { hookEventName: "SubagentStop", additionalContext?: string | null };

/** The response of a request that succeeded. */
export type Success = { subtype: "success", request_id?: string | number, response?: JsonValue | null, pending_permission_requests?: Array<ControlRequest> | null, pending_user_dialog_requests?: Array<ControlRequest> | null, pending_elicitation_requests?: Array<ControlRequest> | null };

/** A `system` message. */
export type System = Init | Status | CompactBoundary | HookStarted | HookProgress | HookResponse | TaskStarted | TaskProgress | TaskUpdated | TaskNotification | BackgroundTasksChanged | FilesPersisted | ElicitationComplete | LocalCommandOutput | ApiRetry | SessionStateChanged | Notification | PluginInstall | MemoryRecall | PermissionDenied | ThinkingTokens | CommandsChanged | ModelRefusalFallback | ModelRefusalNoFallback | Informational | WorkerShuttingDown | ControlRequestProgress | SessionWritesLost | MirrorError | SessionTitleChanged | ModelFallback | UiInvalidate;

/** Input of the `TaskCompleted` hook, which runs when a task of the task list is completed. */
export type TaskCompletedInput = { hook_event_name: "TaskCompleted", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, task_id: string, task_subject: string, task_description?: string | null, teammate_name?: string | null, team_name?: string | null };

/** Input of the `TaskCreated` hook, which runs when a task is added to the task list. */
export type TaskCreatedInput = { hook_event_name: "TaskCreated", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, task_id: string, task_subject: string, task_description?: string | null, teammate_name?: string | null, team_name?: string | null };

/** A background task ended. */
export type TaskNotification = { type: "system", subtype: "task_notification", task_id: string, run_id?: string | null, tool_use_id?: string | null, status: TaskOutcome, reason?: string | null, output_file: string, summary: string, summary_is_report?: boolean | null, usage?: TaskUsage | null, resource_links?: Array<unknown> | null, skip_transcript?: boolean | null, ambient?: boolean | null, uuid: string, session_id: string };

/** The outcome of a background task. */
export type TaskOutcome = "completed" | "failed" | "stopped" | (string & {});

/** The changed fields of a background task. */
export type TaskPatch = { status?: TaskStatus | null, description?: string | null, end_time?: number | null, total_paused_ms?: number | null, error?: string | null, is_backgrounded?: boolean | null };

/** The progress of a background task. */
export type TaskProgress = { type: "system", subtype: "task_progress", task_id: string, run_id?: string | null, tool_use_id?: string | null, description: string, subagent_type?: string | null, usage: TaskUsage, last_tool_name?: string | null, summary?: string | null, uuid: string, session_id: string };

/** A background task started: a subagent, a background command or a workflow. */
export type TaskStarted = { type: "system", subtype: "task_started", task_id: string, run_id?: string | null, owned_by_subagent?: boolean | null, tool_use_id?: string | null, description: string, subagent_type?: string | null, is_backgrounded?: boolean | null, spawn_depth?: number | null, parent_task_id?: string | null, task_type?: string | null, workflow_name?: string | null, prompt?: string | null, skip_transcript?: boolean | null, ambient?: boolean | null, uuid: string, session_id: string };

/** The status of a background task. */
export type TaskStatus = "pending" | "running" | "completed" | "failed" | "killed" | "paused" | (string & {});

/** A background task changed. */
export type TaskUpdated = { type: "system", subtype: "task_updated", task_id: string, run_id?: string | null, patch: TaskPatch, uuid: string, session_id: string };

/** The resources used by a background task so far. */
export type TaskUsage = { total_tokens: number, tool_uses: number, duration_ms: number };

/** Input of the `TeammateIdle` hook, which runs when a teammate becomes idle. */
export type TeammateIdleInput = { hook_event_name: "TeammateIdle", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, teammate_name: string, team_name: string };

/** Why a turn ended. */
export type TerminalReason = "completed" | "blocking_limit" | "rapid_refill_breaker" | "prompt_too_long" | "image_error" | "model_error" | "api_error" | "malformed_tool_use_exhausted" | "aborted_streaming" | "aborted_tools" | "stop_hook_prevented" | "hook_stopped" | "tool_deferred" | "max_turns" | "background_requested" | "budget_exhausted" | "structured_output_retry_exhausted" | "tool_deferred_unavailable" | "turn_setup_failed" | (string & {});

/** A block of text. */
export type Text = { type: "text", text: string, citations?: unknown | null, cache_control?: unknown | null };

/** A plain text document. */
export type TextSource = { type: "text", media_type: string, data: string };

/** The thinking of the model, signed by the API. */
export type Thinking = { type: "thinking", thinking: string, signature?: string | null };

/** The estimated number of thinking tokens so far, sent while the model thinks. */
export type ThinkingTokens = { type: "system", subtype: "thinking_tokens", estimated_tokens: number, estimated_tokens_delta: number, user_message_uuid?: string | null, session_id: string, uuid: string };

/** A message from a host to its agent: a line of the agent's stdin. */
export type ToAgent = StdinUser | ControlRequest | ControlResponse | ControlCancelRequest | KeepAlive | StdinUpdateEnvironmentVariables;

/** A message from an agent to its host: a line of the agent's stdout. */
export type ToHost = System | Assistant | User | TurnResult | StreamEvent | ToolProgress | ToolUseSummary | AuthStatus | RateLimitEvent | PromptSuggestion | ConversationReset | ActiveGoal | CommandLifecycle | TranscriptMirror | StreamlinedText | StreamlinedToolUseSummary | ControlRequest | ControlResponse | ControlCancelRequest | KeepAlive;

/** The elapsed time of a running tool call. Sent every 30 seconds as a heartbeat. */
export type ToolProgress = { type: "tool_progress", tool_use_id: string, tool_name: string, parent_tool_use_id: string | null, elapsed_time_seconds: number, task_id?: string | null, heartbeat?: boolean | null, subagent_type?: string | null, subagent_retry?: SubagentRetry | null, session_id: string, uuid: string };

/** A tool found by a tool search. */
export type ToolReference = { type: "tool_reference", tool_name: string };

/** The result of a tool call. */
export type ToolResult = { type: "tool_result", tool_use_id: string, content?: string | Array<Block> | null, is_error?: boolean | null, cache_control?: unknown | null };

/** Metadata of a tool result. */
export type ToolResultMeta = { id: string, permission_decision?: PermissionDecision | null, non_execution_kind?: string | null };

/** A tool call of the model. */
export type ToolUse = { type: "tool_use", id: string, name: string, input: unknown, cache_control?: unknown | null };

/** The display name of a tool of an MCP server. */
export type ToolUseMeta = { id: string, display_name?: string | null, server_display_name?: string | null, tool_name?: string | null };

/** A summary of the preceding tool calls. */
export type ToolUseSummary = { type: "tool_use_summary", summary: string, preceding_tool_use_ids: Array<string>, uuid: string, session_id: string };

/** Entries in the order in which they were appended. The message has neither a uuid nor a session id. */
export type TranscriptMirror = { type: "transcript_mirror", filePath: string, entries: Array<unknown> };

/** The end of a turn. Each turn has exactly one. */
export type TurnResult = { type: "result", subtype: ResultSubtype, duration_ms: number, duration_api_ms: number, is_error: boolean, num_turns: number, api_error_status: number | null, api_error_type?: string | null, api_error?: string | null, result?: string | null, errors?: Array<string> | null, stop_reason: string | null, session_id: string, total_cost_usd: number, usage: Usage, modelUsage: { [key in string]: ModelUsage }, permission_denials: Array<PermissionDenial>, structured_output?: JsonValue | null, deferred_tool_use?: DeferredToolUse | null, terminal_reason?: TerminalReason | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, subagent_stats?: SubagentStats | null, safety_stops?: number | null, origin?: Origin | null, uuid: string, queued_turn_count?: number | null, result_index?: number | null, model_usage_since_last_result?: { [key in string]: ModelUsage } | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, local_command?: string | null, ttft_ms?: number | null, ttft_stream_ms?: number | null, time_to_request_ms?: number | null, request_sent_wall_ms?: number | null, first_content_frame_ms?: number | null, first_stream_post_ms?: number | null, first_stream_post_ack_ms?: number | null, first_stream_post_queue_wait_ms?: number | null, first_stream_post_queued_behind?: string | null, first_stream_post_wall_ms?: number | null, first_text_post_ms?: number | null, first_text_post_queue_wait_ms?: number | null, first_text_post_queued_behind?: string | null, first_text_post_wall_ms?: number | null, time_to_request_from_spawn_ms?: number | null, warm_spare_claimed?: boolean | null, time_origin_ms?: number | null, first_request_input_tokens?: number | null, first_request_cache_read_input_tokens?: number | null, startup_failure_reason?: string | null, invalid_config_file?: InvalidConfigFile | null, credential_expires_at?: string | null };

/** The host must redraw the parts of its interface that the agent provides. */
export type UiInvalidate = { type: "system", subtype: "ui_invalidate", event: string, uuid: string, session_id: string };

/** Writes a settings file. */
export type UpdateSettings = { subtype: "update_settings", source: string, settings: unknown };

/** The saved settings. Hosts other than the terminal and the page of Sluice get an empty response. */
export type UpdateSettingsResponse = { path?: string | null, keys?: Array<string> | null, warning?: string | null };

/** Data that the API downloads from a URL. */
export type UrlSource = { type: "url", url: string };

/** The token usage of a model message or, in `result`, of a turn. */
export type Usage = { input_tokens: number, cache_creation_input_tokens?: number | null, cache_read_input_tokens?: number | null, output_tokens: number, output_tokens_details?: OutputTokensDetails | null, server_tool_use?: ServerToolRequests | null, service_tier?: string | null, cache_creation?: CacheCreation | null, inference_geo?: string | null, iterations?: unknown | null, speed?: string | null, fallback_credit?: unknown | null };

/** The report of `/usage`. */
export type UsageReport = { session: UsageReportSession, rate_limits: unknown | null };

/** The cost and usage of the session. */
export type UsageReportSession = { total_cost_usd: number, total_api_duration_ms: number, total_duration_ms: number, total_lines_added: number, total_lines_removed: number, model_usage: { [key in string]: ModelUsage } };

/** A tool result, a notice from the agent, or a replayed prompt. */
export type User = { type: "user", message: UserMessage, parent_tool_use_id: string | null, session_id?: string | null, uuid?: string | null, timestamp?: string | null, tool_use_result?: JsonValue | null, tool_result_meta?: Array<ToolResultMeta> | null, isReplay?: boolean | null, isSynthetic?: boolean | null, refused_message_id?: string | null, priority?: string | null, origin?: Origin | null, shouldQuery?: boolean | null, client_composed?: boolean | null, pasted_content?: unknown | null, inline_pastes?: Array<string> | null, file_attachments?: unknown | null, agent_id?: string | null, subagent_type?: string | null, task_description?: string | null };

/** A message with the role `user` in the conversation. */
export type UserMessage = { role: string, content: string | Array<Block> };

/** Input of the `UserPromptExpansion` hook, which runs when a slash command is expanded into a prompt. */
export type UserPromptExpansionInput = { hook_event_name: "UserPromptExpansion", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, expansion_type: string, command_name: string, command_args: string, command_source?: string | null, prompt: string };

/** Output of the `UserPromptExpansion` hook. */
export type UserPromptExpansionOutput = { hookEventName: "UserPromptExpansion", additionalContext?: string | null, suppressOriginalPrompt?: boolean | null };

/** Input of the `UserPromptSubmit` hook, which runs before a prompt is processed. */
export type UserPromptSubmitInput = { hook_event_name: "UserPromptSubmit", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, prompt: string, source?: string | null, session_title?: string | null };

/** Output of the `UserPromptSubmit` hook. */
export type UserPromptSubmitOutput = { hookEventName: "UserPromptSubmit", additionalContext?: string | null, sessionTitle?: string | null, suppressOriginalPrompt?: boolean | null };

/** The result of a web search run by the API. */
export type WebSearchToolResult = { type: "web_search_tool_result", tool_use_id: string, content: unknown };

/** The process is about to end. */
export type WorkerShuttingDown = { type: "system", subtype: "worker_shutting_down", reason: string, uuid: string, session_id: string };

/** The changes in the working folder. */
export type WorkspaceDiff = { stats: DiffStats, perFileStats: Array<DiffFileStats>, omitted: DiffOmitted, hunks: Array<DiffFileHunks>, skippedLarge: Array<string>, restricted: Array<string>, source: DiffSource };

/** A directory that the session may work in. */
export type WorkspaceDirectory = { path: string, source: string };

/** Input of the `WorktreeCreate` hook, which creates a worktree instead of git. */
export type WorktreeCreateInput = { hook_event_name: "WorktreeCreate", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, name: string };

/** Output of the `WorktreeCreate` hook. */
export type WorktreeCreateOutput = { hookEventName: "WorktreeCreate", worktreePath: string };

/** Input of the `WorktreeRemove` hook, which runs when a worktree is removed. */
export type WorktreeRemoveInput = { hook_event_name: "WorktreeRemove", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, worktree_path: string };
