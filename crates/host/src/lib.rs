//! Drives any agent that speaks the wire, and knows the truth about it.
//!
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

// Sessions nobody talks to.
pub mod sessions;

mod error;

pub use callbacks::{Answer, Ask, accept};
pub use client::{Client, HostRequest, Prompt};
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
