//! The usage limits of a subscription, as reported in the headers of a response.

use reqwest::header::HeaderMap;

const PREFIX: &str = "anthropic-ratelimit-unified";

/// The usage limits of the account, as reported by the last response.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Whether requests are allowed: `allowed`, `allowed_warning` or `rejected`.
    pub status: String,
    /// The limit that applies: `five_hour`, `seven_day` and similar values.
    pub kind: Option<String>,
    /// When that limit is reset, in seconds since 1970.
    pub resets_at: Option<f64>,
    /// The used share of that limit, from 0 to 1.
    pub utilization: Option<f64>,
    /// Whether requests beyond the limit (overage) are allowed.
    pub overage_status: Option<String>,
    /// When the overage limit is reset, in seconds since 1970.
    pub overage_resets_at: Option<f64>,
    /// Why overage is disabled.
    pub overage_disabled_reason: Option<String>,
}

impl Limits {
    /// Parses the headers. A response without them counts as allowed.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let text = |name: &str| {
            let value = headers.get(format!("{PREFIX}-{name}"))?;
            Some(value.to_str().ok()?.to_owned())
        };
        let number = |name: &str| text(name)?.trim().parse::<f64>().ok();
        let kind = text("representative-claim");
        let window = match kind.as_deref() {
            Some("five_hour") => "5h",
            Some(_) => "7d",
            None => "",
        };
        let status = text("status").unwrap_or_else(|| "allowed".to_owned());
        let rejected = status == "rejected";
        Self {
            resets_at: number("reset"),
            utilization: number(&format!("{window}-utilization")).filter(|_| !rejected),
            overage_status: text("overage-status"),
            overage_resets_at: number("overage-reset"),
            overage_disabled_reason: text("overage-disabled-reason"),
            status,
            kind,
        }
    }

    /// Returns whether a limit is reached, so that requests fail until it is reset.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.status == "rejected"
    }

    /// Returns the display name of the limit that applies.
    pub(crate) fn name(&self) -> &'static str {
        match self.kind.as_deref() {
            Some("five_hour") => "5-hour",
            Some("seven_day") => "weekly",
            Some("seven_day_opus") => "weekly Opus",
            Some("seven_day_sonnet") => "weekly Sonnet",
            _ => "usage",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn headers_of_a_warning_are_read() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("anthropic-ratelimit-unified-status", "allowed_warning"),
            ("anthropic-ratelimit-unified-reset", "1900000000"),
            ("anthropic-ratelimit-unified-representative-claim", "five_hour"),
            ("anthropic-ratelimit-unified-5h-utilization", "0.91"),
            ("anthropic-ratelimit-unified-overage-status", "rejected"),
            (
                "anthropic-ratelimit-unified-overage-disabled-reason",
                "org_level_disabled",
            ),
        ] {
            headers.insert(name, value.parse().unwrap());
        }
        let limits = Limits::read(&headers);
        assert_eq!(
            limits,
            Limits {
                status: "allowed_warning".to_owned(),
                kind: Some("five_hour".to_owned()),
                resets_at: Some(1_900_000_000.0),
                utilization: Some(0.91),
                overage_status: Some("rejected".to_owned()),
                overage_resets_at: None,
                overage_disabled_reason: Some("org_level_disabled".to_owned()),
            }
        );
    }

    #[test]
    fn response_without_headers_is_allowed() {
        assert_eq!(Limits::read(&HeaderMap::new()).status, "allowed");
    }
}
