//! The tools, or the agent, as an MCP server.
//!
//! Both speak MCP over a pair of pipes, with the same permissions in front as any session has: what nobody allowed is
//! put to the person behind the client by elicitation, and refused where the client cannot ask.
//!
//! In reading order:
//!
//! * `lines`: the wire; `server`: the requests of MCP around what is offered, and how it all ends;
//! * `tools`: every tool by itself;
//! * `agent`: the agent itself; [`Errand`]: what a client may ask of it;
//! * `question`, `allowing`: how somebody is asked, and what would have allowed it;
//! * `shape`, `progress`: what a call comes to, and how it stands.

mod lines;
mod server;

mod tools;

mod agent;
mod errand;

mod allowing;
mod question;

mod progress;
mod shape;

pub use agent::{Launcher, serve_agent};
pub use errand::{Bounds, Errand};
pub use server::DoorError;
pub use tools::serve_tools;
