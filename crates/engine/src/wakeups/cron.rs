//! Cron expressions: five fields, minute, hour, day of the month, month and day of the week, in local time. Pure.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;

/// The maximum number of days to search for the next time: February 29 can be eight years away.
const MAX_DAYS: usize = 8 * 366 + 1;

/// A cron expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cron {
    text: String,
    minutes: Field,
    hours: Field,
    days: Field,
    months: Field,
    weekdays: Field,
}

/// The error for an invalid cron expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a cron expression. Give five fields: minute, hour, day of the month, month, day of the week. A field is *, a \
     number, a range a-b, a list of these, or one of them with /step."
)]
pub(crate) struct CronError(String);

/// The values that a field permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    /// A bit for each value.
    values: u64,
    /// The field starts with `*`, so it does not restrict the day.
    any: bool,
}

impl Field {
    fn parse(text: &str, range: RangeInclusive<u8>) -> Option<Self> {
        let mut values = 0;
        for part in text.split(',') {
            let (of, step) = match part.split_once('/') {
                Some((of, step)) => (of, Some(number(step, 1..=*range.end())?)),
                None => (part, None),
            };
            let (first, last) = match of.split_once('-') {
                _ if of == "*" => (*range.start(), *range.end()),
                Some((first, last)) => (number(first, range.clone())?, number(last, range.clone())?),
                None => {
                    let first = number(of, range.clone())?;
                    (first, if step.is_some() { *range.end() } else { first })
                }
            };
            if first > last {
                return None;
            }
            let steps = (first..=last).step_by(usize::from(step.unwrap_or(1)));
            steps.for_each(|value| values |= 1 << value);
        }
        let any = text.starts_with('*');
        Some(Self { values, any })
    }

    fn has(self, value: i8) -> bool {
        u32::try_from(value).is_ok_and(|value| self.values & (1 << value) != 0)
    }

    /// Returns the one value, if there is only one.
    fn only(self) -> Option<u32> {
        (self.values.count_ones() == 1).then(|| self.values.trailing_zeros())
    }
}

fn number(text: &str, range: RangeInclusive<u8>) -> Option<u8> {
    let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    range.contains(&number).then_some(number)
}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Self, CronError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let parsed = || {
            let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
                return None;
            };
            let mut weekdays = Field::parse(weekdays, 0..=7)?;
            // Sunday is 0 and 7.
            weekdays.values = (weekdays.values | weekdays.values >> 7) & 0x7f;
            Some(Self {
                text: fields.join(" "),
                minutes: Field::parse(minutes, 0..=59)?,
                hours: Field::parse(hours, 0..=23)?,
                days: Field::parse(days, 1..=31)?,
                months: Field::parse(months, 1..=12)?,
                weekdays,
            })
        };
        parsed().ok_or_else(|| CronError(text.to_owned()))
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Cron {
    /// Returns the first matching time after `after`. A time in the gap of a clock change is moved to the end of the
    /// gap.
    pub(crate) fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let start = after.to_zoned(zone.clone());
        let mut date = start.date();
        for _ in 0..MAX_DAYS {
            if self.matches_day(date)
                && let Some(found) = self.in_day(date, after, zone)
            {
                return Some(found);
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    /// If both the day of the month and the day of the week are restricted, one of them has to match.
    fn matches_day(&self, date: Date) -> bool {
        let day = self.days.has(date.day());
        let weekday = self.weekdays.has(date.weekday().to_sunday_zero_offset());
        let either = !self.days.any && !self.weekdays.any;
        self.months.has(date.month()) && if either { day || weekday } else { day && weekday }
    }

    fn in_day(&self, date: Date, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let hours = (0..24).filter(|hour| self.hours.has(*hour));
        let mut times = hours.flat_map(|hour| {
            let minutes = (0..60).filter(|minute| self.minutes.has(*minute));
            minutes.map(move |minute| date.to_datetime(time(hour, minute, 0, 0)))
        });
        times.find_map(|moment| {
            let moment = moment.to_zoned(zone.clone()).ok()?.timestamp();
            (moment > after).then_some(moment)
        })
    }

    /// Describes the expression in words if that is short; otherwise returns it unchanged.
    pub(crate) fn words(&self) -> String {
        let fields: Vec<&str> = self.text.split(' ').collect();
        let at = self.hours.only().zip(self.minutes.only());
        match (fields.as_slice(), at) {
            (["*", "*", "*", "*", "*"], _) => "every minute".to_owned(),
            ([minutes, "*", "*", "*", "*"], _) if minutes.starts_with("*/") => {
                format!("every {} minutes", minutes.trim_start_matches("*/"))
            }
            ([_, "*", "*", "*", "*"], _) if self.minutes.only().is_some() => {
                format!("every hour at minute {}", self.minutes.only().unwrap_or_default())
            }
            ([_, _, "*", "*", days], Some((hour, minute))) => match *days {
                "*" => format!("every day at {hour:02}:{minute:02}"),
                "1-5" => format!("on weekdays at {hour:02}:{minute:02}"),
                _ => self.text.clone(),
            },
            _ => self.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn next(cron: &str, after: &str) -> String {
        let cron: Cron = cron.parse().unwrap();
        let after: Timestamp = after.parse().unwrap();
        cron.next(after, &TimeZone::UTC).unwrap().to_string()
    }

    #[test]
    fn next_time_is_found() {
        let now = "2026-01-30T10:30:00Z";
        for (cron, then) in [
            ("* * * * *", "2026-01-30T10:31:00Z"),
            ("*/15 * * * *", "2026-01-30T10:45:00Z"),
            ("30 10 * * *", "2026-01-31T10:30:00Z"),
            ("0 9 * * 1-5", "2026-02-02T09:00:00Z"),
            ("0 0 29 2 *", "2028-02-29T00:00:00Z"),
            ("0 0 1 * 7", "2026-02-01T00:00:00Z"),
            ("5,50-55/2 10 * * *", "2026-01-30T10:50:00Z"),
            ("0 0 13 * 5", "2026-02-06T00:00:00Z"),
        ] {
            assert_eq!(next(cron, now), then, "{cron}");
        }
    }

    #[test]
    fn invalid_expressions_are_rejected() {
        for bad in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "*/0 * * * *",
            "a * * * *",
            "1,, * * * *",
            "+1 * * * *",
            "-1 * * * *",
            "1- * * * *",
        ] {
            assert!(bad.parse::<Cron>().is_err(), "{bad}");
        }
    }

    #[test]
    fn expressions_are_described() {
        for (cron, words) in [
            ("*/5 * * * *", "every 5 minutes"),
            ("7 * * * *", "every hour at minute 7"),
            ("0 9 * * 1-5", "on weekdays at 09:00"),
            ("29 21 * * *", "every day at 21:29"),
            ("0 9 1 * *", "0 9 1 * *"),
        ] {
            assert_eq!(cron.parse::<Cron>().unwrap().words(), words);
        }
    }

    fn field(range: RangeInclusive<u8>) -> impl Strategy<Value = String> {
        let (low, high) = (*range.start(), *range.end());
        prop_oneof![
            2 => Just("*".to_owned()),
            1 => (1..=high).prop_map(|step| format!("*/{step}")),
            2 => range.clone().prop_map(|value| value.to_string()),
            1 => (range, low..=high).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
        ]
    }

    proptest! {
        /// The next time is after the given one and matches; no minute between them does.
        #[test]
        fn next_time_is_the_first_match(
            minutes in field(0..=59), hours in field(0..=23), weekdays in field(0..=7), second in 0i64..4_000_000_000,
        ) {
            let cron: Cron = format!("{minutes} {hours} * * {weekdays}").parse().unwrap();
            let after = Timestamp::from_second(second).unwrap();
            let found = cron.next(after, &TimeZone::UTC).unwrap();
            let matches = |moment: Timestamp| {
                let moment = moment.to_zoned(TimeZone::UTC);
                cron.minutes.has(moment.minute()) && cron.hours.has(moment.hour()) && cron.matches_day(moment.date())
            };
            prop_assert!(found > after && matches(found));
            let minute = |moment: Timestamp| moment.as_second().div_euclid(60);
            for between in minute(after) + 1..minute(found) {
                prop_assert!(!matches(Timestamp::from_second(between * 60).unwrap()));
            }
        }

        #[test]
        fn parsing_never_panics(text in "[0-9*/, -]{0,20}") {
            if let Ok(cron) = text.parse::<Cron>() {
                cron.next(Timestamp::UNIX_EPOCH, &TimeZone::UTC);
                cron.words();
            }
        }
    }
}
