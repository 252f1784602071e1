//! A streamed response, event by event.

use std::time::Duration;

use reqwest::Response;
use tokio::time::{Instant, timeout, timeout_at};

use crate::bounds::ResponseLimits;
use crate::client::Head;
use crate::event::{EventKind, ModelEvent};
use crate::failure::Failure;
use crate::refusal::causes;
use crate::sse::Decoder;

/// How long a finished response may take to close before its connection is dropped.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The events of one response. Dropping it cancels the request.
#[derive(Debug)]
pub struct Stream {
    /// Facts from the headers of the response.
    pub head: Head,
    body: Option<Response>,
    decoder: Decoder,
    stall_timeout: Duration,
    /// Since when no complete line was received. It is stored here so that dropping `next` does not reset it.
    silent_since: Option<Instant>,
    /// The number of lines when progress was last checked.
    lines: u64,
    limits: ResponseLimits,
    complete: bool,
}

impl Stream {
    pub(crate) fn new(head: Head, body: Response, stall_timeout: Duration, max_duration: Duration) -> Self {
        Self {
            head,
            body: Some(body),
            decoder: Decoder::default(),
            stall_timeout,
            silent_since: None,
            lines: 0,
            limits: ResponseLimits::new(max_duration),
            complete: false,
        }
    }

    /// Returns the next event, or `None` after `message_stop`. Cancel safe.
    ///
    /// # Errors
    /// [`Failure::Lost`] if the connection ends before `message_stop`, [`Failure::InStream`] for an `error` event,
    /// [`Failure::Stalled`] after too long a pause, [`Failure::Excess`] if the response exceeds a limit. A failed stream
    /// stays failed.
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
                return Err(lost("the stream has already failed"));
            };
            match self.decoder.next_frame() {
                Some(Ok(frame)) => {
                    let length = frame.data.len();
                    let event = ModelEvent::read(frame.data)?;
                    self.limits.count_event(&event.kind, length)?;
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
            let deadline = *self.silent_since.get_or_insert_with(Instant::now) + self.stall_timeout;
            let last = self.limits.deadline;
            let chunk = timeout_at(deadline.min(last), body.chunk())
                .await
                .map_err(|_| match deadline <= last {
                    true => Failure::Stalled,
                    false => self.limits.too_slow(),
                })?;
            match chunk {
                Ok(Some(bytes)) => {
                    self.limits.count_bytes(bytes.len())?;
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

/// Reads the rest, which is empty, so that the connection can be reused for the next request.
async fn close(mut body: Response) {
    let rest = async { while let Ok(Some(_)) = body.chunk().await {} };
    if timeout(CLOSE_TIMEOUT, rest).await.is_err() {
        drop(body);
    }
}
