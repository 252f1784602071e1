//! What MCP servers mean to a session. The servers themselves are [`sluice_servers`].
//!
//! * `host`: how they reach the host; `plugins`: those that plugins bring;
//! * `turns`: what they mean to a turn; `mentions`: a resource in a prompt;
//! * `room`: what they take of the context; `report`: how they stand, for a person.

mod host;
mod mentions;
mod plugins;
mod report;
mod room;
mod turns;

pub use sluice_servers::{CONNECT_TIMEOUT, ServerConfig, ServerOptions, TOOL_TIMEOUT, config, scopes, store};

pub(crate) use host::HostOfServers;
pub use plugins::named as plugin_servers;
pub(crate) use plugins::servers as plugin_configs;
pub(crate) use room::Room;
