//! A streamed response, event by event.

use std::time::Duration;

use reqwest::Response;
use tokio::time::{Instant, timeout, timeout_at};

use crate::bounds::Bounds;
use crate::client::Head;
use crate::event::{EventKind, ModelEvent};
use crate::failure::Failure;
use crate::refusal::causes;
use crate::sse::Decoder;

/// How long a finished response may take to close before its connection is given up.
const CLOSING: Duration = Duration::from_secs(5);

/// The events of one response. Dropping it ends the request.
#[derive(Debug)]
pub struct Stream {
    /// What the response began with.
    pub head: Head,
    body: Option<Response>,
    decoder: Decoder,
    stall: Duration,
    /// Since when nothing whole has come; kept here so that a dropped `next` does not reset it.
    silent_since: Option<Instant>,
    /// How many lines there were when something whole last came.
    lines: u64,
    bounds: Bounds,
    complete: bool,
}

impl Stream {
    pub(crate) fn new(head: Head, body: Response, stall: Duration, longest: Duration) -> Self {
        Self {
            head,
            body: Some(body),
            decoder: Decoder::default(),
            stall,
            silent_since: None,
            lines: 0,
            bounds: Bounds::new(longest),
            complete: false,
        }
    }

    /// The next event; `None` after `message_stop`. Safe to drop at any time and call again.
    ///
    /// # Errors
    /// [`Failure::Lost`] if the connection ends before `message_stop`, [`Failure::InStream`] for an `error`
    /// event, [`Failure::Stalled`] after too long a silence, [`Failure::Excess`] for more than any model says. A failed
    /// stream stays failed.
    pub async fn next(&mut self) -> Result<Option<ModelEvent>, Failure> {
        let next = self.read().await;
        if next.is_err() {
            self.body = None;
        }
        next
    }

    async fn read(&mut self) -> Result<Option<ModelEvent>, Failure> {
        loop {
            if self.complete {
                return Ok(None);
            }
            let Some(body) = &mut self.body else {
                return Err(lost("it failed before"));
            };
            match self.decoder.next_frame() {
                Some(Ok(frame)) => {
                    let length = frame.data.len();
                    let event = ModelEvent::read(frame.data)?;
                    self.bounds.count(&event.kind, length)?;
                    if event.kind == EventKind::MessageStop {
                        self.complete = true;
                        self.body.take().map(|body| tokio::spawn(close(body)));
                    }
                    return Ok(Some(event));
                }
                Some(Err(error)) => return Err(Failure::Excess(error.to_string())),
                None => {}
            }
            if self.lines != self.decoder.lines() {
                self.lines = self.decoder.lines();
                self.silent_since = None;
            }
            let deadline = *self.silent_since.get_or_insert_with(Instant::now) + self.stall;
            let last = self.bounds.until;
            let chunk = timeout_at(deadline.min(last), body.chunk())
                .await
                .map_err(|_| match deadline <= last {
                    true => Failure::Stalled,
                    false => self.bounds.too_slow(),
                })?;
            match chunk {
                Ok(Some(bytes)) => {
                    self.bounds.take(bytes.len())?;
                    self.decoder.push(&bytes);
                }
                Ok(None) => return Err(lost("the connection was closed")),
                Err(error) => return Err(lost(&causes(&error))),
            }
        }
    }
}

fn lost(message: &str) -> Failure {
    Failure::Lost {
        message: message.to_owned(),
    }
}

/// Reads the rest, which is empty, so that the connection can serve the next request.
async fn close(mut body: Response) {
    let rest = async { while let Ok(Some(_)) = body.chunk().await {} };
    if timeout(CLOSING, rest).await.is_err() {
        drop(body);
    }
}
