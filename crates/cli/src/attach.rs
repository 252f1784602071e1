//! A terminal as one of the screens of a bridge: `sluice attach`, `/serve` and `/take`.

mod translation;
mod transport;
mod way;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use sluice_server::{BridgeRequest, Scope, ask};
use tokio_tungstenite::tungstenite::Message;

use sluice_engine::settings::Opener;
use sluice_terminal::{Agent, Facts, Next, Outcome, Questioner, StartQuestion};

use crate::approval::{self, Said};
use crate::environment::Environment;
use crate::fail;
use crate::flags::Flags;
use crate::interactive::facts_of;
use crate::launch::Place;
use crate::serve::state_folder;
use crate::trusting;
use translation::Translation;
use way::Socket;

/// How long a bridge that is started may take to be there.
const START: Duration = Duration::from_secs(30);
/// How long it may take to answer. On a busy machine it starts an agent in many times the usual second; one that is
/// given up too early would go on with the session beside the one here.
const ANSWER: Duration = Duration::from_secs(30);

/// A way into a bridge of this machine; shut when dropped.
#[derive(Debug, Clone)]
pub(crate) struct Bridge {
    state: PathBuf,
    /// What a person opens.
    pub(crate) page: String,
    /// The certificate it shows, by its hash, where it speaks TLS.
    fingerprint: Option<String>,
    token: String,
    device: String,
    /// True if this process started the bridge.
    started: bool,
}

/// The name of this terminal in the list of devices.
fn device_name() -> String {
    let program = std::env::var("TERM_PROGRAM").ok().filter(|name| !name.is_empty());
    let tty = || {
        let device = std::fs::read_link("/proc/self/fd/0").ok()?;
        Some(device.strip_prefix("/dev").ok()?.to_string_lossy().into_owned())
    };
    match program.or_else(tty) {
        Some(name) => format!("terminal ({})", crate::plain(&name)),
        None => "terminal".to_owned(),
    }
}

/// A session of a bridge, in short.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) folder: String,
    pub(crate) provider: Option<String>,
    pub(crate) standing: String,
}

impl Bridge {
    /// Comes into the bridge that keeps its state there.
    pub(crate) async fn enter(state: &Path) -> Result<Self, String> {
        let status = ask(state, &BridgeRequest::Status)
            .await
            .map_err(|error| error.to_string())?;
        let addresses = status.get("addresses").and_then(Value::as_array).into_iter().flatten();
        let addresses: Vec<&str> = addresses.filter_map(Value::as_str).collect();
        let plain = addresses.iter().find(|address| address.starts_with("http://"));
        let Some(page) = plain.or(addresses.first()) else {
            return Err("the bridge has no address to connect to".to_owned());
        };
        let fingerprint = status.get("fingerprint").and_then(Value::as_str).map(str::to_owned);
        let wanted = BridgeRequest::Token {
            name: device_name(),
            scope: Scope::Admin,
        };
        let given = ask(state, &wanted).await.map_err(|error| error.to_string())?;
        let field = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self {
            state: state.to_owned(),
            page: (*page).to_owned(),
            fingerprint,
            token: field("token"),
            device: field("device"),
            started: false,
        })
    }

    /// The same; a bridge is started where none runs.
    pub(crate) async fn enter_or_start(state: &Path) -> Result<Self, String> {
        let started = ask(state, &BridgeRequest::Status).await.is_err();
        if started {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = std::process::Command::new(program);
            command.arg("serve").arg("--state").arg(state);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // It outlives this terminal, and hears none of its signals.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command
                .spawn()
                .map_err(|error| format!("the bridge cannot be started: {error}"))?;
            let end = Instant::now() + START;
            while ask(state, &BridgeRequest::Status).await.is_err() {
                if Instant::now() > end {
                    return Err("the bridge cannot be started: `sluice serve` says why".to_owned());
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(Self {
            started,
            ..Self::enter(state).await?
        })
    }

    /// A line about the bridge that this process started and leaves running.
    fn left_running(&self) -> Option<String> {
        let line = || format!("the bridge keeps running: {}; `sluice serve stop` ends it", self.page);
        self.started.then(line)
    }

    /// A code another device is paired with, and the address that holds it.
    pub(crate) async fn pair(&self) -> Option<(String, String)> {
        let given = ask(&self.state, &BridgeRequest::Pair { scope: None }).await.ok()?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        Some((
            text(given.get("code"))?,
            text(given.pointer("/urls/0")).unwrap_or_default(),
        ))
    }

    /// Shuts the way in behind itself.
    pub(crate) async fn leave(self) {
        let revoke = BridgeRequest::Revoke { device: self.device };
        tokio::time::timeout(Duration::from_secs(1), ask(&self.state, &revoke))
            .await
            .ok();
    }

    /// Leaves a bridge that did not accept the session, and stops it if this process started it.
    async fn leave_unused(self) {
        let (state, started) = (self.state.clone(), self.started);
        self.leave().await;
        if started {
            ask(&state, &BridgeRequest::Stop).await.ok();
        }
    }

    async fn connect(&self) -> Result<Socket, String> {
        let opened = way::open(&self.page, self.fingerprint.as_deref(), &self.token);
        let opened = tokio::time::timeout(ANSWER, opened).await;
        opened.map_err(|_| "the bridge does not answer".to_owned())?
    }

    /// Says one thing and waits for what is wanted of the answers.
    async fn once<T>(&self, say: &[Value], wanted: impl Fn(&Value) -> Option<T>) -> Result<T, String> {
        let mut socket = self.connect().await?;
        let hello = Translation::new("").hello();
        for message in std::iter::once(&hello).chain(say) {
            let sent = socket.send(Message::text(message.to_string())).await;
            sent.map_err(|error| error.to_string())?;
        }
        let heard = async {
            while let Some(Ok(message)) = socket.next().await {
                let Ok(text) = message.to_text() else { continue };
                if let Some(found) = serde_json::from_str(text).ok().as_ref().and_then(&wanted) {
                    return Some(found);
                }
            }
            None
        };
        let found = tokio::time::timeout(ANSWER, heard).await.ok().flatten();
        socket.close(None).await.ok();
        found.ok_or_else(|| "the bridge does not answer".to_owned())
    }

    /// The sessions it carries, those that live first.
    pub(crate) async fn sessions(&self) -> Result<Vec<Served>, String> {
        let listed = |said: &Value| (said.get("type")? == "session_list").then(|| said.get("sessions").cloned())?;
        let list = self.once(&[], listed).await?;
        let text = |it: &Value, key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let sessions = list.as_array().into_iter().flatten();
        let served = |it: &Value| Served {
            id: text(it, "sessionId"),
            title: text(it, "title"),
            folder: text(it, "projectPath"),
            provider: it.get("providerSessionId").and_then(Value::as_str).map(str::to_owned),
            standing: text(it, "standing"),
        };
        let external = |it: &&Value| it.get("external").and_then(Value::as_bool) == Some(true);
        Ok(sessions.filter(|it| !external(it)).map(served).collect())
    }

    /// Sends a command and returns its receipt. The id is new each time: the bridge runs a command with a known id once.
    async fn command(&self, mut command: Value) -> Result<Value, String> {
        let id = uuid::Uuid::new_v4().to_string();
        if let Value::Object(fields) = &mut command {
            fields.insert("id".to_owned(), id.as_str().into());
        }
        let receipt = |message: &Value| {
            let is_it = message.get("type")? == "receipt" && message.get("id")? == id.as_str();
            is_it.then(|| message.clone())
        };
        self.once(&[command], receipt).await
    }

    /// Continues a session of a folder on the bridge. Returns the bridge's id of the session.
    pub(crate) async fn resume(&self, folder: &Path, session: Option<&str>) -> Result<String, String> {
        let start = json!({"type": "start", "projectPath": folder.display().to_string(), "sessionId": session});
        let receipt = self.command(start).await?;
        let id = receipt.pointer("/data/sessionId").and_then(Value::as_str);
        match id {
            Some(id) => Ok(id.to_owned()),
            None => {
                let why = receipt.pointer("/error/message").and_then(Value::as_str);
                Err(why.unwrap_or("the bridge did not accept the session").to_owned())
            }
        }
    }

    /// Ends the agent of a session, so that another process can continue it.
    pub(crate) async fn stop(&self, session: &str) -> Result<(), String> {
        let receipt = self
            .command(json!({"type": "stop_session", "sessionId": session}))
            .await?;
        match receipt.get("ok") == Some(&Value::Bool(true)) {
            true => Ok(()),
            false => Err("the bridge does not hand the session back".to_owned()),
        }
    }
}

/// How a session at a bridge's screen ended.
#[derive(Debug)]
pub(crate) enum After {
    /// With this exit code; the session goes on.
    Left(i32),
    /// The bridge released the session. It continues here, with this draft and these notices.
    Taken {
        session: Option<String>,
        draft: String,
        notices: Vec<String>,
    },
}

/// Hands a session to the bridge and stays as one of its screens. When that does not come about: why, and the draft.
pub(crate) async fn serve(
    environment: &Environment,
    session: Option<&str>,
    mut facts: Facts,
) -> Result<After, (String, String)> {
    let state = state_folder(None, environment);
    let draft = facts.draft.clone();
    let kept = |why: String| (why, draft.clone());
    let bridge = Bridge::enter_or_start(&state).await.map_err(kept)?;
    let id = match bridge.resume(&facts.folder, session).await {
        Ok(id) => id,
        Err(why) => {
            bridge.leave_unused().await;
            return Err(kept(why));
        }
    };
    if let Some((code, url)) = bridge.pair().await {
        let url = if url.is_empty() { bridge.page.clone() } else { url };
        facts
            .said
            .push(format!("open {url}, or pair another device with {code} (2 minutes)"));
        facts
            .said
            .push("leaving this terminal no longer stops the turn; /take brings it back".to_owned());
    }
    show(bridge, &id, facts).await.map_err(|error| kept(error.to_string()))
}

/// Shows a session of a bridge until the person leaves or takes it.
async fn show(bridge: Bridge, id: &str, mut facts: Facts) -> std::io::Result<After> {
    facts.served = Some(bridge.page.clone());
    let (transport, provider) = bridge.transport(id);
    let agent = Agent::Over(Box::new(transport));
    let outcome = sluice_terminal::run(facts, agent, sluice_host::Options::new()).await;
    let after = match outcome? {
        Outcome::StartNext {
            next: Next::Take,
            draft,
        } => {
            bridge.stop(id).await.ok();
            let session = provider.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let notices = bridge.left_running().into_iter().collect();
            After::Taken {
                session,
                draft,
                notices,
            }
        }
        Outcome::StartNext { .. } => After::Left(0),
        Outcome::Left(code) => After::Left(code),
    };
    if let (After::Left(_), Some(line)) = (&after, bridge.left_running()) {
        crate::say(&line);
    }
    bridge.leave().await;
    Ok(after)
}

/// `sluice attach`: shows a session of the bridge, the one that is named or one that is picked.
pub(crate) async fn run(named: Option<&str>, state: Option<String>, flags: &Flags, environment: &Environment) -> i32 {
    let state = state_folder(state.as_deref(), environment);
    let bridge = match Bridge::enter(&state).await {
        Ok(bridge) => bridge,
        Err(why) => return fail(&why),
    };
    let place = Place::look(flags, environment, Opener::Person);
    let facts = facts_of(flags, &place);
    let picked = match bridge.sessions().await {
        Ok(sessions) => pick(named, &sessions, &facts).await,
        Err(why) => Err(why),
    };
    let served = match picked {
        Ok(Some(served)) => served,
        Ok(None) => {
            bridge.leave().await;
            return 0;
        }
        Err(why) => {
            bridge.leave().await;
            return fail(&why);
        }
    };
    match offer_trust(&served, flags, environment).await {
        Ok(Said::Same | Said::More) => {}
        left => {
            bridge.leave().await;
            return left.map_or_else(|error| crate::interactive::no_terminal(&error), |_| 0);
        }
    }
    let facts = Facts {
        folder: served.folder.clone().into(),
        resumed: Some(served.title.clone()).filter(|title| !title.is_empty()),
        session: served.provider.clone(),
        ..facts
    };
    match show(bridge, &served.id, facts).await {
        Ok(After::Left(code)) => code,
        Ok(After::Taken { session, .. }) => {
            let flags = Flags {
                resume: session.or(served.provider),
                ..flags.clone()
            };
            let mut environment = environment.clone();
            environment.cwd = served.folder.into();
            Box::pin(crate::interactive::run(flags, environment)).await
        }
        Err(error) => crate::interactive::no_terminal(&error),
    }
}

/// Asks about the folder of a session that is not trusted. The agent notices the answer by itself.
async fn offer_trust(served: &Served, flags: &Flags, environment: &Environment) -> std::io::Result<Said> {
    let place = trusting::place_of(flags, environment, Path::new(&served.folder));
    if place.settings.trusted() {
        return Ok(Said::Same);
    }
    let facts = facts_of(flags, &place);
    approval::ask(&place, flags, &facts).await
}

/// The session that is meant: by the beginning of its id or by its title; without either the person picks one.
async fn pick(named: Option<&str>, sessions: &[Served], facts: &Facts) -> Result<Option<Served>, String> {
    if let Some(named) = named {
        let fits = |it: &&Served| {
            it.id.starts_with(named)
                || it.title == named
                || it.provider.as_deref().is_some_and(|id| id.starts_with(named))
        };
        let found = sessions.iter().find(fits).cloned();
        return found
            .map(Some)
            .ok_or_else(|| format!("the bridge has no session {named}; `sluice attach` lists them"));
    }
    if sessions.is_empty() {
        return Err("the bridge has no sessions; /serve in a session hands it to the bridge".to_owned());
    }
    let choice = |it: &Served| {
        let title = if it.title.is_empty() { &it.folder } else { &it.title };
        (title.clone(), format!("{}  {}", it.standing, it.folder))
    };
    let question = StartQuestion {
        title: ("Attach".to_owned(), facts.folder_word()),
        choices: sessions.iter().take(20).map(choice).collect(),
        ..StartQuestion::default()
    };
    let mut questioner = Questioner::open(facts).map_err(|error| error.to_string())?;
    let at = questioner.choose(&question).await.map_err(|error| error.to_string())?;
    Ok(at.and_then(|at| sessions.get(at).cloned()))
}
