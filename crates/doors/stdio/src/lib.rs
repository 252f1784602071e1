//! The headless door: a session on standard streams, for hosts (stream-json), scripts and pipes (`-p`).
//!
//! The reader turns bytes into messages and the writer messages into bytes; the session runs
//! between them. The door only translates: a line it cannot parse is reported and skipped, and
//! the session continues.
//!
//! * [`reader`]: stream-json input, line by line;
//! * [`writer`]: the messages of the session, in the output format (`text`, `json`, `stream-json`);
//! * `unread`: the number of written bytes that the host has not read;
//! * [`prompt`]: the prompt of `-p`, from the argument and from stdin;
//! * `leaving`: signals, and exiting in time even if the session hangs;
//! * [`door`]: both ends, and the exit code.

pub mod door;
mod leaving;
pub mod prompt;
pub mod reader;
mod unread;
pub mod writer;

pub use door::{Door, InputMode};
pub use unread::unread_stdout;
pub use writer::{Format, HOLD, Output, Pace};
