//! What a session is started with, as far as MCP servers are concerned.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;

use crate::scopes::Dynamic;

/// The default timeout for connecting (`MCP_TIMEOUT`).
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The default timeout of a tool call (`MCP_TOOL_TIMEOUT`): practically none.
pub const TOOL_TIMEOUT: Duration = Duration::from_millis(100_000_000);

/// The options of a session that concern MCP servers.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The servers of the command line and of the host's `initialize`.
    pub dynamic: Dynamic,
    /// These and no others.
    pub strict: bool,
    /// How long a server may take to be there.
    pub connect: Duration,
    /// How long a tool may take.
    pub tool: Duration,
    /// How long a result may be, in letters, where somebody said so.
    pub output: Option<usize>,
    /// Whether the first turn waits until all servers are connected or have failed.
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
