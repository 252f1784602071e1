//! MCP servers around a session: how they reach the host (`host`), and those that plugins bring (`plugins`). The MCP client
//! is [`sluice_servers`]; what servers mean to a session is `mcp_session`.

mod host;
pub(crate) mod plugins;

pub use sluice_servers::{CONNECT_TIMEOUT, ServerConfig, ServerOptions, TOOL_TIMEOUT, config, scopes, store};

pub(crate) use host::HostOfServers;
pub use plugins::named as plugin_servers;
pub(crate) use plugins::servers as plugin_configs;
