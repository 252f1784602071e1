//! Short formats for durations, token counts, sizes and amounts of money.

use std::time::Duration;

/// Formats as `0.4s`, `9s`, `1m 05s`, `1h 02m`.
#[must_use]
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..3 => format!("{:.1}s", time.as_secs_f64()),
        3..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats in whole seconds, for running timers.
#[must_use]
pub fn running(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        _ => self::time(time),
    }
}

/// Formats a total duration; seconds are omitted from ten minutes on.
#[must_use]
pub fn lasted(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 600..3600 => format!("{}m", seconds / 60),
        _ => running(time),
    }
}

/// Formats as `840`, `12.4k`, `1.2M`.
#[must_use]
pub fn tokens(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..100_000 => tenths(count, 1000, "k"),
        100_000..1_000_000 => format!("{}k", count / 1000),
        _ => tenths(count, 1_000_000, "M"),
    }
}

fn tenths(count: u64, unit: u64, name: &str) -> String {
    let tenths = count * 10 / unit;
    if tenths.is_multiple_of(10) {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}

/// Formats as `84 kB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count {
        0..1000 => format!("{count} B"),
        1000..10_000 => format!("{}.{} kB", count / 1000, count / 100 % 10),
        10_000..1_000_000 => format!("{} kB", count / 1000),
        _ => format!("{}.{} MB", count / 1_000_000, count / 100_000 % 10),
    }
}

/// Formats as `$0.42`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    format!("${amount:.2}")
}

/// Formats as `1 file`, `2 files`.
#[must_use]
pub fn count(number: u64, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{number} {one}s")
    }
}

/// Formats as `10m`, `2h`, `9d`.
#[must_use]
pub fn ago(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// Formats as `+44 -2`; empty without changes.
#[must_use]
pub fn lines(added: u64, removed: u64) -> String {
    match (added, removed) {
        (0, 0) => String::new(),
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("-{removed}"),
        (added, removed) => format!("+{added} -{removed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        let seconds = |count| time(Duration::from_secs(count));
        assert_eq!([seconds(9), seconds(65), seconds(3720)], ["9s", "1m 05s", "1h 02m"]);
        assert_eq!(time(Duration::from_millis(412)), "0.4s");
        assert_eq!(
            [tokens(840), tokens(12_400), tokens(1_200_000), tokens(31_000)],
            ["840", "12.4k", "1.2M", "31k"]
        );
        assert_eq!([bytes(84_000), bytes(6_200), bytes(12)], ["84 kB", "6.2 kB", "12 B"]);
        assert_eq!([count(1, "file"), count(3, "file")], ["1 file", "3 files"]);
    }
}
