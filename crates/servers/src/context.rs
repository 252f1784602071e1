//! What every MCP server of a session is given.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use sluice_permission::PermissionMode;
use sluice_tools::Tasks;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::host::Host;
use crate::policies::Policies;

/// What holds for every server.
#[derive(Debug, Clone)]
pub struct Limits {
    pub(crate) connect: Duration,
    pub(crate) tool: Duration,
    pub output: Option<usize>,
    pub(crate) defer: bool,
}

/// What every server of a session is given.
#[derive(Debug)]
pub struct Surroundings {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) cwd: PathBuf,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) tasks: Arc<Tasks>,
    pub limits: Limits,
    /// Rung when anything about a server changed.
    pub(crate) news: Notify,
    pub(crate) credentials: PathBuf,
    pub(crate) quit: CancellationToken,
    pub(crate) model: sluice_model::Config,
    pub(crate) clients: Mutex<[Option<reqwest::Client>; 2]>,
    /// The stricter mode somebody gave a server.
    pub(crate) modes: Mutex<IndexMap<String, PermissionMode>>,
    /// The permission policies of tools, by normalised server name.
    pub(crate) policies: Policies,
}

impl Surroundings {
    /// The way to servers over HTTP; certificates are read when the first needs them.
    pub(crate) fn http(&self, secure: bool) -> Result<reqwest::Client, String> {
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
