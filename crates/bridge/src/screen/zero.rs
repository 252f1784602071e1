//! Commands at level 0, and their answers.

use std::collections::HashMap;

use serde_json::{Value, json};
use sluice_host::wire::stdout::SystemSubtype;
use sluice_store::AskRow;

use super::Connection;
use crate::api::{ClientMessage, Problem, SessionInfo};
use crate::level0;
use crate::session::records::kind;
use crate::session::{Command, Listener};

/// How many recent sessions are listed, when a client does not say.
const RECENT: u32 = 20;
/// How much is read from the store at once.
const CHUNK: usize = 1024 * 1024;
/// How much of the history is sent at once, in bytes of shown records. A single larger turn is divided.
const PAGE: usize = 1024 * 1024;

impl Connection {
    /// Does what a client of level 0 says.
    pub(super) async fn obey_zero(&mut self, message: ClientMessage) {
        let named = session_of(&message);
        let done = self.zero(message).await;
        if let Err(problem) = done {
            self.complain(&problem, named.as_deref(), None);
        }
    }

    async fn zero(&mut self, message: ClientMessage) -> Result<(), Problem> {
        use ClientMessage as M;
        match message {
            M::ListSessions {} => self.send_list(),
            M::ListRecentSessions {
                limit, project_path, ..
            } => self.recent(limit, project_path.as_deref()),
            M::GetHistory { session_id, before } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                self.listen(&id).await?;
                self.send_history(&id, before).await;
            }
            M::GetHistoryDelta { session_id, since_seq } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                self.listen(&id).await?;
                self.send_history_delta(&id, since_seq).await?;
            }
            M::ClientCapabilities {} => {}
            M::Input(input) => {
                let named = input.client_message_id.clone();
                let answer = self.input(input, None).await?;
                let session = answer.get("sessionId").and_then(Value::as_str).unwrap_or_default();
                if let Some(named) = named {
                    let acknowledged = level0::input_ack(session, &named, &answer);
                    self.outbox.answer(0, acknowledged.to_string());
                }
            }
            M::Start(start) => {
                let by = self.person.by.clone();
                let first = start.text.clone().filter(|text| !text.trim().is_empty());
                let images = start.images.clone();
                let resumed = start.session_id.is_some();
                let id = self.hub.start(&start, &by, None).await?;
                self.begun(&id, resumed).await?;
                if first.is_some() || !images.is_empty() {
                    let input = crate::api::Input {
                        text: first.unwrap_or_default(),
                        images,
                        session_id: Some(id),
                        ..crate::api::Input::default()
                    };
                    self.input(input, None).await?;
                }
            }
            M::ResumeSession {
                session_id,
                project_path,
                permission_mode,
            } => {
                let by = self.person.by.clone();
                let id = self
                    .hub
                    .resume(&session_id, project_path.as_deref(), permission_mode, &by)
                    .await?;
                self.begun(&id, true).await?;
            }
            message if super::commands::is_request(&message) => {
                self.ask_agent(message).await?;
            }
            message if super::commands::is_look(&message) => {
                return Err(
                    Problem::new(crate::api::Code::Type, "this is a command of level 1").hint("say hello first")
                );
            }
            message => {
                self.obey(message, None).await?;
            }
        }
        Ok(())
    }

    async fn listen(&mut self, id: &str) -> Result<(), Problem> {
        let handle = self.hub.session(id).await?;
        let listener = Listener {
            key: self.key,
            level: self.level,
            outbox: std::sync::Arc::clone(&self.outbox),
        };
        self.listening.insert(handle.s, id.to_owned());
        self.joined = Some(id.to_owned());
        self.hub
            .ask(id, |reply| Command::Subscribe {
                listener: listener.clone(),
                revision: None,
                turns: 0,
                reply,
            })
            .await
    }

    /// A session was begun or gone on with: what a client is told at once.
    async fn begun(&mut self, id: &str, resumed: bool) -> Result<(), Problem> {
        if let Some(info) = self.hub.shared.list.get(id) {
            self.outbox.answer(0, level0::session_created(&info).to_string());
        }
        self.listen(id).await?;
        let told = self.standing(id).await;
        let (status, init, asks) = told.unwrap_or(("idle".to_owned(), None, Vec::new()));
        self.outbox.answer(0, level0::status(id, &status).to_string());
        if let Some(init) = init.filter(|_| resumed) {
            self.outbox.answer(0, init.to_string());
        }
        for ask in asks {
            self.outbox.answer(0, ask.to_string());
        }
        Ok(())
    }

    /// How a session stands: its status, its announcement, its open asks.
    async fn standing(&self, id: &str) -> Option<(String, Option<Value>, Vec<Value>)> {
        let session = id.to_owned();
        let looked = self
            .hub
            .look(id, move |state, _| {
                let waiting = state.pending_asks().any(level0::shows);
                let status = match (waiting, state.open_turn().is_some()) {
                    (true, _) => "waiting_approval",
                    (false, true) => "running",
                    (false, false) => "idle",
                };
                let init = state
                    .session()
                    .version
                    .is_some()
                    .then(|| level0::init(&session, state.session()));
                let asks = state.pending_asks().filter(|ask| level0::shows(ask));
                let asks = asks.map(|ask| level0::ask(&session, ask, None)).collect();
                (status.to_owned(), init, asks)
            })
            .await;
        looked.ok()
    }

    fn recent(&self, limit: Option<u32>, folder: Option<&str>) {
        let sessions = self.hub.sessions().into_iter();
        let here = sessions.filter(|info| folder.is_none_or(|folder| info.project_path == folder));
        let listed: Vec<SessionInfo> = here.take(limit.unwrap_or(RECENT) as usize).collect();
        self.outbox.answer(0, level0::recent_sessions(&listed).to_string());
    }

    /// Sends a page of the history: the last turns, or those before a record. The last turns are followed by the state.
    pub(super) async fn send_history(&mut self, id: &str, before: Option<i64>) {
        match self.history(id, before).await {
            Ok(history) => self.outbox.answer(0, history.to_string()),
            Err(problem) => {
                self.complain(&problem, Some(id), None);
                return;
            }
        }
        if before.is_some() {
            return;
        }
        if let Some((status, _, asks)) = self.standing(id).await {
            self.outbox.answer(0, level0::status(id, &status).to_string());
            for ask in asks {
                self.outbox.answer(0, ask.to_string());
            }
        }
    }

    /// Sends the messages of the records after `since`, about 1 MiB at once.
    async fn send_history_delta(&self, id: &str, since: i64) -> Result<(), Problem> {
        let store = &self.hub.shared.store;
        let row = self.hub.row(id).await?;
        let mut reading = Reading::new(id, &row.status, store.asks(id).await?);
        let page = store.records_after(id, row.epoch, since, usize::MAX, PAGE).await?;
        let mut messages = Vec::new();
        let mut to = since;
        for record in &page.records {
            to = record.seq.unwrap_or(to);
            let of_record = reading.messages(record.kind, &record.body);
            messages.extend(of_record.into_iter().map(|message| (to, message)));
        }
        let (status, _, asks) = self.standing(id).await.unwrap_or_default();
        let delta = level0::history_delta(id, since, to, &messages, &status, page.more);
        self.outbox.answer(0, delta.to_string());
        for ask in asks {
            self.outbox.answer(0, ask.to_string());
        }
        Ok(())
    }

    /// The bounds of a page, as numbers of records, and the number to ask with for the page before it.
    async fn history_page(&self, id: &str, epoch: i64, before: Option<i64>) -> Result<HistoryPage, Problem> {
        let store = &self.hub.shared.store;
        let before_seq = before.unwrap_or(i64::MAX);
        let page = store.records_before(id, epoch, before_seq, usize::MAX, PAGE).await?;
        let next = match before {
            Some(seq) => store
                .records_after(id, epoch, seq - 1, 1, 1)
                .await?
                .records
                .first()
                .map(|it| it.n),
            None => None,
        };
        let first = page.records.first().filter(|_| page.more);
        Ok(HistoryPage {
            after: first.map_or(0, |record| record.n - 1),
            end: next.unwrap_or(i64::MAX),
            before: first.and_then(|record| record.seq),
        })
    }

    async fn history(&self, id: &str, before: Option<i64>) -> Result<Value, Problem> {
        let store = &self.hub.shared.store;
        let row = self.hub.row(id).await?;
        let bounds = self.history_page(id, row.epoch, before).await?;
        let mut reading = Reading::new(id, &row.status, store.asks(id).await?);
        let mut messages = Vec::new();
        let mut after = bounds.after;
        loop {
            let page = store.all_records(id, row.epoch, after, CHUNK).await?;
            for record in page.records.iter().take_while(|record| record.n < bounds.end) {
                after = record.n;
                messages.extend(reading.messages(record.kind, &record.body));
            }
            if !page.more || page.records.last().is_none_or(|record| record.n >= bounds.end) {
                break;
            }
        }
        let mut history =
            json!({"type": "history", "sessionId": id, "messages": messages, "more": bounds.before.is_some()});
        if let (Some(before), Some(fields)) = (bounds.before, history.as_object_mut()) {
            fields.insert("before".to_owned(), before.into());
        }
        Ok(history)
    }
}

/// The reading of stored records as messages of level 0.
struct Reading<'a> {
    session: &'a str,
    status: &'a str,
    asks: Vec<AskRow>,
    /// Which tool each call is of.
    names: HashMap<String, String>,
    announced: bool,
}

impl<'a> Reading<'a> {
    fn new(session: &'a str, status: &'a str, asks: Vec<AskRow>) -> Self {
        Self {
            session,
            status,
            asks,
            names: HashMap::new(),
            announced: false,
        }
    }

    /// The messages of one record.
    fn messages(&mut self, of: u8, body: &str) -> Vec<Value> {
        if !matches!(of, kind::SAID | kind::OWN) {
            return Vec::new();
        }
        note_names(body, &mut self.names);
        let first_words = body.get(..60).unwrap_or(body);
        if first_words.contains("\"control_request\"") {
            let row = |id: &str| self.asks.iter().find(|ask| ask.request_id == id).cloned();
            return level0::ask_line(self.session, body, row).into_iter().collect();
        }
        if first_words.contains("\"sluice_") {
            return level0::own_line(self.session, body, self.status).into_iter().collect();
        }
        let name = |call: &str| self.names.get(call).cloned();
        let mut messages = level0::line(self.session, body, &name);
        // Agents repeat `init` in every turn; the history has the first one.
        messages.retain(|message| {
            let announces = message.get("subtype").and_then(Value::as_str) == Some(SystemSubtype::Init.as_str());
            !announces || !std::mem::replace(&mut self.announced, true)
        });
        messages
    }
}

/// A page of the history: the records after `after` and before `end`.
struct HistoryPage {
    after: i64,
    end: i64,
    before: Option<i64>,
}

/// Which tool each call is of.
fn note_names(line: &str, names: &mut HashMap<String, String>) {
    if !line.contains("\"tool_use\"") {
        return;
    }
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    for block in value
        .pointer("/message/content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
        if let (Some("tool_use"), Some(id), Some(name)) =
            (block.get("type").and_then(Value::as_str), text("id"), text("name"))
        {
            names.insert(id, name);
        }
    }
}

/// The session a message names.
fn session_of(message: &ClientMessage) -> Option<String> {
    use ClientMessage as M;
    match message {
        M::StopSession { session_id }
        | M::GetHistory { session_id, .. }
        | M::GetHistoryDelta { session_id, .. }
        | M::ResumeSession { session_id, .. } => Some(session_id.clone()),
        M::Input(input) => input.session_id.clone(),
        M::Approve { session_id, .. }
        | M::ApproveAlways { session_id, .. }
        | M::Reject { session_id, .. }
        | M::Answer { session_id, .. } => session_id.clone(),
        _ => None,
    }
}
