//! Progress notifications for requests that ask for them.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::time::{Duration, Instant, interval_at};

/// Interval of progress notifications of a running call.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of one request.
#[derive(Debug)]
pub(crate) struct Progress {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    steps: f64,
}

impl Progress {
    /// Creates the progress of a request; notifications are sent only if the request contains a token.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            to: token.map(|token| (context.peer.clone(), token)),
            steps: 0.0,
        }
    }

    /// Sends a progress notification. Errors are ignored.
    pub(crate) async fn notify(&mut self, message: impl Into<String>) {
        let Some((peer, token)) = &self.to else { return };
        self.steps += 1.0;
        let notification = ProgressNotificationParam::new(token.clone(), self.steps).with_message(message);
        let _gone = peer.notify_progress(notification).await;
    }

    /// Awaits `work` and sends notifications meanwhile.
    pub(crate) async fn during<T>(&mut self, what: &str, work: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let mut ticks = interval_at(began + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                now = ticks.tick(), if self.to.is_some() => {
                    self.notify(format!("{what}: {} s", (now - began).as_secs())).await;
                }
            }
        }
    }
}
