//! One MCP server: its phase, its lists, and the connection to it.
//!
//! Code that needs a connection establishes it, one attempt at a time. A lost connection is restored by the next call.
//! The session reads the phase and is notified of changes; it never waits for a server here.

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
use super::context::ServerContext;
use super::dial::{self, ConnectError};
use super::handler::{Calls, Handler, ListChanges};
use super::scopes::Scope;
use super::transport::sdk::Mailbox;

/// The maximum number of pages of a list that are read.
const MAX_PAGES: usize = 100;
/// The timeout for reading one page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Minimum interval between two reads of the lists, for servers whose lists change constantly.
const MIN_RELIST_INTERVAL: Duration = Duration::from_millis(250);

/// The connection state of an MCP server.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Not connected yet.
    Idle,
    /// A connection is being established.
    Dialling,
    /// Connected.
    Up(Arc<Connection>),
    /// The connection was lost; the next call reconnects.
    Lost(String),
    /// Connecting failed.
    Down(String),
    /// It needs authentication.
    NeedsAuth,
    /// Disabled.
    Off,
    /// Pending approval.
    Unapproved,
}

/// The tools, prompts and resources of a server.
#[derive(Debug, Default)]
pub struct Offer {
    pub tools: Vec<Tool>,
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    pub has_resources: bool,
    /// A message if a list was cut off because it is too large.
    pub note: Option<String>,
}

/// The answers of a server inside the host to `initialize` and `tools/list`, which the host provides in advance.
#[derive(Debug, Clone)]
pub struct Manifest {
    pub(super) info: InitializeResult,
    tools: Option<Vec<Tool>>,
}

impl Manifest {
    /// Parses a manifest, or returns the protocol's code for what is wrong with it.
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

/// A connection. Dropping it closes it.
pub struct Connection {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) calls: Arc<Calls>,
    /// Cancelled when the connection has ended.
    pub ended: CancellationToken,
    /// Cancelling it closes the connection.
    pub stop: CancellationToken,
    pub(super) list_changes: Arc<ListChanges>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// Returns the server's answer to `initialize`.
    pub fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer().peer_info()
    }
}

/// An MCP server of a session.
#[derive(Debug)]
pub struct Link {
    pub name: String,
    pub scope: Scope,
    pub config: ServerConfig,
    /// The host added it with `mcp_set_servers`.
    pub added: bool,
    pub context: Arc<ServerContext>,
    /// Cancelled once the first message to a server inside the host was sent.
    pub contacted: CancellationToken,
    pub(super) manifest: Option<Manifest>,
    /// The last warning in the server's log.
    pub(super) warning: Arc<Mutex<Option<String>>>,
    state: Mutex<State>,
    connecting: tokio::sync::Mutex<()>,
    /// True when connecting succeeded or failed and no attempt is running.
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
        context: Arc<ServerContext>,
    ) -> Arc<Self> {
        let settled = !matches!(phase, Phase::Idle);
        Arc::new(Self {
            contacted: CancellationToken::new(),
            manifest,
            warning: Arc::default(),
            name: name.to_owned(),
            scope,
            config,
            added,
            context,
            state: Mutex::new(State {
                phase,
                offer: Arc::default(),
                mailbox: None,
                sign_in: None,
            }),
            connecting: tokio::sync::Mutex::default(),
            settled: watch::Sender::new(settled),
        })
    }

    pub fn phase(&self) -> Phase {
        self.lock().phase.clone()
    }

    /// Returns whether a server outside the host is being connected.
    pub fn is_connecting(&self) -> bool {
        !self.config.is_sdk() && matches!(self.phase(), Phase::Dialling)
    }

    /// Returns where the server is configured, as named on the wire.
    pub fn source(&self) -> &'static str {
        match self.scope {
            _ if self.config.is_sdk() => "sdk",
            Scope::Plugin => "plugin",
            scope => scope.as_str(),
        }
    }

    /// Returns the lists of the server, while its tools may be called.
    pub fn offer(&self) -> Option<Arc<Offer>> {
        let state = self.lock();
        match state.phase {
            Phase::Up(_) | Phase::Lost(_) => Some(state.offer.clone()),
            Phase::Dialling if !state.offer.tools.is_empty() => Some(state.offer.clone()),
            _ => None,
        }
    }

    /// Returns the last warning in the server's log.
    pub fn last_warning(&self) -> Option<String> {
        let warning = self.warning.lock().unwrap_or_else(PoisonError::into_inner);
        warning.as_ref().map(|warning| format!("last warning: {warning}"))
    }

    pub fn mailbox(&self) -> Option<Mailbox> {
        self.lock().mailbox.clone()
    }

    pub(super) fn set_mailbox(&self, mailbox: Mailbox) {
        self.lock().mailbox = Some(mailbox);
    }

    /// Returns the sign-in that waits for the person.
    pub fn sign_in(&self) -> Option<Arc<SignIn>> {
        self.lock().sign_in.clone()
    }

    pub(super) fn replace_sign_in(&self, sign_in: Option<Arc<SignIn>>) -> Option<Arc<SignIn>> {
        std::mem::replace(&mut self.lock().sign_in, sign_in)
    }

    /// Returns a receiver that becomes true when connecting has succeeded or failed.
    pub fn settled(&self) -> watch::Receiver<bool> {
        self.settled.subscribe()
    }

    /// Resolves when the lists that the server announced as changed were read. `None` if none has changed.
    pub fn relisted(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        match self.phase() {
            Phase::Up(connection) => connection.list_changes.settled(),
            _ => None,
        }
    }

    /// Returns the connection. Connects if necessary.
    pub async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, String> {
        match self.phase() {
            Phase::Up(connection) if !connection.ended.is_cancelled() => Ok(connection),
            Phase::Off => Err(format!("MCP server \"{}\" is disabled", self.name)),
            Phase::Unapproved => Err(format!("MCP server \"{}\" is pending approval", self.name)),
            _ => self.dial().await,
        }
    }

    /// Connects, unless another task already has.
    pub async fn dial(self: &Arc<Self>) -> Result<Arc<Connection>, String> {
        let _one_at_a_time = self.connecting.lock().await;
        if let Phase::Up(connection) = self.phase()
            && !connection.ended.is_cancelled()
        {
            return Ok(connection);
        }
        self.enter(Phase::Dialling);
        let result = tokio::time::timeout(self.context.limits.connect, self.open()).await;
        match result {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ConnectError::NeedsAuth)) => {
                self.enter(Phase::NeedsAuth);
                Err(format!("MCP server \"{}\" needs authentication", self.name))
            }
            Ok(Err(ConnectError::Failed(error))) => {
                self.enter(Phase::Down(error.clone()));
                Err(error)
            }
            Err(_) => {
                let error = "Request timed out".to_owned();
                self.enter(Phase::Down(error.clone()));
                Err(error)
            }
        }
    }

    /// Connects and reads the lists.
    async fn open(self: &Arc<Self>) -> Result<Arc<Connection>, ConnectError> {
        let connection = Arc::new(dial::connect(self).await?);
        let listed_in_advance = self.manifest.as_ref().and_then(|manifest| manifest.tools.clone());
        let offer = match listed_in_advance {
            Some(tools) => Offer {
                tools,
                ..Offer::default()
            },
            None => read_offer(&connection)
                .await
                .map_err(|error| ConnectError::Failed(explain(&error)))?,
        };
        self.lock().offer = Arc::new(offer);
        self.enter(Phase::Up(connection.clone()));
        tokio::spawn(watch_connection(Arc::downgrade(self), Arc::downgrade(&connection)));
        Ok(connection)
    }

    /// Closes the connection, if there is one, and enters `phase`.
    pub fn disconnect(&self, phase: Phase) {
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
        self.context.changed.notify_one();
    }

    /// Handles the loss of a connection. Does nothing if it was replaced meanwhile.
    fn lost(&self, connection: &Arc<Connection>) {
        let is_current = match self.phase() {
            Phase::Up(current) => Arc::ptr_eq(&current, connection),
            _ => false,
        };
        if is_current {
            self.enter(Phase::Lost("Connection closed".to_owned()));
        }
    }

    /// Reads the contents of a resource.
    pub async fn read_resource(self: &Arc<Self>, uri: &str) -> Result<Value, ServiceError> {
        let connection = self.connection().await.map_err(|_| ServiceError::TransportClosed)?;
        let read = connection.service.read_resource(ReadResourceRequestParams::new(uri));
        let read = tokio::time::timeout(self.tool_timeout(), read).await;
        let result = read.map_err(|_| ServiceError::Timeout {
            timeout: self.tool_timeout(),
        })??;
        Ok(serde_json::to_value(result.contents).unwrap_or_default())
    }

    /// Returns the timeout of a call.
    pub fn tool_timeout(&self) -> Duration {
        self.config.timeout.unwrap_or(self.context.limits.tool)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the lists again when they change, and handles the end of the connection.
async fn watch_connection(link: std::sync::Weak<Link>, connection: std::sync::Weak<Connection>) {
    let Some((ended, list_changes)) = connection
        .upgrade()
        .map(|connection| (connection.ended.clone(), connection.list_changes.clone()))
    else {
        return;
    };
    loop {
        let ended_now = tokio::select! {
            () = ended.cancelled() => true,
            () = list_changes.notify.notified() => false,
        };
        let (Some(link), Some(connection)) = (link.upgrade(), connection.upgrade()) else {
            return;
        };
        if ended_now {
            return link.lost(&connection);
        }
        let changes = list_changes.changes();
        if let Ok(offer) = read_offer(&connection).await {
            link.lock().offer = Arc::new(offer);
            link.context.changed.notify_one();
        }
        list_changes.note_read(changes);
        drop((link, connection));
        tokio::time::sleep(MIN_RELIST_INTERVAL).await;
    }
}

/// Reads all lists of a server. Failing to list tools is an error; other lists that fail are left empty.
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
    let mut allowance = Allowance::new(allowance::MAX_LIST_BYTES);
    if capabilities.tools.is_some() {
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = with_timeout(peer.list_tools(page_params(cursor))).await?;
            let more = allowance.append(&mut offer.tools, page.tools);
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
        for _ in 0..MAX_PAGES {
            let Ok(page) = with_timeout(peer.list_prompts(page_params(cursor))).await else {
                break;
            };
            let more = allowance.append(&mut offer.prompts, page.prompts);
            cursor = page.next_cursor.filter(|_| more);
            if cursor.is_none() {
                break;
            }
        }
    }
    if capabilities.resources.is_some() {
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let Ok(page) = with_timeout(peer.list_resources(page_params(cursor))).await else {
                break;
            };
            let more = allowance.append(&mut offer.resources, page.resources);
            cursor = page.next_cursor.filter(|_| more);
            if cursor.is_none() {
                break;
            }
        }
    }
    offer.note = allowance.note();
    Ok(offer)
}

fn page_params(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}

async fn with_timeout<T>(page: impl Future<Output = Result<T, ServiceError>>) -> Result<T, ServiceError> {
    match tokio::time::timeout(PAGE_TIMEOUT, page).await {
        Ok(page) => page,
        Err(_) => Err(ServiceError::Timeout { timeout: PAGE_TIMEOUT }),
    }
}

/// Returns the error message of a server, or a description of the failure.
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
