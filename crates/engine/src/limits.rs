//! Rate limits of the account: the host is notified of every change (`rate_limit_event`).

use sluice_model::{Failure, Limits};
use sluice_wire::stdout::{RateLimitEvent, RateLimitInfo, RateLimitStatus, RateLimitType, RateLimitWindow};
use sluice_wire::{Map, Number};

use crate::messages;
use crate::session::Session;

impl Session {
    /// Notifies the host of the rate limits of a response, unless it knows them already.
    pub(crate) async fn report_limits(&mut self, limits: Option<&Limits>) {
        let Some(info) = limits.map(info) else { return };
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

/// The limits, for messages to hosts.
pub(crate) fn info(limits: &Limits) -> RateLimitInfo {
    let windows = limits.windows.iter().map(|window| {
        let state = RateLimitWindow {
            utilization: Number(window.utilization),
            resets_at: Number(window.resets_at),
            status: RateLimitStatus::from(window.status.as_str()),
            ..RateLimitWindow::default()
        };
        (window.name.to_owned(), state)
    });
    let windows: Map<RateLimitWindow> = windows.collect();
    let overage = &limits.overage;
    RateLimitInfo {
        status: RateLimitStatus::from(limits.status.as_str()),
        resets_at: limits.resets_at.map(Number),
        rate_limit_type: limits.kind.as_deref().map(RateLimitType::from),
        utilization: limits.utilization.map(Number),
        overage_status: overage.status.as_deref().map(RateLimitStatus::from),
        overage_resets_at: overage.resets_at.map(Number),
        overage_disabled_reason: overage.disabled_reason.clone(),
        is_using_overage: Some(limits.is_rejected() && overage.status.as_deref() == Some("allowed")),
        overage_in_use: overage.in_use,
        surpassed_threshold: limits.surpassed_threshold.map(Number),
        unified_windows: Some(windows).filter(|windows| !windows.is_empty()),
        ..RateLimitInfo::default()
    }
}
