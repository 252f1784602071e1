//! Asks: stored, answered once, and told to every screen.

use serde_json::Value;
use sluice_host::conversation::{Ask, AskAnswer, AskKind, AskState, AskVerdict, What};
use sluice_host::items::Card;
use sluice_host::wire::control::RequestId;
use sluice_host::wire::permission_update::PermissionUpdate;
use sluice_host::wire::{Frame, MessageType};
use sluice_store::{AskRow, Settled, StoreError};

use super::actor::{Actor, millis, now, number};
use super::requests::Done;
use super::response::{suggestion, verdict};
use super::{By, Reply};
use crate::api::{AnswerAsk, AskKind as Kind, Code, Problem};
use crate::session::Own;

/// An answer to an ask: it is being stored, then it is sent.
pub(super) struct Deciding {
    by: By,
    at: i64,
    outcome: &'static str,
    answer: AnswerAsk,
    reply: Option<Reply<()>>,
}

/// What the store says to an answer.
pub(super) struct Decided {
    ask: String,
    settled: Result<Settled, StoreError>,
}

impl Actor {
    /// The agent asks, and nobody has answered.
    pub(super) fn asked(&mut self, at: usize) {
        let Some(ask) = self.state.asks().get(at) else { return };
        if !ask.kind.is_for_a_person() {
            // Hooks and servers inside the host: there are none here.
            let refuse = AskVerdict::Refuse("this host has no such callback".into());
            let answer = AskAnswer::new(ask.id.clone(), refuse);
            self.step(now(), What::Answer(answer));
            return;
        }
        let row = ask_row(&self.id, ask);
        let id = row.request_id.clone();
        if self.ledger.contains_key(&id) {
            return;
        }
        self.ledger.insert(id.clone(), row.clone());
        self.shared.notify_later(&self.id, &id);
        self.tell_zero_ask(at);
        let store = self.shared.store.clone();
        self.jobs.spawn(async move {
            if let Err(error) = store.open_ask(row).await {
                tracing::error!(%error, "an ask could not be written down");
            }
            Done::Nothing
        });
    }

    /// Somebody answers.
    pub(super) fn answer(&mut self, answer: AnswerAsk, by: By, reply: Reply<()>) {
        let found = self.find_ask(&answer.ask);
        let Some(at) = found else {
            let unknown = Problem::new(Code::Ask, format!("there is no ask {}", answer.ask))
                .hint("name the toolUseId or the request id of a permission_request");
            reply.send(Err(unknown)).ok();
            return;
        };
        let Some(ask) = self.state.asks().get(at) else { return };
        let id = ask.id.to_string();
        if let Some(deciding) = self.deciding.get(&id) {
            let problem = Problem::decided(deciding.outcome, Some(deciding.by.name.clone()), deciding.at);
            reply.send(Err(problem)).ok();
            return;
        }
        if !ask.is_pending() {
            reply.send(Err(self.was_decided(ask))).ok();
            return;
        }
        let outcome = match answer.decision.as_str() {
            "allow" | "accept" => "allowed",
            "deny" | "decline" | "cancel" => "denied",
            other => {
                let problem = Problem::new(Code::Field, format!("`{other}` is no decision"))
                    .hint("one of allow, deny, accept, decline, cancel");
                reply.send(Err(problem)).ok();
                return;
            }
        };
        if let Err(problem) = verdict(ask, &answer) {
            reply.send(Err(problem)).ok();
            return;
        }
        let at = now();
        let store = self.shared.store.clone();
        let (session, request) = (self.id.clone(), id.clone());
        let decision = serde_json::to_string(&Kept::of(&answer)).unwrap_or_default();
        let who = by.clone();
        self.deciding.insert(
            id,
            Deciding {
                by,
                at,
                outcome,
                answer,
                reply: Some(reply),
            },
        );
        self.jobs.spawn(async move {
            let settled = store
                .settle_ask(
                    &session,
                    &request,
                    outcome,
                    at,
                    Some(&who.device),
                    Some(&who.name),
                    Some(&decision),
                )
                .await;
            Done::Decided(Box::new(Decided { ask: request, settled }))
        });
    }

    /// The answer is stored: now it is sent.
    pub(super) fn decided(&mut self, decided: Decided) {
        let Some(mut deciding) = self.deciding.remove(&decided.ask) else {
            return;
        };
        let reply = deciding.reply.take();
        let tell = |result: Result<(), Problem>| {
            if let Some(reply) = reply {
                reply.send(result).ok();
            }
        };
        match decided.settled {
            Err(error) => {
                tell(Err(error.into()));
                return;
            }
            Ok(Settled::Already(row)) => {
                let at = row.decided_at.unwrap_or(row.opened_at);
                tell(Err(Problem::decided(&row.state, row.decided_by_name.clone(), at)));
                return;
            }
            Ok(Settled::First) => {}
        }
        if let Some(row) = self.ledger.get_mut(&decided.ask) {
            row.state = deciding.outcome.to_owned();
            row.decided_at = Some(deciding.at);
            row.decided_by = Some(deciding.by.device.clone());
            row.decided_by_name = Some(deciding.by.name.clone());
            row.decision = serde_json::to_string(&Kept::of(&deciding.answer)).ok();
        }
        let Some(at) = self.find_ask(&decided.ask) else {
            tell(Err(Problem::new(Code::Ask, "the ask is gone")));
            return;
        };
        let Some(ask) = self.state.asks().get(at) else { return };
        if !ask.is_pending() {
            let problem = self.was_decided(ask);
            tell(Err(problem));
            return;
        }
        self.give(at, &deciding.answer, &deciding.by.name);
        if deciding.answer.interrupt {
            self.interrupt(false, None);
        }
        tell(Ok(()));
    }

    /// Gives an answer to the machine.
    fn give(&mut self, at: usize, answer: &AnswerAsk, by: &str) {
        let Some(ask) = self.state.asks().get(at) else { return };
        let Ok(verdict) = verdict(ask, answer) else { return };
        let answer = AskAnswer {
            ask: ask.id.clone(),
            verdict,
            by: Some(by.into()),
        };
        self.step(now(), What::Answer(answer));
    }

    /// After a restart: sends answers that were stored and never reached the agent.
    pub(super) fn answer_again(&mut self) {
        let pending: Vec<usize> = (0..self.state.asks().len())
            .filter(|at| self.state.asks().get(*at).is_some_and(Ask::is_pending))
            .collect();
        for at in pending {
            let Some(id) = self.state.asks().get(at).map(|ask| ask.id.to_string()) else {
                continue;
            };
            let Some(row) = self
                .ledger
                .get(&id)
                .filter(|row| row.state != "pending" && !row.written)
            else {
                continue;
            };
            let kept: Option<Kept> = row.decision.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let by = row.decided_by_name.clone().unwrap_or_default();
            if let Some(kept) = kept {
                self.give(at, &kept.answer(id), &by);
            }
        }
    }

    /// An answer is in the runner's log.
    pub(super) fn answer_written(&mut self, frame: &Frame) {
        if frame.message_type() != MessageType::ControlResponse {
            return;
        }
        let id = frame.request_id().to_string();
        if let Some(row) = self.ledger.get_mut(&id) {
            row.written = true;
            let (store, session) = (self.shared.store.clone(), self.id.clone());
            self.jobs.spawn(async move {
                store.mark_ask_written(&session, &id).await.ok();
                Done::Nothing
            });
        }
    }

    /// An ask has its outcome, whoever gave it.
    pub(super) fn settled(&mut self, at: usize) {
        let Some(ask) = self.state.asks().get(at) else { return };
        if !ask.kind.is_for_a_person() {
            return;
        }
        let id = ask.id.to_string();
        let outcome = word(ask.state);
        let turn = ask.turn.map(number);
        let row = self.ledger.get(&id).cloned();
        let kept: Option<Kept> = row
            .as_ref()
            .and_then(|row| row.decision.as_deref())
            .and_then(|text| serde_json::from_str(text).ok());
        let by_person = matches!(ask.state, AskState::Allowed | AskState::Denied);
        let own = Own::Ask {
            ask: id.clone(),
            tool_use_id: ask.call.as_deref().map(str::to_owned),
            kind: kind(ask).as_str().to_owned(),
            tool_name: ask.name.to_string(),
            outcome: outcome.to_owned(),
            by: row
                .as_ref()
                .filter(|_| by_person)
                .and_then(|row| row.decided_by_name.clone()),
            device: row
                .as_ref()
                .filter(|_| by_person)
                .and_then(|row| row.decided_by.clone()),
            message: kept.as_ref().and_then(|kept| kept.message.clone()),
            rules: kept.as_ref().map(|kept| kept.rules(ask)).unwrap_or_default(),
            destination: kept.as_ref().and_then(|kept| kept.destination.clone()),
            answers: kept.as_ref().and_then(|kept| kept.answers.clone()),
            changed: kept.as_ref().is_some_and(|kept| kept.updated_input.is_some()),
        };
        let settled_at = ask.settled.map_or_else(now, millis);
        self.keep_own(settled_at, turn, &own, None);
        if let Some(row) = self.ledger.get_mut(&id)
            && row.state == "pending"
        {
            row.state = outcome.to_owned();
            row.decided_at = Some(settled_at);
        }
        if !by_person {
            let (store, session) = (self.shared.store.clone(), self.id.clone());
            self.jobs.spawn(async move {
                let settled = store
                    .settle_ask(&session, &id, outcome, settled_at, None, None, None)
                    .await;
                if let Err(error) = settled {
                    tracing::error!(%error, "what became of an ask could not be written down");
                }
                Done::Nothing
            });
        }
    }

    /// The ask with this request id, or the newest one about this call.
    fn find_ask(&self, id: &str) -> Option<usize> {
        let asks = self.state.asks();
        let by_id = self.state.find_ask(&RequestId::from(id));
        by_id.or_else(|| asks.iter().rposition(|ask| ask.call.as_deref() == Some(id)))
    }

    fn was_decided(&self, ask: &Ask) -> Problem {
        let row = self.ledger.get(&ask.id.to_string());
        let by = row.and_then(|row| row.decided_by_name.clone());
        Problem::decided(word(ask.state), by, ask.settled.map_or_else(now, millis))
    }
}

/// What is kept of an answer, to be given again and to be shown.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    decision: String,
    updated_input: Option<Value>,
    suggestions: Vec<u32>,
    rule: Option<String>,
    destination: Option<String>,
    mode: Option<String>,
    message: Option<String>,
    interrupt: bool,
    answers: Option<Value>,
    content: Option<Value>,
}

impl Kept {
    fn of(answer: &AnswerAsk) -> Self {
        Self {
            decision: answer.decision.clone(),
            updated_input: answer.updated_input.clone(),
            suggestions: answer.suggestions.clone(),
            rule: answer.rule.clone(),
            destination: answer.destination.clone(),
            mode: answer.mode.clone(),
            message: answer.message.clone(),
            interrupt: answer.interrupt,
            answers: answer.answers.clone(),
            content: answer.content.clone(),
        }
    }

    fn answer(self, ask: String) -> AnswerAsk {
        AnswerAsk {
            ask,
            session_id: None,
            decision: self.decision,
            updated_input: self.updated_input,
            suggestions: self.suggestions,
            rule: self.rule,
            destination: self.destination,
            mode: self.mode,
            message: self.message,
            interrupt: self.interrupt,
            answers: self.answers,
            content: self.content,
        }
    }

    /// The rules it adds, as a settings file writes them.
    fn rules(&self, ask: &Ask) -> Vec<String> {
        let mut rules: Vec<String> = self.rule.iter().cloned().collect();
        let request = request(ask);
        for at in &self.suggestions {
            let suggestion = suggestion(&request, *at);
            for rule in suggestion.iter().flat_map(PermissionUpdate::rules) {
                let tool = &rule.tool_name;
                rules.push(match &rule.rule_content {
                    Some(content) => format!("{tool}({content})"),
                    None => tool.clone(),
                });
            }
        }
        rules
    }
}

/// The request of an ask, as the agent wrote it.
pub(super) fn request(ask: &Ask) -> Value {
    let line = ask.line.as_ref().map(|line| line.as_str()).unwrap_or_default();
    let mut whole: Value = serde_json::from_str(line).unwrap_or_default();
    whole.get_mut("request").map(Value::take).unwrap_or_default()
}

/// What kind of ask it is, for people.
pub(super) fn kind(ask: &Ask) -> Kind {
    match (ask.kind, &*ask.name) {
        (AskKind::Tool, "AskUserQuestion") => Kind::Question,
        (AskKind::Tool, "ExitPlanMode") => Kind::Plan,
        (AskKind::Tool, _) => Kind::Tool,
        (AskKind::Elicitation, _) => Kind::Elicitation,
        (AskKind::Dialog, _) => Kind::Dialog,
        (AskKind::Hook | AskKind::Mcp | AskKind::Other, _) => Kind::Other,
    }
}

/// What the tool call of an ask would do.
pub(super) fn card(ask: &Ask) -> Option<Card> {
    let request = request(ask);
    (ask.kind == AskKind::Tool).then(|| Card::of_input(&ask.name, request.get("input").unwrap_or(&Value::Null)))
}

/// What an ask is about, and whether that is all of it.
pub(super) fn about(ask: &Ask, request: &Value) -> (String, bool) {
    let input = request.get("input").unwrap_or(request);
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let (found, whole) = match kind(ask) {
        Kind::Question => (input.pointer("/questions/0/question").and_then(Value::as_str), false),
        Kind::Plan => (text("plan").and_then(|plan| plan.lines().next()), false),
        Kind::Elicitation => (request.get("message").and_then(Value::as_str), false),
        _ => match &*ask.name {
            "Bash" => (text("command"), true),
            "WebFetch" => (text("url"), true),
            "WebSearch" => (text("query"), true),
            _ => (
                text("file_path")
                    .or_else(|| text("path"))
                    .or_else(|| text("notebook_path")),
                false,
            ),
        },
    };
    let found = found.unwrap_or_default();
    let shown = crate::body::cut(found, 4000);
    // An agent that wants a no by default wants the whole ask to be read.
    let careful = request.get("default_to_no").and_then(Value::as_bool) == Some(true);
    (shown.to_owned(), whole && !careful && shown.len() == found.len())
}

/// An ask in one line, for the audit: the tool and what it is about.
pub(crate) fn in_words(ask: &Ask) -> String {
    let (about, _) = about(ask, &request(ask));
    let about = crate::body::cut(about.lines().next().unwrap_or_default(), 200);
    match about {
        "" => ask.name.to_string(),
        about => format!("{}: {about}", ask.name),
    }
}

pub(super) fn word(state: AskState) -> &'static str {
    match state {
        AskState::Pending => "pending",
        AskState::Allowed => "allowed",
        AskState::Denied => "denied",
        AskState::Cancelled => "cancelled",
        AskState::Superseded => "superseded",
        AskState::Expired => "expired",
    }
}

fn ask_row(session: &str, ask: &Ask) -> AskRow {
    let request = request(ask);
    let input = request.get("input").cloned().unwrap_or_else(|| request.clone());
    AskRow {
        session: session.to_owned(),
        request_id: ask.id.to_string(),
        tool_use_id: ask.call.as_deref().map(str::to_owned),
        kind: kind(ask).as_str().to_owned(),
        tool_name: ask.name.to_string(),
        input: input.to_string(),
        opened_at: millis(ask.at),
        state: "pending".to_owned(),
        ..AskRow::default()
    }
}
