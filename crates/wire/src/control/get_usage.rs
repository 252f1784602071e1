//! `get_usage`: the usage of the session and the account's rate limits.

use crate::Raw;
use crate::record::wire_struct;
use crate::stdout::UsageReportSession;

wire_struct! {
    /// Requests the usage of the session and the account's rate limits.
    pub struct GetUsage ["subtype" = "get_usage"] {
        skip_behaviors: Option<bool>,
    }
}

wire_struct! {
    /// The usage of the session and the account's rate limits.
    pub struct GetUsageResponse {
        session: UsageReportSession,
        subscription_type: Option<String> = null,
        rate_limits_available: bool,
        rate_limits: Option<Raw> = null,
        behaviors: Option<Raw> = null,
    }
}
