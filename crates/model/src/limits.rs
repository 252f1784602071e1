//! The usage limits of a subscription, as reported in the headers of a response.

use reqwest::header::HeaderMap;

const PREFIX: &str = "anthropic-ratelimit-unified";

/// The windows that limits are counted in: the prefix of their headers, their name, and their length in seconds.
const WINDOWS: [(&str, &str, f64); 2] = [("5h", "five_hour", 18_000.0), ("7d", "seven_day", 604_800.0)];
/// The utilization of a window from which a warning can be due.
const WARN_FROM: f64 = 0.75;
/// A warning is due if the part of the window that has passed is less than this much of its utilization.
const WARN_PACE: f64 = 0.8;

/// The usage limits of the account, as reported by the last response.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Whether requests are allowed: `allowed`, `allowed_warning` or `rejected`.
    pub status: String,
    /// The limit that applies: `five_hour`, `seven_day` and similar values.
    pub kind: Option<String>,
    /// When that limit is reset, in seconds since 1970.
    pub resets_at: Option<f64>,
    /// How much of that limit is used, from 0 to 1. Reported with a warning only.
    pub utilization: Option<f64>,
    /// The part of the limit that has just been exceeded, from 0 to 1.
    pub surpassed_threshold: Option<f64>,
    /// Requests beyond the limit.
    pub overage: Overage,
    /// The windows whose end is known.
    pub windows: Vec<Window>,
}

/// Requests beyond a limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overage {
    /// Whether they are allowed.
    pub status: Option<String>,
    /// When their limit is reset, in seconds since 1970.
    pub resets_at: Option<f64>,
    /// Why there are none.
    pub disabled_reason: Option<String>,
    /// Whether this request was one.
    pub in_use: Option<bool>,
}

/// One window of a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Its name: `five_hour` or `seven_day`.
    pub name: &'static str,
    /// The status that the server gives for it.
    pub status: String,
    /// How much of it is used, from 0 to 1.
    pub utilization: f64,
    /// The end of the window, in seconds since 1970.
    pub resets_at: f64,
    /// Its length in seconds.
    length: f64,
}

impl Window {
    /// True if much of the window is used long before it ends.
    fn is_used_early(&self, now: f64) -> bool {
        let passed = 1.0 - (self.resets_at - now) / self.length;
        self.utilization >= WARN_FROM && passed < self.utilization * WARN_PACE
    }

    /// True if the window is the running one.
    fn is_running(&self, now: f64) -> bool {
        (now..=now + self.length).contains(&self.resets_at)
    }
}

impl Limits {
    /// Reads the headers of a response with this status. A response without them is allowed. `now` is in seconds since 1970.
    pub(crate) fn read(headers: &HeaderMap, refused: bool, now: f64) -> Self {
        let text = |name: &str| {
            let value = headers.get(format!("{PREFIX}-{name}"))?;
            Some(value.to_str().ok()?.to_owned())
        };
        let number = |name: &str| {
            text(name)?
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
        };
        let claim = text("representative-claim");
        let mut limits = Self {
            status: text("status").unwrap_or_else(|| "allowed".to_owned()),
            resets_at: number("reset"),
            utilization: None,
            surpassed_threshold: None,
            overage: Overage {
                status: text("overage-status"),
                resets_at: number("overage-reset"),
                disabled_reason: text("overage-disabled-reason"),
                in_use: text("overage-in-use").map(|value| value == "true").filter(|used| *used),
            },
            windows: Vec::new(),
            kind: claim,
        };
        if refused && limits.kind.is_some() {
            "rejected".clone_into(&mut limits.status);
        }
        let windows = WINDOWS.iter().filter_map(|(prefix, name, length)| {
            Some(Window {
                name,
                status: text(&format!("{prefix}-status")).unwrap_or_else(|| "allowed".to_owned()),
                utilization: number(&format!("{prefix}-utilization"))?,
                resets_at: number(&format!("{prefix}-reset")).or(limits.resets_at)?,
                length: *length,
            })
        });
        let windows: Vec<Window> = windows.collect();
        if !limits.is_rejected() {
            // The window whose use runs ahead of time most.
            let early = windows.iter().filter(|window| window.is_used_early(now));
            let decides = |window: &&Window| limits.kind.as_deref() == Some(window.name);
            let warned = match limits.status.as_str() {
                "allowed" => early.max_by(|one, other| one.utilization.total_cmp(&other.utilization)),
                _ => windows.iter().find(decides),
            };
            if let Some(window) = warned {
                "allowed_warning".clone_into(&mut limits.status);
                limits.kind = Some(window.name.to_owned());
                limits.resets_at = Some(window.resets_at);
                limits.utilization = Some(window.utilization);
                let prefix = WINDOWS.iter().find(|(_, name, _)| *name == window.name);
                limits.surpassed_threshold =
                    prefix.and_then(|(prefix, ..)| number(&format!("{prefix}-surpassed-threshold")));
            }
        }
        limits.windows = windows.into_iter().filter(|window| window.is_running(now)).collect();
        limits
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
        let limits = Limits::read(&headers, false, 1_800_000_000.0);
        assert_eq!(
            limits,
            Limits {
                status: "allowed_warning".to_owned(),
                kind: Some("five_hour".to_owned()),
                resets_at: Some(1_900_000_000.0),
                utilization: Some(0.91),
                surpassed_threshold: None,
                overage: Overage {
                    status: Some("rejected".to_owned()),
                    disabled_reason: Some("org_level_disabled".to_owned()),
                    ..Overage::default()
                },
                windows: Vec::new(),
            }
        );
    }

    #[test]
    fn response_without_headers_is_allowed() {
        assert_eq!(Limits::read(&HeaderMap::new(), false, 0.0).status, "allowed");
        assert_eq!(Limits::read(&HeaderMap::new(), true, 0.0).status, "allowed");
    }

    /// The limits of an account whose server allows the request.
    fn used(window: &str, utilization: &str, resets_in: f64) -> Limits {
        let now = 1_800_000_000.0;
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("status".to_owned(), "allowed".to_owned()),
            ("representative-claim".to_owned(), "five_hour".to_owned()),
            (format!("{window}-utilization"), utilization.to_owned()),
            (format!("{window}-reset"), (now + resets_in).to_string()),
        ] {
            let name: reqwest::header::HeaderName = format!("{PREFIX}-{name}").parse().unwrap();
            headers.insert(name, value.parse().unwrap());
        }
        Limits::read(&headers, false, now)
    }

    /// Seen in 2.1.326: a window that is used much faster than it passes gives a warning.
    #[test]
    fn use_that_runs_ahead_of_time_is_a_warning() {
        let early = used("5h", "0.91", 14_400.0);
        assert_eq!(
            (early.status.as_str(), early.utilization),
            ("allowed_warning", Some(0.91))
        );
        let late = used("5h", "0.95", 600.0);
        assert_eq!((late.status.as_str(), late.utilization), ("allowed", None));
        assert_eq!(late.windows[0].utilization, 0.95);
        let week = used("7d", "0.8", 432_000.0);
        assert_eq!(
            (week.status.as_str(), week.kind.as_deref()),
            ("allowed_warning", Some("seven_day"))
        );
        assert_eq!(used("5h", "0.1", 14_400.0).status, "allowed");
        // The end of a window that is years ahead is none.
        assert_eq!(used("5h", "0.91", 1e8).windows, []);
    }

    /// Seen in 2.1.326: a 429 that names a limit is a rejection, even if its status is a warning.
    #[test]
    fn refusal_that_names_a_limit_is_a_rejection() {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-ratelimit-unified-status", "allowed_warning".parse().unwrap());
        headers.insert(
            "anthropic-ratelimit-unified-representative-claim",
            "seven_day".parse().unwrap(),
        );
        assert!(Limits::read(&headers, true, 0.0).is_rejected());
        assert!(!Limits::read(&headers, false, 0.0).is_rejected());
    }
}
