//! What servers mean to the session's turns.

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
use crate::session_loop::Heard;
use crate::session_loop::SessionLoop;

/// The tool by which others are found.
const SEARCH: &str = "ToolSearch";

impl Session {
    /// Something about a server changed: its tools come and go with it.
    pub(crate) async fn servers_changed(&mut self) {
        let referee = match &self.options.permissions.asker {
            Asker::Tool(name) => Some(name.clone()),
            _ => None,
        };
        // Who decides about calls is not called by the model.
        let tools = self.tooling.servers().tools().into_iter();
        let tools = tools.filter(|tool| Some(tool.descriptor().name.as_ref()) != referee.as_deref());
        self.tooling.replace_extras(is_servers, tools);
        if self.tooling.servers_mut().has_changed() && self.line.is_initialized() {
            self.tell_commands().await;
        }
    }

    /// Takes in the servers of the plugins that were found.
    pub(crate) fn take_plugin_servers(&mut self) {
        let settings = &self.options.settings;
        let named = if self.tooling.servers().strict() {
            Vec::new()
        } else {
            let servers = plugins::servers(&self.commands.catalogue().plugins.list, settings);
            scopes::permitted_from(settings, Scope::Plugin, servers)
        };
        self.tooling.servers_mut().set_plugin_servers(named);
    }

    /// Which servers would come and go with the plugins as they are now; none if none would.
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

    /// Whether the model is not shown this tool until it looks for it.
    pub(crate) fn defers(&self, tool: &AnyTool) -> bool {
        let descriptor = tool.descriptor();
        tool.deferred()
            && !self.tooling.is_loaded(&descriptor.name)
            && self.offered().any(|tool| tool.descriptor().name == SEARCH)
    }

    /// Returns a tool as the model is shown it. The description of the tool that loads others names the built-in ones: they
    /// are the same in every request, whether they are loaded or not.
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

    /// What the model has to know of servers, said where it changes.
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

    /// A call failed, perhaps because the model had to guess at the tool's input: it is shown what was hidden.
    pub(crate) fn taught(&self, index: usize, mut outcome: Outcome) -> Outcome {
        if !outcome.effects.contains(&Effect::TeachSchema) {
            return outcome;
        }
        let tool = self.calls.get(index).and_then(|call| call.tool.as_ref());
        if let (Some(tool), Some(said)) = (tool.filter(|tool| self.defers(tool)), outcome.content.as_str()) {
            outcome.content = Value::from(format!(
                "{said}\n\nThis tool's input schema was not shown to you before the call. It is:\n{}",
                tool.descriptor().schema
            ));
        }
        outcome
    }

    /// Asks the server's tool that stands in the person's place, or says why it cannot be asked.
    pub(crate) fn ask_referee(&mut self, index: usize, request_id: &str, name: &str) -> Result<(), String> {
        let Some(call) = self.calls.get(index) else {
            return Ok(());
        };
        let about = About {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.checked.clone(),
        };
        let there = |full: &String| {
            self.tooling
                .servers()
                .tools()
                .iter()
                .any(|tool| tool.descriptor().name == full.as_str())
        };
        let full = name.to_owned();
        let Some((link, tool)) = self.tooling.servers().own_name(name).filter(|_| there(&full)) else {
            let known = self.tooling.servers().tools();
            let known: Vec<&str> = known.iter().map(|tool| tool.descriptor().name.as_ref()).collect();
            return Err(format!(
                "MCP tool {name} (passed via --permission-prompt-tool) not found. Available MCP tools: {}",
                known.join(", ")
            ));
        };
        let request_id = request_id.to_owned();
        let verdict = referee::ask(link, tool, full, about);
        self.calls.judge(request_id, verdict);
        Ok(())
    }

    /// The server's tool has said whether a call may run. What it says about a call that is over is of no interest.
    pub(crate) async fn judged(&mut self, request_id: &str, verdict: Result<Value, String>) {
        if let Some(index) = self.calls.asking(request_id) {
            self.answered(index, verdict).await;
        }
    }

    /// Whether a prompt may be a command of a server that is, or soon will be, there.
    pub(crate) fn may_be_served(&self, slash: &Slash) -> bool {
        self.tooling.servers().of_tool(&slash.name).is_some()
    }

    /// The server's prompt a command means, and the words behind it. A prompt's name may hold spaces: the longest that
    /// fits is meant.
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

    /// Servers' prompts, as the commands hosts can offer.
    pub(crate) fn server_commands(&self) -> Vec<SlashCommand> {
        let told = |prompt: ServerPrompt| SlashCommand {
            argument_hint: Some(prompt.hint()),
            name: prompt.name,
            description: prompt.description,
            ..SlashCommand::default()
        };
        self.tooling.servers().prompts().into_iter().map(told).collect()
    }

    /// What hosts are shown beside a call of a server's tool.
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
    /// Waits until it is known how the servers stand, and hears what else there is meanwhile. Where everybody is
    /// settled this takes no time at all.
    pub(crate) async fn await_servers(&mut self) {
        self.session.tooling.servers().greet().await;
        if let Some(settled) = self.session.tooling.servers().settled() {
            // Whoever stops the turn meanwhile stops it: what follows sees that by itself.
            self.wait_for(Some(pin!(settled))).await;
        }
        self.session.tooling.servers_mut().skip_unresponsive();
        self.session.servers_changed().await;
    }

    /// Waits until lists that servers announced as changed are read, so that the next request has what they contain.
    pub(crate) async fn await_lists(&mut self) {
        if let Some(relisted) = self.session.tooling.servers().relisted() {
            // If the turn is stopped meanwhile, the caller notices.
            self.wait_for(Some(pin!(relisted))).await;
            self.session.servers_changed().await;
            self.session.remind_of_servers();
        }
    }

    /// A server's prompt, as the server words it. What it has an assistant say is put with the rest: it is the server's
    /// wording, not the model's. None if the turn has to stop.
    pub(crate) async fn ask_for_prompt(
        &mut self,
        prompt: &ServerPrompt,
        words: &str,
    ) -> Option<Result<Vec<Value>, String>> {
        let folder = self.session.options.folders.outputs.clone();
        match self.wait_for(Some(pin!(prompt.get(words, &folder)))).await {
            Heard::Ready(got) => {
                Some(got.map(|messages| messages.into_iter().flat_map(|(_, blocks)| blocks).collect()))
            }
            Heard::Stopped | Heard::CallsDone => None,
        }
    }
}

/// Whether a tool is a server's, or about servers.
fn is_servers(tool: &dyn Tool) -> bool {
    let name = &tool.descriptor().name;
    tool.provenance().is_some() || [resources::LIST, resources::READ, resources::READ_DIRECTORY].contains(&&**name)
}
