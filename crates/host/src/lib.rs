//! Drives any agent that speaks the wire, and knows the truth about it.
//!
//! An agent is a program that is told prompts and asks questions, in lines of JSON.
//! This crate starts one, keeps the conversation with it, and says what is true of it: whose turn it is, whether it
//! works or hangs, what it waits for, what became of a prompt. Here an agent of five lines stands in for a real one:
//!
//! ```
//! use sluice_host::transport::{ChannelTransport, Link};
//! use sluice_host::{Client, Options};
//! use tokio::sync::mpsc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), sluice_host::Error> {
//! let agent = ChannelTransport::new(|_| async {
//!     let (says, from_agent) = mpsc::channel(8);
//!     let (into_agent, mut told) = mpsc::channel::<String>(8);
//!     tokio::spawn(async move {
//!         while let Some(line) = told.recv().await {
//!             let line: serde_json::Value = serde_json::from_str(&line).unwrap();
//!             let answer = match line["type"].as_str() {
//!                 Some("control_request") => serde_json::json!({"type": "control_response", "response":
//!                     {"subtype": "success", "request_id": line["request_id"], "response": {}}}),
//!                 _ => serde_json::json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hello",
//!                     "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "session_id": "s", "uuid": "u",
//!                     "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": []}),
//!             };
//!             says.send(answer.to_string().into()).await.unwrap();
//!         }
//!     });
//!     Ok(Link::lines(from_agent, into_agent))
//! });
//! let client = Client::over(agent, Options::new()).await?;
//! let ended = client.run("Hi").await?;
//! assert_eq!(ended.result.and_then(|result| result.result).as_deref(), Some("Hello"));
//! client.close().await;
//! # Ok(()) }
//! ```
//!
//! # In reading order
//!
//! 1. [`query`]: one prompt, and a stream of what comes of it.
//! 2. [`Client`]: a conversation. [Send](Client::send), [run](Client::run), [interrupt](Client::interrupt),
//!    [answer](Client::answer), [look](Client::look); every [request](Client::request) of the protocol has its type.
//! 3. [`Options`]: everything the official SDKs can be told, by the same names: a [permission
//!    callback](Options::on_permission), hooks, and [tools of this program](McpServer).
//! 4. [`Event`]: what a client tells, in one order for everybody. A listener that is slow is told what it missed; the
//!    agent never waits for one. A [`Message`] keeps its text to the byte, and is read when someone asks.
//! 5. [`conversation`]: what all this is worked out with, a machine without clock or I/O that can be used by itself.
//! 6. [`transport`]: ways to an agent other than a child process, and faults to test a program with.
//! 7. [`sessions`]: what agents left on disk. [`store`]: sessions kept elsewhere.
//!
//! The words of the protocol are in [`wire`].
//!
//! # With a real agent
//!
// Compiled here, for it needs an agent and a model; `tests/it/readme.rs` runs it as it is shown, with both.
#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

// What is going on, worked out from events alone.
pub mod conversation;

// What a host says before it begins,
mod options;
// and whom the agent may ask.
mod callbacks;
mod mcp;

// Ways to an agent,
pub mod transport;
// and the process at the end of one.
mod process;

// The owner of a conversation, and the tasks around it.
mod driver;
// What it tells, in one order for everybody.
mod event;
mod log;
mod message;

// How a program holds a conversation.
mod client;
mod query;

// Sessions nobody talks to,
pub mod sessions;
// and sessions kept elsewhere.
pub mod store;

mod error;

pub use callbacks::{Ask, PermissionDecision, accept};
pub use client::{Client, Prompt};
pub use driver::{Ended, Stopped};
pub use error::{Error, ErrorKind};
pub use event::{Event, Step};
pub use log::Events;
pub use mcp::{McpServer, ToolOutput};
pub use message::Message;
pub use options::{Deadlines, Options, Plugin, Settings, Skills, SystemPrompt, Thinking, Tools};
pub use process::{Identity, Process};
pub use query::{Query, query, query_over};

/// What is said between a host and an agent.
pub use sluice_wire as wire;
pub use sluice_wire::control::HostRequest;
