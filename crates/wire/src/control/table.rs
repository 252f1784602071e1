//! The table of all control requests: subtype, sender and response type of each.
//!
//! To add a request, add a file with its type, a row here, and an arm where it is handled (`engine::control::table`).

use serde::de::DeserializeOwned;
use serde_json::Value;

#[allow(clippy::wildcard_imports, reason = "every request of the table")]
use super::*;
use crate::hook::HookOutput;
use crate::open::open_enum;
use crate::union::wire_union;

/// Calls `$with!` with every request: its type, its subtype and the type of its success response. `Done` is a response
/// without content; `Value` is a response without a type of ours.
macro_rules! requests {
    ($with:ident) => {
        $with! {
            hosts {
                Initialize = "initialize" -> InitializeResponse;
                Interrupt = "interrupt" -> InterruptResponse;
                SetPermissionMode = "set_permission_mode" -> SetPermissionModeResponse;
                SetModel = "set_model" -> SetModelResponse;
                SetMaxThinkingTokens = "set_max_thinking_tokens" -> Done;
                McpStatus = "mcp_status" -> McpStatusResponse;
                McpSetServers = "mcp_set_servers" -> McpSetServersResponse;
                McpReconnect = "mcp_reconnect" -> Done;
                McpToggle = "mcp_toggle" -> Done;
                McpMessage = "mcp_message" -> Done;
                RewindFiles = "rewind_files" -> RewindFilesResponse;
                StopTask = "stop_task" -> Done;
                ApplyFlagSettings = "apply_flag_settings" -> Done;
                GetSettings = "get_settings" -> GetSettingsResponse;
                CancelAsyncMessage = "cancel_async_message" -> CancelAsyncMessageResponse;
                GetContextUsage = "get_context_usage" -> GetContextUsageResponse;
                ReloadPlugins = "reload_plugins" -> ReloadPluginsResponse;
                SeedReadState = "seed_read_state" -> Done;
                RenameSession = "rename_session" -> Done;
                ReadFile = "read_file" -> ReadFileResponse;
                FileSuggestions = "file_suggestions" -> FileSuggestionsResponse;
                GetBinaryVersion = "get_binary_version" -> GetBinaryVersionResponse;
                GetSessionCost = "get_session_cost" -> GetSessionCostResponse;
                SetColor = "set_color" -> Done;
                McpCall = "mcp_call" -> McpCallResponse;
                BackgroundTasks = "background_tasks" -> BackgroundTasksResponse;
                GetUsage = "get_usage" -> GetUsageResponse;
                ReloadSkills = "reload_skills" -> ReloadSkillsResponse;
                RegisterRepoRoot = "register_repo_root" -> RegisterRepoRootResponse;
                ListModels = "list_models" -> ListModelsResponse;
                UpdateSettings = "update_settings" -> UpdateSettingsResponse;
                GetHooksListing = "get_hooks_listing" -> GetHooksListingResponse;
                ListPermissionRules = "list_permission_rules" -> ListPermissionRulesResponse;
                ReloadOutputStyles = "reload_output_styles" -> ReloadOutputStylesResponse;
                McpReadResource = "mcp_read_resource" -> McpReadResourceResponse;
                GetTaskOutput = "get_task_output" -> GetTaskOutputResponse;
                SetHasSubscribers = "set_has_subscribers" -> Done;
                SetMcpPermissionModeOverride = "set_mcp_permission_mode_override" -> SetMcpPermissionModeOverrideResponse;
                ClaimSession = "claim_session" -> Value;
                GetPlan = "get_plan" -> GetPlanResponse;
                GetWorkspaceDiff = "get_workspace_diff" -> GetWorkspaceDiffResponse;
                GenerateSessionTitle = "generate_session_title" -> GenerateSessionTitleResponse;
                SideQuestion = "side_question" -> SideQuestionResponse;
                EndSession = "end_session" -> Done;
                MessageRated = "message_rated" -> Done;
                ChannelEnable = "channel_enable" -> Value;
                McpAuthenticate = "mcp_authenticate" -> McpAuthenticateResponse;
                McpClearAuth = "mcp_clear_auth" -> Done;
                McpOauthCallbackUrl = "mcp_oauth_callback_url" -> Done;
            }
            agents {
                CanUseTool = "can_use_tool" -> CanUseToolResponse;
                HookCallback = "hook_callback" -> HookOutput;
                Elicitation = "elicitation" -> ElicitationResponse;
                RequestUserDialog = "request_user_dialog" -> RequestUserDialogResponse;
            }
        }
    };
}
#[cfg(feature = "schema")]
pub(crate) use requests;

/// A request from a host to an agent.
pub trait HostRequest: Into<Request> + Send {
    /// The value of `subtype`.
    const SUBTYPE: &'static str;
    /// The type of the success response.
    type Response: DeserializeOwned;
}

/// A request from an agent to a host.
pub trait AgentRequest: Into<Request> + Send {
    /// The value of `subtype`.
    const SUBTYPE: &'static str;
    /// The type of the success response.
    type Response: DeserializeOwned;
}

/// A success response whose content is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done;

impl<'de> serde::Deserialize<'de> for Done {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

macro_rules! define {
    (
        hosts { $($host:ident = $host_text:literal -> $host_response:ident;)+ }
        agents { $($agent:ident = $agent_text:literal -> $agent_response:ident;)+ }
    ) => {
        wire_union! {
            /// A control request, by subtype: first the requests from hosts to agents, then those from agents to hosts.
            pub enum Request by "subtype", else Unknown {
                $($host($host) = $host_text,)+
                $($agent($agent) = $agent_text,)+
            }
        }

        open_enum! {
            /// The subtype of a control request.
            pub enum Subtype {
                $($host = $host_text,)+
                $($agent = $agent_text),+
            }
        }

        $(
            impl HostRequest for $host {
                const SUBTYPE: &'static str = $host_text;
                type Response = $host_response;
            }
        )+

        $(
            impl AgentRequest for $agent {
                const SUBTYPE: &'static str = $agent_text;
                type Response = $agent_response;
            }
        )+

        impl Subtype {
            /// Whether hosts send this request to agents.
            #[must_use]
            pub fn is_of_hosts(&self) -> bool {
                matches!(self, $(Self::$host)|+)
            }

            /// Whether agents send this request to hosts.
            #[must_use]
            pub fn is_of_agents(&self) -> bool {
                // Messages of MCP servers that run in the host are sent in both directions.
                matches!(self, $(Self::$agent)|+ | Self::McpMessage)
            }
        }
    };
}

requests!(define);

impl Request {
    /// Returns the subtype.
    #[must_use]
    pub fn subtype(&self) -> Subtype {
        Subtype::from(self.kind())
    }
}
