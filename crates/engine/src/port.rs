//! How a door talks to the engine: two bounded channels and a handle.

use sluice_wire::control::RequestId;
use sluice_wire::{ToAgent, ToHost};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What reaches a session from outside.
#[derive(Debug)]
pub enum Input {
    /// The host said something.
    Message(Box<ToAgent>),
    /// The host said something that cannot be understood. It costs nothing but this report.
    Bad(String),
    /// The host asked for something in a form that cannot be read; it is told so.
    BadRequest {
        /// The request's id, as far as it has one.
        request_id: RequestId,
        /// What it asked for.
        subtype: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// The host will say nothing more: finish what was begun, then leave.
    Eof,
    /// The process was asked to go.
    Signal(Signal),
}

/// A request to stop that did not come over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Interrupt the turn as a host would, then leave cleanly.
    Interrupt,
    /// Leave at once, with this exit code and without a result.
    Leave(i32),
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The process's exit code.
    pub code: i32,
}

/// A running session, as its door holds it.
#[derive(Debug)]
pub struct Port {
    /// What the door hears goes in here, everything of one read together, so that what was
    /// written together is seen together.
    pub input: mpsc::Sender<Vec<Input>>,
    /// What the session says.
    pub output: mpsc::Receiver<ToHost>,
    /// Ends the session without ceremony, as when nobody listens any more.
    pub quit: CancellationToken,
    /// Resolves when the session has ended.
    pub done: JoinHandle<Exit>,
}

/// How many chunks of input may wait for the session.
pub(crate) const INPUT_DEPTH: usize = 256;

/// How many messages may wait for the door. A host that stops reading stops the session here.
pub(crate) const OUTPUT_DEPTH: usize = 512;
