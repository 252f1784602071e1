//! Control requests in both directions, their responses and their cancellation.
//!
//! Each subtype has a file with its request and its response. `table` lists them all.

mod envelope;
mod request_id;
pub(crate) mod table;

mod apply_flag_settings;
mod background_tasks;
mod can_use_tool;
mod cancel_async_message;
mod channel_enable;
mod claim_session;
mod elicitation;
mod end_session;
mod file_suggestions;
mod generate_session_title;
mod get_binary_version;
mod get_context_usage;
mod get_hooks_listing;
mod get_plan;
mod get_session_cost;
mod get_settings;
mod get_task_output;
mod get_usage;
mod get_workspace_diff;
mod hook_callback;
mod initialize;
mod interrupt;
mod list_models;
mod list_permission_rules;
mod mcp_authenticate;
mod mcp_call;
mod mcp_clear_auth;
mod mcp_message;
mod mcp_oauth_callback_url;
mod mcp_read_resource;
mod mcp_reconnect;
mod mcp_set_servers;
mod mcp_status;
mod mcp_toggle;
mod message_rated;
mod read_file;
mod register_repo_root;
mod reload_output_styles;
mod reload_plugins;
mod reload_skills;
mod rename_session;
mod request_user_dialog;
mod rewind_files;
mod seed_read_state;
mod set_color;
mod set_has_subscribers;
mod set_max_thinking_tokens;
mod set_mcp_permission_mode_override;
mod set_model;
mod set_permission_mode;
mod side_question;
mod stop_task;
mod update_settings;

pub use envelope::{ControlCancelRequest, ControlRequest, ControlResponse, Failure, Response, Success};
pub use request_id::RequestId;
pub use table::{AgentRequest, Done, HostRequest, Request, Subtype};

pub use apply_flag_settings::ApplyFlagSettings;
pub use background_tasks::{BackgroundTasks, BackgroundTasksResponse};
pub use can_use_tool::{
    Allow, CanUseTool, CanUseToolResponse, DecisionReasonType, Deny, MatchedAskRule, McpServerProvenance,
};
pub use cancel_async_message::{CancelAsyncMessage, CancelAsyncMessageResponse};
pub use channel_enable::ChannelEnable;
pub use claim_session::ClaimSession;
pub use elicitation::{Elicitation, ElicitationAction, ElicitationResponse};
pub use end_session::EndSession;
pub use file_suggestions::{FileSuggestions, FileSuggestionsResponse};
pub use generate_session_title::{GenerateSessionTitle, GenerateSessionTitleResponse};
pub use get_binary_version::{GetBinaryVersion, GetBinaryVersionResponse};
pub use get_context_usage::{
    ContextMemoryFile, ContextPart, ContextSkills, ContextSlashCommands, ContextSquare, ContextTool, ContextToolCalls,
    GetContextUsage, GetContextUsageResponse, MessageBreakdown,
};
pub use get_hooks_listing::{
    EditableHook, GetHooksListing, GetHooksListingResponse, HookEventListing, HookListing, HookPolicy,
};
pub use get_plan::{GetPlan, GetPlanResponse};
pub use get_session_cost::{GetSessionCost, GetSessionCostResponse};
pub use get_settings::{AppliedSettings, GetSettings, GetSettingsResponse, SettingsError, SettingsSource};
pub use get_task_output::{GetTaskOutput, GetTaskOutputResponse};
pub use get_usage::{GetUsage, GetUsageResponse};
pub use get_workspace_diff::{
    DiffFileHunks, DiffFileStats, DiffHunk, DiffOmitted, DiffSource, DiffStats, GetWorkspaceDiff,
    GetWorkspaceDiffResponse, WorkspaceDiff,
};
pub use hook_callback::HookCallback;
pub use initialize::{
    AccountInfo, AgentDefinition, AgentInfo, FeedbackMode, HookMatcher, Initialize, InitializeResponse, ModelInfo,
    SdkMcpServerConfig, SdkMcpServerManifest, SlashCommand,
};
pub use interrupt::{Interrupt, InterruptResponse};
pub use list_models::{ListModels, ListModelsResponse};
pub use list_permission_rules::{
    ListPermissionRules, ListPermissionRulesResponse, PermissionRulesState, RuleDescription, RuleEntry,
    WorkspaceDirectory,
};
pub use mcp_authenticate::{McpAuthenticate, McpAuthenticateResponse};
pub use mcp_call::{InputFile, McpCall, McpCallResponse, OutputFile};
pub use mcp_clear_auth::McpClearAuth;
pub use mcp_message::{McpMessage, McpMessageResponse};
pub use mcp_oauth_callback_url::McpOauthCallbackUrl;
pub use mcp_read_resource::{McpReadResource, McpReadResourceResponse, ResourceContents};
pub use mcp_reconnect::McpReconnect;
pub use mcp_set_servers::{McpSetServers, McpSetServersResponse};
pub use mcp_status::{
    McpPermissionPolicy, McpServerInfo, McpServerStatus, McpStatus, McpStatusResponse, McpTool, McpToolAnnotations,
    McpToolPolicy,
};
pub use mcp_toggle::McpToggle;
pub use message_rated::MessageRated;
pub use read_file::{ReadFile, ReadFileResponse};
pub use register_repo_root::{RegisterRepoRoot, RegisterRepoRootResponse};
pub use reload_output_styles::{ReloadOutputStyles, ReloadOutputStylesResponse};
pub use reload_plugins::{CacheImpact, ReloadPlugins, ReloadPluginsResponse};
pub use reload_skills::{ReloadSkills, ReloadSkillsResponse};
pub use rename_session::RenameSession;
pub use request_user_dialog::{DialogCancelled, DialogCompleted, RequestUserDialog, RequestUserDialogResponse};
pub use rewind_files::{RewindFiles, RewindFilesResponse};
pub use seed_read_state::SeedReadState;
pub use set_color::SetColor;
pub use set_has_subscribers::SetHasSubscribers;
pub use set_max_thinking_tokens::SetMaxThinkingTokens;
pub use set_mcp_permission_mode_override::{SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideResponse};
pub use set_model::{SetModel, SetModelResponse};
pub use set_permission_mode::{SetPermissionMode, SetPermissionModeResponse};
pub use side_question::{SideQuestion, SideQuestionResponse};
pub use stop_task::StopTask;
pub use update_settings::{UpdateSettings, UpdateSettingsResponse};
