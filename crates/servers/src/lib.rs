//! The MCP client: the MCP servers of a session, the connections to them, and what they offer.
//!
//! In reading order:
//!
//! * `options`: what a session is started with;
//! * [`config`], [`scopes`], [`store`]: the configuration of a server, which scope wins, and how it is saved;
//! * [`link`], `dial`: one server and the connection to it; `transport`: stdio, HTTP, SSE, and servers inside the host;
//! * `allowance`: limits on what a server lists; `handler`: requests and notifications of a server; [`auth`]: OAuth
//!   sign-in;
//! * [`names`], [`tool`], [`content`], [`resources`], [`prompts`]: MCP tools, resources and prompts, as the session
//!   uses them;
//! * `policies`: the permission policies of tools that the host declares; [`status`]: the status of servers, as hosts see it;
//! * `servers`: all servers of a session; `changes`: servers added and removed while it runs; [`referee`]: an MCP tool
//!   that answers permission requests (`--permission-prompt-tool`);
//! * `surroundings`: what every server is given; `host`: the way to the host.
//!
//! A server that fails never ends the session. Each runs in its own tasks, which signal the session only that something
//! changed; buffers are bounded, every wait has a timeout, and a process that is left behind is ended. This crate
//! cannot see the conversation: requests of a server to a person go through [`Host`].

mod allowance;
pub mod auth;
mod changes;
pub mod config;
pub mod content;
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
mod surroundings;
pub mod tool;
mod transport;

pub use config::ServerConfig;
pub use host::{Host, Said};
pub use link::{Link, Manifest, Phase, explain};
pub use options::{CONNECT_TIMEOUT, ServerOptions, TOOL_TIMEOUT};
pub use servers::{Replaced, Servers, Start};
pub use surroundings::{Limits, Surroundings};
pub use tool::ServerCall;
pub use transport::sdk::Mailbox;
