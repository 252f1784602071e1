//! MCP servers during turns: tools, prompts, reminders and permission prompts.

use std::pin::pin;

use serde_json::Value;
use sluice_servers::prompts::ServerPrompt;
use sluice_servers::referee::{self, About};
use sluice_servers::scopes::{self, Scope};
use sluice_servers::{names, resources};
use sluice_tools::{AnyTool, Effect, Outcome, Tool};
use sluice_wire::control::{CacheImpact, SlashCommand};
use sluice_wire::stdout::ToolUseMeta;

use crate::commands::Slash;
use crate::mcp::plugins;
use crate::messages;
use crate::options::Asker;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

/// The tool that finds and loads deferred tools.
const SEARCH: &str = "ToolSearch";

impl Session {
    /// Updates the tools of servers after a change of a server.
    pub(crate) async fn servers_changed(&mut self) {
        let referee = match &self.options.permissions.asker {
            Asker::Tool(name) => Some(name.clone()),
            _ => None,
        };
        // The permission prompt tool is not offered to the model.
        let tools = self.tooling.servers().tools().into_iter();
        let tools = tools.filter(|tool| Some(tool.descriptor().name.as_ref()) != referee.as_deref());
        self.tooling.replace_extras(is_servers, tools);
        if self.tooling.servers_mut().has_changed() && self.line.is_initialized() {
            self.send_commands_if_changed().await;
        }
    }

    /// Adds the servers of the loaded plugins.
    pub(crate) fn update_plugin_servers(&mut self) {
        let settings = &self.options.settings;
        let named = if self.tooling.servers().strict() {
            Vec::new()
        } else {
            let servers = plugins::servers(&self.commands.catalogue().plugins.list, settings);
            scopes::permitted_from(settings, Scope::Plugin, servers)
        };
        self.tooling.servers_mut().set_plugin_servers(named);
    }

    /// The servers that reloading the plugins would add and remove; `None` if none.
    pub(crate) fn plugin_impact(&self) -> Option<CacheImpact> {
        let settings = &self.options.settings;
        let next: Vec<String> = match self.tooling.servers().strict() {
            true => Vec::new(),
            false => plugins::named(settings, &self.options.catalogue.plugin_dirs)
                .into_iter()
                .map(|named| named.name)
                .collect(),
        };
        let now = self
            .tooling
            .servers()
            .all()
            .iter()
            .filter(|link| link.scope == Scope::Plugin);
        let now: Vec<&String> = now.map(|link| &link.name).collect();
        let impact = CacheImpact {
            mcp_servers_removed: now
                .iter()
                .filter(|name| !next.contains(name))
                .map(|&name| name.clone())
                .collect(),
            mcp_servers_added: next.iter().filter(|name| !now.contains(name)).cloned().collect(),
            ..CacheImpact::default()
        };
        let any = !impact.mcp_servers_added.is_empty() || !impact.mcp_servers_removed.is_empty();
        any.then_some(impact)
    }

    /// True if the model does not receive the definition of this tool until it loads it.
    pub(crate) fn defers(&self, tool: &AnyTool) -> bool {
        let descriptor = tool.descriptor();
        tool.deferred()
            && !self.tooling.is_loaded(&descriptor.name)
            && self.offered().any(|tool| tool.descriptor().name == SEARCH)
    }

    /// Returns a tool as sent to the model. The description of `ToolSearch` names the deferred built-in tools: it is
    /// the same in every request, whether they are loaded or not.
    pub(crate) fn described(&self, tool: &AnyTool) -> Value {
        let mut described = messages::tool(tool);
        if tool.descriptor().name != SEARCH {
            return described;
        }
        let builtin = self
            .offered()
            .filter(|tool| tool.deferred() && tool.provenance().is_none());
        let names: Vec<String> = builtin.map(|tool| tool.descriptor().name.to_string()).collect();
        if let (Some(Value::String(text)), false) = (described.get_mut("description"), names.is_empty()) {
            text.push_str("\n\nThese built-in tools have to be loaded: ");
            text.push_str(&names.join(", "));
        }
        described
    }

    /// Adds a reminder about servers to the conversation, if something has changed.
    pub(crate) fn remind_of_servers(&mut self) {
        if self.tooling.servers().all().is_empty() {
            return;
        }
        let unseen: Vec<String> = self
            .offered()
            .filter(|tool| tool.provenance().is_some() && self.defers(tool))
            .map(|tool| tool.descriptor().name.to_string())
            .collect();
        if let Some(reminder) = self.tooling.servers_mut().reminder(&unseen) {
            self.conversation.history.remind(&reminder);
        }
    }

    /// Adds the schema of a deferred tool to the error of a call that failed because the model did not know the schema.
    pub(crate) fn with_schema(&self, index: usize, mut outcome: Outcome) -> Outcome {
        if !outcome.effects.contains(&Effect::TeachSchema) {
            return outcome;
        }
        let tool = self.calls.get(index).and_then(|call| call.tool.as_ref());
        if let (Some(tool), Some(error)) = (tool.filter(|tool| self.defers(tool)), outcome.content.as_str()) {
            outcome.content = Value::from(format!(
                "{error}\n\nThis tool's input schema was not shown to you before the call. It is:\n{}",
                tool.descriptor().schema
            ));
        }
        outcome
    }

    /// Calls the permission prompt tool about a call. Returns an error if the tool does not exist.
    pub(crate) fn ask_permission_tool(&mut self, index: usize, request_id: &str, name: &str) -> Result<(), String> {
        let Some(call) = self.calls.get(index) else {
            return Ok(());
        };
        let about = About {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.checked.clone(),
        };
        let exists = |full: &String| {
            self.tooling
                .servers()
                .tools()
                .iter()
                .any(|tool| tool.descriptor().name == full.as_str())
        };
        let full = name.to_owned();
        let Some((link, tool)) = self.tooling.servers().own_name(name).filter(|_| exists(&full)) else {
            let known = self.tooling.servers().tools();
            let known: Vec<&str> = known.iter().map(|tool| tool.descriptor().name.as_ref()).collect();
            return Err(format!(
                "MCP tool {name} (passed via --permission-prompt-tool) not found. Available MCP tools: {}",
                known.join(", ")
            ));
        };
        let request_id = request_id.to_owned();
        let verdict = referee::ask(link, tool, full, about);
        self.calls.ask_permission_tool(request_id, verdict);
        Ok(())
    }

    /// Applies the answer of the permission prompt tool. Answers for finished calls are ignored.
    pub(crate) async fn on_permission_tool_answer(&mut self, request_id: &str, verdict: Result<Value, String>) {
        if let Some(index) = self.calls.asking(request_id) {
            self.answered(index, verdict).await;
        }
    }

    /// True if a command may be a prompt of a server that is connected or connecting.
    pub(crate) fn may_be_server_prompt(&self, slash: &Slash) -> bool {
        self.tooling.servers().of_tool(&slash.name).is_some()
    }

    /// Finds the server prompt that a command names, and its arguments. Prompt names may contain spaces, so the longest
    /// matching name is used.
    pub(crate) fn server_prompt(&self, slash: &Slash) -> Option<(ServerPrompt, String)> {
        let typed = format!("{} {}", slash.name, slash.args);
        let behind = |name: &str| {
            let rest = typed.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
        };
        let mut prompts = self.tooling.servers().prompts();
        prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.name.len()));
        prompts.into_iter().find_map(|prompt| {
            let words = behind(&prompt.name)?;
            Some((prompt, words))
        })
    }

    /// The prompts of servers as commands for hosts.
    pub(crate) fn server_commands(&self) -> Vec<SlashCommand> {
        let to_command = |prompt: ServerPrompt| SlashCommand {
            argument_hint: Some(prompt.hint()),
            name: prompt.name,
            description: prompt.description,
            ..SlashCommand::default()
        };
        self.tooling.servers().prompts().into_iter().map(to_command).collect()
    }

    /// Display metadata for a call of a server's tool.
    pub(crate) fn call_meta(&self, block: &Value) -> Option<Vec<ToolUseMeta>> {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = field("name");
        let (_, tool) = names::split(name)?;
        let call = self.calls.iter().rev().find(|call| call.id == field("id"));
        let known = call
            .and_then(|call| call.tool.as_ref())
            .and_then(|tool| tool.provenance());
        let mut meta = ToolUseMeta {
            id: field("id").to_owned(),
            display_name: Some(names::spoken(tool)),
            ..ToolUseMeta::default()
        };
        if let Some(known) = known {
            meta.display_name = Some(known.title);
            meta.server_display_name = Some(known.server);
            meta.tool_name = Some(known.tool);
        }
        Some(vec![meta])
    }
}

impl SessionLoop {
    /// Waits until all servers are connected or have failed, and handles other events meanwhile. Returns immediately if
    /// none is connecting.
    pub(crate) async fn await_servers(&mut self) {
        self.session.tooling.servers().greet().await;
        if let Some(settled) = self.session.tooling.servers().settled() {
            // If the turn is stopped meanwhile, the caller notices.
            self.wait_for(Some(pin!(settled))).await;
        }
        self.session.tooling.servers_mut().skip_unresponsive();
        self.session.servers_changed().await;
    }

    /// Waits until changed tool lists of servers have been read, so that the next request contains them.
    pub(crate) async fn await_lists(&mut self) {
        if let Some(relisted) = self.session.tooling.servers().relisted() {
            // If the turn is stopped meanwhile, the caller notices.
            self.wait_for(Some(pin!(relisted))).await;
            self.session.servers_changed().await;
            self.session.remind_of_servers();
        }
    }

    /// Requests a prompt from its server. Assistant messages in it are treated like user messages, because the model
    /// did not write them. None if the turn has to stop.
    pub(crate) async fn ask_for_prompt(
        &mut self,
        prompt: &ServerPrompt,
        words: &str,
    ) -> Option<Result<Vec<Value>, String>> {
        let folder = self.session.options.folders.outputs.clone();
        match self.wait_for(Some(pin!(prompt.get(words, &folder)))).await {
            WaitOutcome::Ready(got) => {
                Some(got.map(|messages| messages.into_iter().flat_map(|(_, blocks)| blocks).collect()))
            }
            WaitOutcome::Stopped | WaitOutcome::CallsDone => None,
        }
    }
}

/// True for tools of servers and for tools that access resources of servers.
fn is_servers(tool: &dyn Tool) -> bool {
    let name = &tool.descriptor().name;
    tool.provenance().is_some() || [resources::LIST, resources::READ, resources::READ_DIRECTORY].contains(&&**name)
}
