//! The MCP client: the MCP servers of a session, the connections to them, and their tools, resources and prompts.
//!
//! In reading order:
//!
//! * `options`: the options of a session that concern MCP servers;
//! * [`config`], [`scopes`], [`store`]: the configuration of a server, the precedence of scopes, and saved servers;
//! * [`link`], `dial`: one server and the connection to it; `transport`: stdio, HTTP, SSE, and servers inside the host;
//! * `allowance`: limits on the lists of a server; `handler`: requests and notifications from a server; [`auth`]: OAuth
//!   sign-in;
//! * [`names`], [`tool`], [`content`], [`resources`], [`prompts`]: MCP tools, resources and prompts, as the session
//!   uses them;
//! * `policies`: the permission policies of tools that the host declares; [`status`]: the status of servers for hosts;
//! * `servers`: all servers of a session; `changes`: servers added and removed while it runs; [`referee`]: an MCP tool
//!   that answers permission requests (`--permission-prompt-tool`);
//! * `context`: what the session provides to its servers; `host`: the interface to the host.
//!
//! A server that fails never ends the session. Each runs in its own tasks, which only notify the session that something
//! changed. Buffers are bounded, every wait has a timeout, and remaining processes are killed. This crate cannot access
//! the conversation: requests of a server to a person go through [`Host`].

mod allowance;
pub mod auth;
mod changes;
pub mod config;
pub mod content;
mod context;
mod dial;
mod handler;
mod host;
pub mod link;
pub mod names;
mod options;
mod policies;
pub mod prompts;
pub mod referee;
pub mod resources;
pub mod scopes;
mod servers;
pub mod status;
pub mod store;
pub mod tool;
mod transport;

pub use config::ServerConfig;
pub use context::{Limits, ServerContext};
pub use host::{Host, Said};
pub use link::{Link, Manifest, Phase, explain};
pub use options::{CONNECT_TIMEOUT, ServerOptions, TOOL_TIMEOUT};
pub use servers::{ServerChanges, Servers, Start};
pub use tool::ServerCall;
pub use transport::sdk::Mailbox;
