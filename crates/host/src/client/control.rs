//! Control requests of the host, one typed method for each.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_wire::control::*;
use sluice_wire::mode::PermissionMode;
use sluice_wire::{Map, Raw};

use super::Client;
use crate::error::{Error, ErrorKind};

/// Reads what a success answers. One that answers nothing is an empty object.
pub(super) fn read<T: DeserializeOwned>(subtype: &str, success: Success) -> Result<T, Error> {
    let response = match success.response {
        None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
        Some(response) => response,
    };
    let unreadable = |error| Error::new(ErrorKind::Unreadable, format!("the answer to `{subtype}`: {error}"));
    serde_json::from_value(response).map_err(unreadable)
}

/// A method for a request: its documentation, its name, what it takes, the request.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident($($arg:ident: $ty:ty),*) -> $request:ident { $($field:ident: $value:expr),* };)*) => {
        /// The requests by name. Every one has a deadline and fails as [`Client::request`] does.
        impl Client {
            $(
                $(#[doc = $doc])+
                ///
                /// # Errors
                /// When the agent refuses, stays silent or is gone.
                pub async fn $name(
                    &self,
                    $($arg: $ty),*
                ) -> Result<<$request as HostRequest>::Response, Error> {
                    #[allow(clippy::needless_update)]
                    let request = $request { $($field: $value,)* ..$request::default() };
                    self.request(request).await
                }
            )*
        }
    };
}

methods! {
    /// Switches the mode.
    set_permission_mode(mode: impl Into<PermissionMode> + Send) -> SetPermissionMode { mode: mode.into() };
    /// Limits how many tokens the model thinks; `None` lifts the limit.
    set_max_thinking_tokens(tokens: Option<u64>) -> SetMaxThinkingTokens { max_thinking_tokens: tokens.map(Into::into) };
    /// How MCP servers stand.
    mcp_status() -> McpStatus {};
    /// Replaces the MCP servers of the host.
    mcp_set_servers(servers: Map<Raw>) -> McpSetServers { servers: servers };
    /// Connects an MCP server again.
    mcp_reconnect(server: impl Into<String> + Send) -> McpReconnect { server_name: server.into() };
    /// Switches an MCP server on or off.
    mcp_toggle(server: impl Into<String> + Send, enabled: bool) -> McpToggle { server_name: server.into(), enabled: enabled };
    /// Puts files back as they were before a prompt; with `dry_run` only says which.
    rewind_files(prompt: impl Into<String> + Send, dry_run: bool) -> RewindFiles {
        user_message_id: prompt.into(), dry_run: dry_run.then_some(true)
    };
    /// Stops a background task.
    stop_task(task: impl Into<String> + Send) -> StopTask { task_id: task.into() };
    /// Lays settings over those of the files; `null` takes a key back.
    apply_flag_settings(settings: impl Into<Raw> + Send) -> ApplyFlagSettings { settings: settings.into() };
    /// The settings that hold, and where they come from.
    get_settings() -> GetSettings {};
    /// Takes back a prompt that waits inside the agent.
    cancel_async_message(prompt: impl Into<String> + Send) -> CancelAsyncMessage { message_uuid: prompt.into() };
    /// What fills the context.
    get_context_usage() -> GetContextUsage {};
    /// Reads the plugins again.
    reload_plugins() -> ReloadPlugins {};
    /// Says that the agent has read a file.
    seed_read_state(path: impl Into<String> + Send, mtime: f64) -> SeedReadState { path: path.into(), mtime: mtime.into() };
    /// Gives the session a title.
    rename_session(title: impl Into<String> + Send) -> RenameSession { title: title.into() };
    /// Reads a file as the agent sees it.
    read_file(path: impl Into<String> + Send) -> ReadFile { path: path.into() };
    /// Files that could be meant.
    file_suggestions(query: impl Into<String> + Send) -> FileSuggestions { query: query.into() };
    /// The agent's version.
    get_binary_version() -> GetBinaryVersion {};
    /// What the session has cost, in words.
    get_session_cost() -> GetSessionCost {};
    /// The session's colour.
    set_color(color: impl Into<String> + Send) -> SetColor { color: Some(color.into()) };
    /// Calls a tool of an MCP server.
    mcp_call(tool: impl Into<String> + Send, arguments: impl Into<Raw> + Send) -> McpCall {
        tool: tool.into(), arguments: Some(arguments.into())
    };
    /// Moves a running call, or all of them, to the background.
    background_tasks(call: Option<String>) -> BackgroundTasks { tool_use_id: call };
    /// What was used of what there is.
    get_usage() -> GetUsage {};
    /// Reads the skills again.
    reload_skills() -> ReloadSkills {};
    /// Adds the root of a repository.
    register_repo_root(directory: impl Into<String> + Send) -> RegisterRepoRoot { directory: directory.into() };
    /// The models that may be chosen.
    list_models() -> ListModels {};
    /// Changes a settings file: `localSettings` or `userSettings`.
    update_settings(source: impl Into<String> + Send, settings: impl Into<Raw> + Send) -> UpdateSettings {
        source: source.into(), settings: settings.into()
    };
    /// The hooks there are.
    get_hooks_listing() -> GetHooksListing {};
    /// The permission rules that hold.
    list_permission_rules() -> ListPermissionRules {};
    /// Reads the output styles again.
    reload_output_styles() -> ReloadOutputStyles {};
    /// Reads a resource of an MCP server.
    mcp_read_resource(server: impl Into<String> + Send, uri: impl Into<String> + Send) -> McpReadResource {
        server_name: server.into(), uri: uri.into()
    };
    /// The end of a background task's output.
    get_task_output(task: impl Into<String> + Send) -> GetTaskOutput { task_id: task.into() };
    /// Whether anybody watches.
    set_has_subscribers(watched: bool) -> SetHasSubscribers { has_subscribers: Some(watched) };
    /// What the agent plans.
    get_plan() -> GetPlan {};
    /// What has changed in the workspace.
    get_workspace_diff() -> GetWorkspaceDiff {};
    /// Lets the model find a title.
    generate_session_title(description: Option<String>) -> GenerateSessionTitle { description: description };
    /// Asks the model something beside the conversation.
    side_question(question: impl Into<String> + Send) -> SideQuestion { question: Some(question.into()) };
    /// Ends the session.
    end_session(reason: Option<String>) -> EndSession { reason: reason };
}

impl Client {
    /// Switches the model; `None` goes back to the default.
    ///
    /// # Errors
    /// When the agent refuses, stays silent or is gone.
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelResponse, Error> {
        let mut request = SetModel {
            model: model.map(str::to_owned),
            ..SetModel::default()
        };
        // As the official SDKs say it.
        request.extra.write_null("model");
        self.request(request).await
    }

    /// Tells the agent that a server inside this program has other tools now.
    ///
    /// # Errors
    /// When the agent refuses, stays silent or is gone.
    pub async fn mcp_tools_changed(&self, server: impl Into<String> + Send) -> Result<Done, Error> {
        let message = serde_json::json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        self.request(McpMessage {
            server_name: server.into(),
            message: message.into(),
            ..McpMessage::default()
        })
        .await
    }
}
