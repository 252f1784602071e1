//! Control requests about MCP servers.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_permission::{PermissionMode, ToolFacts, Verdict};
use sluice_servers::status::full as full_status;
use sluice_servers::{Link, Manifest, Phase, ServerCall, ServerConfig, auth, explain, store};
use sluice_wire::control::{
    Initialize, McpAuthenticateResponse, McpCall, McpMessage, McpReadResourceResponse, McpSetServersResponse,
    McpStatusResponse, RequestId, SetMcpPermissionModeOverrideResponse,
};
use sluice_wire::{Map, Raw};

use crate::messages;
use crate::requests::RequestOutcome;
use crate::session::Session;

impl Session {
    pub(super) async fn server_status(&mut self, id: &RequestId) {
        let links = self.tooling.servers().all();
        let response = McpStatusResponse {
            mcp_servers: links.iter().map(|link| full_status(link)).collect(),
            ..McpStatusResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Handles a message that an MCP server in the host sends on its own initiative.
    pub(super) async fn server_message(&mut self, id: &RequestId, request: &McpMessage) {
        let link = self.tooling.servers().find(&request.server_name);
        let mailbox = link.and_then(|link| link.mailbox());
        if let (Some(mailbox), Ok(message)) = (mailbox, serde_json::from_str(request.message.get())) {
            mailbox.put(&message);
        }
        self.emit(messages::ok(id)).await;
    }

    pub(super) async fn sign_out(&mut self, id: &RequestId, name: &str) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            to_response(&id, auth::forget(&link).await.map(|()| json!({})))
        });
    }

    /// Rejects the request: channels are available only to plugins of a marketplace.
    pub(super) async fn enable_channel(&mut self, id: &RequestId, name: Option<&str>) {
        let name = name.unwrap_or_default();
        let why = match self.tooling.servers().find(name).map(|link| link.phase()) {
            Some(Phase::Up(_)) => "is not plugin-sourced; channel_enable requires a marketplace plugin",
            _ => "is not connected",
        };
        self.emit(messages::error(id, format!("server {name} {why}"))).await;
    }

    /// Sets or clears a permission mode for the tools of a server, which can only be stricter than the mode of the
    /// session. The server need not be connected yet.
    pub(super) async fn override_mode(&mut self, id: &RequestId, name: &str, mode: Option<PermissionMode>) {
        if let Some(mode) = &mode
            && !matches!(mode, PermissionMode::Default | PermissionMode::Auto)
        {
            let text = format!(
                "Permission mode override over the control channel is tighten-only ('default', 'auto', or null); \
                 rejected '{}'",
                mode.as_str()
            );
            return self.emit(messages::error(id, text)).await;
        }
        self.tooling.servers().set_mode(name, mode);
        if self.tooling.servers().find(name).is_some() {
            return self.emit(messages::ok(id)).await;
        }
        let response = SetMcpPermissionModeOverrideResponse {
            warning: Some(format!(
                "There is no MCP server '{name}' yet: the mode is kept for when one of exactly that name connects."
            )),
            ..SetMcpPermissionModeOverrideResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Returns the server with this name, or responds with an error.
    async fn server(&mut self, id: &RequestId, name: &str) -> Option<Arc<Link>> {
        let found = self.tooling.servers().find(name).cloned();
        if found.is_none() {
            self.emit(messages::error(id, format!("Server not found: {name}")))
                .await;
        }
        found
    }

    pub(super) async fn set_servers(&mut self, id: &RequestId, servers: &Map<Raw>) {
        let read = |raw: &Raw| {
            let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            ServerConfig::parse(&value).map_err(|error| error.to_string())
        };
        let servers = servers.iter().map(|(name, raw)| (name.clone(), read(raw))).collect();
        let replaced = self.tooling.servers_mut().replace(servers);
        if replaced.connecting.iter().all(|link| link.config.is_sdk()) {
            let response = McpSetServersResponse {
                added: replaced.added,
                removed: replaced.removed,
                errors: replaced.errors.into_iter().collect(),
                ..McpSetServersResponse::default()
            };
            self.emit(messages::success(id, &response)).await;
            return self.servers_changed().await;
        }
        self.servers_changed().await;
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            let mut errors = replaced.errors;
            // Servers inside the host are not awaited: the host handles their messages only after this response.
            for link in replaced.connecting.iter().filter(|link| !link.config.is_sdk()) {
                if let Err(why) = link.connection().await {
                    errors.insert(link.name.clone(), why);
                }
            }
            let response = McpSetServersResponse {
                added: replaced.added,
                removed: replaced.removed,
                errors: errors.into_iter().collect(),
                ..McpSetServersResponse::default()
            };
            messages::success(&id, &response).into()
        });
    }

    pub(super) async fn reconnect(&mut self, id: &RequestId, name: &str) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        link.disconnect(Phase::Idle);
        self.await_dialling(id, link);
    }

    pub(super) async fn toggle(&mut self, id: &RequestId, name: &str, enabled: bool) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        // Saved for later sessions in this folder.
        if let Err(error) = store::switch(self.options.settings.places(), name, enabled) {
            let text = format!("The on/off state of {name} could not be saved: {error}");
            self.emit(messages::informational(&text, "warning")).await;
        }
        if enabled {
            if let Phase::Off | Phase::Unapproved = link.phase() {
                link.enter(Phase::Idle);
            }
            // A failed connection does not fail the request; the status of the server contains the error.
            let id = id.clone();
            self.requests.concurrent.spawn(&id.clone(), async move {
                link.connection().await.ok();
                messages::ok(&id).into()
            });
        } else {
            link.disconnect(Phase::Off);
            self.servers_changed().await;
            self.emit(messages::ok(id)).await;
        }
    }

    fn await_dialling(&mut self, id: &RequestId, link: Arc<Link>) {
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            match link.dial().await {
                Ok(_) => messages::ok(&id).into(),
                Err(why) => messages::error(&id, why).into(),
            }
        });
    }

    /// Calls a tool of a server without the model.
    pub(super) async fn call_server(&mut self, id: &RequestId, request: &McpCall) {
        let Some((link, tool)) = self.tooling.servers().own_name(&request.tool) else {
            let text = match request
                .tool
                .strip_prefix("mcp__")
                .and_then(|rest| rest.split_once("__"))
            {
                Some((server, _)) => format!("MCP server not connected: {server}"),
                None => format!("Not a fully-qualified MCP tool name: {}", request.tool),
            };
            return self.emit(messages::error(id, text)).await;
        };
        if link.config.is_sdk() {
            let text = format!("{} is an MCP server inside the host; call it there", link.name);
            return self.emit(messages::error(id, text)).await;
        }
        if !matches!(link.phase(), Phase::Up(_) | Phase::Lost(_)) {
            let text = format!("MCP server not connected: {}", link.name);
            return self.emit(messages::error(id, text)).await;
        }
        let arguments: Value = request
            .arguments
            .as_ref()
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let decision = self.decide(ToolFacts::unknown(&request.tool), &arguments);
        let refused = match decision.behavior {
            // Deny rules apply to every caller.
            Verdict::Deny => true,
            Verdict::Ask => request.check_permissions == Some(true),
            Verdict::Allow => false,
        };
        if refused {
            return self.emit(messages::error(id, decision.message)).await;
        }
        let call = ServerCall {
            full: request.tool.clone(),
            timeout: timeout(request.timeout_ms.map(sluice_wire::Number::get)),
            folder: self.options.folders.outputs.clone(),
            link,
            tool,
        };
        let id = id.clone();
        self.requests
            .concurrent
            .spawn(&id.clone(), async move { to_response(&id, call.run(arguments).await) });
    }

    pub(super) async fn read_resource(&mut self, id: &RequestId, server: &str, uri: &str) {
        if !uri.starts_with("ui://") {
            return self
                .emit(messages::error(id, "mcp_read_resource: uri must use the ui:// scheme"))
                .await;
        }
        let Some(link) = self
            .tooling
            .servers()
            .find(server)
            .filter(|link| matches!(link.phase(), Phase::Up(_)))
            .cloned()
        else {
            return self
                .emit(messages::error(id, format!("MCP server not connected: {server}")))
                .await;
        };
        let (id, uri) = (id.clone(), uri.to_owned());
        self.requests.concurrent.spawn(&id.clone(), async move {
            match link.read_resource(&uri).await {
                Ok(contents) => {
                    let response = McpReadResourceResponse {
                        contents: serde_json::from_value(contents).unwrap_or_default(),
                        ..McpReadResourceResponse::default()
                    };
                    messages::success(&id, &response).into()
                }
                Err(error) => messages::error(&id, explain(&error)).into(),
            }
        });
    }

    /// Starts an OAuth sign-in and responds with the URL that the person has to open.
    pub(super) async fn sign_in(&mut self, id: &RequestId, name: &str) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            let begun = auth::begin(&link).await;
            let response = begun.map(|sign_in| McpAuthenticateResponse {
                auth_url: Some(sign_in.url.clone()),
                requires_user_action: Some(true),
                callback_expected: Some(true),
                redirect_scheme: Some("localhost".to_owned()),
                state: Some(sign_in.state.clone()),
                callback_port: Some(u64::from(sign_in.port)),
                ..McpAuthenticateResponse::default()
            });
            match response {
                Ok(response) => messages::success(&id, &response).into(),
                Err(why) => messages::error(&id, why).into(),
            }
        });
    }

    /// Completes a sign-in with the callback URL, for a browser that cannot connect to this machine.
    pub(super) async fn finish_sign_in(&mut self, id: &RequestId, name: &str, callback: String) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let Some(sign_in) = link.sign_in() else {
            return self
                .emit(messages::error(id, format!("No active OAuth flow for server: {name}")))
                .await;
        };
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            to_response(&id, sign_in.finish(&callback).await.map(|()| json!({})))
        });
    }

    /// Adds the servers that the first `initialize` contains, if the session was started to wait for that request.
    /// Returns whether they were applied, or `None` if the request contains no servers.
    pub(super) fn apply_initialize_servers(&mut self, request: &Initialize) -> Option<bool> {
        let servers = request.mcp_servers.as_ref()?;
        let applies = self.options.host.awaits_initialize && !self.line.is_initialized();
        if applies {
            let read = |raw: &Raw| {
                let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                ServerConfig::parse(&value)
            };
            // A server from a launch flag is not replaced.
            let dynamic = &mut self.options.servers.dynamic;
            for (name, raw) in servers {
                dynamic.entry(name.clone()).or_insert_with(|| read(raw));
            }
            let options = &self.options;
            self.tooling
                .servers_mut()
                .add_dynamic(&options.settings, &options.servers);
        }
        Some(applies)
    }

    /// Adds the servers inside the host that `initialize` names. Returns the status of each manifest.
    pub(super) fn host_servers(&mut self, request: &Initialize) -> Option<sluice_wire::Map<String>> {
        let manifests = request.sdk_mcp_server_manifests.as_ref();
        let mut parked = sluice_wire::Map::default();
        for name in request.sdk_mcp_servers.iter().flatten() {
            let config = request
                .sdk_mcp_server_configs
                .as_ref()
                .and_then(|configs| configs.get(name));
            let allowed = timeout(config.and_then(|config| config.timeout).map(sluice_wire::Number::get));
            let value = |raw: &sluice_wire::Raw| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
            let tools = config.and_then(|config| config.tools.as_ref()).map(value);
            let manifest = manifests.and_then(|manifests| manifests.get(name)).map(|manifest| {
                Manifest::read(
                    &value(&manifest.initialize_result),
                    manifest.tools_list_result.as_ref().map(value).as_ref(),
                )
            });
            let outcome = match &manifest {
                Some(Ok(_)) => Some("parked"),
                Some(Err(word)) => Some(*word),
                None => None,
            };
            let added =
                self.tooling
                    .servers_mut()
                    .add_hosted(name, allowed, tools.as_ref(), manifest.and_then(Result::ok));
            if let Some(word) = outcome {
                let word = if added { word } else { "already_connected" };
                parked.insert(name.clone(), word.to_owned());
            }
        }
        manifests.map(|_| parked)
    }
}

/// Converts the outcome into a response.
fn to_response(id: &RequestId, outcome: Result<Value, String>) -> RequestOutcome {
    match outcome {
        Ok(response) => messages::success(id, &response).into(),
        Err(why) => messages::error(id, why).into(),
    }
}

/// Converts milliseconds to a duration; values below 1 are ignored.
fn timeout(ms: Option<f64>) -> Option<Duration> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    ms.filter(|ms| *ms >= 1.0).map(|ms| Duration::from_millis(ms as u64))
}
