//! Servers of the Model Context Protocol: what they are, how they are reached, and what the session makes of them.
//!
//! In reading order:
//!
//! * [`config`], [`scopes`], `plugins`, [`store`]: what files, flags and plugins say, which of it counts, and how it is written;
//! * `link`, `dial`: one server and the connection to it; `transport`: how its messages travel;
//! * `allowance`: how much it may list; `handler`: what a server may ask of us; `auth`: signing in to one;
//! * `names`, `tool`, `content`, `resources`, `prompts`: what it offers, in the session's terms; `mentions`: a resource in
//!   a prompt; `room`: what all that takes of the context;
//! * `status`: how servers stand, as hosts are told;
//! * `servers`: all of them; `turns`: what they mean to a turn; `referee`: a server's tool in the person's place.
//!
//! A server never takes the session with it. Each lives in tasks of its own, joined to the session by a bell that says
//! only that something changed; buffers are bounded, waits end, and a program that is left behind is ended.

mod allowance;
mod auth;
pub mod config;
mod content;
mod dial;
mod handler;
mod link;
mod mentions;
mod names;
mod plugins;
mod prompts;
mod referee;
pub(crate) mod resources;
mod room;
pub mod scopes;
mod servers;
mod status;
pub mod store;
mod tool;
mod transport;
mod turns;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use sluice_permission::PermissionMode;
use sluice_tools::Tasks;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(crate) use auth::{begin as begin_sign_in, forget as forget_sign_in};
pub use config::ServerConfig;
pub(crate) use link::{Link, Manifest, Phase, explain};
pub(crate) use names::covers;
pub use plugins::named as plugin_servers;
pub(crate) use plugins::servers as plugin_configs;
pub(crate) use room::Room;
pub(crate) use servers::{Around, Servers};
pub(crate) use status::{full as full_status, short as short_status};
pub(crate) use tool::ServerCall;

use crate::hooks::Ear;
use crate::line::Line;
use crate::out::Out;

/// How long a server may take to be there, unless somebody says otherwise.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a tool may take, unless somebody says otherwise: longer than anybody waits.
pub const TOOL_TIMEOUT: Duration = Duration::from_millis(100_000_000);

/// What a session is told about servers at its start.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The servers of the command line.
    pub dynamic: IndexMap<String, ServerConfig>,
    /// These and no others.
    pub strict: bool,
    /// How long a server may take to be there.
    pub connect: Duration,
    /// How long a tool may take.
    pub tool: Duration,
    /// How long a result may be, in letters, where somebody said so.
    pub output: Option<usize>,
    /// Whether the first turn waits until it is known how the servers stand.
    pub wait: bool,
    /// Whether their tools are searched for instead of being offered all at once.
    pub defer: bool,
    /// Where tokens are kept.
    pub credentials: PathBuf,
}

impl ServerOptions {
    /// No servers besides those of the files, and what holds for these unless somebody says otherwise.
    #[must_use]
    pub fn new(credentials: PathBuf) -> Self {
        Self {
            dynamic: IndexMap::new(),
            strict: false,
            connect: CONNECT_TIMEOUT,
            tool: TOOL_TIMEOUT,
            output: None,
            wait: true,
            defer: true,
            credentials,
        }
    }
}

/// What holds for every server.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) connect: Duration,
    pub(crate) tool: Duration,
    pub(crate) output: Option<usize>,
    pub(crate) defer: bool,
}

/// What every server of a session is given.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) line: Arc<Line>,
    pub(crate) out: Out,
    pub(crate) cwd: PathBuf,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) limits: Limits,
    /// Rung when anything about a server changed.
    pub(crate) news: Notify,
    pub(crate) credentials: PathBuf,
    pub(crate) quit: CancellationToken,
    /// Where hooks are told what servers want from the person.
    pub(crate) ear: Ear,
    pub(crate) model: sluice_model::Config,
    clients: Mutex<[Option<reqwest::Client>; 2]>,
    /// The stricter mode somebody gave a server.
    modes: Mutex<IndexMap<String, PermissionMode>>,
}

impl Surroundings {
    /// The way to servers over HTTP; certificates are read when the first needs them.
    fn http(&self, secure: bool) -> Result<reqwest::Client, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let [plain, tls] = &mut *clients;
        let slot = if secure { tls } else { plain };
        if let Some(client) = slot {
            return Ok(client.clone());
        }
        let client = sluice_model::http_client(&self.model, secure)?;
        Ok(slot.insert(client).clone())
    }
}
