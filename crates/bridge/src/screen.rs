//! A connected screen: its messages become commands, events of sessions become frames.
//!
//! A client that says `hello` first speaks level 1, any other level 0. Both go through the same commands.

mod agent;
mod answers;
mod commands;
mod looks;
mod notices;
mod once;
mod reading;
mod scopes;
mod stopping;
mod work;
mod zero;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message};
use futures_util::stream::FuturesUnordered;
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde_json::Value;
use tokio::time::Instant;

use crate::api::LineCursor;
use crate::api::{Bye, ClientMessage, Code, Hello, Limits, Problem, Receipt, ServerMessage, VERSION, Welcome};
use crate::body;
use crate::hub::{Hub, Screen};
use crate::level0;
use crate::outbox::{Outbox, Taken};
use crate::session::{By, Command, Level, Listener, TURNS, now};
use reading::read;

/// How often a ping is sent.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(15);
/// A client that says nothing for so long is gone.
const SILENT: Duration = Duration::from_secs(75);
/// How long a client may take to say hello.
const UNASKED: Duration = Duration::from_millis(30);
/// How many questions of one client may be worked on at once.
const AT_ONCE: usize = 32;
/// Bytes of a frame a client may send.
const FRAME: u64 = 24 * 1024 * 1024;

/// Minimum number of bytes sent to a client after which free memory is returned to the system when it disconnects.
const HEAVY_CLIENT: usize = 1024 * 1024;

static KEYS: AtomicU64 = AtomicU64::new(1);

/// Who is at the screen.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) by: By,
    pub(crate) scope: crate::api::Scope,
    pub(crate) kind: String,
    /// Where the client connects from.
    pub(crate) address: String,
}

/// A connection.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) hub: Hub,
    pub(super) person: Person,
    pub(super) key: u64,
    pub(super) outbox: Arc<Outbox>,
    pub(super) level: Level,
    /// The session joined last: for commands that name none.
    pub(super) joined: Option<String>,
    /// What is listened to, by the number it has in frames.
    pub(super) listening: HashMap<u32, String>,
}

/// Serves a client until either side closes.
pub(crate) async fn serve<S>(hub: Hub, socket: S, person: Person)
where
    S: Stream<Item = Message> + Sink<Message> + Unpin + Send,
{
    let key = KEYS.fetch_add(1, Ordering::Relaxed);
    let outbox = Arc::new(Outbox::new());
    let mut connection = Connection {
        hub: hub.clone(),
        person,
        key,
        outbox: Arc::clone(&outbox),
        level: Level::Zero,
        joined: None,
        listening: HashMap::new(),
    };
    connection.join_list();
    let (mut sink, mut stream) = socket.split();
    let mut heard = Instant::now();
    let mut ping = tokio::time::interval_at(heard + PING_EVERY, PING_EVERY);
    let mut first = true;
    // A client of level 0 is shown the list without asking; one that says hello gets it with the welcome.
    let mut unasked = std::pin::pin!(tokio::time::sleep(UNASKED));
    let mut listed = false;
    let mut working = FuturesUnordered::new();
    let mut sent_bytes = 0;
    loop {
        tokio::select! {
            message = stream.next() => {
                let Some(message) = message else { break };
                heard = Instant::now();
                let text = match message {
                    Message::Text(text) => text,
                    Message::Binary(_) => {
                        connection.complain(&Problem::new(Code::Frame, "binary frames are not understood; send JSON as text"), None, None);
                        continue;
                    }
                    Message::Close(_) => break,
                    Message::Ping(_) | Message::Pong(_) => continue,
                };
                if first && !listed && !is_hello(&text) {
                    connection.greet_zero();
                }
                listed = true;
                if let Some(work) = connection.hear(&text, std::mem::take(&mut first)).await {
                    if working.len() >= AT_ONCE {
                        working.next().await;
                    }
                    working.push(work);
                }
            }
            () = &mut unasked, if !listed => {
                listed = true;
                connection.greet_zero();
            }
            Some(()) = working.next(), if !working.is_empty() => {}
            taken = outbox.take() => {
                sent_bytes += taken.frames.iter().map(|frame| frame.len()).sum::<usize>();
                let closed = taken.closed.clone();
                let lagging = taken.lagging.clone();
                if send(&mut sink, taken).await.is_err() || closed.is_some() {
                    break;
                }
                for s in lagging {
                    connection.begin_anew(s).await;
                }
            }
            _ = ping.tick() => {
                if heard.elapsed() > SILENT {
                    break;
                }
                let sent = match connection.level {
                    Level::One | Level::Lines => {
                        connection.say(&ServerMessage::Ping { at: now() });
                        Ok(())
                    }
                    Level::Zero => sink.send(Message::Ping(bytes::Bytes::new())).await,
                };
                if sent.is_err() {
                    break;
                }
            }
        }
    }
    connection.leave().await;
    drop((working, connection, sink, stream));
    if sent_bytes >= HEAVY_CLIENT {
        tokio::task::spawn_blocking(crate::look::memory::release_free);
    }
}

/// Whether the first message is that of a client of level 1.
fn is_hello(text: &str) -> bool {
    body::cut(text, 200).contains("\"hello\"")
}

async fn send<S: Sink<Message> + Unpin>(sink: &mut S, taken: Taken) -> Result<(), S::Error> {
    for frame in taken.frames {
        sink.feed(Message::Text(frame)).await?;
    }
    if let Some(closing) = taken.closed {
        if let Some(last) = closing.last {
            sink.feed(Message::Text(last.into())).await?;
        }
        sink.feed(Message::Close(Some(CloseFrame {
            code: closing.code,
            reason: closing.reason.into(),
        })))
        .await?;
    }
    sink.flush().await
}

type Work = futures_util::future::BoxFuture<'static, ()>;

impl Connection {
    fn join_list(&self) {
        self.hub.shared.list.join(
            self.key,
            Screen {
                level: self.level,
                device: self.person.by.device.clone(),
                outbox: Arc::clone(&self.outbox),
            },
        );
    }

    async fn leave(&self) {
        self.hub.shared.list.leave(self.key);
        for id in self.listening.values() {
            if let Some(handle) = self.hub.loaded(id) {
                handle.commands.send(Command::Unsubscribe { key: self.key }).await.ok();
            }
        }
    }

    pub(super) fn say(&self, message: &ServerMessage) {
        self.outbox
            .answer(0, serde_json::to_string(message).unwrap_or_default());
    }

    fn complain(&self, problem: &Problem, session: Option<&str>, request: Option<&str>) {
        self.outbox.answer(0, level0::error(problem, session, request));
    }

    fn send_list(&self) {
        let mut sessions = self.hub.sessions();
        if self.level == Level::Zero {
            sessions.retain(|info| info.is_active());
            self.outbox.answer(0, level0::session_list(&sessions).to_string());
            return;
        }
        self.say(&ServerMessage::SessionList { sessions });
    }

    /// Takes one message. What takes long is given back, to be worked on beside.
    async fn hear(&mut self, text: &str, first: bool) -> Option<Work> {
        let (head, message) = match read(text) {
            Ok(read) => read,
            Err(wrong) => {
                let (head, problem) = *wrong;
                let session = head.session_id.as_ref().and_then(Value::as_str);
                let id = head.id.as_ref().and_then(Value::as_str);
                match (self.level, id) {
                    (Level::One, Some(id)) => self.receipt(id, Err(problem)),
                    _ => self.complain(&problem, session, id),
                }
                return None;
            }
        };
        match message {
            ClientMessage::Hello(hello) => {
                if first || self.level == Level::One {
                    self.welcome(hello).await;
                } else {
                    let late = Problem::new(Code::Type, "hello must be the first message");
                    self.complain(&late, None, None);
                }
                None
            }
            ClientMessage::Ping {} => {
                self.say(&ServerMessage::Pong { at: now() });
                None
            }
            ClientMessage::Pong {} => None,
            message => {
                let allowed = self.check_scope(&message, head.name()).await;
                match (self.level, allowed) {
                    (_, Ok(())) if let ClientMessage::StopSession { session_id } = &message => {
                        self.stop(head.id().filter(|_| self.level == Level::One), session_id)
                            .await
                    }
                    (Level::Zero, Ok(())) => {
                        self.obey_zero(message).await;
                        None
                    }
                    (Level::Zero, Err(problem)) => {
                        self.complain(&problem, head.session_id.as_ref().and_then(Value::as_str), None);
                        None
                    }
                    (_, Ok(())) => self.obey_one(head.id(), message).await,
                    (_, Err(problem)) => {
                        self.answer(head.id().as_deref(), Err(problem));
                        None
                    }
                }
            }
        }
    }

    async fn welcome(&mut self, hello: Hello) {
        if hello.version != VERSION {
            let problem = Problem::new(Code::Field, format!("version {} is not supported", hello.version))
                .hint(format!("this bridge speaks version {VERSION}"));
            self.complain(&problem, None, None);
            return;
        }
        self.level = Level::One;
        self.join_list();
        let known = |id: &String| self.hub.shared.list.get(id).is_some();
        let unknown: Vec<String> = hello.revisions.keys().filter(|id| !known(id)).cloned().collect();
        let welcome = self.greeting(unknown).await;
        let build = welcome.build.clone();
        self.say(&ServerMessage::Welcome(Box::new(welcome)));
        if let (Some(theirs), Some(ours)) = (&hello.build, &build)
            && theirs != ours
        {
            self.say(&ServerMessage::Bye {
                reason: Bye::Reload,
                message: "this page is of another build than the bridge".to_owned(),
            });
        }
        self.send_list();
        self.send_notices();
        for (id, revision) in hello.revisions {
            if let Err(problem) = self.subscribe(&id, Some(revision), TURNS).await {
                self.complain(&problem, Some(&id), None);
            }
        }
    }

    async fn greeting(&self, unknown: Vec<String>) -> Welcome {
        let config = &self.hub.shared.config;
        let device = self.device().await;
        let scopes = crate::api::Scope::ALL
            .into_iter()
            .filter(|scope| *scope <= self.person.scope);
        Welcome {
            version: VERSION,
            bridge: env!("CARGO_PKG_VERSION").to_owned(),
            build: sluice_server::page::BUILD.map(str::to_owned),
            capabilities: ["receipts", "blobs", "steer", "highlight", "diff", "search"]
                .map(str::to_owned)
                .into(),
            device,
            scopes: scopes.collect(),
            agents: self.hub.agents_offered(),
            roots: self.hub.shared.roots.shown(),
            home: config.home.to_string_lossy().into_owned(),
            scratch: config.scratch().to_string_lossy().into_owned(),
            limits: Limits {
                frame: FRAME,
                upload: 20 * 1024 * 1024,
                heavy: crate::body::HEAVY as u64,
                ping_every: u64::try_from(PING_EVERY.as_millis()).unwrap_or(u64::MAX),
                queue: 200,
            },
            now: now(),
            unknown,
        }
    }

    /// Subscribes to a session. Gives its id, which may be another than the one asked for.
    pub(super) async fn subscribe(&mut self, id: &str, revision: Option<u64>, turns: usize) -> Result<String, Problem> {
        let (id, listener) = self.listener(id, self.level).await?;
        self.hub
            .ask(&id, |reply| Command::Subscribe {
                listener: listener.clone(),
                revision,
                turns,
                reply,
            })
            .await?;
        Ok(id)
    }

    /// Sends the lines of a session instead of its items.
    pub(super) async fn follow_lines(
        &mut self,
        id: &str,
        after: Option<LineCursor>,
        turns: usize,
    ) -> Result<String, Problem> {
        let (id, listener) = self.listener(id, Level::Lines).await?;
        self.hub
            .ask(&id, |reply| Command::FollowLines {
                listener: listener.clone(),
                after,
                turns,
                reply,
            })
            .await?;
        Ok(id)
    }

    async fn listener(&mut self, id: &str, level: Level) -> Result<(String, Listener), Problem> {
        let id = self.hub.known(id, &self.person.by).await?;
        let handle = self.hub.session(&id).await?;
        let listener = Listener {
            key: self.key,
            level,
            outbox: Arc::clone(&self.outbox),
        };
        self.listening.insert(handle.s, id.clone());
        self.joined = Some(id.clone());
        Ok((id, listener))
    }

    /// This screen was too slow for a session: it begins that one anew.
    async fn begin_anew(&mut self, s: u32) {
        self.outbox.begin_anew(s);
        if s == 0 {
            self.send_list();
            return;
        }
        let Some(id) = self.listening.get(&s).cloned() else {
            return;
        };
        match self.level {
            Level::One | Level::Lines => {
                if let Err(problem) = self.subscribe(&id, None, TURNS).await {
                    self.complain(&problem, Some(&id), None);
                }
            }
            Level::Zero => self.send_history(&id, None).await,
        }
    }

    /// Works a command of level 1 out and gives its receipt.
    async fn obey_one(&mut self, id: Option<String>, message: ClientMessage) -> Option<Work> {
        if commands::is_look(&message) {
            let connection = self.clone();
            return Some(Box::pin(async move {
                let answer = connection.look(message).await;
                connection.answer(id.as_deref(), answer);
            }));
        }
        if commands::is_request(&message) {
            // The agent may take its time; other commands need not wait for it.
            let mut connection = self.clone();
            return Some(Box::pin(async move {
                let answer = connection.ask_agent(message).await;
                connection.answer(id.as_deref(), answer);
            }));
        }
        match id {
            Some(id) if commands::is_slow(&message) => {
                let mut connection = self.clone();
                return Some(Box::pin(async move { connection.obey_once(&id, message).await }));
            }
            Some(id) => self.obey_once(&id, message).await,
            None => {
                let answer = self.obey(message, None).await;
                if let Err(problem) = answer {
                    self.complain(&problem, self.joined.as_deref(), None);
                }
            }
        }
        None
    }

    fn answer(&self, id: Option<&str>, answer: Result<Value, Problem>) {
        match (id, answer) {
            (Some(id), answer) => self.receipt(id, answer),
            (None, Err(problem)) => self.complain(&problem, self.joined.as_deref(), None),
            (None, Ok(_)) => {}
        }
    }

    fn receipt(&self, id: &str, answer: Result<Value, Problem>) {
        self.say(&ServerMessage::Receipt(receipt_of(id, answer)));
    }
}

pub(super) fn receipt_of(id: &str, answer: Result<Value, Problem>) -> Receipt {
    let (ok, data, error) = match answer {
        Ok(data) => (true, Some(data).filter(|data| !data.is_null()), None),
        Err(problem) => (false, None, Some(problem)),
    };
    Receipt {
        id: id.to_owned(),
        ok,
        data,
        error,
    }
}
