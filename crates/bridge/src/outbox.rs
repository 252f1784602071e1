//! The outbox of a screen: frames that wait to be sent, bounded and merged; sessions never wait for it.
//!
//! Sessions put frames in; the connection takes them out as fast as its socket goes. Text that grows is merged while it
//! waits, so a screen that is a little slow gets fewer, longer deltas. A screen that is too slow loses everything of the
//! session it is behind on and is told to begin that one anew; nobody else notices.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::Notify;

/// How much may wait for one screen.
const BYTES: usize = 8 * 1024 * 1024;
/// A screen's own answers may wait beyond that, up to here; a snapshot alone can be large.
const HARD_BYTES: usize = 64 * 1024 * 1024;

/// One thing to send.
#[derive(Debug, Clone)]
pub(crate) enum Frame {
    /// A whole frame.
    Whole(Utf8Bytes),
    /// A frame that ends in a text that may grow: everything up to the text, then the text as it stands in JSON.
    Delta {
        /// Deltas with the same key are one text.
        key: u64,
        open: std::sync::Arc<str>,
        escaped: std::sync::Arc<str>,
    },
}

impl Frame {
    fn weight(&self) -> usize {
        match self {
            Self::Whole(text) => text.len() + 64,
            Self::Delta { escaped, .. } => escaped.len() + 64,
        }
    }
}

/// What ends every delta frame.
const DELTA_END: &str = "\"}";

#[derive(Debug)]
struct Waiting {
    /// The session each belongs to; 0 for what belongs to none.
    items: VecDeque<(u32, Frame)>,
    bytes: usize,
    /// Sessions whose frames were dropped.
    lagging: HashSet<u32>,
    closed: Option<Closing>,
}

/// Why a connection is to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closing {
    /// The last frame.
    pub(crate) last: Option<String>,
    /// The WebSocket's close code.
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
}

/// What waits for one screen.
#[derive(Debug)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    news: Notify,
}

/// What a connection takes out at once.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) frames: Vec<Utf8Bytes>,
    /// Sessions that have to be begun anew.
    pub(crate) lagging: Vec<u32>,
    pub(crate) closed: Option<Closing>,
}

impl Outbox {
    pub(crate) fn new() -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                items: VecDeque::new(),
                bytes: 0,
                lagging: HashSet::new(),
                closed: None,
            }),
            news: Notify::new(),
        }
    }

    /// Adds what happened in session `s`. Gives whether the screen still keeps up with it.
    pub(crate) fn push(&self, s: u32, item: Frame) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed.is_some() {
            return false;
        }
        if waiting.lagging.contains(&s) {
            return false;
        }
        waiting.bytes += item.weight();
        waiting.items.push_back((s, item));
        if waiting.bytes > BYTES {
            waiting.drop_session(s);
        }
        drop(waiting);
        self.news.notify_one();
        true
    }

    /// Adds an answer to this screen, in order with what happened in session `s` (0: in none).
    pub(crate) fn answer(&self, s: u32, text: impl Into<Utf8Bytes>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed.is_some() {
            return;
        }
        let item = Frame::Whole(text.into());
        waiting.bytes += item.weight();
        waiting.items.push_back((s, item));
        if waiting.bytes > HARD_BYTES {
            waiting.closed = Some(Closing {
                last: None,
                code: 1013,
                reason: "this client reads too slowly",
            });
        }
        drop(waiting);
        self.news.notify_one();
    }

    /// From now on session `s` is told again.
    pub(crate) fn begin_anew(&self, s: u32) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.lagging.remove(&s);
    }

    /// Forgets what waits of session `s`.
    pub(crate) fn forget(&self, s: u32) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.drop_session(s);
        waiting.lagging.remove(&s);
    }

    /// Ends the connection once what waits was sent.
    pub(crate) fn close(&self, closing: Closing) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.closed.get_or_insert(closing);
        drop(waiting);
        self.news.notify_one();
    }

    /// Waits until there is something to send, and takes all of it.
    pub(crate) async fn take(&self) -> Taken {
        loop {
            let taken = self.take_now();
            if !taken.frames.is_empty() || !taken.lagging.is_empty() || taken.closed.is_some() {
                return taken;
            }
            self.news.notified().await;
        }
    }

    fn take_now(&self) -> Taken {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let items = std::mem::take(&mut waiting.items);
        waiting.bytes = 0;
        let mut lagging: Vec<u32> = waiting.lagging.iter().copied().collect();
        lagging.sort_unstable();
        let closed = waiting.closed.clone();
        drop(waiting);
        Taken {
            frames: frames(items),
            lagging,
            closed,
        }
    }
}

impl Waiting {
    fn drop_session(&mut self, s: u32) {
        self.items.retain(|(of, _)| *of != s);
        self.bytes = self.items.iter().map(|(_, item)| item.weight()).sum();
        self.lagging.insert(s);
    }
}

/// Items as frames; texts that grew meanwhile are one.
fn frames(items: VecDeque<(u32, Frame)>) -> Vec<Utf8Bytes> {
    let mut frames = Vec::with_capacity(items.len());
    let mut growing: Option<(u64, String)> = None;
    for (_, item) in items {
        match item {
            Frame::Whole(text) => {
                finish(growing.take(), &mut frames);
                frames.push(text);
            }
            Frame::Delta { key, open, escaped } => match &mut growing {
                Some((of, text)) if *of == key => text.push_str(&escaped),
                _ => {
                    finish(growing.take(), &mut frames);
                    let mut text = String::with_capacity(open.len() + escaped.len() + DELTA_END.len());
                    text.push_str(&open);
                    text.push_str(&escaped);
                    growing = Some((key, text));
                }
            },
        }
    }
    finish(growing, &mut frames);
    frames
}

fn finish(growing: Option<(u64, String)>, frames: &mut Vec<Utf8Bytes>) {
    if let Some((_, mut text)) = growing {
        text.push_str(DELTA_END);
        frames.push(text.into());
    }
}

/// A text as it stands inside a JSON string.
pub(crate) fn escaped(text: &str) -> String {
    let whole = serde_json::to_string(text).unwrap_or_default();
    whole
        .get(1..whole.len().saturating_sub(1))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Frame, Outbox, escaped};

    fn delta(key: u64, text: &str) -> Frame {
        Frame::Delta {
            key,
            open: Arc::from(format!("{{\"k\":{key},\"text\":\"").as_str()),
            escaped: Arc::from(escaped(text).as_str()),
        }
    }

    #[tokio::test]
    async fn texts_that_wait_together_are_one_frame() {
        let outbox = Outbox::new();
        outbox.push(1, delta(7, "a\n"));
        outbox.push(1, delta(7, "\"b\""));
        outbox.push(1, delta(8, "c"));
        outbox.push(1, Frame::Whole("{}".into()));
        outbox.push(1, delta(8, "d"));
        let frames: Vec<String> = outbox.take().await.frames.iter().map(ToString::to_string).collect();
        assert_eq!(
            frames,
            [
                r#"{"k":7,"text":"a\n\"b\""}"#,
                r#"{"k":8,"text":"c"}"#,
                "{}",
                r#"{"k":8,"text":"d"}"#
            ]
        );
    }

    #[tokio::test]
    async fn a_slow_screen_loses_the_session_it_is_behind_on_and_no_other() {
        let outbox = Outbox::new();
        outbox.push(2, Frame::Whole("other".into()));
        let big = "x".repeat(1024 * 1024);
        while outbox.push(1, Frame::Whole(big.clone().into())) {}
        assert!(outbox.push(2, Frame::Whole("still".into())));
        let taken = outbox.take().await;
        let frames: Vec<&str> = taken.frames.iter().map(axum::extract::ws::Utf8Bytes::as_str).collect();
        assert_eq!(frames, ["other", "still"]);
        assert_eq!(taken.lagging, [1]);
        assert!(!outbox.push(1, Frame::Whole("lost".into())));
        outbox.begin_anew(1);
        assert!(outbox.push(1, Frame::Whole("back".into())));
    }

    #[derive(Debug, Clone)]
    enum Step {
        Text(u64, String),
        Whole(u32),
        Take,
    }

    fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
        use proptest::prelude::*;
        let step = prop_oneof![
            4 => (0..3_u64, any::<String>()).prop_map(|(key, text)| Step::Text(key, text)),
            1 => any::<u32>().prop_map(Step::Whole),
            2 => Just(Step::Take),
        ];
        proptest::collection::vec(step, 0..60)
    }

    proptest::proptest! {
        /// However a screen reads, each text is whole and nothing changes its place among the frames.
        #[test]
        fn what_is_taken_out_is_what_was_put_in(steps in steps()) {
            let outbox = Outbox::new();
            // Every text as it grew, in pieces between frames, and every frame, in order.
            let mut put: Vec<(Option<u64>, String)> = Vec::new();
            let mut frames = Vec::new();
            for step in steps.iter().chain([&Step::Take]) {
                match step {
                    Step::Text(key, text) => {
                        outbox.push(1, delta(*key, text));
                        match put.last_mut() {
                            Some((Some(of), whole)) if of == key => whole.push_str(text),
                            _ => put.push((Some(*key), text.clone())),
                        }
                    }
                    Step::Whole(number) => {
                        outbox.push(1, Frame::Whole(format!("{{\"n\":{number}}}").into()));
                        put.push((None, number.to_string()));
                    }
                    Step::Take => frames.extend(outbox.take_now().frames),
                }
            }
            let mut got: Vec<(Option<u64>, String)> = Vec::new();
            for frame in &frames {
                let frame: serde_json::Value = serde_json::from_str(frame).unwrap();
                match frame.get("k").and_then(serde_json::Value::as_u64) {
                    Some(key) => {
                        let text = frame["text"].as_str().unwrap();
                        match got.last_mut() {
                            Some((Some(of), whole)) if *of == key => whole.push_str(text),
                            _ => got.push((Some(key), text.to_owned())),
                        }
                    }
                    None => got.push((None, frame["n"].to_string())),
                }
            }
            proptest::prop_assert_eq!(got, put);
        }
    }
}
