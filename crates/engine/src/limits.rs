//! Rate limits of the account: the host is notified of every change (`rate_limit_event`).

use sluice_model::{Failure, Limits};
use sluice_wire::stdout::RateLimitEvent;

use crate::messages;
use crate::session::Session;

impl Session {
    /// Notifies the host of the rate limits of a response, unless it knows them already.
    pub(crate) async fn report_limits(&mut self, limits: Option<&Limits>) {
        let Some(info) = limits.map(messages::rate_limit_info) else {
            return;
        };
        if self.account.set_limits(&info) {
            self.emit(RateLimitEvent {
                rate_limit_info: info,
                uuid: messages::fresh_id(),
                ..RateLimitEvent::default()
            })
            .await;
        }
    }
}

/// Adds the reset time to the text of a failure that was caused by a rate limit.
pub(crate) fn with_reset_time(text: String, failure: &Failure) -> String {
    let limits = failure.limits().filter(|_| failure.is_limit_reached());
    #[allow(clippy::cast_possible_truncation)]
    let reset = limits.and_then(|limits| jiff::Timestamp::from_second(limits.resets_at? as i64).ok());
    match reset {
        Some(reset) => format!("{text} · resets {}", reset.strftime("%Y-%m-%d %H:%M UTC")),
        None => text,
    }
}
