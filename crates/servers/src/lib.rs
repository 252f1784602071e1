//! Servers of the Model Context Protocol: what they are, how they are reached, and what they offer.
//!
//! In reading order:
//!
//! * `options`: what a session says about them at its start;
//! * [`config`], [`scopes`], [`store`]: what files and flags say, which of it counts, and how it is written;
//! * [`link`], `dial`: one server and the connection to it; `transport`: how its messages travel;
//! * `allowance`: how much it may list; `handler`: what a server may ask of us; [`auth`]: signing in to one;
//! * [`names`], [`tool`], [`content`], [`resources`], [`prompts`]: what it offers, in the terms of tools and prompts;
//! * [`status`]: how servers stand, as hosts are told;
//! * `servers`: all of them; `changes`: those that come and go; [`referee`]: a server's tool in the person's place;
//! * `surroundings`: what every server is given; `host`: the way to the host.
//!
//! A server never takes the session with it. Each lives in tasks of its own, joined to the session by a bell that says
//! only that something changed; buffers are bounded, waits end, and a program that is left behind is ended. This crate
//! cannot see the conversation: what a server wants from a person goes through [`Host`].

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
