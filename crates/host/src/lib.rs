//! A client library that drives any agent of Claude Code's stream-json protocol, and tracks the state of the
//! conversation.
//!
//! An agent is a program that accepts prompts and sends permission requests, in lines of JSON. This crate starts an agent,
//! communicates with it, and reports the state: whose turn it is, whether the agent works or hangs, what it is waiting
//! for, and what happened to each prompt. In this example a small function replaces a real agent:
//!
//! ```
//! use sluice_host::transport::{ChannelTransport, Link};
//! use sluice_host::{Client, Options};
//! use tokio::sync::mpsc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), sluice_host::Error> {
//! let agent = ChannelTransport::new(|_| async {
//!     let (output, from_agent) = mpsc::channel(8);
//!     let (into_agent, mut input) = mpsc::channel::<String>(8);
//!     tokio::spawn(async move {
//!         while let Some(line) = input.recv().await {
//!             let line: serde_json::Value = serde_json::from_str(&line).unwrap();
//!             let answer = match line["type"].as_str() {
//!                 Some("control_request") => serde_json::json!({"type": "control_response", "response":
//!                     {"subtype": "success", "request_id": line["request_id"], "response": {}}}),
//!                 _ => serde_json::json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hello",
//!                     "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "session_id": "s", "uuid": "u",
//!                     "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": []}),
//!             };
//!             output.send(answer.to_string().into()).await.unwrap();
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
//! 1. [`query`]: one prompt, and a stream of the resulting messages.
//! 2. [`Client`]: a conversation. [Send](Client::send), [run](Client::run), [interrupt](Client::interrupt),
//!    [answer](Client::answer), [look](Client::look); every control [request](Client::request) has a type.
//! 3. [`Options`]: the options of the official SDKs with the same names: a [permission
//!    callback](Options::on_permission), hooks, and [in-process MCP tools](McpServer).
//! 4. [`Event`]: the events of a client, in the same order for every subscriber. A slow subscriber is notified how many
//!    events it missed; the agent never waits for one. A [`Message`] keeps its text byte for byte and is parsed on first
//!    access.
//! 5. [`conversation`]: the state machine behind all this. It has no clock and does no I/O, and can be used separately.
//! 6. [`items`]: the transcript as clients show it. A user interface needs no knowledge of the protocol.
//! 7. [`transport`]: connections to agents that are not child processes, and fault injection for tests.
//! 8. [`sessions`]: transcripts that agents saved on disk. [`store`]: transcripts in other storage.
//!
//! The messages of the protocol are in [`wire`].
//!
//! # With a real agent
//!
// The example is only compiled here, as it needs an agent and a model; `tests/it/readme.rs` runs it with both.
#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

// The state of a conversation, computed from events alone,
pub mod conversation;
// and the transcript as clients show it.
pub mod items;

// The options an agent is started with, and callbacks for the agent's requests.
mod callbacks;
mod mcp;
mod options;

// Connections to an agent, and its process.
mod process;
pub mod transport;

// The task that owns a conversation, and the tasks around it.
mod driver;
// The events it reports, in the same order for every subscriber.
mod event;
mod log;
mod message;

// The interface for programs.
mod client;
mod query;

// Sessions on disk, and sessions in other storage.
pub mod sessions;
pub mod store;

mod error;

pub use callbacks::{PermissionAsk, PermissionDecision, accept};
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

/// Files that only their owner can read, for programs that store conversations.
pub use sluice_transcript::private;
/// The messages between a host and an agent.
pub use sluice_wire as wire;
pub use sluice_wire::control::HostRequest;
