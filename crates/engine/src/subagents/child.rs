//! Creates and runs the session of a subagent.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use sluice_catalogue::agents::notebook;
use sluice_catalogue::agents::{AgentDefinition, AgentOrigin};
use sluice_model::cost::Tokens;
use sluice_permission::{Behavior, PermissionMode, Policy, Rule, Source};
use sluice_tools::{Enlisted, TaskStatus};
use sluice_transcript::resume;
use sluice_wire::content::{Block, Content};
use sluice_wire::stdout::{self, UserMessage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::call::Order;
use super::equip;
use super::output::{Journal, SubagentOutput};
use super::report::SubagentOutcome;
use super::{inspect, revive};
use crate::agents::Brief;
use crate::agents::relay::Relay;
use crate::agents::{Agents, SubagentIdentity, Summaries, names, shared};
use crate::commands::SKILL;
use crate::hooks::Hooks;
use crate::messages;
use crate::options::SystemPrompt;
use crate::options::{Asker, Options, StateEvents};
use crate::port::{INPUT_DEPTH, Input};
use crate::prompt;
use crate::queue::{Priority, Prompt};
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// Replacement for an empty prompt.
const NO_CONTENT: &str = "(no content)";

/// What starts a turn of a subagent.
pub(crate) enum SubagentTurn<'a> {
    /// Its task. The registered task is notified when the prompt was sent, if given.
    Task(&'a str, Option<&'a Enlisted>),
    /// A further message.
    Message(&'a Prompt),
}

/// A subagent that is about to start.
pub(crate) struct Child {
    pub(crate) session: SessionLoop,
    pub(crate) inbox: mpsc::Sender<Vec<Input>>,
    pub(crate) relay: Arc<Relay>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) quit: CancellationToken,
    /// The transcript file.
    pub(crate) transcript: Option<PathBuf>,
}

/// Creates the session of a subagent.
pub(crate) fn make(brief: &Brief, order: &Order, relay: Arc<Relay>, output_file: PathBuf, cwd: &Path) -> Child {
    let id = relay.label.id.clone();
    let (inbox, inbox_receiver) = mpsc::channel(INPUT_DEPTH);
    let journal = Arc::new(Journal::new(output_file));
    let quit = brief.line.quit.child_token();
    let out = brief.line.out.of_agent(Arc::new(SubagentOutput {
        relay: relay.clone(),
        shared: brief.family.shared.clone(),
        inbox: inbox.clone(),
        top: brief.line.top.clone(),
        journal: journal.clone(),
    }));
    let options = options(brief, order, &id, cwd);
    let transcript = options.session.keeping.file.clone();
    let policy = policy(brief, order, &options);
    let own_mode = policy.mode != brief.policy.mode;
    let mut session = Session::new(options, brief.client.clone(), out, quit.clone());
    session.model.name.clone_from(&order.model);
    session.policy = Arc::new(policy);
    session.account.share(brief.ledger.clone());
    let own = session.tooling.share(&brief.tools);
    session.commands.replace_catalogue(brief.catalogue.clone(), None);
    session.background = brief.background.of_agent();
    if brief.line.eof {
        session.line.end_input();
    }
    session.conversation.set_knows_memory(order.kind.omit_memory);
    session.conversation.transcript.of_agent(&id);
    let wants = &brief.options.agents;
    let summaries = wants.summaries && !wants.no_summaries && !relay.is_silent();
    let identity = SubagentIdentity {
        id,
        depth: brief.family.depth + 1,
        own_mode,
        refused: false,
    };
    session.agents = Agents::of_subagent(&brief.family, brief.line.top.clone(), identity);
    session.agents.equip(
        equip::equipment(order, own),
        order.kind.limits.may_start.clone(),
        summaries.then(|| Summaries::new(relay.clone())),
    );
    session.offer_kinds(brief.family.roster.clone());
    if brief.tools.available.iter().any(|name| name == SKILL) {
        session.offer_skills();
    }
    session.hooks = Hooks::of_agent(&brief.hooks, &relay.label.id, &order.kind.name);
    let fork_trusted = order.fork.as_ref().is_some_and(|fork| fork.trusted);
    if let Some((origin, hooks)) = order.fork.as_ref().and_then(|fork| fork.hooks.as_ref()) {
        session.add_hooks(origin, hooks, fork_trusted);
    }
    if let Some(hooks) = &order.kind.brings.hooks {
        session.add_hooks(
            &sluice_hooks::Origin::Agent {
                name: order.kind.name.clone(),
            },
            hooks,
            order.trusts_hooks(&brief.options.settings),
        );
    }
    Child {
        session: SessionLoop::new(session, inbox_receiver),
        inbox,
        relay,
        journal,
        quit,
        transcript,
    }
}

fn options(brief: &Brief, order: &Order, id: &str, cwd: &Path) -> Options {
    let kind = &order.kind;
    let mut options = brief.options.clone();
    options.cwd = cwd.to_owned();
    options.session.earlier = None;
    options.session.keeping.title = None;
    options.session.keeping.file = revive::folder(brief).map(|folder| revive::file(&folder, id));
    // A continued subagent appends to its existing transcript.
    let file = options
        .session
        .keeping
        .file
        .as_deref()
        .filter(|_| order.continued.is_some());
    options.session.earlier = file.and_then(resume::of_agent);
    options.model.name = Some(order.model.clone());
    options.model.effort = order.effort.clone().or(options.model.effort);
    options.limits.max_turns = kind.limits.max_turns;
    options.tools.offered = tools(brief, kind);
    options.prompt.words = SystemPrompt {
        replace: Some(words(kind, &options)),
        ..SystemPrompt::default()
    };
    options.conversation.suggestions = false;
    options.conversation.output_schema = None;
    options.host.partial = false;
    options.host.replay = false;
    options.host.state_events = StateEvents::Off;
    options.agents.lead = None;
    if order.fork.as_ref().is_some_and(|fork| fork.typed) {
        // As in the reference CLI, a command that a person typed never sends permission requests.
        options.permissions.asker = Asker::Nobody;
    }
    // The servers of the session are inherited already.
    options.servers.dynamic = equip::servers(order, &brief.options.settings);
    options.servers.strict = true;
    options.servers.wait = true;
    options
}

/// The tools it may use: those that its kind names and the session has.
fn tools(brief: &Brief, kind: &AgentDefinition) -> Option<Vec<String>> {
    let Some(named) = &kind.limits.tools else {
        return brief.options.tools.offered.clone();
    };
    let matches = |pattern: &str, name: &str| {
        let pattern = pattern.split('(').next().unwrap_or(pattern).trim();
        let prefix = pattern.strip_suffix('*').unwrap_or(pattern);
        pattern == name
            || (prefix.len() < pattern.len() && name.starts_with(prefix))
            || (pattern.starts_with("mcp__") && name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with("__")))
            || brief
                .options
                .tools
                .toolbox
                .find(pattern)
                .is_some_and(|tool| tool.descriptor().name == name)
    };
    let servers = equip::patterns(kind);
    let meant = |name: &&String| named.iter().chain(&servers).any(|pattern| matches(pattern, name));
    Some(brief.tools.available.iter().filter(meant).cloned().collect())
}

/// The system prompt of a subagent.
fn words(kind: &AgentDefinition, options: &Options) -> String {
    // Notes belong to the main session, which writes down what it learns from subagents.
    let place = options.place(None);
    let folder = notebook::folder(kind, options.settings.places());
    let parts = [
        Some(kind.prompt.clone()),
        kind.reminder.clone(),
        folder.map(|folder| notebook::words(&folder)),
        Some(prompt::environment(&place)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// The rules of the parent session and its own deny rules. Whatever is denied in the parent session stays denied.
fn policy(brief: &Brief, order: &Order, options: &Options) -> Policy {
    let mut policy = Policy::clone(&brief.policy);
    policy.mode = mode(brief, order);
    let deepest = (brief.family.depth + 1 >= shared::MAX_DEPTH).then_some(names::AGENT);
    // A subagent does not talk to people and must not change the mode.
    let tools = brief.options.tools.toolbox.iter().map(|tool| tool.descriptor());
    let for_people = tools.filter(|tool| tool.needs_person).map(|tool| &*tool.name);
    let own = equip::denied(&order.kind, &brief.options.tools.toolbox);
    let denied = for_people.chain(deepest).chain(own.iter().map(String::as_str));
    for text in denied {
        policy
            .rules
            .extend(Rule::parse(Behavior::Deny, Source::CliArg, &options.cwd, text).ok());
    }
    policy
        .rules
        .extend(order.fork.iter().flat_map(|fork| fork.rules.clone()));
    if let Some(root) = policy.roots.first_mut() {
        options.cwd.clone_into(root);
    }
    if let Some(folder) = notebook::folder(&order.kind, options.settings.places()) {
        policy.readable.push(folder);
    }
    crate::policy::apply_managed_limits(&mut policy, options);
    policy
}

/// Its permission mode, from its call, its kind and the session.
fn mode(brief: &Brief, order: &Order) -> PermissionMode {
    let settings = &brief.options.settings;
    let kind = &order.kind;
    if kind.origin == AgentOrigin::BuiltIn && kind.name == inspect::KIND {
        // It has no host that could answer permission requests.
        return PermissionMode::DontAsk;
    }
    // A definition cannot select a mode that the launch options or managed settings exclude.
    let chosen = kind.limits.mode.as_ref().filter(|mode| match mode {
        PermissionMode::BypassPermissions => brief.policy.bypass_launched,
        PermissionMode::Auto => !settings.auto_disabled(),
        _ => true,
    });
    let trusted = kind.origin != AgentOrigin::Project || settings.trusted();
    subagent_mode(&brief.policy.mode, order.mode.as_ref(), chosen, trusted)
}

/// The mode of a subagent. Permissive modes of the session are inherited; otherwise its kind may choose. Until the
/// folder is trusted, a kind of the project may only choose a mode that is not more permissive.
fn subagent_mode(
    above: &PermissionMode,
    ordered: Option<&PermissionMode>,
    chosen: Option<&PermissionMode>,
    trusted: bool,
) -> PermissionMode {
    use PermissionMode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Plan};
    // Plan mode forbids changes, including those that rules allow.
    if *above == Plan {
        return Plan;
    }
    if let Some(ordered) = ordered {
        return ordered.clone();
    }
    let settled = matches!(above, BypassPermissions | AcceptEdits | Auto | DontAsk);
    match chosen {
        Some(mode @ (Plan | DontAsk)) => mode.clone(),
        Some(mode) if !settled && (trusted || *mode == Default) => mode.clone(),
        _ => above.clone(),
    }
}

impl Session {
    fn outcome_of(mut self, ending: &Ending, tokens: &Tokens, began: Instant) -> SubagentOutcome {
        let (status, text) = match ending {
            Ending::Completed | Ending::Recorded | Ending::Structured(_) | Ending::Local { .. } => {
                (TaskStatus::Completed, self.turn.text.clone())
            }
            Ending::MaxTurns(_) => (TaskStatus::Completed, self.turn.text.clone()),
            Ending::Interrupted { .. } | Ending::Superseded { .. } => (TaskStatus::Killed, self.turn.text.clone()),
            Ending::Budget(limit) => (
                TaskStatus::Failed,
                format!("Agent terminated early: the session has reached its budget of ${limit}"),
            ),
            Ending::HookStopped(_) | Ending::Deferred(_) | Ending::DeferredUnavailable(_) => {
                (TaskStatus::Completed, self.turn.text.clone())
            }
            Ending::Blocked(why) => (TaskStatus::Failed, why.clone()),
            Ending::Unstructured { last, .. } => (TaskStatus::Failed, last.clone()),
            Ending::Api(api) => (
                TaskStatus::Failed,
                format!("Agent terminated early due to an API error: {}", api.text),
            ),
        };
        let last = self.account.last_usage().map(Tokens::read).unwrap_or_default();
        self.account.forget_usage();
        let note = match ending {
            Ending::MaxTurns(limit) => Some(format!(
                "NOTE: this subagent stopped at its limit of {limit} requests, and may not have been done."
            )),
            _ => None,
        };
        SubagentOutcome {
            note,
            refused: self.agents.is_refused(),
            model: self.model.name.clone(),
            usage: tokens.to_usage(),
            tokens: last.prompt() + last.output,
            api_ms: self.account.api_ms(),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            denials: std::mem::take(&mut self.turn.denials),
            history: std::mem::take(&mut self.conversation.history),
            ..SubagentOutcome::none(status, &text)
        }
    }
}

impl SessionLoop {
    /// Runs the subagent to its end. Returns the outcome.
    pub(crate) async fn run_subagent(mut self, order: &Order, shown: Option<&Enlisted>) -> SubagentOutcome {
        let began = Instant::now();
        if let Some(continued) = &order.continued {
            if continued.history.is_empty() {
                self.session.restore_session().await;
                self.session.await_history().await;
            } else {
                self.session.conversation.history = continued.history.clone();
                self.session.conversation.set_knows_memory(true);
            }
        }
        self.connect_servers().await;
        let mut tokens = Tokens::default();
        self.hook_subagent_start().await;
        let mut ending = self.play_subagent_turn(SubagentTurn::Task(&order.prompt, shown)).await;
        loop {
            tokens = tokens.plus(&self.session.turn.tokens);
            if self.session.turn.stop().is_some()
                || self.session.line.leaving().is_some()
                || !matches!(ending, Ending::Completed)
            {
                break;
            }
            if let Some(batch) = self.session.queue.next() {
                for prompt in batch.prompts {
                    ending = self.play_subagent_turn(SubagentTurn::Message(&prompt)).await;
                }
            } else if let Some(note) = self.session.background.pop_note() {
                ending = self.play_subagent_turn(SubagentTurn::Task(&note.text, None)).await;
            } else if !self.unread.is_empty() {
                self.drain().await;
            } else if self.session.awaits_background() {
                self.wait_idle().await;
            } else {
                break;
            }
        }
        // Background commands that only this subagent knows are useless after its end.
        for task in self.session.background.own() {
            self.session.tooling.tasks().kill(&task.id).await;
        }
        self.session.drain_events().await;
        self.session.disconnect_own_servers().await;
        self.session.outcome_of(&ending, &tokens, began)
    }

    pub(crate) async fn run_task(&mut self, text: &str, shown: Option<&Enlisted>) -> Ending {
        // The API rejects empty texts.
        let text = if text.trim().is_empty() { NO_CONTENT } else { text };
        let prompt = Prompt {
            uuid: None,
            id: messages::fresh_id(),
            content: json!([{"type": "text", "text": text}]),
            priority: Priority::Next,
            synthetic: false,
            should_query: true,
            alone: false,
            verbatim: false,
            resumes: false,
            origin: None,
            timestamp: messages::now(),
        };
        self.keep_prompt(&prompt).await;
        if let Some(task) = shown {
            self.session
                .emit(stdout::User {
                    message: UserMessage::new(Content::Blocks(vec![Block::text(text)])),
                    uuid: Some(prompt.id.clone()),
                    timestamp: Some(prompt.timestamp.clone()),
                    ..stdout::User::default()
                })
                .await;
            task.spoke();
        }
        self.session.remind();
        self.session.conversation.history.user_text(text);
        self.preload_skills().await;
        self.run_turn(true).await
    }

    /// Runs a turn for a further message.
    pub(crate) async fn run_message(&mut self, prompt: &Prompt) -> Ending {
        self.keep_prompt(prompt).await;
        self.session
            .conversation
            .history
            .user(crate::queue::blocks_of(&messages::sanitized(&prompt.content)));
        self.run_turn(true).await
    }
}

/// The metadata stored with the transcript of a subagent.
pub(crate) fn meta(brief: &Brief, order: &Order, call_id: &str) -> Value {
    let mut meta = json!({
        "agentType": order.kind.name,
        "isBuiltIn": order.kind.origin == AgentOrigin::BuiltIn,
        "description": order.description,
        "toolUseId": call_id,
        "spawnDepth": brief.family.depth + 1,
    });
    if let Some(meta) = meta.as_object_mut() {
        meta.extend(
            brief
                .family
                .parent
                .as_ref()
                .map(|parent| ("parentAgentId".to_owned(), json!(parent))),
        );
        meta.extend(order.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
        meta.extend(order.mode.as_ref().map(|mode| ("mode".to_owned(), json!(mode))));
    }
    meta
}

#[cfg(test)]
mod tests {
    use super::*;

    use PermissionMode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Plan};

    #[test]
    fn subagents_inherit_plan_mode() {
        for chosen in [Default, AcceptEdits, Auto, DontAsk, BypassPermissions] {
            assert_eq!(subagent_mode(&Plan, None, Some(&chosen), true), Plan, "{chosen:?}");
            assert_eq!(subagent_mode(&Plan, Some(&chosen), None, true), Plan, "{chosen:?}");
        }
    }

    #[test]
    fn kind_may_choose_mode_only_within_limits() {
        for (above, chosen, trusted, mode) in [
            (Default, AcceptEdits, true, AcceptEdits),
            (Default, AcceptEdits, false, Default),
            (Default, BypassPermissions, false, Default),
            (AcceptEdits, Default, true, AcceptEdits),
            (AcceptEdits, Plan, false, Plan),
            (BypassPermissions, DontAsk, true, DontAsk),
            (DontAsk, BypassPermissions, true, DontAsk),
        ] {
            assert_eq!(
                subagent_mode(&above, None, Some(&chosen), trusted),
                mode,
                "{above:?} {chosen:?}"
            );
        }
        assert_eq!(subagent_mode(&BypassPermissions, Some(&Plan), None, true), Plan);
    }
}
