//! One MCP server: its status, what it offers, and the connection to it.
//!
//! Code that needs a connection connects, one at a time; a lost connection is made again by the next call. The session
//! reads the status and is notified of changes; it never waits for a server here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    InitializeResult, ListToolsResult, PaginatedRequestParams, Prompt, ProtocolVersion, ReadResourceRequestParams,
    Resource, ServerPeerInfo, Tool,
};
use rmcp::service::{RunningService, ServiceError};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::allowance::{self, Allowance};
use super::auth::SignIn;
use super::config::ServerConfig;
use super::dial::{self, Refusal};
use super::handler::{Calls, Handler, Stale};
use super::scopes::Scope;
use super::surroundings::Surroundings;
use super::transport::sdk::Mailbox;

/// How many pages of a list are read at most.
const MOST_PAGES: usize = 100;
/// How long one page may take.
const PAGE: Duration = Duration::from_secs(30);
/// How long a changed list rests before it is read again: one that changes all the time is not read all the time.
const RELIST: Duration = Duration::from_millis(250);

/// The state of an MCP server.
#[derive(Debug, Clone)]
pub enum Phase {
    /// It was not connected yet.
    Idle,
    /// Being dialled.
    Dialling,
    /// Connected.
    Up(Arc<Connection>),
    /// It was connected and is no more; the next call dials again.
    Lost(String),
    /// It could not be connected.
    Down(String),
    /// It needs authentication.
    NeedsAuth,
    /// Switched off.
    Off,
    /// It is pending approval.
    Unapproved,
}

/// What a server offers.
#[derive(Debug, Default)]
pub struct Offer {
    pub tools: Vec<Tool>,
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    pub has_resources: bool,
    /// What is not offered because there is too much of it.
    pub note: Option<String>,
}

/// What a server inside the host answers to `initialize` and `tools/list`, given beforehand by the host.
#[derive(Debug, Clone)]
pub struct Manifest {
    pub(super) info: InitializeResult,
    tools: Option<Vec<Tool>>,
}

impl Manifest {
    /// Reads one, or returns the protocol's word for what is wrong with it.
    pub fn read(info: &Value, tools: Option<&Value>) -> Result<Self, &'static str> {
        let info: InitializeResult = serde_json::from_value(info.clone()).map_err(|_| "malformed")?;
        if info.protocol_version != ProtocolVersion::V_2025_11_25 {
            return Err("protocol_version_mismatch");
        }
        let tools = tools.map(|tools| serde_json::from_value::<ListToolsResult>(tools.clone()));
        let tools = tools.transpose().map_err(|_| "malformed")?.map(|listed| listed.tools);
        Ok(Self { info, tools })
    }
}

/// A connection. Dropping it ends it.
pub struct Connection {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) calls: Arc<Calls>,
    /// Cancelled when it is no more.
    pub ended: CancellationToken,
    /// Cancelling it ends it.
    pub stop: CancellationToken,
    pub(super) stale: Arc<Stale>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// The server's answer to `initialize`.
    pub fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer().peer_info()
    }
}

/// A server of the session.
#[derive(Debug)]
pub struct Link {
    pub name: String,
    pub scope: Scope,
    pub config: ServerConfig,
    /// It was added by the host while the session ran.
    pub added: bool,
    pub around: Arc<Surroundings>,
    /// Cancelled once a server inside the host has been spoken to.
    pub spoke: CancellationToken,
    pub(super) manifest: Option<Manifest>,
    /// The last thing it warned of in its log.
    pub(super) warning: Arc<Mutex<Option<String>>>,
    state: Mutex<State>,
    dialling: tokio::sync::Mutex<()>,
    /// Whether a connection was tried and none is being made.
    settled: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    offer: Arc<Offer>,
    mailbox: Option<Mailbox>,
    sign_in: Option<Arc<SignIn>>,
}

impl Link {
    pub fn new(
        name: &str,
        scope: Scope,
        config: ServerConfig,
        phase: Phase,
        added: bool,
        manifest: Option<Manifest>,
        around: Arc<Surroundings>,
    ) -> Arc<Self> {
        let settled = !matches!(phase, Phase::Idle);
        Arc::new(Self {
            spoke: CancellationToken::new(),
            manifest,
            warning: Arc::default(),
            name: name.to_owned(),
            scope,
            config,
            added,
            around,
            state: Mutex::new(State {
                phase,
                offer: Arc::default(),
                mailbox: None,
                sign_in: None,
            }),
            dialling: tokio::sync::Mutex::default(),
            settled: watch::Sender::new(settled),
        })
    }

    pub fn phase(&self) -> Phase {
        self.lock().phase.clone()
    }

    /// Whether somebody is dialling it now, on the way outside the host.
    pub fn is_being_dialled(&self) -> bool {
        !self.config.is_sdk() && matches!(self.phase(), Phase::Dialling)
    }

    /// Where it comes from, as the wire names it.
    pub fn source(&self) -> &'static str {
        match self.scope {
            _ if self.config.is_sdk() => "sdk",
            Scope::Plugin => "plugin",
            scope => scope.as_str(),
        }
    }

    /// What it offers, as long as it may be called.
    pub fn offer(&self) -> Option<Arc<Offer>> {
        let state = self.lock();
        match state.phase {
            Phase::Up(_) | Phase::Lost(_) => Some(state.offer.clone()),
            Phase::Dialling if !state.offer.tools.is_empty() => Some(state.offer.clone()),
            _ => None,
        }
    }

    /// What it warned of last.
    pub fn last_warning(&self) -> Option<String> {
        let warning = self.warning.lock().unwrap_or_else(PoisonError::into_inner);
        warning.as_ref().map(|said| format!("it says: {said}"))
    }

    pub fn mailbox(&self) -> Option<Mailbox> {
        self.lock().mailbox.clone()
    }

    pub(super) fn set_mailbox(&self, mailbox: Mailbox) {
        self.lock().mailbox = Some(mailbox);
    }

    /// The sign-in that waits for a person.
    pub fn sign_in(&self) -> Option<Arc<SignIn>> {
        self.lock().sign_in.clone()
    }

    pub(super) fn replace_sign_in(&self, sign_in: Option<Arc<SignIn>>) -> Option<Arc<SignIn>> {
        std::mem::replace(&mut self.lock().sign_in, sign_in)
    }

    /// Tells when it is settled how the server stands.
    pub fn settled(&self) -> watch::Receiver<bool> {
        self.settled.subscribe()
    }

    /// Resolves when the lists that the server announced as changed were read; `None` if there are none.
    pub fn relisted(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        match self.phase() {
            Phase::Up(connection) => connection.stale.settled(),
            _ => None,
        }
    }

    /// The connection, dialled if there is none.
    pub async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, String> {
        match self.phase() {
            Phase::Up(connection) if !connection.ended.is_cancelled() => Ok(connection),
            Phase::Off => Err(format!("MCP server \"{}\" is disabled", self.name)),
            Phase::Unapproved => Err(format!("MCP server \"{}\" is pending approval", self.name)),
            _ => self.dial().await,
        }
    }

    /// Connects, unless another task has meanwhile.
    pub async fn dial(self: &Arc<Self>) -> Result<Arc<Connection>, String> {
        let _one_at_a_time = self.dialling.lock().await;
        if let Phase::Up(connection) = self.phase()
            && !connection.ended.is_cancelled()
        {
            return Ok(connection);
        }
        self.enter(Phase::Dialling);
        let dialled = tokio::time::timeout(self.around.limits.connect, self.open()).await;
        match dialled {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(Refusal::NeedsAuth)) => {
                self.enter(Phase::NeedsAuth);
                Err(format!("MCP server \"{}\" needs authentication", self.name))
            }
            Ok(Err(Refusal::Failed(why))) => {
                self.enter(Phase::Down(why.clone()));
                Err(why)
            }
            Err(_) => {
                let why = "Request timed out".to_owned();
                self.enter(Phase::Down(why.clone()));
                Err(why)
            }
        }
    }

    /// Connects and reads what is offered.
    async fn open(self: &Arc<Self>) -> Result<Arc<Connection>, Refusal> {
        let connection = Arc::new(dial::connect(self).await?);
        let foretold = self.manifest.as_ref().and_then(|manifest| manifest.tools.clone());
        let offer = match foretold {
            Some(tools) => Offer {
                tools,
                ..Offer::default()
            },
            None => read_offer(&connection)
                .await
                .map_err(|error| Refusal::Failed(explain(&error)))?,
        };
        self.lock().offer = Arc::new(offer);
        self.enter(Phase::Up(connection.clone()));
        tokio::spawn(watch_over(Arc::downgrade(self), Arc::downgrade(&connection)));
        Ok(connection)
    }

    /// Ends the connection, if there is one.
    pub fn hang_up(&self, phase: Phase) {
        let before = self.phase();
        self.enter(phase);
        if let Phase::Up(connection) = before {
            connection.stop.cancel();
        }
    }

    pub fn enter(&self, phase: Phase) {
        let settled = !matches!(phase, Phase::Idle | Phase::Dialling);
        {
            let mut state = self.lock();
            state.phase = phase;
        }
        self.settled.send_replace(settled);
        self.around.news.notify_one();
    }

    /// The connection was lost.
    fn lost(&self, connection: &Arc<Connection>) {
        let ours = match self.phase() {
            Phase::Up(current) => Arc::ptr_eq(&current, connection),
            _ => false,
        };
        if ours {
            self.enter(Phase::Lost("Connection closed".to_owned()));
        }
    }

    /// Reads a resource.
    pub async fn read_resource(self: &Arc<Self>, uri: &str) -> Result<Value, ServiceError> {
        let connection = self.connection().await.map_err(|_| ServiceError::TransportClosed)?;
        let read = connection.service.read_resource(ReadResourceRequestParams::new(uri));
        let read = tokio::time::timeout(self.tool_timeout(), read).await;
        let result = read.map_err(|_| ServiceError::Timeout {
            timeout: self.tool_timeout(),
        })??;
        Ok(serde_json::to_value(result.contents).unwrap_or_default())
    }

    /// How long a call may take.
    pub fn tool_timeout(&self) -> Duration {
        self.config.timeout.unwrap_or(self.around.limits.tool)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads lists again when they change, and notices the end.
async fn watch_over(link: std::sync::Weak<Link>, connection: std::sync::Weak<Connection>) {
    let Some((ended, stale)) = connection
        .upgrade()
        .map(|held| (held.ended.clone(), held.stale.clone()))
    else {
        return;
    };
    loop {
        let over = tokio::select! {
            () = ended.cancelled() => true,
            () = stale.notify.notified() => false,
        };
        let (Some(link), Some(connection)) = (link.upgrade(), connection.upgrade()) else {
            return;
        };
        if over {
            return link.lost(&connection);
        }
        let changes = stale.changes();
        if let Ok(offer) = read_offer(&connection).await {
            link.lock().offer = Arc::new(offer);
            link.around.news.notify_one();
        }
        stale.note_read(changes);
        drop((link, connection));
        tokio::time::sleep(RELIST).await;
    }
}

/// Everything a server offers. Tools have to be had; what else cannot be listed is not there.
async fn read_offer(connection: &Connection) -> Result<Offer, ServiceError> {
    let peer = connection.service.peer();
    let capabilities = peer
        .peer_info()
        .map(|info| info.capabilities.clone())
        .unwrap_or_default();
    let mut offer = Offer {
        has_resources: capabilities.resources.is_some(),
        ..Offer::default()
    };
    let mut allowance = Allowance::new(allowance::MOST);
    if capabilities.tools.is_some() {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = in_time(peer.list_tools(at(cursor))).await?;
            let more = allowance.take(&mut offer.tools, page.tools);
            cursor = page.next_cursor.filter(|_| more);
            if cursor.is_none() {
                break;
            }
        }
        if cursor.is_some() {
            allowance.cut_off();
        }
    }
    if capabilities.prompts.is_some() {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let Ok(page) = in_time(peer.list_prompts(at(cursor))).await else {
                break;
            };
            let more = allowance.take(&mut offer.prompts, page.prompts);
            cursor = page.next_cursor.filter(|_| more);
            if cursor.is_none() {
                break;
            }
        }
    }
    if capabilities.resources.is_some() {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let Ok(page) = in_time(peer.list_resources(at(cursor))).await else {
                break;
            };
            let more = allowance.take(&mut offer.resources, page.resources);
            cursor = page.next_cursor.filter(|_| more);
            if cursor.is_none() {
                break;
            }
        }
    }
    offer.note = allowance.note();
    Ok(offer)
}

fn at(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}

async fn in_time<T>(page: impl Future<Output = Result<T, ServiceError>>) -> Result<T, ServiceError> {
    match tokio::time::timeout(PAGE, page).await {
        Ok(page) => page,
        Err(_) => Err(ServiceError::Timeout { timeout: PAGE }),
    }
}

/// A failure in a server's own words where it has any.
pub fn explain(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportClosed => "Connection closed".to_owned(),
        ServiceError::Timeout { .. } => "Request timed out".to_owned(),
        ServiceError::UnexpectedResponse => "The server's response does not match the request".to_owned(),
        ServiceError::TransportSend(error) => dial::causes(error.error.as_ref()),
        other => other.to_string(),
    }
}
