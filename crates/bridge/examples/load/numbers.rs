//! Many times as a few numbers.

use serde_json::{Value, json};

/// Median, 99th percentile, the longest, in milliseconds; out of microseconds.
pub(crate) fn spread(mut micros: Vec<u64>) -> Value {
    micros.sort_unstable();
    let at = |share: f64| {
        let place = (micros.len() as f64 * share) as usize;
        let found = micros.get(place.min(micros.len().saturating_sub(1)));
        found.map(|it| *it as f64 / 1000.0)
    };
    json!({"count": micros.len(), "median": at(0.5), "p99": at(0.99), "max": micros.last().map(|it| *it as f64 / 1000.0)})
}
