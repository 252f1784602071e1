//! The runner (`sluice runner`): a process that owns the pipes of one agent and logs every line in both directions. It
//! keeps running when the bridge that is connected to it ends.
//!
//! One process per session, one thread: the agent on its pipes, a log on disk, a Unix socket for the bridge. It must
//! not be able to reach a network, and links no web server, database, async runtime or engine.
//!
//! In reading order:
//!
//! * [`frame`]: the messages on the socket; [`record`]: one numbered entry of the log; [`log`]: the log files;
//! * [`process`]: identifying processes, and killing those an agent left behind; [`registry`]: the file that names the
//!   runner of a folder;
//! * [`launch`]: starting a runner; `connect`: connecting to its socket; `run`: the runner process.

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
pub use registry::{Registration, SweepReport};
pub use run::main;
