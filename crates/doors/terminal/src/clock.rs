//! Times of day in the local time zone.

/// Formats times of day.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    /// Converts a time to local year, month, day, hour and minute. Provided by the caller; UTC if missing.
    pub local: Option<fn(u64) -> [u16; 5]>,
    /// Use the 12-hour format: `3:05 pm` instead of `15:05`.
    pub twelve: bool,
}

impl Clock {
    /// Formats a time: `10:31` today, `Nov 3 10:31` on another day. Both arguments are milliseconds since 1970.
    #[must_use]
    pub fn time(&self, at: u64, now: u64) -> String {
        let local = self.local.unwrap_or(utc);
        let [year, month, day, hour, minute] = local(at);
        let time = self.hour(hour, minute);
        let [this_year, this_month, today, ..] = local(now);
        if (year, month, day) == (this_year, this_month, today) {
            return time;
        }
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let name = MONTHS
            .get(usize::from(month.saturating_sub(1)))
            .copied()
            .unwrap_or_default();
        match year == this_year {
            true => format!("{name} {day} {time}"),
            false => format!("{name} {day} {year}"),
        }
    }

    fn hour(self, hour: u16, minute: u16) -> String {
        if !self.twelve {
            return format!("{hour:02}:{minute:02}");
        }
        let half = if hour < 12 { "am" } else { "pm" };
        let hour = match hour % 12 {
            0 => 12,
            hour => hour,
        };
        format!("{hour}:{minute:02} {half}")
    }
}

/// Used when the local time zone is unknown.
fn utc(at: u64) -> [u16; 5] {
    let minutes = at / 60_000;
    let (days, minute_of_day) = (minutes / 1440, minutes % 1440);
    // Days since 0000-03-01, counted in years that start in March.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [year, month, day, minute_of_day / 60, minute_of_day % 60].map(|part| u16::try_from(part).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000;

    #[test]
    fn times_of_other_days_include_the_date() {
        // 2024-02-29 10:31.
        let at = 19_782 * DAY + 37_860_000;
        let clock = Clock::default();
        assert_eq!(clock.time(at, at + 3_600_000), "10:31");
        assert_eq!(clock.time(at, at + DAY), "Feb 29 10:31");
        assert_eq!(clock.time(at, at + 366 * DAY), "Feb 29 2024");
        let twelve = Clock { twelve: true, ..clock };
        assert_eq!(twelve.time(at, at), "10:31 am");
        assert_eq!(twelve.time(19_782 * DAY, 19_782 * DAY), "12:00 am");
        assert_eq!(twelve.time(at + 10_800_000, at), "1:31 pm");
    }

    #[test]
    fn time_is_utc_without_a_time_zone() {
        assert_eq!(utc(0), [1970, 1, 1, 0, 0]);
        assert_eq!(utc(951_782_400_000), [2000, 2, 29, 0, 0]);
        assert_eq!(utc(1_763_290_260_000), [2025, 11, 16, 10, 51]);
    }
}
