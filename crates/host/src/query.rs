//! `query`: submits one prompt in a new session and streams the messages.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::oneshot;

use crate::client::{Client, Prompt};
use crate::conversation::End;
use crate::driver::Ended;
use crate::error::Error;
use crate::event::Event;
use crate::log::Events;
use crate::message::Message;
use crate::options::Options;
use crate::transport::Transport;

/// Starts an agent, submits one prompt, and streams its messages until the turn has ended.
///
/// ```
/// use futures_util::StreamExt as _;
/// use sluice_host::{Options, query, wire::ToHost};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sluice_host::Error> {
/// let options = Options::new();
/// # let agent = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/agent.sh"));
/// # let options = options.program("sh").program_args(["-c", agent]);
/// let mut answer = query("What is 2 + 2?", options).await?;
/// while let Some(message) = answer.next().await {
///     if let Some(ToHost::Result(result)) = message?.to_host() {
///         assert_eq!(result.result.as_deref(), Some("4"));
///     }
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// Returns an error if the agent cannot be started.
pub async fn query(prompt: impl Into<Prompt>, options: Options) -> Result<Query, Error> {
    let client = Client::connect(options).await?;
    Query::start(client, prompt.into()).await
}

/// Like [`query`], over another transport.
///
/// # Errors
/// Returns an error if the agent cannot be reached.
pub async fn query_over(
    transport: impl Transport,
    prompt: impl Into<Prompt>,
    options: Options,
) -> Result<Query, Error> {
    let client = Client::over(transport, options).await?;
    Query::start(client, prompt.into()).await
}

/// The messages of one query. The agent is closed when this is dropped.
#[derive(Debug)]
pub struct Query {
    client: Client,
    events: Events,
    end: oneshot::Receiver<Result<Ended, Error>>,
    /// The number of the event after the last one of the turn, once known.
    last: Option<u64>,
    finished: bool,
}

impl Query {
    async fn start(client: Client, prompt: Prompt) -> Result<Self, Error> {
        let events = client.events();
        let (ended, end) = oneshot::channel();
        client.submit(prompt, Some(ended)).await?;
        Ok(Self {
            client,
            events,
            end,
            last: None,
            finished: false,
        })
    }

    /// Returns the client, to interrupt the turn or to answer permission requests.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Reads to the end and returns the text of the answer.
    ///
    /// # Errors
    /// Returns an error if the agent exits before the turn ends.
    pub async fn text(mut self) -> Result<String, Error> {
        let mut text = String::new();
        while let Some(message) = std::future::poll_fn(|context| Pin::new(&mut self).poll_next(context)).await {
            if let Some(sluice_wire::ToHost::Result(result)) = message?.to_host() {
                text = result.result.clone().unwrap_or_default();
            }
        }
        self.client.close().await;
        Ok(text)
    }
}

impl Stream for Query {
    type Item = Result<Arc<Message>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.finished {
            return Poll::Ready(None);
        }
        if this.last.is_none()
            && let Poll::Ready(ended) = Pin::new(&mut this.end).poll(context)
        {
            match ended {
                Ok(Ok(ended)) if matches!(ended.turn.end, Some(End::Result { .. })) => this.last = Some(ended.position),
                Ok(Ok(_)) | Err(_) => {
                    this.finished = true;
                    return Poll::Ready(Some(Err(Error::new(
                        crate::ErrorKind::Gone,
                        "the agent exited before its turn ended",
                    ))));
                }
                Ok(Err(error)) => {
                    this.finished = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        loop {
            if this.last.is_some_and(|last| this.events.position() >= last) {
                this.finished = true;
                return Poll::Ready(None);
            }
            match Pin::new(&mut this.events).poll_next(context) {
                Poll::Ready(Some(Event::Message(message))) => return Poll::Ready(Some(Ok(message))),
                Poll::Ready(Some(_)) => {}
                Poll::Ready(None) => {
                    this.finished = true;
                    return Poll::Ready(None);
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
