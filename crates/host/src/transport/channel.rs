//! An agent in the same program.

use std::fmt;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

type Open = dyn Fn(Start) -> BoxFuture<'static, Result<Link, Error>> + Send + Sync;

/// An agent in the same program, opened by a function; again when it was lost.
pub struct ChannelTransport {
    open: Box<Open>,
}

impl ChannelTransport {
    /// `open` starts the agent and gives the ends of its channels.
    ///
    /// ```
    /// use sluice_host::transport::{ChannelTransport, Link};
    /// let transport = ChannelTransport::new(|_start| async {
    ///     let (agent_says, host_hears) = tokio::sync::mpsc::channel(64);
    ///     let (host_says, agent_hears) = tokio::sync::mpsc::channel(64);
    ///     // an engine would be given `agent_says` and `agent_hears` here
    ///     drop((agent_says, agent_hears));
    ///     Ok(Link::values(host_hears, host_says))
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
