//! Prompts that the model schedules for later: wake-ups (`ScheduleWakeup`) and cron jobs (`CronCreate`).
//!
//! They belong to the session and end with it; they are not stored. A prompt that is due starts a turn, like the end of
//! a background task.

mod cron;
mod tools;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use sluice_wire::hook::SessionCronSummary;
use tokio::time::Instant;

use cron::{Cron, CronError};
pub(crate) use tools::{is_schedule_tool, schedule_tools};

/// The maximum number of scheduled prompts.
const MAX_JOBS: usize = 50;
/// The lifetime of a recurring job.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The minimum and maximum delay of a wake-up, in seconds.
const MIN_DELAY: u64 = 60;
const MAX_DELAY: u64 = 3_600;

/// The scheduled prompts of a session.
#[derive(Debug)]
pub(crate) struct Wakeups {
    jobs: Mutex<Vec<Job>>,
    /// The local time zone, determined when first needed.
    zone: OnceLock<TimeZone>,
}

/// A scheduled prompt.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) prompt: String,
    repeats: Repeats,
    due: Due,
}

#[derive(Debug, Clone)]
enum Repeats {
    /// A wake-up: once, after a delay.
    Never,
    /// A cron job that runs once.
    Once(Cron),
    /// A cron job that runs until it expires.
    Until(Cron, Timestamp),
}

/// The due time of a job, by the system clock and by the clock that timers use.
#[derive(Debug, Clone, Copy)]
struct Due {
    time: Timestamp,
    at: Instant,
}

impl Due {
    fn new(time: Timestamp) -> Self {
        let delay = time.duration_since(Timestamp::now());
        Self {
            time,
            at: Instant::now() + Duration::try_from(delay).unwrap_or_default(),
        }
    }

    /// The next due time. It is relative to this one, so that both clocks advance equally.
    fn next(self, time: Timestamp) -> Self {
        let delay = time.duration_since(self.time);
        Self {
            time,
            at: self.at + Duration::try_from(delay).unwrap_or_default(),
        }
    }
}

impl Job {
    /// Returns the cron expression, if it is a cron job.
    fn cron(&self) -> Option<&Cron> {
        match &self.repeats {
            Repeats::Never => None,
            Repeats::Once(cron) | Repeats::Until(cron, _) => Some(cron),
        }
    }

    fn recurs(&self) -> bool {
        matches!(self.repeats, Repeats::Until(..))
    }

    /// Returns the job for its next due time, if it recurs.
    fn next_run(mut self, zone: &TimeZone) -> Option<Self> {
        let Repeats::Until(cron, end) = &self.repeats else {
            return None;
        };
        // Times that passed while the computer was suspended are skipped.
        let after = self.due.time.max(Timestamp::now());
        let time = cron.next(after, zone).filter(|time| time < end)?;
        self.due = self.due.next(time);
        Some(self)
    }
}

/// Why a prompt is not scheduled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScheduleError {
    #[error(transparent)]
    Cron(#[from] CronError),
    #[error("The cron expression '{0}' matches no time in the next years.")]
    Never(String),
    #[error("There are {MAX_JOBS} scheduled prompts already. Delete one with CronDelete first.")]
    Full,
    #[error("There is no scheduled job with the id '{0}'.")]
    Unknown(String),
    #[error(
        "Jobs are not stored here: they end with the session. Leave `durable` out, or use the scheduler of the operating \
         system for one that has to outlive it."
    )]
    Durable,
}

impl Wakeups {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            jobs: Mutex::default(),
            zone: OnceLock::new(),
        })
    }

    fn zone(&self) -> &TimeZone {
        self.zone.get_or_init(TimeZone::system)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Schedules a wake-up, replacing the current one.
    fn wake(&self, delay: u64, prompt: String) -> Result<Job, ScheduleError> {
        self.cancel_wakeups();
        let time = Timestamp::now() + SignedDuration::from_secs(i64::try_from(delay).unwrap_or(i64::MAX));
        self.add(prompt, Repeats::Never, time)
    }

    /// Cancels wake-ups. Returns how many there were.
    fn cancel_wakeups(&self) -> usize {
        let mut jobs = self.lock();
        let before = jobs.len();
        jobs.retain(|job| job.cron().is_some());
        before - jobs.len()
    }

    /// Schedules a cron job.
    fn create(&self, cron: Cron, prompt: String, recurring: bool) -> Result<Job, ScheduleError> {
        let now = Timestamp::now();
        let first = cron.next(now, self.zone());
        let first = first.ok_or_else(|| ScheduleError::Never(cron.to_string()))?;
        let repeats = match recurring {
            true => Repeats::Until(cron, now + MAX_AGE),
            false => Repeats::Once(cron),
        };
        self.add(prompt, repeats, first)
    }

    fn add(&self, prompt: String, repeats: Repeats, time: Timestamp) -> Result<Job, ScheduleError> {
        let mut jobs = self.lock();
        if jobs.len() >= MAX_JOBS {
            return Err(ScheduleError::Full);
        }
        let id = uuid::Uuid::new_v4().simple().to_string();
        let job = Job {
            id: id.get(..8).unwrap_or(&id).to_owned(),
            prompt,
            repeats,
            due: Due::new(time),
        };
        jobs.push(job.clone());
        Ok(job)
    }

    fn delete(&self, id: &str) -> Result<Job, ScheduleError> {
        let mut jobs = self.lock();
        let at = jobs.iter().position(|job| job.id == id);
        at.map(|at| jobs.remove(at))
            .ok_or_else(|| ScheduleError::Unknown(id.to_owned()))
    }

    fn list(&self) -> Vec<Job> {
        self.lock().clone()
    }

    /// The time at which the next job is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.lock().iter().map(|job| job.due.at).min()
    }

    /// Removes and returns the jobs that are due. Recurring ones are scheduled again.
    pub(crate) fn take_due(&self, now: Instant) -> Vec<Job> {
        let mut jobs = self.lock();
        let (due, mut waiting): (Vec<Job>, Vec<Job>) = jobs.drain(..).partition(|job| job.due.at <= now);
        waiting.extend(due.iter().cloned().filter_map(|job| job.next_run(self.zone())));
        *jobs = waiting;
        due
    }

    /// Lists the cron jobs for hooks.
    pub(crate) fn summaries(&self) -> Vec<SessionCronSummary> {
        let jobs = self.list();
        let summary = |job: &Job| {
            Some(SessionCronSummary {
                id: job.id.clone(),
                schedule: job.cron()?.to_string(),
                recurring: job.recurs(),
                prompt: job.prompt.clone(),
                ..SessionCronSummary::default()
            })
        };
        jobs.iter().filter_map(summary).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn recurring_job_runs_until_it_expires() {
        let wakeups = Wakeups::new();
        let job = wakeups.create("0 * * * *".parse().unwrap(), "p".into(), true).unwrap();
        let mut times = 0;
        while let Some(due) = wakeups.next_due() {
            tokio::time::sleep_until(due).await;
            let fired = wakeups.take_due(Instant::now());
            assert_eq!(fired.iter().map(|job| &job.id).collect::<Vec<_>>(), [&job.id]);
            times += 1;
        }
        assert_eq!(times, 7 * 24);
    }

    #[tokio::test(start_paused = true)]
    async fn jobs_are_limited_and_wakeup_replaces_previous() {
        let wakeups = Wakeups::new();
        for _ in 0..3 {
            wakeups.wake(60, "w".into()).unwrap();
        }
        assert_eq!(wakeups.list().len(), 1);
        let cron: Cron = "0 0 1 1 *".parse().unwrap();
        while wakeups.create(cron.clone(), "p".into(), false).is_ok() {}
        assert_eq!(wakeups.list().len(), MAX_JOBS);
        assert_eq!((wakeups.cancel_wakeups(), wakeups.cancel_wakeups()), (1, 0));
        let never = wakeups.create("0 0 30 2 *".parse().unwrap(), "p".into(), false);
        assert!(matches!(never, Err(ScheduleError::Never(_))));
    }
}
