//! MCP servers of a session: their access to the host (`host`), and servers of plugins (`plugins`). [`sluice_servers`]
//! is the MCP client; `mcp_session` uses servers in a session.

mod host;
pub(crate) mod plugins;

pub use sluice_servers::{CONNECT_TIMEOUT, ServerConfig, ServerOptions, TOOL_TIMEOUT, config, scopes, store};

pub(crate) use host::HostOfServers;
pub use plugins::named as plugin_servers;
pub(crate) use plugins::servers as plugin_configs;
