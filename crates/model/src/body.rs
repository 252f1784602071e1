//! The body of a request, as it is sent.
//!
//! A conversation may be large. It is not copied into one buffer to be sent: the next part is written when there is
//! room for it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::message::Message;

/// Up to so many bytes are sent in one piece. Such a body can be sent again by the library itself where a server closes a
/// connection without having looked at the request.
const WHOLE: usize = 1024 * 1024;
/// About how much is written at once of a larger one.
const PIECE: usize = 128 * 1024;

/// A mark, and the places of the messages that carry it.
pub(crate) type Marked = (&'static str, [Option<usize>; 2]);

/// The bytes before the messages, the messages, and the bytes after them.
#[derive(Debug)]
pub(crate) struct Body {
    head: Vec<u8>,
    messages: Vec<Message>,
    marked: Option<Marked>,
    tail: &'static [u8],
    /// How many messages are written.
    written: usize,
    /// How many bytes are still to come.
    left: usize,
}

impl Body {
    pub(crate) fn new(head: Vec<u8>, messages: Vec<Message>, marked: Option<Marked>, tail: &'static [u8]) -> Self {
        let mut body = Self {
            left: 0,
            head,
            messages,
            marked,
            tail,
            written: 0,
        };
        let messages = body.messages.iter().enumerate();
        let said: usize = messages.map(|(at, message)| message.length(body.mark(at))).sum();
        let commas = body.messages.len().saturating_sub(1);
        body.left = body.head.len() + said + commas + body.tail.len();
        body
    }

    /// All of it.
    pub(crate) fn whole(mut self) -> Vec<u8> {
        let mut out = std::mem::take(&mut self.head);
        out.reserve_exact(self.left.saturating_sub(out.len()));
        self.fill(&mut out, usize::MAX);
        out
    }

    /// As it is sent.
    pub(crate) fn sent(self) -> reqwest::Body {
        match self.left {
            0..=WHOLE => self.whole().into(),
            _ => reqwest::Body::wrap(self),
        }
    }

    fn mark(&self, at: usize) -> Option<&'static str> {
        let (mark, places) = self.marked?;
        places.contains(&Some(at)).then_some(mark)
    }

    /// Writes messages until so much is written, and the tail behind the last.
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
        self.fill(&mut piece, PIECE);
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        self.left = self.left.saturating_sub(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.left).unwrap_or(u64::MAX))
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
        fn in_pieces_or_whole_it_is_the_same(lengths in prop::collection::vec(0_usize..60_000, 0..8), by_model: bool) {
            let role = |at: usize| if (at % 2 == 1) == by_model { "assistant" } else { "user" };
            let messages = lengths.iter().enumerate().map(|(at, length)| {
                json!({"role": role(at), "content": "x\"".repeat(*length)})
            });
            let request = Request::new("m", messages.collect::<Vec<_>>());
            let whole = request.body_as(true, &Adjustments::default()).whole();
            let hint = request.body_as(true, &Adjustments::default()).size_hint().exact();
            prop_assert_eq!(hint, Some(u64::try_from(whole.len()).unwrap()));
            prop_assert_eq!(pieces(request.body_as(true, &Adjustments::default())).concat(), whole);
        }
    }
}
