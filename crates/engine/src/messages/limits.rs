//! Rate limits in messages.

use sluice_model::Limits;
use sluice_wire::stdout::{RateLimitInfo, RateLimitStatus, RateLimitType, RateLimitWindow};
use sluice_wire::{Map, Number};

/// Returns the limits as hosts get them.
pub(crate) fn rate_limit_info(limits: &Limits) -> RateLimitInfo {
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
