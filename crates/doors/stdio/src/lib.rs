//! The headless door: a host, a script or a pipe on the standard streams.
//!
//! The reader turns bytes into messages, the writer messages into bytes; between them lives a
//! session. The door translates and decides nothing: a line it cannot read is reported and
//! skipped, and the session goes on.
//!
//! * [`reader`]: stream-json input, line by line;
//! * [`writer`]: what the session says, in the output format asked for;
//! * [`prompt`]: the one prompt of a print run, from the argument and from a pipe;
//! * `leaving`: signals, and going whatever the session does;
//! * [`door`]: both ends and the exit code.

pub mod door;
mod leaving;
pub mod prompt;
pub mod reader;
pub mod writer;

pub use door::{Door, InputMode};
pub use writer::{Format, HOLD};
