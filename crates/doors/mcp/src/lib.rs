//! The MCP server door (`sluice mcp serve`): the built-in tools, or with `--agent` the agent, as an MCP server.
//!
//! Both speak MCP over stdin and stdout. Every call needs the same permissions as in a session: a permission request
//! goes to the person at the client by elicitation, and the call is refused if the client does not support it.
//!
//! In reading order:
//!
//! * `lines`: JSON-RPC messages, one per line; `server`: the requests of MCP, and how the server ends;
//! * `tools`: the tools, offered one by one;
//! * `agent`: the agent (`run`, `reply`, `cancel`); [`Errand`]: the arguments of `run`, and their limits;
//! * `question`, `allowing`: permission requests by elicitation, and the rule or flag that would allow the call;
//! * `shape`, `progress`: the result of a call, and progress notifications.

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
