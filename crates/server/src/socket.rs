//! A WebSocket that enforces limits: it ends when its device is revoked, and closes with the right code if a frame is
//! too large or malformed. Otherwise like axum's: a stream and a sink of [`Message`].

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Maximum size of a frame and of a message from a client.
pub const MAX_FRAME: usize = 24 * 1024 * 1024;

/// Why a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("the device was revoked")]
    Revoked,
    #[error("the connection ended")]
    Ended(#[source] axum::Error),
}

/// WebSocket of a client.
pub struct Socket {
    inner: WebSocket,
    revoked: CancellationToken,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    ending: Ending,
}

#[derive(Debug)]
enum Ending {
    Open,
    /// The close frame must be sent.
    Saying(CloseFrame),
    /// The close frame is being flushed.
    Flushing,
    Ended,
}

impl Socket {
    pub(crate) fn new(inner: WebSocket, revoked: CancellationToken) -> Self {
        Self {
            inner,
            cut: Box::pin(revoked.clone().cancelled_owned()),
            revoked,
            ending: Ending::Open,
        }
    }

    /// Receives the next message; `None` when the connection has ended.
    pub async fn recv(&mut self) -> Option<Message> {
        self.next().await
    }

    /// # Errors
    /// The connection has ended or the device was revoked.
    pub async fn send(&mut self, message: Message) -> Result<(), SocketError> {
        SinkExt::send(self, message).await
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Option<Message>> {
        loop {
            match std::mem::replace(&mut self.ending, Ending::Ended) {
                Ending::Open | Ending::Ended => return Poll::Ready(None),
                Ending::Saying(frame) => match self.inner.poll_ready_unpin(context) {
                    Poll::Pending => {
                        self.ending = Ending::Saying(frame);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(())) if self.inner.start_send_unpin(Message::Close(Some(frame))).is_ok() => {
                        self.ending = Ending::Flushing;
                    }
                    Poll::Ready(_) => return Poll::Ready(None),
                },
                Ending::Flushing => {
                    if self.inner.poll_flush_unpin(context).is_pending() {
                        self.ending = Ending::Flushing;
                        return Poll::Pending;
                    }
                    return Poll::Ready(None);
                }
            }
        }
    }
}

/// Returns the close frame for a protocol violation of the client.
fn complaint(error: axum::Error) -> Option<CloseFrame> {
    use tokio_tungstenite::tungstenite::Error;
    let error = error.into_inner();
    let (code, reason) = match error.downcast_ref::<Error>()? {
        Error::Capacity(_) => (close_code::SIZE, "a frame holds at most 24 MiB"),
        Error::Utf8(_) => (close_code::INVALID, "text has to be UTF-8"),
        Error::Protocol(_) => (close_code::PROTOCOL, "not a WebSocket frame"),
        _ => return None,
    };
    Some(CloseFrame {
        code,
        reason: reason.into(),
    })
}

impl Stream for Socket {
    type Item = Message;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Message>> {
        let this = self.get_mut();
        if !matches!(this.ending, Ending::Open) {
            return this.poll_end(context);
        }
        if this.cut.as_mut().poll(context).is_ready() {
            this.ending = Ending::Saying(CloseFrame {
                code: close_code::POLICY,
                reason: "revoked".into(),
            });
            return this.poll_end(context);
        }
        match ready!(this.inner.poll_next_unpin(context)) {
            Some(Ok(message)) => Poll::Ready(Some(message)),
            Some(Err(error)) => {
                this.ending = complaint(error).map_or(Ending::Ended, Ending::Saying);
                this.poll_end(context)
            }
            None => {
                this.ending = Ending::Ended;
                Poll::Ready(None)
            }
        }
    }
}

impl Sink<Message> for Socket {
    type Error = SocketError;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SocketError>> {
        let this = self.get_mut();
        if this.revoked.is_cancelled() {
            return Poll::Ready(Err(SocketError::Revoked));
        }
        this.inner.poll_ready_unpin(context).map_err(SocketError::Ended)
    }

    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), SocketError> {
        let this = self.get_mut();
        if this.revoked.is_cancelled() {
            return Err(SocketError::Revoked);
        }
        this.inner.start_send_unpin(message).map_err(SocketError::Ended)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SocketError>> {
        self.get_mut()
            .inner
            .poll_flush_unpin(context)
            .map_err(SocketError::Ended)
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SocketError>> {
        self.get_mut()
            .inner
            .poll_close_unpin(context)
            .map_err(SocketError::Ended)
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Socket")
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
