//! The options of a session that concern MCP servers.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;

use crate::scopes::Dynamic;

/// The default timeout for connecting (`MCP_TIMEOUT`).
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The default timeout of a tool call (`MCP_TOOL_TIMEOUT`), about 28 hours.
pub const TOOL_TIMEOUT: Duration = Duration::from_millis(100_000_000);

/// The options of a session that concern MCP servers.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The servers of the command line and of the host's `initialize` request.
    pub dynamic: Dynamic,
    /// Only the servers in `dynamic` are used.
    pub strict: bool,
    /// The timeout for connecting to a server.
    pub connect: Duration,
    /// The default timeout of a tool call.
    pub tool: Duration,
    /// The maximum length of a result in characters, if configured.
    pub output: Option<usize>,
    /// Whether the first turn waits until all servers are connected or have failed.
    pub wait: bool,
    /// Whether the model searches for MCP tools instead of receiving all of them.
    pub defer: bool,
    /// The file of OAuth tokens.
    pub credentials: PathBuf,
}

impl ServerOptions {
    /// Returns the defaults: no servers other than those in files.
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
