//! Test doubles: a model and an agent that follow a script, and the demo model.
//!
//! * A **scripted model** ([`ModelServer`]): the Messages API on loopback, with and without streaming. It plays a
//!   [`Script`] of [`Reply`]s with delays, gates that a test opens chunk by chunk, HTTP errors, and interrupted or
//!   stalled streams. It records all requests.
//! * A **scripted agent** ([`agent`]): the agent's side of the NDJSON protocol, played to a host from steps
//!   or from a recording, with fault injection.
//! * The **demo model** ([`demo`]): a built-in model that uses the same server, for use without an API key. It needs no
//!   network, and it calls the tools that a request offers.
//!
//! ```
//! use sluice_simulator::{ModelServer, Reply, Script};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), sluice_simulator::Error> {
//! let script = Script::new()
//!     .reply(Reply::tool("Bash", serde_json::json!({"command": "ls"})))
//!     .reply(Reply::text("Hello there").gate_each("word"));
//! let server = ModelServer::start(script).await?;
//! println!("ANTHROPIC_BASE_URL={}", server.url());
//! server.gate("word").open_n(1); // releases the first word of the second reply
//! # Ok(()) }
//! ```
//!
//! `SCRIPTS.md` in the folder of this crate describes the format of the script files.

mod error;
pub mod json_text;
pub mod pattern;

pub mod script;

mod brain;
mod capture;
mod gate;
pub mod playback;

mod model_server;

pub mod demo;

pub mod agent;

pub use agent::{AgentScript, run_agent};
pub use brain::Brain;
pub use capture::{Ending, Kind, Request};
pub use demo::start_demo;
pub use error::{Error, ScriptError};
pub use gate::Gate;
pub use model_server::{ModelServer, run_model};
pub use script::{Reply, Script};
