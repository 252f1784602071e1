//! Control requests of the host, one typed method for each.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_wire::control::*;
use sluice_wire::mode::PermissionMode;
use sluice_wire::{Map, Raw};

use super::Client;
use crate::error::{Error, ErrorKind};

/// Parses the content of a successful response. A missing response counts as an empty object.
pub(super) fn read<T: DeserializeOwned>(subtype: &str, success: Success) -> Result<T, Error> {
    let response = match success.response {
        None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
        Some(response) => response,
    };
    let invalid = |error| Error::new(ErrorKind::Unreadable, format!("the answer to `{subtype}`: {error}"));
    serde_json::from_value(response).map_err(invalid)
}

/// Defines a method per request: documentation, name, arguments, request.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident($($arg:ident: $ty:ty),*) -> $request:ident { $($field:ident: $value:expr),* };)*) => {
        /// Methods for control requests. Each has a timeout and fails like [`Client::request`].
        impl Client {
            $(
                $(#[doc = $doc])+
                ///
                /// # Errors
                /// Returns an error if the agent rejects the request, does not answer, or has exited.
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
    /// Changes the permission mode.
    set_permission_mode(mode: impl Into<PermissionMode> + Send) -> SetPermissionMode { mode: mode.into() };
    /// Limits the thinking tokens of the model; `None` removes the limit.
    set_max_thinking_tokens(tokens: Option<u64>) -> SetMaxThinkingTokens { max_thinking_tokens: tokens.map(Into::into) };
    /// Returns the status of the MCP servers.
    mcp_status() -> McpStatus {};
    /// Replaces the MCP servers of the host.
    mcp_set_servers(servers: Map<Raw>) -> McpSetServers { servers: servers };
    /// Reconnects an MCP server.
    mcp_reconnect(server: impl Into<String> + Send) -> McpReconnect { server_name: server.into() };
    /// Enables or disables an MCP server.
    mcp_toggle(server: impl Into<String> + Send, enabled: bool) -> McpToggle { server_name: server.into(), enabled: enabled };
    /// Restores files to their state before a prompt. With `dry_run`, only lists the files that would change.
    rewind_files(prompt: impl Into<String> + Send, dry_run: bool) -> RewindFiles {
        user_message_id: prompt.into(), dry_run: dry_run.then_some(true)
    };
    /// Stops a background task.
    stop_task(task: impl Into<String> + Send) -> StopTask { task_id: task.into() };
    /// Overrides settings of the files; `null` removes the override of a key.
    apply_flag_settings(settings: impl Into<Raw> + Send) -> ApplyFlagSettings { settings: settings.into() };
    /// Returns the effective settings and their sources.
    get_settings() -> GetSettings {};
    /// Removes a prompt from the queue inside the agent.
    cancel_async_message(prompt: impl Into<String> + Send) -> CancelAsyncMessage { message_uuid: prompt.into() };
    /// Returns the usage of the context window by category.
    get_context_usage() -> GetContextUsage {};
    /// Reloads the plugins.
    reload_plugins() -> ReloadPlugins {};
    /// Marks a file as read by the agent.
    seed_read_state(path: impl Into<String> + Send, mtime: f64) -> SeedReadState { path: path.into(), mtime: mtime.into() };
    /// Sets the title of the session.
    rename_session(title: impl Into<String> + Send) -> RenameSession { title: title.into() };
    /// Reads a file with the permissions of the agent.
    read_file(path: impl Into<String> + Send) -> ReadFile { path: path.into() };
    /// Returns file names that match a query.
    file_suggestions(query: impl Into<String> + Send) -> FileSuggestions { query: query.into() };
    /// Returns the version of the agent.
    get_binary_version() -> GetBinaryVersion {};
    /// Returns a text about the cost of the session.
    get_session_cost() -> GetSessionCost {};
    /// Sets the colour of the session.
    set_color(color: impl Into<String> + Send) -> SetColor { color: Some(color.into()) };
    /// Calls a tool of an MCP server.
    mcp_call(tool: impl Into<String> + Send, arguments: impl Into<Raw> + Send) -> McpCall {
        tool: tool.into(), arguments: Some(arguments.into())
    };
    /// Moves a running call, or all running calls, to the background.
    background_tasks(call: Option<String>) -> BackgroundTasks { tool_use_id: call };
    /// Returns the usage of the account's limits.
    get_usage() -> GetUsage {};
    /// Reloads the skills.
    reload_skills() -> ReloadSkills {};
    /// Registers the root folder of a repository.
    register_repo_root(directory: impl Into<String> + Send) -> RegisterRepoRoot { directory: directory.into() };
    /// Returns the available models.
    list_models() -> ListModels {};
    /// Changes a settings file: `localSettings` or `userSettings`.
    update_settings(source: impl Into<String> + Send, settings: impl Into<Raw> + Send) -> UpdateSettings {
        source: source.into(), settings: settings.into()
    };
    /// Returns the configured hooks.
    get_hooks_listing() -> GetHooksListing {};
    /// Returns the effective permission rules.
    list_permission_rules() -> ListPermissionRules {};
    /// Reloads the output styles.
    reload_output_styles() -> ReloadOutputStyles {};
    /// Reads a resource of an MCP server.
    mcp_read_resource(server: impl Into<String> + Send, uri: impl Into<String> + Send) -> McpReadResource {
        server_name: server.into(), uri: uri.into()
    };
    /// Returns the end of the output of a background task.
    get_task_output(task: impl Into<String> + Send) -> GetTaskOutput { task_id: task.into() };
    /// Reports whether the host has subscribers.
    set_has_subscribers(watched: bool) -> SetHasSubscribers { has_subscribers: Some(watched) };
    /// Returns the current plan of the agent.
    get_plan() -> GetPlan {};
    /// Returns the changes in the workspace.
    get_workspace_diff() -> GetWorkspaceDiff {};
    /// Lets the model generate a title.
    generate_session_title(description: Option<String>) -> GenerateSessionTitle { description: description };
    /// Asks the model a question outside the conversation.
    side_question(question: impl Into<String> + Send) -> SideQuestion { question: Some(question.into()) };
    /// Ends the session.
    end_session(reason: Option<String>) -> EndSession { reason: reason };
}

impl Client {
    /// Changes the model; `None` restores the default.
    ///
    /// # Errors
    /// Returns an error if the agent rejects the request, does not answer, or has exited.
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelResponse, Error> {
        let mut request = SetModel {
            model: model.map(str::to_owned),
            ..SetModel::default()
        };
        // The official SDKs send an explicit null.
        request.extra.write_null("model");
        self.request(request).await
    }

    /// Notifies the agent that the tools of an in-process MCP server have changed.
    ///
    /// # Errors
    /// Returns an error if the agent rejects the request, does not answer, or has exited.
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
