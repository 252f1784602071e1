//! Agents in the same program.

use std::fmt;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

type Open = dyn Fn(Start) -> BoxFuture<'static, Result<Link, Error>> + Send + Sync;

/// A transport to an agent in the same program. A function opens it, and opens it again after it was lost.
pub struct ChannelTransport {
    open: Box<Open>,
}

impl ChannelTransport {
    /// Creates a transport. `open` starts the agent and returns the ends of its channels.
    ///
    /// ```
    /// use sluice_host::transport::{ChannelTransport, Link};
    /// let transport = ChannelTransport::new(|_start| async {
    ///     let (agent_output, from_agent) = tokio::sync::mpsc::channel(64);
    ///     let (into_agent, agent_input) = tokio::sync::mpsc::channel(64);
    ///     // pass `agent_output` and `agent_input` to the agent here
    ///     drop((agent_output, agent_input));
    ///     Ok(Link::values(from_agent, into_agent))
    /// });
    /// # drop(transport);
    /// ```
    pub fn new<F>(open: impl Fn(Start) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Link, Error>> + Send + 'static,
    {
        Self {
            open: Box::new(move |start| Box::pin(open(start))),
        }
    }
}

impl fmt::Debug for ChannelTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChannelTransport")
    }
}

impl Transport for ChannelTransport {
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>> {
        (self.open)(start)
    }
}
