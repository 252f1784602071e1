//! Progress summaries: every 30 seconds a subagent describes what it is doing, if the host asked for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::relay::Relay;

/// Interval between two summaries.
pub(crate) const SUMMARY_INTERVAL: Duration = Duration::from_secs(30);

/// State of the summaries of one subagent.
#[derive(Debug)]
pub(crate) struct Summaries {
    pub(crate) relay: Arc<Relay>,
    pub(crate) due: Instant,
    pub(crate) asked: JoinSet<Option<String>>,
    pub(crate) last: Option<String>,
}

/// The next event of the summaries.
#[derive(Debug)]
pub(crate) enum SummaryEvent {
    /// The next summary is due.
    Due,
    /// The model answered; `None` if the request failed.
    Answered(Option<String>),
}

impl Summaries {
    pub(crate) fn new(relay: Arc<Relay>) -> Self {
        Self {
            relay,
            due: Instant::now() + SUMMARY_INTERVAL,
            asked: JoinSet::new(),
            last: None,
        }
    }

    async fn next(&mut self) -> SummaryEvent {
        tokio::select! {
            Some(answer) = self.asked.join_next() => SummaryEvent::Answered(answer.ok().flatten()),
            () = tokio::time::sleep_until(self.due) => SummaryEvent::Due,
        }
    }
}

/// Waits for the next event. Never resolves if summaries are disabled.
pub(super) async fn next(summaries: &mut Option<Box<Summaries>>) -> SummaryEvent {
    match summaries {
        Some(summaries) => summaries.next().await,
        None => std::future::pending().await,
    }
}
