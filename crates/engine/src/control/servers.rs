//! What hosts ask about MCP servers.

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
use crate::requests::Aside;
use crate::session::Session;

impl Session {
    pub(super) async fn server_status(&mut self, id: &RequestId) {
        let links = self.tooling.servers().all();
        let response = McpStatusResponse {
            mcp_servers: links.iter().map(|link| full_status(link)).collect(),
            ..McpStatusResponse::default()
        };
        self.say(messages::success(id, &response)).await;
    }

    /// A server that lives in the host says something of its own accord.
    pub(super) async fn server_message(&mut self, id: &RequestId, request: &McpMessage) {
        let link = self.tooling.servers().find(&request.server_name);
        let mailbox = link.and_then(|link| link.mailbox());
        if let (Some(mailbox), Ok(message)) = (mailbox, serde_json::from_str(request.message.get())) {
            mailbox.put(&message);
        }
        self.say(messages::ok(id)).await;
    }

    pub(super) async fn sign_out(&mut self, id: &RequestId, name: &str) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let id = id.clone();
        self.requests.asides.spawn(&id.clone(), async move {
            told(&id, auth::forget(&link).await.map(|()| json!({})))
        });
    }

    /// Channels belong to plugins of a marketplace.
    pub(super) async fn enable_channel(&mut self, id: &RequestId, name: Option<&str>) {
        let name = name.unwrap_or_default();
        let why = match self.tooling.servers().find(name).map(|link| link.phase()) {
            Some(Phase::Up(_)) => "is not plugin-sourced; channel_enable requires a marketplace plugin",
            _ => "is not connected",
        };
        self.say(messages::error(id, format!("server {name} {why}"))).await;
    }

    /// Calls of a server's tools are decided in a stricter mode than the session's, or in the session's again. A server
    /// may be named before it is there.
    pub(super) async fn override_mode(&mut self, id: &RequestId, name: &str, mode: Option<PermissionMode>) {
        if let Some(mode) = &mode
            && !matches!(mode, PermissionMode::Default | PermissionMode::Auto)
        {
            let text = format!(
                "Permission mode override over the control channel is tighten-only ('default', 'auto', or null); \
                 rejected '{}'",
                mode.as_str()
            );
            return self.say(messages::error(id, text)).await;
        }
        self.tooling.servers().set_mode(name, mode);
        if self.tooling.servers().find(name).is_some() {
            return self.say(messages::ok(id)).await;
        }
        let response = SetMcpPermissionModeOverrideResponse {
            warning: Some(format!(
                "There is no MCP server '{name}' yet: the mode is kept for when one of exactly that name connects."
            )),
            ..SetMcpPermissionModeOverrideResponse::default()
        };
        self.say(messages::success(id, &response)).await;
    }

    /// The server of this name; without one the host is told so.
    async fn server(&mut self, id: &RequestId, name: &str) -> Option<Arc<Link>> {
        let found = self.tooling.servers().find(name).cloned();
        if found.is_none() {
            self.say(messages::error(id, format!("Server not found: {name}"))).await;
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
            self.say(messages::success(id, &response)).await;
            return self.servers_changed().await;
        }
        self.servers_changed().await;
        let id = id.clone();
        self.requests.asides.spawn(&id.clone(), async move {
            let mut errors = replaced.errors;
            // Those inside the host wait for the host, which waits for this answer.
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
        // The next session in this folder finds it as this one leaves it.
        if let Err(error) = store::switch(self.options.settings.places(), name, enabled) {
            let text = format!("The on/off state of {name} could not be saved: {error}");
            self.say(messages::informational(&text, "warning")).await;
        }
        if enabled {
            if let Phase::Off | Phase::Unapproved = link.phase() {
                link.enter(Phase::Idle);
            }
            // A server that does not come up is switched on all the same; how it stands says so.
            let id = id.clone();
            self.requests.asides.spawn(&id.clone(), async move {
                link.connection().await.ok();
                messages::ok(&id).into()
            });
        } else {
            link.disconnect(Phase::Off);
            self.servers_changed().await;
            self.say(messages::ok(id)).await;
        }
    }

    fn await_dialling(&mut self, id: &RequestId, link: Arc<Link>) {
        let id = id.clone();
        self.requests.asides.spawn(&id.clone(), async move {
            match link.dial().await {
                Ok(_) => messages::ok(&id).into(),
                Err(why) => messages::error(&id, why).into(),
            }
        });
    }

    /// Calls a tool without the model.
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
            return self.say(messages::error(id, text)).await;
        };
        if link.config.is_sdk() {
            let text = format!("{} is an MCP server inside the host; call it there", link.name);
            return self.say(messages::error(id, text)).await;
        }
        if !matches!(link.phase(), Phase::Up(_) | Phase::Lost(_)) {
            let text = format!("MCP server not connected: {}", link.name);
            return self.say(messages::error(id, text)).await;
        }
        let arguments: Value = request
            .arguments
            .as_ref()
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let decision = self.decide(ToolFacts::unknown(&request.tool), &arguments);
        let refused = match decision.behavior {
            // What a rule denies is denied to everybody.
            Verdict::Deny => true,
            Verdict::Ask => request.check_permissions == Some(true),
            Verdict::Allow => false,
        };
        if refused {
            return self.say(messages::error(id, decision.message)).await;
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
            .asides
            .spawn(&id.clone(), async move { told(&id, call.run(arguments).await) });
    }

    pub(super) async fn read_resource(&mut self, id: &RequestId, server: &str, uri: &str) {
        if !uri.starts_with("ui://") {
            return self
                .say(messages::error(id, "mcp_read_resource: uri must use the ui:// scheme"))
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
                .say(messages::error(id, format!("MCP server not connected: {server}")))
                .await;
        };
        let (id, uri) = (id.clone(), uri.to_owned());
        self.requests.asides.spawn(&id.clone(), async move {
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

    /// Begins a sign-in: the host shows the person where to go.
    pub(super) async fn sign_in(&mut self, id: &RequestId, name: &str) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let id = id.clone();
        self.requests.asides.spawn(&id.clone(), async move {
            let begun = auth::start(&link).await;
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

    /// The person signed in with a browser that cannot reach this machine.
    pub(super) async fn come_back(&mut self, id: &RequestId, name: &str, callback: String) {
        let Some(link) = self.server(id, name).await else {
            return;
        };
        let Some(sign_in) = link.sign_in() else {
            return self
                .say(messages::error(id, format!("No active OAuth flow for server: {name}")))
                .await;
        };
        let id = id.clone();
        self.requests.asides.spawn(&id.clone(), async move {
            told(&id, sign_in.finish(&callback).await.map(|()| json!({})))
        });
    }

    /// Adds the servers that the first `initialize` contains, if the session was started to wait for that request.
    /// Returns whether they were applied; none if the request contains no servers.
    pub(super) fn take_servers(&mut self, request: &Initialize) -> Option<bool> {
        let servers = request.mcp_servers.as_ref()?;
        let applies = self.options.host.awaits_initialize && !self.line.is_initialized();
        if applies {
            let read = |raw: &Raw| {
                let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                ServerConfig::parse(&value)
            };
            let servers = servers.iter().map(|(name, raw)| (name.clone(), read(raw)));
            self.options.servers.dynamic.extend(servers);
            let options = &self.options;
            self.tooling
                .servers_mut()
                .add_dynamic(&options.settings, &options.servers);
        }
        Some(applies)
    }

    /// Takes in the servers the host names when it opens the session; gives what became of their manifests.
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
            let manifest = manifests.and_then(|manifests| manifests.get(name)).map(|said| {
                Manifest::read(
                    &value(&said.initialize_result),
                    said.tools_list_result.as_ref().map(value).as_ref(),
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

/// What came of it, for the host.
fn told(id: &RequestId, outcome: Result<Value, String>) -> Aside {
    match outcome {
        Ok(response) => messages::success(id, &response).into(),
        Err(why) => messages::error(id, why).into(),
    }
}

/// A time in milliseconds, as far as it is one.
fn timeout(ms: Option<f64>) -> Option<Duration> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    ms.filter(|ms| *ms >= 1.0).map(|ms| Duration::from_millis(ms as u64))
}
