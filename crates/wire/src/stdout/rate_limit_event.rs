//! `rate_limit_event`: the usage of the account's rate limits.

use crate::open::open_enum;
use crate::record::wire_struct;
use crate::{Map, Number};

open_enum! {
    /// Whether requests are allowed.
    pub enum RateLimitStatus {
        Allowed = "allowed",
        AllowedWarning = "allowed_warning",
        Rejected = "rejected",
    }
}

open_enum! {
    /// The kind of rate limit.
    pub enum RateLimitType {
        FiveHour = "five_hour",
        SevenDay = "seven_day",
        SevenDayOpus = "seven_day_opus",
        SevenDaySonnet = "seven_day_sonnet",
        SevenDayOverageIncluded = "seven_day_overage_included",
        Overage = "overage",
    }
}

wire_struct! {
    /// One window of a rate limit.
    pub struct RateLimitWindow {
        utilization: Number,
        resets_at: Number as "resetsAt",
        status: RateLimitStatus,
    }
}

wire_struct! {
    /// The state of a rate limit.
    pub struct RateLimitInfo {
        status: RateLimitStatus,
        resets_at: Option<Number> as "resetsAt",
        rate_limit_type: Option<RateLimitType> as "rateLimitType",
        utilization: Option<Number>,
        overage_status: Option<RateLimitStatus> as "overageStatus",
        overage_resets_at: Option<Number> as "overageResetsAt",
        overage_disabled_reason: Option<String> as "overageDisabledReason",
        is_using_overage: Option<bool> as "isUsingOverage",
        overage_in_use: Option<bool> as "overageInUse",
        overage_enabled: Option<bool> as "overageEnabled",
        surpassed_threshold: Option<Number> as "surpassedThreshold",
        limit_scope: Option<String> as "limitScope",
        error_code: Option<String> as "errorCode",
        can_user_purchase_credits: Option<bool> as "canUserPurchaseCredits",
        has_chargeable_saved_payment_method: Option<bool> as "hasChargeableSavedPaymentMethod",
        /// The windows, by the name of their limit.
        unified_windows: Option<Map<RateLimitWindow>> as "unifiedWindows",
    }
}

wire_struct! {
    /// The state of a rate limit changed.
    pub struct RateLimitEvent ["type" = "rate_limit_event"] {
        rate_limit_info: RateLimitInfo,
        uuid: String,
        session_id: String,
    }
}
