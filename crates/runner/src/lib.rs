//! Owns the pipes of one agent and writes down all that passes; outlives whoever listens.
//!
//! One process a session, one thread, no network: an agent on its pipes, a log on the disk, a socket for whoever
//! listens. It must not be able to speak to a network, and links no web server, database, runtime or engine.

pub mod frame;
pub mod record;

pub mod log;

pub mod process;
pub mod registry;

mod connect;
pub mod launch;
mod run;

pub use connect::{SOCKET, connect};
pub use frame::{AgentStatus, Decoder, Frame, FrameError, FromRunner, Signal, ToRunner};
pub use launch::{Launch, StartError, Started, start};
pub use log::{LogReader, LogWriter};
pub use record::{Kind, Record};
pub use registry::{Registered, Swept};
pub use run::main;
