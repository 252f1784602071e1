//! What the session provides to its MCP servers.

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

/// The limits that apply to every server.
#[derive(Debug, Clone)]
pub struct Limits {
    pub(crate) connect: Duration,
    pub(crate) tool: Duration,
    pub output: Option<usize>,
    pub(crate) defer: bool,
}

/// What the session provides to each of its servers.
#[derive(Debug)]
pub struct ServerContext {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) cwd: PathBuf,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) tasks: Arc<Tasks>,
    pub limits: Limits,
    /// Notified when anything about a server changes.
    pub(crate) changed: Notify,
    pub(crate) credentials: PathBuf,
    pub(crate) quit: CancellationToken,
    pub(crate) model: sluice_model::Config,
    pub(crate) clients: Mutex<[Option<reqwest::Client>; 2]>,
    /// Permission modes of servers that are stricter than the session's, by normalised server name.
    pub(crate) modes: Mutex<IndexMap<String, PermissionMode>>,
    /// The permission policies of tools, by normalised server name.
    pub(crate) policies: Policies,
}

impl ServerContext {
    /// Returns the HTTP client for servers, with or without TLS. Certificates are only read for the first TLS client.
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
