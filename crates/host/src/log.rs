//! The event log: the same order for all subscribers. The agent never waits for a subscriber.
//!
//! The log is limited in bytes. A subscriber that falls behind its start is notified how many events it missed, and
//! continues there.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

use crate::event::Event;

#[derive(Debug, Default)]
struct Inner {
    events: VecDeque<(Event, usize)>,
    /// The number of the first stored event.
    first: u64,
    bytes: usize,
    closed: bool,
    wakers: Vec<Waker>,
}

impl Inner {
    fn add(&mut self, event: Event, cap: usize) {
        let weight = event.weight();
        self.bytes += weight;
        self.events.push_back((event, weight));
        // The last event is always stored, regardless of its size.
        while self.bytes > cap && self.events.len() > 1 {
            if let Some((_, weight)) = self.events.pop_front() {
                self.bytes -= weight;
                self.first += 1;
            }
        }
    }
}

/// The log.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    inner: Arc<Mutex<Inner>>,
    cap: usize,
}

impl Log {
    pub(crate) fn new(cap: usize) -> Self {
        Self {
            inner: Arc::default(),
            cap,
        }
    }

    /// Adds an event and wakes the waiting subscribers.
    pub(crate) fn push(&self, event: Event) {
        let wakers = {
            let mut inner = self.lock();
            inner.add(event, self.cap);
            std::mem::take(&mut inner.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Adds an event without waking subscribers, so that several events can be followed by one [`Log::wake`].
    pub(crate) fn add(&self, event: Event) {
        self.lock().add(event, self.cap);
    }

    /// Wakes the waiting subscribers. Returns whether there were any.
    pub(crate) fn wake(&self) -> bool {
        let wakers = std::mem::take(&mut self.lock().wakers);
        let any = !wakers.is_empty();
        wakers.into_iter().for_each(Waker::wake);
        any
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the log: subscribers receive the remaining events and then the end of the stream.
    pub(crate) fn close(&self) {
        let wakers = {
            let mut inner = self.lock();
            inner.closed = true;
            std::mem::take(&mut inner.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Returns the number that the next event will have.
    pub(crate) fn next_number(&self) -> u64 {
        let inner = self.lock();
        inner.first + inner.events.len() as u64
    }

    /// Returns a subscriber for events from number `from` on.
    pub(crate) fn read_from(&self, from: u64) -> Events {
        Events {
            log: self.clone(),
            next: from,
            taken: VecDeque::new(),
        }
    }
}

/// The events of an agent, in order, as a [`Stream`]. It ends when the client is closed.
#[derive(Debug, Clone)]
pub struct Events {
    log: Log,
    /// The number of the next event to take from the log.
    next: u64,
    /// Events taken from the log that were not returned yet.
    taken: VecDeque<Event>,
}

/// The maximum number of events taken from the log at once, so that the lock is not acquired for each of them.
const BATCH_SIZE: usize = 32;

impl Events {
    /// Waits for the next event. Returns `None` after the client was closed.
    pub async fn next(&mut self) -> Option<Event> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Returns the number of the next event, for [`Client::events_from`](crate::Client::events_from).
    #[must_use]
    pub fn position(&self) -> u64 {
        self.next - self.taken.len() as u64
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Some(event) = self.taken.pop_front() {
            return Poll::Ready(Some(event));
        }
        let mut inner = self.log.lock();
        if self.next < inner.first {
            let missed = inner.first - self.next;
            self.next = inner.first;
            return Poll::Ready(Some(Event::Gap { missed }));
        }
        let at = usize::try_from(self.next - inner.first).unwrap_or(usize::MAX);
        let available = inner.events.len().saturating_sub(at).min(BATCH_SIZE);
        if available > 0 {
            let events = inner.events.range(at..at + available).map(|(event, _)| event.clone());
            self.taken.extend(events);
            self.next += available as u64;
            return Poll::Ready(self.taken.pop_front());
        }
        if inner.closed {
            return Poll::Ready(None);
        }
        // A subscriber may poll repeatedly, for example inside a `select!`; its waker is stored once.
        if !inner.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            inner.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.get_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::Log;
    use crate::event::Event;

    fn line(text: &str) -> Event {
        Event::Stderr(text.into())
    }

    #[tokio::test]
    async fn every_subscriber_gets_every_event_in_order() {
        let log = Log::new(10_000);
        let mut early = log.read_from(0);
        log.push(line("a"));
        let mut late = log.read_from(1);
        log.push(line("b"));
        log.close();
        assert_eq!(early.next().await, Some(line("a")));
        assert_eq!(early.next().await, Some(line("b")));
        assert_eq!(early.next().await, None);
        assert_eq!(late.next().await, Some(line("b")));
    }

    #[tokio::test]
    async fn slow_subscriber_gets_a_gap_and_continues() {
        let log = Log::new(3 * 129);
        let mut slow = log.read_from(0);
        for n in 0..10 {
            log.push(line(&n.to_string()));
        }
        assert_eq!(slow.next().await, Some(Event::Gap { missed: 7 }));
        assert_eq!(slow.next().await, Some(line("7")));
        assert_eq!(slow.position(), 8);
    }

    #[tokio::test]
    async fn event_larger_than_the_limit_is_delivered() {
        let log = Log::new(10);
        let mut listener = log.read_from(0);
        log.push(line(&"x".repeat(1000)));
        assert!(matches!(listener.next().await, Some(Event::Stderr(_))));
    }
}
