//! Transports to an agent: a child process, a channel in this program, a socket, a recording, and faults over any of
//! them.

mod channel;
mod child;
mod fault;
mod recording;
mod socket;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use sluice_wire::{ToAgent, ToHost};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

pub use channel::ChannelTransport;
pub use child::{ChildTransport, Launch};
pub use fault::{FaultTransport, Faults};
pub use recording::{RecordingTransport, Speed};
pub use socket::SocketTransport;

use crate::error::Error;
use crate::process::Process;

/// A future that can be kept and sent.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A transport to an agent; it can connect again after the agent was lost.
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Starts or reaches the agent.
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>>;
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>> {
        (**self).connect(start)
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>> {
        (**self).connect(start)
    }
}

/// How an agent is to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Start {
    /// The session to go on with, instead of what the options say; set when an agent is started again.
    pub resume: Option<String>,
    /// Whether it begins anew, whatever the options say about going on: there was nothing to go on with.
    pub anew: bool,
}

impl Start {
    /// As the options say.
    #[must_use]
    pub fn fresh() -> Self {
        Self::default()
    }

    /// Resumes a session.
    #[must_use]
    pub fn resume(session_id: impl Into<String>) -> Self {
        Self {
            resume: Some(session_id.into()),
            anew: false,
        }
    }

    /// As the options say, but in a new session.
    #[must_use]
    pub fn anew() -> Self {
        Self {
            resume: None,
            anew: true,
        }
    }
}

/// A connection to an agent: where its lines come from, and where ours go.
#[derive(Debug)]
pub struct Link {
    /// What the agent says.
    pub from_agent: FromAgent,
    /// What it is told.
    pub into_agent: IntoAgent,
    /// What it says beside the protocol.
    pub stderr: Option<ByteSource>,
    /// Its process, when it is a child of this program.
    pub process: Option<Process>,
    /// Whether the agent may live on when the way to it is lost.
    pub outlives: bool,
}

impl Link {
    /// An agent at the other end of two streams of bytes.
    pub fn bytes(
        from_agent: impl AsyncRead + Send + Unpin + 'static,
        into_agent: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            from_agent: FromAgent::Bytes(ByteSource(Box::new(from_agent))),
            into_agent: IntoAgent::Bytes(ByteSink(Box::new(into_agent))),
            stderr: None,
            process: None,
            outlives: false,
        }
    }

    /// An agent in this program that gives and takes messages.
    #[must_use]
    pub fn values(from_agent: mpsc::Receiver<ToHost>, into_agent: mpsc::Sender<ToAgent>) -> Self {
        Self {
            from_agent: FromAgent::Values(from_agent),
            into_agent: IntoAgent::Values(into_agent),
            stderr: None,
            process: None,
            outlives: false,
        }
    }

    /// An agent in this program, or behind a relay, that gives and takes lines without their ends.
    #[must_use]
    pub fn lines(from_agent: mpsc::Receiver<Arc<str>>, into_agent: mpsc::Sender<String>) -> Self {
        Self {
            from_agent: FromAgent::Lines(from_agent),
            into_agent: IntoAgent::Lines(into_agent),
            stderr: None,
            process: None,
            outlives: false,
        }
    }
}

/// Where an agent's messages come from.
#[derive(Debug)]
pub enum FromAgent {
    /// Bytes, to be cut into lines.
    Bytes(ByteSource),
    /// Lines.
    Lines(mpsc::Receiver<Arc<str>>),
    /// Messages.
    Values(mpsc::Receiver<ToHost>),
}

/// Where messages for an agent go.
#[derive(Debug)]
pub enum IntoAgent {
    /// Bytes.
    Bytes(ByteSink),
    /// Lines.
    Lines(mpsc::Sender<String>),
    /// Messages.
    Values(mpsc::Sender<ToAgent>),
}

/// Any source of bytes.
pub struct ByteSource(pub Box<dyn AsyncRead + Send + Unpin>);

impl fmt::Debug for ByteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteSource")
    }
}

/// Anything bytes can be written to.
pub struct ByteSink(pub Box<dyn AsyncWrite + Send + Unpin>);

impl fmt::Debug for ByteSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteSink")
    }
}
