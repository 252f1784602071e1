//! The event log: one order for all listeners. The agent never waits for a listener.
//!
//! The log is bounded in bytes. Whoever falls behind its beginning is told how much was missed and goes on there.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

use crate::event::Event;

#[derive(Debug, Default)]
struct Inner {
    events: VecDeque<(Event, usize)>,
    /// The number of the first event that is still there.
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
        // One event is always kept, however large.
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

    /// Adds an event and wakes who waits.
    pub(crate) fn push(&self, event: Event) {
        let wakers = {
            let mut inner = self.lock();
            inner.add(event, self.cap);
            std::mem::take(&mut inner.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Adds an event; who waits is woken by [`Log::wake`], once for many.
    pub(crate) fn add(&self, event: Event) {
        self.lock().add(event, self.cap);
    }

    /// Wakes who waits; says whether anybody did.
    pub(crate) fn wake(&self) -> bool {
        let wakers = std::mem::take(&mut self.lock().wakers);
        let any = !wakers.is_empty();
        wakers.into_iter().for_each(Waker::wake);
        any
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        let wakers = {
            let mut inner = self.lock();
            inner.closed = true;
            std::mem::take(&mut inner.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// The number the next event will have.
    pub(crate) fn next_number(&self) -> u64 {
        let inner = self.lock();
        inner.first + inner.events.len() as u64
    }

    /// Events from number `from` on.
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
    /// The number of the next event that is not taken.
    next: u64,
    /// Taken from the log and not yet given out.
    taken: VecDeque<Event>,
}

/// How many events are taken at once: the owner is not kept from the log for each of them.
const AT_ONCE: usize = 32;

impl Events {
    /// The next event.
    pub async fn next(&mut self) -> Option<Event> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// The number of the next event; [`Client::events_from`](crate::Client::events_from) takes it.
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
        let there = inner.events.len().saturating_sub(at).min(AT_ONCE);
        if there > 0 {
            let events = inner.events.range(at..at + there).map(|(event, _)| event.clone());
            self.taken.extend(events);
            self.next += there as u64;
            return Poll::Ready(self.taken.pop_front());
        }
        if inner.closed {
            return Poll::Ready(None);
        }
        // One that looks again and again, as inside a `select!`, waits once.
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
    async fn every_listener_gets_every_event_in_order() {
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
    async fn a_slow_listener_is_told_what_it_missed_and_goes_on() {
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
    async fn one_event_over_the_cap_is_still_heard() {
        let log = Log::new(10);
        let mut listener = log.read_from(0);
        log.push(line(&"x".repeat(1000)));
        assert!(matches!(listener.next().await, Some(Event::Stderr(_))));
    }
}
