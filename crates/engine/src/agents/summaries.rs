//! What a subagent is at, in its own words: every half minute, for hosts that asked for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::relay::Relay;

/// How often it is asked.
pub(crate) const EVERY: Duration = Duration::from_secs(30);

/// The summaries of one subagent.
#[derive(Debug)]
pub(crate) struct Summaries {
    pub(crate) relay: Arc<Relay>,
    pub(crate) due: Instant,
    pub(crate) asked: JoinSet<Option<String>>,
    pub(crate) last: Option<String>,
}

/// What may happen.
#[derive(Debug)]
pub(crate) enum Summed {
    /// It is time to ask.
    Due,
    /// It was answered, or not.
    Said(Option<String>),
}

impl Summaries {
    pub(crate) fn new(relay: Arc<Relay>) -> Self {
        Self {
            relay,
            due: Instant::now() + EVERY,
            asked: JoinSet::new(),
            last: None,
        }
    }

    async fn next(&mut self) -> Summed {
        tokio::select! {
            Some(said) = self.asked.join_next() => Summed::Said(said.ok().flatten()),
            () = tokio::time::sleep_until(self.due) => Summed::Due,
        }
    }
}

/// The next that happens; never, where nobody asked for summaries.
pub(super) async fn next(summaries: &mut Option<Box<Summaries>>) -> Summed {
    match summaries {
        Some(summaries) => summaries.next().await,
        None => std::future::pending().await,
    }
}
