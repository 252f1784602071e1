//! What servers mean to the session's turns.

use std::pin::pin;
use std::sync::Arc;

use serde_json::Value;
use sluice_tools::{AnyTool, Effect, Outcome, Tool};
use sluice_wire::control::SlashCommand;
use sluice_wire::stdout::ToolUseMeta;
use sluice_wire::stdout::system::CommandsChanged;

use super::prompts::ServerPrompt;
use super::referee::{self, About};
use super::{names, resources};
use crate::calls::State;
use crate::listen::Heard;
use crate::options::Asker;
use crate::say;
use crate::session::Session;

/// The tool by which others are found.
const SEARCH: &str = "ToolSearch";

impl Session {
    /// Waits until it is known how the servers stand, and hears what else there is meanwhile. Where everybody is
    /// settled this takes no time at all.
    pub(crate) async fn await_servers(&mut self) {
        self.servers.greet().await;
        if let Some(settled) = self.servers.settled() {
            // Whoever stops the turn meanwhile stops it: what follows sees that by itself.
            self.hear(Some(pin!(settled))).await;
        }
        self.servers_changed().await;
    }

    /// Something about a server changed: its tools come and go with it.
    pub(crate) async fn servers_changed(&mut self) {
        self.extras.retain(|tool| !is_servers(tool));
        let referee = match &self.options.asker {
            Asker::Tool(name) => Some(name.clone()),
            _ => None,
        };
        // Who decides about calls is not called by the model.
        let tools = self.servers.tools().into_iter();
        self.extras
            .extend(tools.filter(|tool| Some(tool.descriptor().name.as_ref()) != referee.as_deref()));
        if self.servers.shifted() && self.initialized {
            self.say(CommandsChanged {
                commands: self.commands(),
                uuid: say::fresh_id(),
                ..CommandsChanged::default()
            })
            .await;
        }
    }

    /// Whether the model is not shown this tool until it looks for it.
    pub(crate) fn defers(&self, tool: &AnyTool) -> bool {
        let descriptor = tool.descriptor();
        tool.deferred()
            && !self.loaded.iter().any(|name| *name == descriptor.name)
            && self.offered().any(|tool| tool.descriptor().name == SEARCH)
    }

    /// What the model has to know of servers, said where it changes.
    pub(crate) fn remind_of_servers(&mut self) {
        if self.servers.all().is_empty() {
            return;
        }
        let unseen: Vec<String> = self
            .offered()
            .filter(|tool| self.defers(tool))
            .map(|tool| tool.descriptor().name.to_string())
            .collect();
        if let Some(reminder) = self.servers.reminder(&unseen) {
            self.history.user_text(&reminder);
        }
    }

    /// A call failed, perhaps because the model had to guess at the tool's input: it is shown what was hidden.
    pub(crate) fn taught(&self, index: usize, mut outcome: Outcome) -> Outcome {
        if !outcome.effects.contains(&Effect::TeachSchema) {
            return outcome;
        }
        let tool = self.calls.list.get(index).and_then(|call| call.tool.as_ref());
        if let (Some(tool), Some(said)) = (tool.filter(|tool| self.defers(tool)), outcome.content.as_str()) {
            outcome.content = Value::from(format!(
                "{said}\n\nThis tool's input schema was not shown to you before the call. It is:\n{}",
                tool.descriptor().schema
            ));
        }
        outcome
    }

    /// Asks the server's tool that stands in the person's place; `false` if it cannot be asked, and the call is over.
    pub(crate) async fn ask_referee(&mut self, index: usize, request_id: &str, name: &str) -> bool {
        let Some(call) = self.calls.list.get(index) else {
            return false;
        };
        let about = About {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.checked.clone(),
        };
        let there = |full: &String| {
            self.servers
                .tools()
                .iter()
                .any(|tool| tool.descriptor().name == full.as_str())
        };
        let full = name.to_owned();
        let Some((link, tool)) = self.servers.own_name(name).filter(|_| there(&full)) else {
            let known = self.servers.tools();
            let known: Vec<&str> = known.iter().map(|tool| tool.descriptor().name.as_ref()).collect();
            let why = format!(
                "MCP tool {name} (passed via --permission-prompt-tool) not found. Available MCP tools: {}",
                known.join(", ")
            );
            self.ask_failed(index, &why).await;
            return false;
        };
        let request_id = request_id.to_owned();
        if let Some(call) = self.calls.list.get_mut(index) {
            call.state = State::Asking(request_id.clone());
        }
        let verdict = referee::ask(link, tool, full, about);
        self.verdicts.spawn(async move { (request_id, verdict.await) });
        true
    }

    /// The server's tool has said whether a call may run. What it says about a call that is over is of no interest.
    pub(crate) async fn judged(&mut self, request_id: &str, verdict: Result<Value, String>) {
        if let Some(index) = self.calls.asking(request_id) {
            self.answered(index, verdict).await;
        }
    }

    /// A prompt that is a server's command, as the server words it; any other as it is. What the server's prompt has
    /// an assistant say is put with the rest: it is the server's wording, not the model's. `Err` when a hook refuses it.
    pub(crate) async fn server_prompt(&mut self, content: Value) -> Result<Value, String> {
        let typed = match &content {
            Value::String(text) => text.as_str(),
            Value::Array(blocks) if blocks.len() == 1 => {
                let text = blocks.first().and_then(|block| block.get("text")?.as_str());
                text.unwrap_or_default()
            }
            _ => return Ok(content),
        };
        let Some(typed) = typed
            .trim()
            .strip_prefix('/')
            .filter(|typed| typed.starts_with("mcp__"))
        else {
            return Ok(content);
        };
        // A prompt's name may hold spaces: the longest that fits is meant.
        let behind = |name: &str| {
            let rest = typed.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
        };
        let mut prompts = self.servers.prompts();
        prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.name.len()));
        let Some((prompt, words)) = prompts.into_iter().find_map(|prompt| {
            let words = behind(&prompt.name)?;
            Some((prompt, words))
        }) else {
            return Ok(content);
        };
        let folder = self.options.output_dir.clone();
        match self.hear(Some(pin!(prompt.get(&words, &folder)))).await {
            Heard::Ready(Ok(messages)) => {
                let worded: Value = messages.into_iter().flat_map(|(_, blocks)| blocks).collect();
                let text = prompt_text(&worded);
                self.hook_expansion(&prompt.name, &words, Some("mcp"), &text).await?;
                Ok(worded)
            }
            Heard::Ready(Err(why)) => {
                self.say(say::informational(&format!("/{}: {why}", prompt.name), "warning"))
                    .await;
                Ok(content)
            }
            Heard::Stopped | Heard::CallsDone => Ok(content),
        }
    }

    /// Servers' prompts, as the commands hosts can offer.
    pub(crate) fn server_commands(&self) -> Vec<SlashCommand> {
        let told = |prompt: ServerPrompt| SlashCommand {
            argument_hint: Some(prompt.hint()),
            name: prompt.name,
            description: prompt.description,
            ..SlashCommand::default()
        };
        self.servers.prompts().into_iter().map(told).collect()
    }

    /// What hosts are shown beside a call of a server's tool.
    pub(crate) fn call_meta(&self, block: &Value) -> Option<Vec<ToolUseMeta>> {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = field("name");
        let (_, tool) = names::split(name)?;
        let call = self.calls.list.iter().rev().find(|call| call.id == field("id"));
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

/// The words of a prompt.
fn prompt_text(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Whether a tool is a server's, or about servers.
fn is_servers(tool: &Arc<dyn Tool>) -> bool {
    let name = &tool.descriptor().name;
    tool.provenance().is_some() || *name == resources::LIST || *name == resources::READ
}
