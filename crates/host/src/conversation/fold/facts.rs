//! The facts of the session: `init`, status, usage and cost.

use serde::Deserialize;
use sluice_wire::Frame;
use sluice_wire::control::Subtype;
use sluice_wire::mode::PermissionMode;
use sluice_wire::stdout::system::{Activity, SessionState};

use super::Fold;
use crate::conversation::read::{self, Later, List, ModelUsage, Note, Num, Obj, Response, System, TurnResult, Word};
use crate::conversation::{Change, Command, EntryKind, Evidence, LoadedPlugin, Model, Pending, Server, Tokens};
use crate::items::{NoticeKind, NoticeLevel};

/// `init`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Init<'a> {
    #[serde(borrow)]
    uuid: Word<'a>,
    #[serde(borrow)]
    session_id: Word<'a>,
    #[serde(borrow)]
    cwd: Word<'a>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow, rename = "permissionMode")]
    mode: Word<'a>,
    #[serde(borrow)]
    claude_code_version: Word<'a>,
    #[serde(borrow)]
    output_style: Word<'a>,
    #[serde(borrow)]
    tools: List<Word<'a>>,
    #[serde(borrow)]
    agents: List<Word<'a>>,
    #[serde(borrow)]
    skills: List<Word<'a>>,
    #[serde(borrow)]
    plugins: List<Obj<Named<'a>>>,
    #[serde(borrow)]
    capabilities: List<Word<'a>>,
    #[serde(borrow)]
    slash_commands: List<Word<'a>>,
    #[serde(borrow)]
    mcp_servers: List<Obj<Named<'a>>>,
    #[serde(borrow)]
    user_message_uuids: Later<'a>,
}

/// Anything with a name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow)]
    path: Word<'a>,
    #[serde(borrow)]
    description: Word<'a>,
    #[serde(borrow, rename = "argumentHint")]
    hint: Word<'a>,
    #[serde(borrow)]
    value: Word<'a>,
    #[serde(borrow, rename = "displayName")]
    display_name: Word<'a>,
}

/// What requests of this side are answered with; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Learned<'a> {
    #[serde(borrow)]
    mode: Word<'a>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow)]
    current_permission_mode: Word<'a>,
    #[serde(borrow)]
    claude_code_version: Word<'a>,
    #[serde(borrow)]
    output_style: Word<'a>,
    #[serde(borrow)]
    commands: List<Obj<Named<'a>>>,
    #[serde(borrow)]
    agents: List<Obj<Named<'a>>>,
    #[serde(borrow)]
    models: List<Obj<Named<'a>>>,
    #[serde(borrow)]
    capabilities: List<Word<'a>>,
    #[serde(borrow, rename = "mcpServers")]
    servers: List<Obj<Named<'a>>>,
    #[serde(rename = "totalTokens")]
    total_tokens: Num,
    #[serde(rename = "rawMaxTokens")]
    max_tokens: Num,
    #[serde(borrow)]
    cancelled: Later<'a>,
}

impl Fold<'_> {
    /// `commands_changed`: the slash commands there are now.
    pub(super) fn commands_changed(&mut self, list: Later<'_>) {
        let list = read::later::<List<Obj<Named<'_>>>>(list).unwrap_or_default();
        self.state.session.commands = commands(&list);
        self.change(Change::Session);
    }

    /// `init`: before every turn, with everything that holds from now on.
    pub(super) fn init(&mut self, init: &Init<'_>) {
        if !self.is_new(init.uuid.get()) {
            return;
        }
        self.session_id(init.session_id.get());
        self.folder(init.cwd.get());
        let mut session = std::mem::take(&mut self.state.session);
        set(&mut session.cwd, &init.cwd);
        set(&mut session.model, &init.model);
        set(&mut session.version, &init.claude_code_version);
        set(&mut session.style, &init.output_style);
        if let Some(mode) = init.mode.get() {
            session.mode = Some(PermissionMode::from(mode));
        }
        replace(&mut session.tools, &init.tools);
        replace(&mut session.agents, &init.agents);
        replace(&mut session.skills, &init.skills);
        replace(&mut session.capabilities, &init.capabilities);
        session.plugins = plugins(&init.plugins);
        let names = init.slash_commands.0.iter().filter_map(Word::get);
        // The names alone say nothing new when the commands are known with their descriptions.
        if !names.clone().eq(session.commands.iter().map(|it| &*it.name)) {
            let known = std::mem::take(&mut session.commands);
            session.commands = names.map(|name| known_command(&known, name)).collect();
        }
        session.servers = servers(&init.mcp_servers);
        self.state.tells |= init
            .capabilities
            .0
            .iter()
            .any(|it| it.get() == Some("msg_lifecycle_v1"));
        self.state.session = session;
        self.change(Change::Session);
        self.announced(init.user_message_uuids);
    }

    /// The conversation goes on under this id.
    pub(super) fn session_id(&mut self, id: Option<&str>) {
        if let Some(id) = id.filter(|it| !it.is_empty() && self.state.session.id() != Some(it)) {
            self.state.session.ids.push(id.into());
            self.change(Change::Session);
        }
    }

    /// `conversation_reset`: afresh, under another id.
    pub(super) fn reset(&mut self, frame: &Frame, note: &Note<'_>) {
        if !self.is_new(note.uuid.get()) {
            return;
        }
        self.session_id(note.new_conversation_id.get());
        self.state.todos.clear();
        self.state.context.tokens = 0;
        self.entry(frame, EntryKind::System, None);
        self.notice(NoticeKind::Cleared, NoticeLevel::Info, "");
        self.change(Change::Todos);
        self.change(Change::Context);
    }

    pub(super) fn status(&mut self, status: &System<'_>) {
        if let Some(mode) = status.mode.get() {
            self.state.session.mode = Some(PermissionMode::from(mode));
            self.change(Change::Session);
        }
        match status.status.get().map(Activity::from) {
            Some(Activity::Requesting) => {
                self.open(Evidence::Requesting);
                self.evidence(Evidence::Requesting);
            }
            Some(Activity::Compacting) => {
                self.open(Evidence::Compacting);
                self.evidence(Evidence::Compacting);
                self.compacting(true, None);
            }
            _ => {
                let compacting = self.state.index.open.and_then(|at| self.state.turns.get(at));
                if compacting.is_some_and(|it| it.evidence == Evidence::Compacting) {
                    self.evidence(Evidence::Requesting);
                }
                self.compacting(false, status.compact_error.get());
                self.sign();
            }
        }
        self.name(status.user_message_uuids);
    }

    /// A hint: nothing is closed or opened by it alone.
    pub(super) fn session_state(&mut self, it: &System<'_>) {
        match it.state.get().map(SessionState::from) {
            Some(SessionState::Idle) => self.evidence(Evidence::SaidIdle),
            _ => self.sign(),
        }
    }

    /// What an answer to a request of this side teaches.
    pub(super) fn learn(&mut self, pending: &Pending, response: &Response<'_>) {
        let Some(learned) = read::later::<Obj<Learned<'_>>>(response.response) else {
            // Old agents answer some requests without a word.
            return self.take_effect(pending, &Learned::default());
        };
        self.take_effect(pending, &learned.0.unwrap_or_default());
    }

    fn take_effect(&mut self, pending: &Pending, learned: &Learned<'_>) {
        let session = &mut self.state.session;
        match &pending.subtype {
            Subtype::SetPermissionMode => {
                let mode = learned.mode.get().or(pending.about.as_deref());
                session.mode = mode.map(PermissionMode::from).or(session.mode.take());
            }
            Subtype::SetModel => {
                let model = learned.model.boxed().or_else(|| pending.about.clone());
                session.model = model.or(session.model.take());
            }
            Subtype::ReloadPlugins if !learned.commands.0.is_empty() => session.commands = commands(&learned.commands),
            Subtype::Initialize => {
                if let Some(mode) = learned.current_permission_mode.get() {
                    session.mode = Some(PermissionMode::from(mode));
                }
                set(&mut session.version, &learned.claude_code_version);
                set(&mut session.style, &learned.output_style);
                // One that says so much of itself is none that says only how turns end.
                self.state.announces |= !learned.commands.0.is_empty();
                session.commands = commands(&learned.commands);
                let agents = learned.agents.0.iter().filter_map(|it| it.0.as_ref()?.name.boxed());
                session.agents = agents.collect();
                let models = learned.models.0.iter().filter_map(|it| {
                    let it = it.0.as_ref()?;
                    Some(Model {
                        value: it.value.boxed()?,
                        name: it.display_name.text().into(),
                    })
                });
                session.models = models.collect();
                replace(&mut session.capabilities, &learned.capabilities);
            }
            Subtype::McpStatus => session.servers = servers(&learned.servers),
            Subtype::GetContextUsage => {
                self.state.context.tokens = learned.total_tokens.count();
                self.state.context.window = learned.max_tokens.0.map(|_| learned.max_tokens.count());
                self.change(Change::Context);
                return;
            }
            Subtype::CancelAsyncMessage => {
                let cancelled = read::later::<read::Flag>(learned.cancelled).is_some_and(|it| it.0);
                let prompt = pending.about.as_deref().and_then(|it| self.state.find_prompt(it));
                if let Some(at) = prompt.filter(|_| cancelled) {
                    self.gone(at);
                }
                return;
            }
            Subtype::Interrupt => {
                let cancelled = read::later::<List<Word<'_>>>(learned.cancelled).unwrap_or_default();
                for uuid in cancelled.0.iter().filter_map(Word::get) {
                    if let Some(at) = self.state.find_prompt(uuid) {
                        self.gone(at);
                    }
                }
                return;
            }
            _ => return,
        }
        self.change(Change::Session);
    }

    /// What the turn cost: agents name totals, and which ones differs.
    pub(super) fn spent(&mut self, result: &TurnResult<'_>) -> Option<f64> {
        if let Some(usage) = read::later::<Obj<std::collections::HashMap<&str, ModelUsage>>>(result.model_usage) {
            let model = self.state.session.model.as_deref();
            let window = usage.0.as_ref().and_then(|it| {
                let own = model.and_then(|model| it.get(model));
                own.or_else(|| it.values().max_by_key(|it| it.window.count()))?.window.0
            });
            if window.is_some() {
                self.state.context.window = Some(Num(window).count());
            }
        }
        let total = result.total_cost_usd.0?;
        // An agent that resumes a session also counts what was spent before; what it has spent since, it says apart.
        let since =
            read::later::<Obj<std::collections::HashMap<&str, ModelUsage>>>(result.model_usage_since_last_result);
        let since = since.and_then(|usage| usage.0).filter(|models| !models.is_empty());
        let since = since.map(|models| {
            let costs = models.values().filter_map(|model| model.cost.0);
            costs.fold(0.0, |sum, cost| sum + cost)
        });
        // New agents go on counting when they resume; they are told by what only they say.
        let counts_on = result.model_usage_since_last_result.is_some();
        let before = if counts_on || self.state.cost_epoch == self.state.epoch {
            self.state.cost.named
        } else {
            0.0
        };
        let cost = since.unwrap_or(if total >= before { total - before } else { total });
        self.state.cost_epoch = self.state.epoch;
        self.state.cost.named = total;
        self.state.cost.total += cost;
        if let Some(tokens) = result.usage.0.map(Tokens::from) {
            let sum = &mut self.state.cost.tokens;
            sum.input += tokens.input;
            sum.cache_read += tokens.cache_read;
            sum.cache_write += tokens.cache_write;
            sum.output += tokens.output;
        }
        self.change(Change::Cost);
        Some(cost)
    }
}

fn set(slot: &mut Option<Box<str>>, word: &Word<'_>) {
    if let Some(word) = word.get().filter(|it| slot.as_deref() != Some(it)) {
        *slot = Some(word.into());
    }
}

/// A list that did not come changes nothing, and one that says the same is not copied.
fn replace(list: &mut Vec<Box<str>>, words: &List<Word<'_>>) {
    let words = words.0.iter().filter_map(Word::get);
    if words.clone().next().is_some() && !words.clone().eq(list.iter().map(|it| &**it)) {
        *list = words.map(Into::into).collect();
    }
}

fn known_command(known: &[Command], name: &str) -> Command {
    let found = known.iter().find(|it| &*it.name == name).cloned();
    found.unwrap_or_else(|| Command {
        name: name.into(),
        description: None,
        hint: None,
    })
}

fn commands(list: &List<Obj<Named<'_>>>) -> Vec<Command> {
    let named = list.0.iter().filter_map(|it| it.0.as_ref());
    named
        .map(|it| Command {
            name: it.name.text().into(),
            description: it.description.boxed(),
            hint: it.hint.boxed(),
        })
        .collect()
}

fn plugins(list: &List<Obj<Named<'_>>>) -> Vec<LoadedPlugin> {
    let named = list.0.iter().filter_map(|it| it.0.as_ref());
    named
        .map(|it| LoadedPlugin {
            name: it.name.text().into(),
            path: it.path.boxed(),
        })
        .collect()
}

fn servers(list: &List<Obj<Named<'_>>>) -> Vec<Server> {
    let named = list.0.iter().filter_map(|it| it.0.as_ref());
    named
        .map(|it| Server {
            name: it.name.text().into(),
            status: it.status.text().into(),
        })
        .collect()
}
