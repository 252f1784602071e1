// Generated from crates/wire. Do not edit.
// Unknown fields, words and kinds may come at any time: ignore them.

/** Blocks of an answer that was given up. */
export type AbandonedBlocks = { api_message_id: string, from_block_index: number };

/** Whose account is used. */
export type AccountInfo = { email?: string | null, organization?: string | null, subscriptionType?: string | null, tokenSource?: string | null, apiKeySource?: string | null, apiProvider?: string | null };

/** The goal changed; `None` when there is none any more. */
export type ActiveGoal = { type: "active_goal", value: Goal | null, uuid?: string | null, session_id: string };

/** What the session is busy with. */
export type Activity = "requesting" | "compacting" | (string & {});

/** Adds working directories. */
export type AddDirectories = { type: "addDirectories", directories: Array<string>, destination: Destination };

/** Adds rules. */
export type AddRules = { type: "addRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** What an advisor of the API answered. */
export type AdvisorToolResult = { type: "advisor_tool_result", tool_use_id: string, content: unknown };

/** A kind of subagent there is. */
export type AgentInfo = { name: string, description: string, model?: string | null };

/** The call may run, perhaps with another input. */
export type Allow = { behavior: "allow", updatedInput?: unknown | null, updatedPermissions?: Array<PermissionUpdate> | null, toolUseID?: string | null, decisionClassification?: string | null };

/** A message of the Messages API. */
export type ApiMessage = { type: "message", id: string, role: string, model: string, content: Array<Block>, stop_reason: string | null, stop_sequence: string | null, stop_details?: unknown | null, usage: Usage, container?: unknown | null, diagnostics?: unknown | null, context_management: unknown | null };

/** A request is tried again. */
export type ApiRetry = { type: "system", subtype: "api_retry", attempt: number, max_retries: number, retry_delay_ms: number, error_status: number | null, error: AssistantError, no_response?: NoResponse | null, session_id: string, uuid: string };

/** What came of the settings. */
export type AppliedSettings = { model?: string | null, effort?: unknown | null };

/** Lays settings over the others; `null` takes one back. */
export type ApplyFlagSettings = { subtype: "apply_flag_settings", settings: unknown };

/** One block of an answer: frames of one answer share `message.id`. */
export type Assistant = { type: "assistant", message: ApiMessage, parent_tool_use_id: string | null, session_id: string, uuid: string, timestamp?: string | null, error?: AssistantError | null, request_id?: string | null, is_api_error_message?: boolean | null, api_error_status?: number | null, api_error_type?: string | null, api_error?: string | null, api_error_params?: unknown | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, resumed_from_incomplete_thinking?: boolean | null, supersedes?: Array<string> | null, aborted?: boolean | null, agent_id?: string | null, subagent_type?: string | null, task_description?: string | null, tool_use_meta?: Array<ToolUseMeta> | null, thinking_duration_ms?: number | null, thinking_display?: string | null, local_command_source?: string | null, local_command_run?: LocalCommandRun | null, local_command_outcome?: unknown | null, context_usage?: ContextUsage | null, usage_report?: UsageReport | null };

/** Why an answer is an error. */
export type AssistantError = "unknown" | "authentication_failed" | "oauth_org_not_allowed" | "account_on_hold" | "verification_required" | "billing_error" | "rate_limit" | "overloaded" | "invalid_request" | "model_not_found" | "server_error" | "max_output_tokens" | "cloud_credential_error" | (string & {});

/** How a sign-in goes. */
export type AuthStatus = { type: "auth_status", isAuthenticating: boolean, output: Array<string>, error?: string | null, uuid: string, session_id: string };

/** A running task. */
export type BackgroundTask = { task_id: string, run_id?: string | null, task_type: string, subagent_type?: string | null, description: string, parent_task_id?: string | null, ambient?: boolean | null };

/** A task that still runs. */
export type BackgroundTaskSummary = { id: string, type: string, status: string, description: string, command?: string | null, agent_type?: string | null, server?: string | null, tool?: string | null, name?: string | null };

/** Moves running calls, or one of them, to the background. */
export type BackgroundTasks = { subtype: "background_tasks", tool_use_id?: string | null };

/** Every running task; replaces the list before. */
export type BackgroundTasksChanged = { type: "system", subtype: "background_tasks_changed", tasks: Array<BackgroundTask>, uuid: string, session_id: string };

/** Whether something moved. */
export type BackgroundTasksResponse = { backgrounded?: boolean | null };

/** Bytes in base64. */
export type Base64Source = { type: "base64", media_type: string, data: string };

/** One of the calls. */
export type BatchCall = { tool_name: string, tool_input: unknown, tool_use_id: string, tool_response?: unknown | null };

/** What a rule says. The default is the cautious one. */
export type Behavior = "deny" | "ask" | "allow" | (string & {});

/** One block of content. */
export type Block = Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image | Document | ServerToolUse | WebSearchToolResult | AdvisorToolResult | ToolReference;

/** Tokens written to the cache, by how long they live. */
export type CacheCreation = { ephemeral_1h_input_tokens: number, ephemeral_5m_input_tokens: number };

/** What a reload would cost of the cache. */
export type CacheImpact = { mcp_servers_added: Array<string>, mcp_servers_removed: Array<string>, lsp_tool_change: string | null };

/** May this call run? */
export type CanUseTool = { subtype: "can_use_tool", tool_name: string, display_name?: string | null, mcp_server?: McpServerProvenance | null, input: unknown, permission_suggestions?: Array<PermissionUpdate> | null, blocked_path?: string | null, decision_reason?: string | null, decision_reason_type?: DecisionReasonType | null, decision_reason_rule_source?: string | null, decision_reason_hook_event?: string | null, decision_reason_hook_source?: string | null, classifier_approvable?: boolean | null, suppress_always_allow_rule?: boolean | null, default_to_no?: boolean | null, matched_ask_rule?: MatchedAskRule | null, server_policy_ask_only?: boolean | null, title?: string | null, description?: string | null, tool_use_id?: string | null, agent_id?: string | null, requires_user_interaction?: boolean | null };

/** The answer to an ask. */
export type CanUseToolResponse = Allow | Deny;

/** Takes back a prompt that waits. */
export type CancelAsyncMessage = { subtype: "cancel_async_message", message_uuid: string };

/** Whether it still waited. */
export type CancelAsyncMessageResponse = { cancelled: boolean };

/** Lets a channel send messages. */
export type ChannelEnable = { subtype: "channel_enable", serverName?: string | null };

/** Takes over a process that was started in advance. */
export type ClaimSession = { subtype: "claim_session", cwd: string, permission_mode?: PermissionMode | null, env?: { [key in string]: string } | null, additional_directories?: Array<string> | null, append_system_prompt?: string | null, title?: string | null, agents?: { [key in string]: unknown } | null, sdk_mcp_servers?: Array<string> | null, include_initialize?: boolean | null };

/** A prompt moved on. */
export type CommandLifecycle = { type: "command_lifecycle", command_uuid: string, state: CommandState, uuid: string, session_id: string };

/** Where a prompt is. */
export type CommandState = "queued" | "started" | "completed" | "cancelled" | (string & {});

/** Every slash command; replaces the list before. */
export type CommandsChanged = { type: "system", subtype: "commands_changed", commands: Array<SlashCommand>, uuid: string, session_id: string };

/** A compaction ended here. */
export type CompactBoundary = { type: "system", subtype: "compact_boundary", session_id: string, uuid: string, compact_metadata: CompactMetadata, logical_parent_uuid?: string | null };

/** What a compaction did. */
export type CompactMetadata = { trigger: string, pre_tokens: number, post_tokens?: number | null, duration_ms?: number | null, cumulative_dropped_tokens?: number | null, preserved_segment?: PreservedSegment | null, preserved_messages?: PreservedMessages | null };

/** What a hook is told when a settings file changed. */
export type ConfigChangeInput = { hook_event_name: "ConfigChange", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, source: string, file_path?: string | null };

/** A kind of subagent and the room it takes. */
export type ContextAgent = { agent_type: string, source: string, tokens: number };

/** One row of the context's account. */
export type ContextCategory = { name: string, tokens: number, kind: string };

/** A tool of an MCP server and the room it takes. */
export type ContextMcpTool = { name: string, server_name: string, tokens: number };

/** A memory file and the room it takes. */
export type ContextMemoryFile = { path: string, type: string, tokens: number };

/** One part of the context. */
export type ContextPart = { id?: string | null, name: string, tokens: number, color?: string | null, isDeferred?: boolean | null, kind?: string | null };

/** A skill and the room it takes. */
export type ContextSkill = { name: string, source: string, plugin_name?: string | null, tokens: number };

/** Skills and the room they take. */
export type ContextSkills = { totalSkills: number, includedSkills: number, tokens: number, skillFrontmatter: Array<unknown> };

/** Slash commands and the room they take. */
export type ContextSlashCommands = { totalCommands: number, includedCommands: number, tokens: number };

/** How full the context is. */
export type ContextUsage = { model: string, total_tokens: number, raw_max_tokens: number, percentage: number, over_limit?: OverLimit | null, categories: Array<ContextCategory>, mcp_tools: Array<ContextMcpTool>, memory_files: Array<ContextMemoryFile>, agents: Array<ContextAgent>, skills?: Array<ContextSkill> | null };

/** The sender no longer wants an answer. */
export type ControlCancelRequest = { type: "control_cancel_request", request_id?: string | number };

/** A request of either side. */
export type ControlRequest = { type: "control_request", request_id?: string | number, request: Request };

/** A slow request is being worked on. */
export type ControlRequestProgress = { type: "system", subtype: "control_request_progress", request_id: string, status: string, attempt?: number | null, max_retries?: number | null, retry_delay_ms?: number | null, error_status?: number | null, uuid: string, session_id: string };

/** An answer of either side. */
export type ControlResponse = { type: "control_response", response: Response };

/** Carries the old session id; every later message has the new one. */
export type ConversationReset = { type: "conversation_reset", new_conversation_id: string, uuid: string, trigger?: ResetTrigger | null, user_message_uuid?: string | null, timestamp?: string | null, session_id: string };

/** Which price list a cost comes from. */
export type CostBasis = "unknown" | "list" | "managed" | (string & {});

/** What a hook is told when the working directory changed. */
export type CwdChangedInput = { hook_event_name: "CwdChanged", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, old_cwd: string, new_cwd: string };

/** What a hook may answer when the working directory changed. */
export type CwdChangedOutput = { hookEventName: "CwdChanged", watchPaths?: Array<string> | null };

/** Why a call has to be asked for. */
export type DecisionReasonType = "other" | "rule" | "mode" | "subcommandResults" | "permissionPromptTool" | "hook" | "asyncAgent" | "sandboxOverride" | "workingDir" | "safetyCheck" | "classifier" | (string & {});

/** A call that a hook put off. */
export type DeferredToolUse = { id: string, name: string, input: unknown };

/** The call may not run. */
export type Deny = { behavior: "deny", message: string, interrupt?: boolean | null, toolUseID?: string | null, decisionClassification?: string | null };

/** Where a change is kept. The default dies with the process. */
export type Destination = "session" | "userSettings" | "projectSettings" | "localSettings" | "cliArg" | (string & {});

/** The dialog was closed. */
export type DialogCancelled = { behavior: "cancelled" };

/** The dialog was answered. */
export type DialogCompleted = { behavior: "completed", result: unknown };

/** What was changed in one file. */
export type DiffFileHunks = { path: string, hunks: Array<DiffHunk> };

/** How much was changed in one file. */
export type DiffFileStats = { path: string, added: number, removed: number, isBinary: boolean, isUntracked: boolean, status: string };

/** A stretch of changed lines. */
export type DiffHunk = { oldStart: number, oldLines: number, newStart: number, newLines: number, lines: Array<string> };

/** How many files are not told of. */
export type DiffOmitted = { files: number, exact: boolean };

/** What it was compared with. */
export type DiffSource = { kind: string };

/** How much was changed in all. */
export type DiffStats = { filesCount: number, linesAdded: number, linesRemoved: number };

/** What a hook is told when a directory to work in was added. */
export type DirectoryAddedInput = { hook_event_name: "DirectoryAdded", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, directory: string, source: string };

/** A document, such as a PDF. */
export type Document = { type: "document", source: Source, title?: string | null, context?: string | null, citations?: unknown | null, cache_control?: unknown | null };

/** A hook as its settings file has it, for a host that edits it. */
export type EditableHook = { matcher: string, config: unknown, headersRedacted?: boolean | null };

/** An MCP server wants something from the person. */
export type Elicitation = { subtype: "elicitation", mcp_server_name: string, message: string, mode?: string | null, url?: string | null, elicitation_id?: string | null, requested_schema?: unknown | null, property_order?: Array<string> | null, title?: string | null, display_name?: string | null, description?: string | null };

/** What the person did. */
export type ElicitationAction = "decline" | "accept" | "cancel" | (string & {});

/** An MCP server got its answer elsewhere. */
export type ElicitationComplete = { type: "system", subtype: "elicitation_complete", mcp_server_name: string, elicitation_id: string, uuid: string, session_id: string };

/** What a hook is told when an MCP server wants something from the person. */
export type ElicitationInput = { hook_event_name: "Elicitation", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, mcp_server_name: string, message: string, mode?: string | null, url?: string | null, elicitation_id?: string | null, requested_schema?: unknown | null };

/** What a hook may answer when an MCP server wants something from the person. */
export type ElicitationOutput = { hookEventName: "Elicitation", action?: ElicitationAction | null, content?: unknown | null };

/** What the person gave. */
export type ElicitationResponse = { action: ElicitationAction, content?: unknown | null };

/** What a hook is told when the person has answered an MCP server. */
export type ElicitationResultInput = { hook_event_name: "ElicitationResult", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, mcp_server_name: string, elicitation_id?: string | null, mode?: string | null, action: ElicitationAction, content?: unknown | null };

/** What a hook may answer when the person has answered an MCP server. */
export type ElicitationResultOutput = { hookEventName: "ElicitationResult", action?: ElicitationAction | null, content?: unknown | null };

/** Ends the session and the process. */
export type EndSession = { subtype: "end_session", reason?: string | null };

/** A file that could not be stored. */
export type FailedFile = { filename: string, error: string };

/** It did not. */
export type Failure = { subtype: "error", request_id?: string | number, error: string, error_code?: string | null, pending_permission_requests?: Array<ControlRequest> | null };

/** Whether answers come faster for more money. */
export type FastModeState = "off" | "cooldown" | "on" | (string & {});

/** Where feedback goes. */
export type FeedbackMode = { kind: string };

/** What a hook is told when a watched file changed. */
export type FileChangedInput = { hook_event_name: "FileChanged", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, file_path: string, event: string };

/** What a hook may answer when a watched file changed. */
export type FileChangedOutput = { hookEventName: "FileChanged", watchPaths?: Array<string> | null };

/** A file the API holds. */
export type FileSource = { type: "file", file_id: string };

/** Asks for files whose name fits. */
export type FileSuggestions = { subtype: "file_suggestions", query: string };

/** Files whose name fits. */
export type FileSuggestionsResponse = { suggestions: Array<unknown>, cwd: string };

/** Files were stored. */
export type FilesPersisted = { type: "system", subtype: "files_persisted", files: Array<PersistedFile>, failed: Array<FailedFile>, processed_at: string, uuid: string, session_id: string };

/** Asks for a title made by the model. */
export type GenerateSessionTitle = { subtype: "generate_session_title", description?: string | null, persist?: boolean | null };

/** The title, if one was found. */
export type GenerateSessionTitleResponse = { title: string | null };

/** Asks what program this is. */
export type GetBinaryVersion = { subtype: "get_binary_version" };

/** The program's version. */
export type GetBinaryVersionResponse = { version: string, buildTime?: string | null };

/** Asks what fills the context. */
export type GetContextUsage = { subtype: "get_context_usage", detail?: string | null };

/** What fills the context. */
export type GetContextUsageResponse = { categories: Array<ContextPart>, totalTokens: number, maxTokens: number, rawMaxTokens: number, autocompactSource?: string | null, percentage: number, gridRows: Array<unknown>, model: string, memoryFiles: Array<unknown>, mcpTools: Array<unknown>, mcpInstructions?: Array<unknown> | null, deferredBuiltinTools?: Array<unknown> | null, systemTools?: Array<unknown> | null, systemPromptSections?: Array<unknown> | null, agents: Array<unknown>, slashCommands?: ContextSlashCommands | null, skills?: ContextSkills | null, autoCompactThreshold?: number | null, isAutoCompactEnabled: boolean, messageBreakdown?: MessageBreakdown | null, apiUsage: Usage | null };

/** Asks for the hooks there are. */
export type GetHooksListing = { subtype: "get_hooks_listing" };

/** The hooks there are. */
export type GetHooksListingResponse = { events: Array<HookEventListing>, hooks: Array<HookListing>, eventCatalog: Array<HookEventListing>, policy: HookPolicy, safeMode?: unknown | null, bareMode?: unknown | null, errors?: Array<unknown> | null };

/** Asks for the plan. */
export type GetPlan = { subtype: "get_plan" };

/** The plan, and where it is kept. */
export type GetPlanResponse = { exists: boolean, plan?: string | null, filePath?: string | null };

/** Asks for the cost so far. */
export type GetSessionCost = { subtype: "get_session_cost" };

/** The cost so far, in words. */
export type GetSessionCostResponse = { text: string };

/** Asks for the settings that hold. */
export type GetSettings = { subtype: "get_settings" };

/** The settings that hold, and where they come from. */
export type GetSettingsResponse = { effective: unknown, sources: Array<unknown>, applied?: AppliedSettings | null, errors?: Array<unknown> | null };

/** Asks for the end of what a task wrote. */
export type GetTaskOutput = { subtype: "get_task_output", task_id: string };

/** The end of what a task wrote. */
export type GetTaskOutputResponse = { output: string, total_bytes: number, truncated: boolean };

/** Asks what was used, and what is left. */
export type GetUsage = { subtype: "get_usage", skip_behaviors?: boolean | null };

/** What was used, and what is left. */
export type GetUsageResponse = { session: UsageReportSession, subscription_type: string | null, rate_limits_available: boolean, rate_limits: unknown | null, behaviors: unknown | null };

/** Asks what the session changed. */
export type GetWorkspaceDiff = { subtype: "get_workspace_diff" };

/** What was changed, or why that cannot be said. */
export type GetWorkspaceDiffResponse = { diff: WorkspaceDiff | null, noDiffReason?: string | null };

/** A goal and how far it is. */
export type Goal = { condition: string, iterations: number, set_at: number, tokens_at_start: number, last_reason?: string | null };

/** Calls a hook of the host; the answer is a [`HookOutput`](crate::hook::HookOutput). */
export type HookCallback = { subtype: "hook_callback", callback_id: string, input: HookInput, tool_use_id?: string | null };

/** What a hook says about going on. */
export type HookDecision = "block" | "approve" | (string & {});

/** How hard the model tries. */
export type HookEffort = { level: string };

/** An event and how many hooks wait for it. */
export type HookEventListing = { name: string, summary: string, supportsMatcher: boolean, hookCount?: number | null };

/** What a hook is told. */
export type HookInput = PreToolUseInput | PostToolUseInput | PostToolUseFailureInput | PostToolBatchInput | NotificationInput | UserPromptSubmitInput | UserPromptExpansionInput | SessionStartInput | SessionEndInput | StopInput | StopFailureInput | SubagentStartInput | SubagentStopInput | PreCompactInput | PostCompactInput | PreModelSwitchInput | PostModelSwitchInput | PermissionRequestInput | PermissionDeniedInput | SetupInput | TeammateIdleInput | TaskCreatedInput | TaskCompletedInput | ElicitationInput | ElicitationResultInput | ConfigChangeInput | InstructionsLoadedInput | WorktreeCreateInput | WorktreeRemoveInput | CwdChangedInput | FileChangedInput | DirectoryAddedInput | MessageDisplayInput;

/** A hook. */
export type HookListing = { event: string, matcher: string, source: string, sourceLabel: string, pluginName?: string | null, type: string, displayText: string, commandText: string, contentLabel: string, condition?: string | null, timeout?: number | null, statusMessage?: string | null, runsOnce?: boolean | null, runsInBackground?: boolean | null, disabled?: boolean | null, editable?: EditableHook | null };

/** Callbacks of the host for one event. */
export type HookMatcher = { matcher?: string | null, hookCallbackIds: Array<string>, timeout?: number | null, onFailure?: string | null };

/** A hook that gave no answer. */
export type HookNoVerdict = { hook_event: string, tool_use_id?: string | null, timed_out?: boolean | null };

/** How a command hook ended. */
export type HookOutcome = "success" | "error" | "cancelled" | (string & {});

/** A hook's answer; empty when it has no opinion. */
export type HookOutput = { async?: boolean | null, asyncTimeout?: number | null, continue?: boolean | null, suppressOutput?: boolean | null, stopReason?: string | null, decision?: HookDecision | null, systemMessage?: string | null, terminalSequence?: string | null, reason?: string | null, hookSpecificOutput?: HookSpecificOutput | null };

/** What a hook says about a call. The default is the cautious one. */
export type HookPermissionDecision = "ask" | "deny" | "allow" | "defer" | (string & {});

/** What is decided about hooks from above. */
export type HookPolicy = { disabledByPolicy: boolean, managedOnly: boolean, pluginOnly: boolean, allDisabled: boolean, policyHookCount: number, policyUnreadable?: boolean | null };

/** What a running command hook has written so far. */
export type HookProgress = { type: "system", subtype: "hook_progress", hook_id: string, hook_name: string, hook_event: string, stdout: string, stderr: string, output: string, uuid: string, session_id: string };

/** A command hook ended. */
export type HookResponse = { type: "system", subtype: "hook_response", hook_id: string, hook_name: string, hook_event: string, output: string, stdout: string, stderr: string, exit_code?: number | null, outcome?: HookOutcome | null, uuid: string, session_id: string };

/** The part of a hook's answer that belongs to its event. */
export type HookSpecificOutput = PreToolUseOutput | PostToolUseOutput | PostToolUseFailureOutput | PostToolBatchOutput | NotificationOutput | UserPromptSubmitOutput | UserPromptExpansionOutput | SessionStartOutput | StopOutput | SubagentStartOutput | SubagentStopOutput | PreModelSwitchOutput | PostModelSwitchOutput | PermissionRequestOutput | PermissionDeniedOutput | SetupOutput | ElicitationOutput | ElicitationResultOutput | WorktreeCreateOutput | CwdChangedOutput | FileChangedOutput | MessageDisplayOutput;

/** A command hook starts. */
export type HookStarted = { type: "system", subtype: "hook_started", hook_id: string, hook_name: string, hook_event: string, uuid: string, session_id: string };

/** A picture. */
export type Image = { type: "image", source: Source, cache_control?: unknown | null };

/** Something to show among the messages. */
export type Informational = { type: "system", subtype: "informational", content: string, isMeta?: boolean | null, timestamp?: string | null, uuid: string, level: Level, tool_use_id?: string | null, prevent_continuation?: boolean | null, prompt_submit_outcome?: PromptSubmitOutcome | null, tag?: string | null, hook_no_verdict?: HookNoVerdict | null, session_id: string };

/** The session as it stands; the newest replaces the ones before. */
export type Init = { type: "system", subtype: "init", cwd: string, session_id: string, tools: Array<string>, mcp_servers: Array<McpServer>, model: string, permissionMode?: PermissionMode | null, slash_commands: Array<string>, terminal_slash_commands?: Array<string> | null, apiKeySource: string, betas?: Array<string> | null, claude_code_version: string, output_style: string, agents?: Array<string> | null, skills?: Array<string> | null, plugins?: Array<Plugin> | null, plugin_errors?: Array<PluginError> | null, capabilities?: Array<string> | null, mcp_server_errors?: Array<McpServerError> | null, analytics_disabled?: boolean | null, product_feedback_disabled?: boolean | null, uuid: string, memory_paths?: MemoryPaths | null, original_cwd?: string | null, additional_directories?: Array<string> | null, messaging_socket_path?: string | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, effort?: string | null, per_turn_effort_active?: boolean | null, ultrathink_available?: boolean | null, ultrathink_typed_raises?: boolean | null, view_mode?: string | null, user_message_uuids?: Array<string> | null };

/** Opens a session: hooks, agents, servers and prompts of the host. */
export type Initialize = { subtype: "initialize", hooks?: { [key in string]: Array<HookMatcher> } | null, sdkMcpServers?: Array<string> | null, sdkMcpServerConfigs?: { [key in string]: SdkMcpServerConfig } | null, sdkMcpServerManifests?: { [key in string]: SdkMcpServerManifest } | null, sdkMcpServerManifestsOrigin?: string | null, mcpServers?: { [key in string]: unknown } | null, jsonSchema?: unknown | null, systemPrompt?: string | Array<string> | null, appendSystemPrompt?: string | null, systemPromptSnapshot?: boolean | null, planModeInstructions?: string | null, toolAliases?: { [key in string]: string } | null, excludeDynamicSections?: boolean | null, agents?: { [key in string]: unknown } | null, title?: string | null, skills?: Array<string> | null, promptSuggestions?: boolean | null, agentProgressSummaries?: boolean | null, forwardSubagentText?: boolean | null, supportedDialogKinds?: Array<string> | null, perTaskStopAffordance?: boolean | null, plugins?: Array<unknown> | null };

/** What the session offers. */
export type InitializeResponse = { commands?: Array<SlashCommand> | null, agents?: Array<AgentInfo> | null, output_style?: string | null, available_output_styles?: Array<string> | null, user_output_styles_dir?: string | null, models?: Array<ModelInfo> | null, account?: AccountInfo | null, pid?: number | null, claude_code_version?: string | null, current_permission_mode?: PermissionMode | null, hooks_applied?: boolean | null, hook_on_failure_supported?: boolean | null, hooks_when_unanswered_kept?: number | null, other_hook_ask_outranks_host?: boolean | null, plugins_applied?: boolean | null, sdk_mcp_manifests_parked?: { [key in string]: string } | null, feedback_mode?: FeedbackMode | null, analytics_disabled?: boolean | null, remote_control_auto_enable?: boolean | null, remote_control_auto_connect_default?: boolean | null, remote_control_available?: boolean | null, remote_control_auto_on_by_default?: boolean | null, ide_rc_auto_enable_gate?: boolean | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, session_state?: SessionState | null, capabilities?: Array<string> | null, mcp_servers_applied?: boolean | null };

/** A file to hand in. */
export type InputFile = { name: string, lane_path: string };

/** What a hook is told when a file of instructions was read. */
export type InstructionsLoadedInput = { hook_event_name: "InstructionsLoaded", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, file_path: string, memory_type: string, load_reason: string, globs?: Array<string> | null, trigger_file_path?: string | null, parent_file_path?: string | null };

/** Stops the turn. */
export type Interrupt = { subtype: "interrupt", cancel_queued?: boolean | null };

/** What became of the prompts that waited. */
export type InterruptResponse = { still_queued?: Array<string> | null, cancelled?: Array<string> | null };

/** The configuration file that could not be read. */
export type InvalidConfigFile = { path: string, is_global: boolean, backup_searched: boolean, backup_path?: string | null };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/** Still here; both sides may send it. */
export type KeepAlive = { type: "keep_alive" };

/** How it is meant. */
export type Level = "info" | "notice" | "suggestion" | "warning" | (string & {});

/** Asks for the models that may be chosen. */
export type ListModels = { subtype: "list_models" };

/** The models that may be chosen. */
export type ListModelsResponse = { models: Array<ModelInfo> };

/** Asks for the rules that hold. */
export type ListPermissionRules = { subtype: "list_permission_rules" };

/** The rules that hold. */
export type ListPermissionRulesResponse = { state: PermissionRulesState };

/** What a local command printed. */
export type LocalCommandOutput = { type: "system", subtype: "local_command_output", content: string, uuid: string, session_id: string };

/** Which local command an answer comes from. */
export type LocalCommandRun = { command: string, args: string };

/** Who keeps a plugin as it is. */
export type ManagedLock = { plugin_enabled: boolean, name: string, marketplace?: string | null };

/** The rule that made it ask. */
export type MatchedAskRule = { source: string, tool_name: string, rule_content?: string | null };

/** Begins signing in to an MCP server. */
export type McpAuthenticate = { subtype: "mcp_authenticate", serverName: string };

/** Where the person has to go, and how they come back. */
export type McpAuthenticateResponse = { authUrl?: string | null, requiresUserAction?: boolean | null, callbackExpected?: boolean | null, redirectScheme?: string | null, state?: string | null, callbackPort?: number | null };

/** Calls a tool of an MCP server without the model. */
export type McpCall = { subtype: "mcp_call", tool: string, arguments?: unknown | null, expires_at?: string | null, timeout_ms?: number | null, result_not_for_model?: boolean | null, check_permissions?: boolean | null, input_files?: Array<InputFile> | null, output_files?: Array<OutputFile> | null };

/** What the tool gave. */
export type McpCallResponse = { content?: unknown | null };

/** Forgets the sign-in to an MCP server. */
export type McpClearAuth = { subtype: "mcp_clear_auth", serverName: string };

/** JSON-RPC to or from an MCP server inside the host. */
export type McpMessage = { subtype: "mcp_message", server_name: string, message: unknown };

/** What the server answered; a bare acknowledgement after a notification. */
export type McpMessageResponse = { mcp_response?: unknown | null };

/** The address a person's browser ended at. */
export type McpOauthCallbackUrl = { subtype: "mcp_oauth_callback_url", serverName: string, callbackUrl: string };

/** Asks for a resource of an MCP server. */
export type McpReadResource = { subtype: "mcp_read_resource", serverName: string, uri: string };

/** The resource. */
export type McpReadResourceResponse = { contents: Array<ResourceContents> };

/** Connects an MCP server again. */
export type McpReconnect = { subtype: "mcp_reconnect", serverName: string };

/** An MCP server and how it stands. */
export type McpServer = { name: string, status: string, source?: string | null };

/** An MCP server that was skipped because its configuration is invalid. */
export type McpServerError = { name: string, type: McpServerErrorKind, message: string };

/** The error in the configuration of an MCP server. */
export type McpServerErrorKind = "unknown_type" | "invalid_config" | (string & {});

/** What a server says it is. */
export type McpServerInfo = { name: string, version?: string | null };

/** Which MCP server a tool belongs to. */
export type McpServerProvenance = { name: string, source?: string | null };

/** An MCP server and how it stands. */
export type McpServerStatus = { name: string, status: string, serverInfo?: McpServerInfo | null, error?: string | null, config?: unknown | null, scope?: string | null, source?: string | null, transport?: string | null, tools?: Array<McpTool> | null };

/** Replaces the MCP servers of the host. */
export type McpSetServers = { subtype: "mcp_set_servers", servers: { [key in string]: unknown } };

/** What changed; a server that does not start is an entry of `errors`. */
export type McpSetServersResponse = { added: Array<string>, removed: Array<string>, errors: { [key in string]: string } };

/** Asks how the MCP servers stand. */
export type McpStatus = { subtype: "mcp_status", liveReply?: boolean | null };

/** Every MCP server. */
export type McpStatusResponse = { mcpServers: Array<McpServerStatus> };

/** Switches an MCP server on or off. */
export type McpToggle = { subtype: "mcp_toggle", serverName: string, enabled: boolean };

/** A tool of an MCP server. */
export type McpTool = { name: string, description?: string | null, annotations?: McpToolAnnotations | null, _meta?: unknown | null };

/** What a tool says it does. */
export type McpToolAnnotations = { readOnly?: boolean | null, destructive?: boolean | null, openWorld?: boolean | null };

/** One memory. */
export type Memory = { path: string, scope: string, content?: string | null };

/** Where memory is kept. */
export type MemoryPaths = { auto?: string | null };

/** Memories came into the conversation. */
export type MemoryRecall = { type: "system", subtype: "memory_recall", mode: string, memories: Array<Memory>, uuid: string, session_id: string };

/** What the messages are made of. */
export type MessageBreakdown = { toolCallTokens: number, toolResultTokens: number, attachmentTokens: number, assistantMessageTokens: number, userMessageTokens: number, redirectedContextTokens?: number | null, unattributedTokens?: number | null, toolCallsByType: Array<unknown>, attachmentsByType: Array<unknown> };

/** What a hook is told while an answer is shown. */
export type MessageDisplayInput = { hook_event_name: "MessageDisplay", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, turn_id: string, message_id: string, index: number, final: boolean, delta: string };

/** What a hook may answer while an answer is shown. */
export type MessageDisplayOutput = { hookEventName: "MessageDisplay", displayContent?: string | null };

/** A person rated an answer; its fields are not described anywhere and stay in `extra`. */
export type MessageRated = { subtype: "message_rated" };

/** A mirrored transcript could not be stored. */
export type MirrorError = { type: "system", subtype: "mirror_error", error: string, key: MirrorKey | null, uuid: string, session_id: string };

/** Which transcript; one official host spells the names in snake case, which `extra` keeps. */
export type MirrorKey = { projectKey?: string | null, sessionId?: string | null, subpath?: string | null };

/** The model could not answer and another goes on. */
export type ModelFallback = { type: "system", subtype: "model_fallback", uuid: string, trigger: string, original_model: string, fallback_model: string, content: string, session_id: string };

/** A model that may be chosen. */
export type ModelInfo = { value: string, resolvedModel?: string | null, displayName: string, description: string, supportsEffort?: boolean | null, supportedEffortLevels?: Array<string> | null, supportsAdaptiveThinking?: boolean | null, supportsThinkingOff?: boolean | null, supportsFastMode?: boolean | null, supportsAutoMode?: boolean | null };

/** A model refused and another goes on. */
export type ModelRefusalFallback = { type: "system", subtype: "model_refusal_fallback", trigger: string, direction: string, scope?: string | null, original_model: string, fallback_model: string, request_id: string | null, api_refusal_category?: string | null, api_refusal_explanation?: string | null, retracted_message_uuids?: Array<string> | null, refused_user_message_uuid?: string | null, content: string, uuid: string, session_id: string };

/** A model refused and no other goes on. */
export type ModelRefusalNoFallback = { type: "system", subtype: "model_refusal_no_fallback", original_model: string, request_id: string | null, api_refusal_category?: string | null, api_refusal_explanation?: string | null, refused_user_message_uuid?: string | null, content: string, uuid: string, session_id: string };

/** Totals of one model since the process began. */
export type ModelUsage = { inputTokens: number, outputTokens: number, thinkingTokens?: number | null, cacheReadInputTokens: number, cacheCreationInputTokens: number, cacheCreationEphemeral5mInputTokens?: number | null, cacheCreationEphemeral1hInputTokens?: number | null, webSearchRequests: number, costUSD: number, contextWindow?: number | null, maxOutputTokens?: number | null, canonicalModel?: string | null, provider?: string | null, costBasis?: CostBasis | null };

/** How long nothing came. */
export type NoResponse = { waited_ms: number, retry_wait_ms: number };

/** Something to show for a moment. */
export type Notification = { type: "system", subtype: "notification", key: string, text: string, priority: NotificationPriority, color?: string | null, timeout_ms?: number | null, uuid: string, session_id: string };

/** What a hook is told when something is shown. */
export type NotificationInput = { hook_event_name: "Notification", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, message: string, title?: string | null, notification_type?: string | null };

/** What a hook may answer when something is shown. */
export type NotificationOutput = { hookEventName: "Notification", additionalContext?: string | null };

/** How pressing it is. */
export type NotificationPriority = "low" | "medium" | "high" | "immediate" | (string & {});

/** The sender of a prompt, repeated on the turn's `result`. */
export type Origin = { kind: OriginKind, producer?: string | null, server?: string | null, from?: string | null, fromMode?: string | null, name?: string | null, fromSession?: string | null, senderTaskId?: string | null, body?: string | null, verifiedPeerPid?: number | null, subkind?: string | null, fireReason?: string | null, runId?: string | null };

/** What kind of sender. */
export type OriginKind = "human" | "channel" | "peer" | "task-notification" | "coordinator" | "unclassified" | "observer" | "auto-continuation" | "observer-activity" | (string & {});

/** A file to hand out. */
export type OutputFile = { name: string, lane_path: string, if_match?: string | null };

/** How the output was spent. */
export type OutputTokensDetails = { thinking_tokens: number };

/** By how much, and which limit. */
export type OverLimit = { tokens_over: number, kind: string };

/** Who decided on a call, and how. */
export type PermissionDecision = { decision: string, source?: string | null, reason_type?: string | null };

/** A call that was not allowed. */
export type PermissionDenial = { tool_name: string, tool_use_id: string, tool_input: unknown };

/** A call was refused without asking. */
export type PermissionDenied = { type: "system", subtype: "permission_denied", tool_name: string, tool_use_id: string, agent_id?: string | null, decision_reason_type?: string | null, decision_reason?: string | null, decision_reason_code?: string | null, message: string, uuid: string, session_id: string };

/** What a hook is told after a call was refused. */
export type PermissionDeniedInput = { hook_event_name: "PermissionDenied", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, reason: string, mcp_server?: McpServerProvenance | null };

/** What a hook may answer after a call was refused. */
export type PermissionDeniedOutput = { hookEventName: "PermissionDenied", retry?: boolean | null };

/** How much an agent may do without asking. */
export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto" | "delegate" | (string & {});

/** What the hook decides. */
export type PermissionRequestDecision = { behavior: Behavior, updatedInput?: unknown | null, updatedPermissions?: Array<PermissionUpdate> | null, message?: string | null, interrupt?: boolean | null };

/** What a hook is told when a call has to be asked for. */
export type PermissionRequestInput = { hook_event_name: "PermissionRequest", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, permission_suggestions?: Array<PermissionUpdate> | null, mcp_server?: McpServerProvenance | null };

/** What a hook may answer when a call has to be asked for. */
export type PermissionRequestOutput = { hookEventName: "PermissionRequest", decision: PermissionRequestDecision };

/** Rules and directories. */
export type PermissionRulesState = { rules: Array<RuleEntry>, workspaceDirectories: Array<WorkspaceDirectory>, originalCwd: string, managedOnly: boolean, errors?: Array<unknown> | null, withheld?: boolean | null };

/** One change of permissions. */
export type PermissionUpdate = AddRules | ReplaceRules | RemoveRules | SetMode | AddDirectories | RemoveDirectories;

/** A stored file. */
export type PersistedFile = { filename: string, file_id: string };

/** A loaded plugin. */
export type Plugin = { name: string, path: string, source?: string | null, version?: string | null };

/** A plugin that could not be loaded. */
export type PluginError = { plugin: string, type: string, message: string, path?: string | null, managed_lock?: ManagedLock | null };

/** An installation went on. */
export type PluginInstall = { type: "system", subtype: "plugin_install", status: PluginInstallStatus, name?: string | null, error?: string | null, uuid: string, session_id: string };

/** How far it is. */
export type PluginInstallStatus = "started" | "installed" | "failed" | "completed" | (string & {});

/** What a hook is told after a compaction. */
export type PostCompactInput = { hook_event_name: "PostCompact", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string, compact_summary: string };

/** What a hook is told after another model answers. */
export type PostModelSwitchInput = { hook_event_name: "PostModelSwitch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, from_model: string, to_model: string, requested_model: string | null, source: string, context_tokens: number, prompt_cache_warm: boolean, cache_ttl: string, estimated_cache_write_usd: number, pricing: string };

/** What a hook may answer after another model answers. */
export type PostModelSwitchOutput = { hookEventName: "PostModelSwitch", additionalContext?: string | null };

/** What a hook is told after the calls of one answer. */
export type PostToolBatchInput = { hook_event_name: "PostToolBatch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_calls: Array<BatchCall> };

/** What a hook may answer after the calls of one answer. */
export type PostToolBatchOutput = { hookEventName: "PostToolBatch", additionalContext?: string | null };

/** What a hook is told after a call that failed. */
export type PostToolUseFailureInput = { hook_event_name: "PostToolUseFailure", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, error: string, is_interrupt?: boolean | null, duration_ms?: number | null, mcp_server?: McpServerProvenance | null };

/** What a hook may answer after a call that failed. */
export type PostToolUseFailureOutput = { hookEventName: "PostToolUseFailure", additionalContext?: string | null };

/** What a hook is told after a call that worked. */
export type PostToolUseInput = { hook_event_name: "PostToolUse", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_response: unknown, tool_use_id: string, duration_ms?: number | null, mcp_server?: McpServerProvenance | null };

/** What a hook may answer after a call that worked. */
export type PostToolUseOutput = { hookEventName: "PostToolUse", additionalContext?: string | null, classifierContext?: string | null, updatedToolOutput?: unknown | null, updatedMCPToolOutput?: unknown | null };

/** What a hook is told before a compaction. */
export type PreCompactInput = { hook_event_name: "PreCompact", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string, custom_instructions: string | null };

/** What a hook is told before another model answers. */
export type PreModelSwitchInput = { hook_event_name: "PreModelSwitch", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, from_model: string, to_model: string, requested_model: string | null, source: string, context_tokens: number, prompt_cache_warm: boolean, cache_ttl: string, estimated_cache_write_usd: number, pricing: string };

/** What a hook may answer before another model answers. */
export type PreModelSwitchOutput = { hookEventName: "PreModelSwitch", permissionDecision?: HookPermissionDecision | null, permissionDecisionReason?: string | null };

/** What a hook is told before a call. */
export type PreToolUseInput = { hook_event_name: "PreToolUse", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, tool_name: string, tool_input: unknown, tool_use_id: string, mcp_server?: McpServerProvenance | null };

/** What a hook may answer before a call. */
export type PreToolUseOutput = { hookEventName: "PreToolUse", permissionDecision?: HookPermissionDecision | null, permissionDecisionReason?: string | null, updatedInput?: unknown | null, additionalContext?: string | null };

/** The messages that were kept. */
export type PreservedMessages = { anchor_uuid: string, uuids: Array<string>, all_uuids?: Array<string> | null };

/** The part that was kept, by its ends. */
export type PreservedSegment = { head_uuid: string, anchor_uuid: string, tail_uuid: string };

/** What became of a prompt that a hook looked at. */
export type PromptSubmitOutcome = { kind: string, prompt_kept?: boolean | null, reason?: string | null };

/** A prompt to offer. */
export type PromptSuggestion = { type: "prompt_suggestion", suggestion: string, uuid: string, session_id: string };

/** A limit changed. */
export type RateLimitEvent = { type: "rate_limit_event", rate_limit_info: RateLimitInfo, uuid: string, session_id: string };

/** The state of a limit. */
export type RateLimitInfo = { status: RateLimitStatus, resetsAt?: number | null, rateLimitType?: RateLimitType | null, utilization?: number | null, overageStatus?: RateLimitStatus | null, overageResetsAt?: number | null, overageDisabledReason?: string | null, isUsingOverage?: boolean | null, overageInUse?: boolean | null, overageEnabled?: boolean | null, surpassedThreshold?: number | null, limitScope?: string | null, errorCode?: string | null, canUserPurchaseCredits?: boolean | null, hasChargeableSavedPaymentMethod?: boolean | null };

/** Whether requests pass. */
export type RateLimitStatus = "allowed" | "allowed_warning" | "rejected" | (string & {});

/** Which limit. */
export type RateLimitType = "five_hour" | "seven_day" | "seven_day_opus" | "seven_day_sonnet" | "seven_day_overage_included" | "overage" | (string & {});

/** Asks for a file as the agent sees it. */
export type ReadFile = { subtype: "read_file", path: string, max_bytes?: number | null, encoding?: string | null };

/** A file. */
export type ReadFileResponse = { contents: string, absPath: string, truncated?: boolean | null, encoding?: string | null, lossy?: boolean | null, requested_path?: string | null };

/** Thinking only the API can read. */
export type RedactedThinking = { type: "redacted_thinking", data: string };

/** Adds a directory to work in. */
export type RegisterRepoRoot = { subtype: "register_repo_root", directory: string, reload_claude_md?: boolean | null, reload_plugins?: boolean | null, reload_skills?: boolean | null };

/** Where the directory really is. */
export type RegisterRepoRootResponse = { directory: string };

/** Reads the output styles again. */
export type ReloadOutputStyles = { subtype: "reload_output_styles" };

/** The output styles there are. */
export type ReloadOutputStylesResponse = { available_output_styles: Array<string> };

/** Reads the plugins again. */
export type ReloadPlugins = { subtype: "reload_plugins", hold_on_cache_impact?: boolean | null, add_plugins?: unknown | null, refuse_if_busy?: boolean | null };

/** What there is after reading the plugins again. */
export type ReloadPluginsResponse = { commands: Array<SlashCommand>, agents: Array<AgentInfo>, plugins: Array<Plugin>, mcpServers: Array<McpServerStatus>, error_count: number, held?: boolean | null, cache_impact?: CacheImpact | null };

/** Reads the skills again. */
export type ReloadSkills = { subtype: "reload_skills" };

/** The skills there are. */
export type ReloadSkillsResponse = { skills: Array<SlashCommand> };

/** Takes working directories away. */
export type RemoveDirectories = { type: "removeDirectories", directories: Array<string>, destination: Destination };

/** Takes rules away. */
export type RemoveRules = { type: "removeRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** Gives the session a title. */
export type RenameSession = { subtype: "rename_session", title: string, source?: string | null, session_id?: string | null };

/** Puts rules in the place of those of the same behaviour and destination. */
export type ReplaceRules = { type: "replaceRules", rules: Array<Rule>, behavior: Behavior, destination: Destination };

/** What is asked, by subtype: first what hosts ask of agents, then what agents ask of hosts. */
export type Request = Initialize | Interrupt | SetPermissionMode | SetModel | SetMaxThinkingTokens | McpStatus | McpSetServers | McpReconnect | McpToggle | McpMessage | RewindFiles | StopTask | ApplyFlagSettings | GetSettings | CancelAsyncMessage | GetContextUsage | ReloadPlugins | SeedReadState | RenameSession | ReadFile | FileSuggestions | GetBinaryVersion | GetSessionCost | SetColor | McpCall | BackgroundTasks | GetUsage | ReloadSkills | RegisterRepoRoot | ListModels | UpdateSettings | GetHooksListing | ListPermissionRules | ReloadOutputStyles | McpReadResource | GetTaskOutput | SetHasSubscribers | SetMcpPermissionModeOverride | ClaimSession | GetPlan | GetWorkspaceDiff | GenerateSessionTitle | SideQuestion | EndSession | MessageRated | ChannelEnable | McpAuthenticate | McpClearAuth | McpOauthCallbackUrl | CanUseTool | HookCallback | Elicitation | RequestUserDialog;

/** Wants a dialog shown; only of kinds the host said it knows. */
export type RequestUserDialog = { subtype: "request_user_dialog", dialog_kind: string, payload: unknown, tool_use_id?: string | null };

/** What became of a dialog. */
export type RequestUserDialogResponse = DialogCompleted | DialogCancelled;

/** What made it start afresh. */
export type ResetTrigger = "clear" | "plan_mode_exit" | "fresh_session" | "onboarding" | (string & {});

/** A part of a resource. */
export type ResourceContents = { uri: string, mimeType?: string | null, text?: string | null, blob?: string | null, _meta?: unknown | null };

/** The answer to a request. */
export type Response = Success | Failure;

/** How a turn ended. A failed request of the API is `success` with `is_error`. */
export type ResultSubtype = "success" | "error_during_execution" | "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries" | (string & {});

/** Puts files back as they were before a prompt. */
export type RewindFiles = { subtype: "rewind_files", user_message_id: string, dry_run?: boolean | null };

/** What was, or would be, put back. */
export type RewindFilesResponse = { canRewind: boolean, error?: string | null, filesChanged?: Array<string> | null, insertions?: number | null, deletions?: number | null, skippedLinks?: number | null };

/** One rule: a tool, or what of it. */
export type Rule = { toolName: string, ruleContent?: string | null };

/** A rule and where it comes from. */
export type RuleEntry = { behavior: Behavior, source: string, rule: string, description?: unknown | null, editability?: string | null, notInEffect?: boolean | null };

/** How an MCP server inside the host is run. */
export type SdkMcpServerConfig = { timeout?: number | null, tools?: unknown | null };

/** What an MCP server inside the host would answer, said beforehand. */
export type SdkMcpServerManifest = { initializeResult: unknown, toolsListResult?: unknown | null };

/** Lets a file count as read. */
export type SeedReadState = { subtype: "seed_read_state", path: string, mtime: number };

/** Calls the API ran itself. */
export type ServerToolRequests = { web_search_requests: number, web_fetch_requests?: number | null };

/** A call the API runs itself. */
export type ServerToolUse = { type: "server_tool_use", id: string, name: string, input: unknown };

/** A prompt that comes at set times. */
export type SessionCronSummary = { id: string, schedule: string, recurring: boolean, prompt: string };

/** What a hook is told when a session ends. */
export type SessionEndInput = { hook_event_name: "SessionEnd", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, reason: string };

/** What a hook is told when a session begins. */
export type SessionStartInput = { hook_event_name: "SessionStart", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, source: string, model?: string | null, session_title?: string | null, seconds_since_last_response?: number | null, context_tokens?: number | null, prompt_cache_likely_expired?: boolean | null, estimated_cache_write_usd?: number | null };

/** What a hook may answer when a session begins. */
export type SessionStartOutput = { hookEventName: "SessionStart", additionalContext?: string | null, initialUserMessage?: string | null, sessionTitle?: string | null, watchPaths?: Array<string> | null, reloadSkills?: boolean | null };

/** What the session is at. */
export type SessionState = "idle" | "running" | "requires_action" | (string & {});

/** The session's state changed; `idle` is the end of the run. */
export type SessionStateChanged = { type: "system", subtype: "session_state_changed", state: SessionState, uuid: string, session_id: string, sdk_host_only?: boolean | null };

/** The session has a new title. */
export type SessionTitleChanged = { type: "system", subtype: "session_title_changed", title?: string | null, source?: string | null, uuid?: string | null, session_id: string };

/** Something could not be written. */
export type SessionWritesLost = { type: "system", subtype: "session_writes_lost", error_code: string, lost: Array<string>, transcript_session_ids?: Array<string> | null, uuid: string, session_id: string };

/** Gives the session a colour. */
export type SetColor = { subtype: "set_color", color: string | null };

/** Says whether anyone watches. */
export type SetHasSubscribers = { subtype: "set_has_subscribers", has_subscribers: boolean | null };

/** Limits thinking; without a number, back to the default. */
export type SetMaxThinkingTokens = { subtype: "set_max_thinking_tokens", max_thinking_tokens?: number | null, thinking_display?: string | null };

/** Sets a mode for one MCP server. */
export type SetMcpPermissionModeOverride = { subtype: "set_mcp_permission_mode_override", serverName: string, mode: PermissionMode | null };

/** What to know about it. */
export type SetMcpPermissionModeOverrideResponse = { warning?: string | null };

/** Switches the mode. */
export type SetMode = { type: "setMode", mode: PermissionMode, destination: Destination };

/** Switches the model; without one, back to the default. */
export type SetModel = { subtype: "set_model", model?: string | null };

/** The model that answers now. */
export type SetModelResponse = { model?: string | null };

/** Switches the mode. */
export type SetPermissionMode = { subtype: "set_permission_mode", mode: PermissionMode };

/** The mode that holds now. */
export type SetPermissionModeResponse = { mode?: PermissionMode | null };

/** What a hook is told when a project is set up. */
export type SetupInput = { hook_event_name: "Setup", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, trigger: string };

/** What a hook may answer when a project is set up. */
export type SetupOutput = { hookEventName: "Setup", additionalContext?: string | null };

/** Asks the model without adding to the conversation. */
export type SideQuestion = { subtype: "side_question", question?: string | null };

/** What the model answered. */
export type SideQuestionResponse = { response: string | null, synthetic?: boolean | null };

/** A slash command. */
export type SlashCommand = { name: string, description: string, argumentHint?: string | null, aliases?: Array<string> | null, builtin?: boolean | null };

/** Where an image or document is. */
export type Source = Base64Source | UrlSource | TextSource | FileSource;

/** The session's activity or mode changed; `None` is nothing in particular. */
export type Status = { type: "system", subtype: "status", status: Activity | null, permissionMode?: PermissionMode | null, compact_output_chars?: number | null, compact_result?: string | null, compact_error?: string | null, session_id: string, uuid: string, user_message_uuids?: Array<string> | null };

/** Which prompt goes first. */
export type StdinPriority = "next" | "now" | "later" | (string & {});

/** Sets variables of the agent's environment. */
export type StdinUpdateEnvironmentVariables = { type: "update_environment_variables", variables: { [key in string]: string } };

/** A prompt. */
export type StdinUser = { type: "user", message: UserMessage, parent_tool_use_id: string | null, session_id?: string | null, uuid?: string | null, isSynthetic?: boolean | null, priority?: StdinPriority | null, timestamp?: string | null, origin?: Origin | null, shouldQuery?: boolean | null, client_composed?: boolean | null, pasted_content?: unknown | null, inline_pastes?: Array<string> | null, tool_use_result?: JsonValue | null, isReplay?: boolean | null };

/** What a hook is told when a turn ends with an error of the API. */
export type StopFailureInput = { hook_event_name: "StopFailure", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, error: AssistantError, error_details?: string | null, last_assistant_message?: string | null };

/** What a hook is told when the agent would stop. */
export type StopInput = { hook_event_name: "Stop", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, stop_hook_active: boolean, last_assistant_message?: string | null, background_tasks?: Array<BackgroundTaskSummary> | null, session_crons?: Array<SessionCronSummary> | null };

/** What a hook may answer when the agent would stop. */
export type StopOutput = { hookEventName: "Stop", additionalContext?: string | null };

/** Ends a task. */
export type StopTask = { subtype: "stop_task", task_id: string };

/** One event of the Messages API, unread: most of a long answer is these. */
export type StreamEvent = { type: "stream_event", event: unknown, session_id: string, parent_tool_use_id: string | null, uuid: string, ttft_ms?: number | null, thinking_display?: string | null, api_message_id?: string | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, owed_rows?: unknown | null, abandoned_blocks?: AbandonedBlocks | null };

/** Text of the answer. */
export type StreamlinedText = { type: "streamlined_text", text?: string | null, session_id?: string | null, uuid?: string | null };

/** Calls in a line. */
export type StreamlinedToolUseSummary = { type: "streamlined_tool_use_summary", tool_summary?: string | null, session_id?: string | null, uuid?: string | null };

/** Who stopped subagents. */
export type SubagentKilled = { parent: number, user: number, system: number };

/** Why subagents were refused. */
export type SubagentRefused = { depth_limit: number, concurrency_limit: number, budget: number };

/** How subagents were asked for. */
export type SubagentRequested = { background: number, foreground: number, unset: number };

/** A subagent tries again. */
export type SubagentRetry = { agent_id: string, attempt: number, max_retries: number, retry_delay_ms: number, error_status: number | null, error_category: string };

/** What a hook is told when a subagent begins. */
export type SubagentStartInput = { hook_event_name: "SubagentStart", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null };

/** What a hook may answer when a subagent begins. */
export type SubagentStartOutput = { hookEventName: "SubagentStart", additionalContext?: string | null };

/** The subagents of a turn, counted. */
export type SubagentStats = { spawned: number, requested: SubagentRequested, started_in_background: number, max_depth: number, spawned_by_subagents: number, completed: number, failed: number, killed: SubagentKilled, refused: SubagentRefused, by_type: { [key in string]: unknown } };

/** What a hook is told when a subagent would stop. */
export type SubagentStopInput = { hook_event_name: "SubagentStop", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, stop_hook_active: boolean, agent_transcript_path?: string | null, last_assistant_message?: string | null, background_tasks?: Array<BackgroundTaskSummary> | null, session_crons?: Array<SessionCronSummary> | null };

/** What a hook may answer when a subagent would stop. */
export type SubagentStopOutput = { hookEventName: "SubagentStop", additionalContext?: string | null };

/** It worked. */
export type Success = { subtype: "success", request_id?: string | number, response?: JsonValue | null, pending_permission_requests?: Array<ControlRequest> | null, pending_user_dialog_requests?: Array<ControlRequest> | null, pending_elicitation_requests?: Array<ControlRequest> | null };

/** A `system` message. */
export type System = Init | Status | CompactBoundary | HookStarted | HookProgress | HookResponse | TaskStarted | TaskProgress | TaskUpdated | TaskNotification | BackgroundTasksChanged | FilesPersisted | ElicitationComplete | LocalCommandOutput | ApiRetry | SessionStateChanged | Notification | PluginInstall | MemoryRecall | PermissionDenied | ThinkingTokens | CommandsChanged | ModelRefusalFallback | ModelRefusalNoFallback | Informational | WorkerShuttingDown | ControlRequestProgress | SessionWritesLost | MirrorError | SessionTitleChanged | ModelFallback | UiInvalidate;

/** What a hook is told when a task is done. */
export type TaskCompletedInput = { hook_event_name: "TaskCompleted", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, task_id: string, task_subject: string, task_description?: string | null, teammate_name?: string | null, team_name?: string | null };

/** What a hook is told when a task is noted. */
export type TaskCreatedInput = { hook_event_name: "TaskCreated", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, task_id: string, task_subject: string, task_description?: string | null, teammate_name?: string | null, team_name?: string | null };

/** A task ended. */
export type TaskNotification = { type: "system", subtype: "task_notification", task_id: string, run_id?: string | null, tool_use_id?: string | null, status: TaskOutcome, reason?: string | null, output_file: string, summary: string, summary_is_report?: boolean | null, usage?: TaskUsage | null, resource_links?: Array<unknown> | null, skip_transcript?: boolean | null, ambient?: boolean | null, uuid: string, session_id: string };

/** How a task ended. */
export type TaskOutcome = "completed" | "failed" | "stopped" | (string & {});

/** What changed of a task. */
export type TaskPatch = { status?: TaskStatus | null, description?: string | null, end_time?: number | null, total_paused_ms?: number | null, error?: string | null, is_backgrounded?: boolean | null };

/** A task went on. */
export type TaskProgress = { type: "system", subtype: "task_progress", task_id: string, run_id?: string | null, tool_use_id?: string | null, description: string, subagent_type?: string | null, usage: TaskUsage, last_tool_name?: string | null, summary?: string | null, uuid: string, session_id: string };

/** A task began: a subagent, a background command, a workflow. */
export type TaskStarted = { type: "system", subtype: "task_started", task_id: string, run_id?: string | null, owned_by_subagent?: boolean | null, tool_use_id?: string | null, description: string, subagent_type?: string | null, is_backgrounded?: boolean | null, spawn_depth?: number | null, parent_task_id?: string | null, task_type?: string | null, workflow_name?: string | null, prompt?: string | null, skip_transcript?: boolean | null, ambient?: boolean | null, uuid: string, session_id: string };

/** Where a task is. */
export type TaskStatus = "pending" | "running" | "completed" | "failed" | "killed" | "paused" | (string & {});

/** A task changed. */
export type TaskUpdated = { type: "system", subtype: "task_updated", task_id: string, run_id?: string | null, patch: TaskPatch, uuid: string, session_id: string };

/** What a task has used so far. */
export type TaskUsage = { total_tokens: number, tool_uses: number, duration_ms: number };

/** What a hook is told when a teammate has nothing to do. */
export type TeammateIdleInput = { hook_event_name: "TeammateIdle", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, teammate_name: string, team_name: string };

/** Why a turn ended. */
export type TerminalReason = "completed" | "blocking_limit" | "rapid_refill_breaker" | "prompt_too_long" | "image_error" | "model_error" | "api_error" | "malformed_tool_use_exhausted" | "aborted_streaming" | "aborted_tools" | "stop_hook_prevented" | "hook_stopped" | "tool_deferred" | "max_turns" | "background_requested" | "budget_exhausted" | "structured_output_retry_exhausted" | "tool_deferred_unavailable" | "turn_setup_failed" | (string & {});

/** Text. */
export type Text = { type: "text", text: string, citations?: unknown | null, cache_control?: unknown | null };

/** Plain text as a document. */
export type TextSource = { type: "text", media_type: string, data: string };

/** What the model thought, signed by the API. */
export type Thinking = { type: "thinking", thinking: string, signature?: string | null };

/** An estimate that grows while the model thinks. */
export type ThinkingTokens = { type: "system", subtype: "thinking_tokens", estimated_tokens: number, estimated_tokens_delta: number, user_message_uuid?: string | null, session_id: string, uuid: string };

/** What a host says to its agent: a line of the agent's stdin. */
export type ToAgent = StdinUser | ControlRequest | ControlResponse | ControlCancelRequest | KeepAlive | StdinUpdateEnvironmentVariables;

/** What an agent says to its host: a line of its stdout. */
export type ToHost = System | Assistant | User | TurnResult | StreamEvent | ToolProgress | ToolUseSummary | AuthStatus | RateLimitEvent | PromptSuggestion | ConversationReset | ActiveGoal | CommandLifecycle | TranscriptMirror | StreamlinedText | StreamlinedToolUseSummary | ControlRequest | ControlResponse | ControlCancelRequest | KeepAlive;

/** How long a call has been running; every 30 seconds as a heartbeat. */
export type ToolProgress = { type: "tool_progress", tool_use_id: string, tool_name: string, parent_tool_use_id: string | null, elapsed_time_seconds: number, task_id?: string | null, heartbeat?: boolean | null, subagent_type?: string | null, subagent_retry?: SubagentRetry | null, session_id: string, uuid: string };

/** A tool that a search for tools turned up. */
export type ToolReference = { type: "tool_reference", tool_name: string };

/** What a call came to. */
export type ToolResult = { type: "tool_result", tool_use_id: string, content?: string | Array<Block> | null, is_error?: boolean | null, cache_control?: unknown | null };

/** How a call came to its result. */
export type ToolResultMeta = { id: string, permission_decision?: PermissionDecision | null, non_execution_kind?: string | null };

/** A call the model makes. */
export type ToolUse = { type: "tool_use", id: string, name: string, input: unknown, cache_control?: unknown | null };

/** The name a tool of an MCP server is shown by. */
export type ToolUseMeta = { id: string, display_name?: string | null, server_display_name?: string | null, tool_name?: string | null };

/** What the calls before it did. */
export type ToolUseSummary = { type: "tool_use_summary", summary: string, preceding_tool_use_ids: Array<string>, uuid: string, session_id: string };

/** Entries in the order they were appended; carries neither uuid nor session id. */
export type TranscriptMirror = { type: "transcript_mirror", filePath: string, entries: Array<unknown> };

/** The end of a turn, exactly one for each. */
export type TurnResult = { type: "result", subtype: ResultSubtype, duration_ms: number, duration_api_ms: number, is_error: boolean, num_turns: number, api_error_status: number | null, api_error_type?: string | null, api_error?: string | null, result?: string | null, errors?: Array<string> | null, stop_reason: string | null, session_id: string, total_cost_usd: number, usage: Usage, modelUsage: { [key in string]: ModelUsage }, permission_denials: Array<PermissionDenial>, structured_output?: JsonValue | null, deferred_tool_use?: DeferredToolUse | null, terminal_reason?: TerminalReason | null, fast_mode_state?: FastModeState | null, fast_mode_disabled_reason?: string | null, subagent_stats?: SubagentStats | null, safety_stops?: number | null, origin?: Origin | null, uuid: string, queued_turn_count?: number | null, result_index?: number | null, model_usage_since_last_result?: { [key in string]: ModelUsage } | null, user_message_uuid?: string | null, user_message_uuids?: Array<string> | null, resume_reason?: string | null, local_command?: string | null, ttft_ms?: number | null, ttft_stream_ms?: number | null, time_to_request_ms?: number | null, request_sent_wall_ms?: number | null, first_content_frame_ms?: number | null, first_stream_post_ms?: number | null, first_stream_post_ack_ms?: number | null, first_stream_post_queue_wait_ms?: number | null, first_stream_post_queued_behind?: string | null, first_stream_post_wall_ms?: number | null, first_text_post_ms?: number | null, first_text_post_queue_wait_ms?: number | null, first_text_post_queued_behind?: string | null, first_text_post_wall_ms?: number | null, time_to_request_from_spawn_ms?: number | null, warm_spare_claimed?: boolean | null, time_origin_ms?: number | null, first_request_input_tokens?: number | null, first_request_cache_read_input_tokens?: number | null, startup_failure_reason?: string | null, invalid_config_file?: InvalidConfigFile | null, credential_expires_at?: string | null };

/** Draw again. */
export type UiInvalidate = { type: "system", subtype: "ui_invalidate", event: string, uuid: string, session_id: string };

/** Writes a settings file. */
export type UpdateSettings = { subtype: "update_settings", source: string, settings: unknown };

/** The saved settings. Other hosts than the terminal and the page of Sluice get an empty response. */
export type UpdateSettingsResponse = { path?: string | null, keys?: Array<string> | null, warning?: string | null };

/** Bytes elsewhere. */
export type UrlSource = { type: "url", url: string };

/** Tokens of one answer, or of one turn in `result`. */
export type Usage = { input_tokens: number, cache_creation_input_tokens?: number | null, cache_read_input_tokens?: number | null, output_tokens: number, output_tokens_details?: OutputTokensDetails | null, server_tool_use?: ServerToolRequests | null, service_tier?: string | null, cache_creation?: CacheCreation | null, inference_geo?: string | null, iterations?: unknown | null, speed?: string | null, fallback_credit?: unknown | null };

/** The account of `/usage`. */
export type UsageReport = { session: UsageReportSession, rate_limits: unknown | null };

/** What the session has used. */
export type UsageReportSession = { total_cost_usd: number, total_api_duration_ms: number, total_duration_ms: number, total_lines_added: number, total_lines_removed: number, model_usage: { [key in string]: ModelUsage } };

/** One result of a call, a notice of the agent's own, or a prompt replayed. */
export type User = { type: "user", message: UserMessage, parent_tool_use_id: string | null, session_id?: string | null, uuid?: string | null, timestamp?: string | null, tool_use_result?: JsonValue | null, tool_result_meta?: Array<ToolResultMeta> | null, isReplay?: boolean | null, isSynthetic?: boolean | null, refused_message_id?: string | null, priority?: string | null, origin?: Origin | null, shouldQuery?: boolean | null, client_composed?: boolean | null, pasted_content?: unknown | null, inline_pastes?: Array<string> | null, file_attachments?: unknown | null, agent_id?: string | null, subagent_type?: string | null, task_description?: string | null };

/** A message on the user's side of the conversation. */
export type UserMessage = { role: string, content: string | Array<Block> };

/** What a hook is told when a command becomes a prompt. */
export type UserPromptExpansionInput = { hook_event_name: "UserPromptExpansion", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, expansion_type: string, command_name: string, command_args: string, command_source?: string | null, prompt: string };

/** What a hook may answer when a command becomes a prompt. */
export type UserPromptExpansionOutput = { hookEventName: "UserPromptExpansion", additionalContext?: string | null, suppressOriginalPrompt?: boolean | null };

/** What a hook is told before a prompt is taken. */
export type UserPromptSubmitInput = { hook_event_name: "UserPromptSubmit", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, prompt: string, source?: string | null, session_title?: string | null };

/** What a hook may answer before a prompt is taken. */
export type UserPromptSubmitOutput = { hookEventName: "UserPromptSubmit", additionalContext?: string | null, sessionTitle?: string | null, suppressOriginalPrompt?: boolean | null };

/** What a web search of the API found. */
export type WebSearchToolResult = { type: "web_search_tool_result", tool_use_id: string, content: unknown };

/** The process is about to end. */
export type WorkerShuttingDown = { type: "system", subtype: "worker_shutting_down", reason: string, uuid: string, session_id: string };

/** What was changed. */
export type WorkspaceDiff = { stats: DiffStats, perFileStats: Array<DiffFileStats>, omitted: DiffOmitted, hunks: Array<DiffFileHunks>, skippedLarge: Array<string>, restricted: Array<string>, source: DiffSource };

/** A directory to work in. */
export type WorkspaceDirectory = { path: string, source: string };

/** What a hook is told when a worktree is wanted. */
export type WorktreeCreateInput = { hook_event_name: "WorktreeCreate", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, name: string };

/** What a hook may answer when a worktree is wanted. */
export type WorktreeCreateOutput = { hookEventName: "WorktreeCreate", worktreePath: string };

/** What a hook is told when a worktree goes away. */
export type WorktreeRemoveInput = { hook_event_name: "WorktreeRemove", session_id: string, transcript_path: string, cwd: string, prompt_id?: string | null, permission_mode?: PermissionMode | null, agent_id?: string | null, agent_type?: string | null, effort?: HookEffort | null, worktree_path: string };
