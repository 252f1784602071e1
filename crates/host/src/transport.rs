//! Transports to an agent: a child process, a channel in this program, a socket, a recording, and fault injection over
//! any of them.

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

/// A boxed future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A transport to an agent. It can connect again after the connection was lost.
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
    /// The session to resume, overriding the options. Set when an agent is restarted.
    pub resume: Option<String>,
    /// Whether to start a new session even if the options resume one, because that session could not be resumed.
    pub new_session: bool,
}

impl Start {
    /// Starts as specified by the options.
    #[must_use]
    pub fn fresh() -> Self {
        Self::default()
    }

    /// Resumes a session.
    #[must_use]
    pub fn resume(session_id: impl Into<String>) -> Self {
        Self {
            resume: Some(session_id.into()),
            new_session: false,
        }
    }

    /// Starts as specified by the options, but with a new session.
    #[must_use]
    pub fn new_session() -> Self {
        Self {
            resume: None,
            new_session: true,
        }
    }
}

/// A connection to an agent: the source of its messages, and the sink for messages to it.
#[derive(Debug)]
pub struct Link {
    /// Messages from the agent.
    pub from_agent: FromAgent,
    /// Messages to the agent.
    pub into_agent: IntoAgent,
    /// The agent's standard error.
    pub stderr: Option<ByteSource>,
    /// Its process, if it is a child of this program.
    pub process: Option<Process>,
    /// Whether the agent may keep running when the connection is lost.
    pub outlives: bool,
}

impl Link {
    /// Returns a link over two byte streams.
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

    /// Returns a link to an agent in this program that exchanges messages.
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

    /// Returns a link to an agent in this program, or behind a relay, that exchanges lines without their line ends.
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

/// The source of an agent's messages.
#[derive(Debug)]
pub enum FromAgent {
    /// Bytes that contain lines.
    Bytes(ByteSource),
    /// Lines.
    Lines(mpsc::Receiver<Arc<str>>),
    /// Messages.
    Values(mpsc::Receiver<ToHost>),
}

/// The sink for messages to an agent.
#[derive(Debug)]
pub enum IntoAgent {
    /// Bytes.
    Bytes(ByteSink),
    /// Lines.
    Lines(mpsc::Sender<String>),
    /// Messages.
    Values(mpsc::Sender<ToAgent>),
}

/// A source of bytes.
pub struct ByteSource(pub Box<dyn AsyncRead + Send + Unpin>);

impl fmt::Debug for ByteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteSource")
    }
}

/// A sink for bytes.
pub struct ByteSink(pub Box<dyn AsyncWrite + Send + Unpin>);

impl fmt::Debug for ByteSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteSink")
    }
}
