//! The body of a request as it is sent.
//!
//! A conversation may be large. Instead of copying it into one buffer, the body is written in parts as the connection
//! accepts them.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::message::Message;

/// Bodies up to this many bytes are sent as one buffer. The HTTP library can resend such a body itself if the server
/// closes a connection without having read the request.
const MAX_SINGLE_BUFFER: usize = 1024 * 1024;
/// The approximate size in bytes of a part of a larger body.
const PART_SIZE: usize = 128 * 1024;

/// A cache mark, and the indices of the messages that carry it.
pub(crate) type Marks = (&'static str, [Option<usize>; 2]);

/// The body: bytes before the messages, the messages, and bytes after them.
#[derive(Debug)]
pub(crate) struct Body {
    head: Vec<u8>,
    messages: Vec<Message>,
    marks: Option<Marks>,
    tail: &'static [u8],
    /// The number of messages written so far.
    written: usize,
    /// The number of bytes that remain to be written.
    remaining: usize,
}

impl Body {
    pub(crate) fn new(head: Vec<u8>, messages: Vec<Message>, marks: Option<Marks>, tail: &'static [u8]) -> Self {
        let mut body = Self {
            remaining: 0,
            head,
            messages,
            marks,
            tail,
            written: 0,
        };
        let messages = body.messages.iter().enumerate();
        let length: usize = messages.map(|(at, message)| message.length(body.mark(at))).sum();
        let commas = body.messages.len().saturating_sub(1);
        body.remaining = body.head.len() + length + commas + body.tail.len();
        body
    }

    /// Returns the complete body.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let mut out = std::mem::take(&mut self.head);
        out.reserve_exact(self.remaining.saturating_sub(out.len()));
        self.fill(&mut out, usize::MAX);
        out
    }

    /// Returns the body in the form for the HTTP library.
    pub(crate) fn into_reqwest(self) -> reqwest::Body {
        match self.remaining {
            0..=MAX_SINGLE_BUFFER => self.into_bytes().into(),
            _ => reqwest::Body::wrap(self),
        }
    }

    fn mark(&self, at: usize) -> Option<&'static str> {
        let (mark, places) = self.marks?;
        places.contains(&Some(at)).then_some(mark)
    }

    /// Writes messages until `enough` bytes are written, and the tail after the last message.
    fn fill(&mut self, out: &mut Vec<u8>, enough: usize) {
        while out.len() < enough {
            let at = self.written;
            let Some(message) = self.messages.get(at) else {
                out.extend_from_slice(std::mem::take(&mut self.tail));
                return;
            };
            if at > 0 {
                out.push(b',');
            }
            message.write(out, self.mark(at));
            self.written += 1;
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut piece = std::mem::take(&mut self.head);
        self.fill(&mut piece, PART_SIZE);
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        self.remaining = self.remaining.saturating_sub(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.remaining).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::task::Waker;

    use http_body::Body as _;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Adjustments, Request};

    fn pieces(mut body: Body) -> Vec<Bytes> {
        let mut context = Context::from_waker(Waker::noop());
        let mut pieces = Vec::new();
        while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut context) {
            pieces.push(frame.unwrap().into_data().unwrap());
        }
        assert!(body.is_end_stream());
        pieces
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn streamed_body_equals_complete_body(lengths in prop::collection::vec(0_usize..60_000, 0..8), by_model: bool) {
            let role = |at: usize| if (at % 2 == 1) == by_model { "assistant" } else { "user" };
            let messages = lengths.iter().enumerate().map(|(at, length)| {
                json!({"role": role(at), "content": "x\"".repeat(*length)})
            });
            let request = Request::new("m", messages.collect::<Vec<_>>());
            let into_bytes = request.build_body(true, &Adjustments::default()).into_bytes();
            let hint = request.build_body(true, &Adjustments::default()).size_hint().exact();
            prop_assert_eq!(hint, Some(u64::try_from(into_bytes.len()).unwrap()));
            prop_assert_eq!(pieces(request.build_body(true, &Adjustments::default())).concat(), into_bytes);
        }
    }
}
