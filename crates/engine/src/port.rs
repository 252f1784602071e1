//! The connection between a door and the engine: two bounded channels and a handle.

use sluice_wire::control::RequestId;
use sluice_wire::{ToAgent, ToHost};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// An input of a session.
#[derive(Debug)]
pub enum Input {
    /// A message of the host.
    Message(Box<ToAgent>),
    /// A line that could not be parsed; it is reported to the host.
    Bad(String),
    /// A control request with invalid fields; it is answered with an error.
    BadRequest {
        /// The request's id, if it has one.
        request_id: RequestId,
        /// The subtype of the request.
        subtype: Option<String>,
        /// The parse error.
        problem: String,
    },
    /// The host's input has ended: finish the current work, then exit.
    Eof,
    /// The process received a signal.
    Signal(Signal),
}

/// A request to stop that is not part of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Interrupts the turn like a host would, then exits.
    Interrupt,
    /// Exits immediately with this code, without a result.
    Leave(i32),
}

/// The exit status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code of the process.
    pub code: i32,
}

/// A running session, from the point of view of its door.
#[derive(Debug)]
pub struct Port {
    /// Channel for inputs. Inputs that were read together are sent together.
    pub input: mpsc::Sender<Vec<Input>>,
    /// Messages of the session.
    pub output: mpsc::Receiver<ToHost>,
    /// Cancels the session immediately, for example when the host is gone.
    pub quit: CancellationToken,
    /// Resolves when the session has ended.
    pub done: JoinHandle<Exit>,
}

/// The capacity of the input channel, in batches.
pub(crate) const INPUT_DEPTH: usize = 256;

/// The capacity of the output channel, in messages. A host that stops reading blocks the session here.
pub(crate) const OUTPUT_DEPTH: usize = 512;
