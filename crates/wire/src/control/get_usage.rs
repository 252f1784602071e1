//! `get_usage`: what was used, and what is left.

use crate::Raw;
use crate::record::wire_struct;
use crate::stdout::UsageReportSession;

wire_struct! {
    /// Asks what was used, and what is left.
    pub struct GetUsage ["subtype" = "get_usage"] {
        skip_behaviors: Option<bool>,
    }
}

wire_struct! {
    /// What was used, and what is left.
    pub struct GetUsageResponse {
        session: UsageReportSession,
        subscription_type: Option<String> = null,
        rate_limits_available: bool,
        rate_limits: Option<Raw> = null,
        behaviors: Option<Raw> = null,
    }
}
