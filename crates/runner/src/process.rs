//! Process identity, and orphans of an agent: they are found by an inherited environment variable, and ended.

use std::fs;
use std::io;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};

/// The variable that marks an agent and everybody it starts.
pub const MARK: &str = "SLUICE_RUNNER_MARK";

/// Who a process is: numbers are given again, a number and the time it was given are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Its number.
    pub pid: u32,
    /// When it started, in ticks since the machine did; 0 where that is not known.
    pub started: u64,
}

impl Identity {
    /// Who has this number now.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let started = Stat::of(pid).map_or(0, |stat| stat.started);
        Self { pid, started }
    }

    /// Whether this very process is still there, and not merely waiting to be reaped.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && !stat.ended)
    }

    /// Returns whether this process is stopped by a signal (`SIGSTOP`), so that it does not react.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && stat.paused)
    }

    /// Ends it, if it is still there. The number cannot go to somebody else in between.
    #[cfg(target_os = "linux")]
    fn kill(&self) -> bool {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        let Some(pid) = pid(self.pid) else { return false };
        pidfd_open(pid, PidfdFlags::empty())
            .is_ok_and(|held| self.is_alive() && pidfd_send_signal(&held, Signal::KILL).is_ok())
    }

    #[cfg(not(target_os = "linux"))]
    fn kill(&self) -> bool {
        self.is_alive() && kill(self.pid, Signal::KILL)
    }
}

pub(crate) fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn kill(number: u32, signal: Signal) -> bool {
    pid(number).is_some_and(|pid| rustix::process::kill_process(pid, signal).is_ok())
}

/// What tells one start of the machine from another; empty where that is not known.
#[must_use]
pub fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// A mark nobody else has.
///
/// # Errors
/// When there is no source of chance.
pub(crate) fn new_mark() -> io::Result<String> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let mut bytes = [0_u8; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut mark = String::with_capacity(32);
    for byte in bytes {
        // Writing to a string cannot fail.
        write!(mark, "{byte:02x}").ok();
    }
    Ok(mark)
}

/// What `/proc/PID/stat` says.
struct Stat {
    ended: bool,
    paused: bool,
    parent: u32,
    started: u64,
}

impl Stat {
    fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may itself hold blanks and brackets.
        let (_, after) = stat.rsplit_once(") ")?;
        let mut fields = after.split_ascii_whitespace();
        let state = fields.next()?;
        Some(Self {
            ended: matches!(state, "Z" | "X"),
            paused: matches!(state, "T" | "t"),
            parent: fields.next()?.parse().ok()?,
            started: fields.nth(17)?.parse().ok()?,
        })
    }
}

fn carries(mark: &str, pid: u32) -> bool {
    let carried = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    carried.split(|byte| *byte == 0).any(|entry| {
        entry
            .strip_prefix(MARK.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(|value| value == mark.as_bytes())
    })
}

/// Everybody but this process that is alive and carries the mark, or is a child of this process where `children`; and
/// all who were started by one of these.
fn found(mark: &str, children: bool) -> Vec<Identity> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut others = Vec::new();
    let mut found = Vec::new();
    for pid in pids.filter(|pid| *pid != own) {
        let Some(stat) = Stat::of(pid).filter(|stat| !stat.ended) else {
            continue;
        };
        let identity = Identity {
            pid,
            started: stat.started,
        };
        if (children && stat.parent == own) || carries(mark, pid) {
            found.push(identity);
        } else {
            others.push((identity, stat.parent));
        }
    }
    let mut at = 0;
    while let Some(parent) = found.get(at).map(|parent| parent.pid) {
        found.extend(
            others
                .extract_if(.., |(_, of)| *of == parent)
                .map(|(identity, _)| identity),
        );
        at += 1;
    }
    found
}

/// Ends everybody there is of an agent, until nobody is: one may fork while another is ended. Gives who was ended.
pub(crate) fn end_all(mark: &str, children: bool, after_each_round: impl Fn()) -> Vec<u32> {
    let mut ended = Vec::new();
    // Each round can only find what was started after the last one looked, or became ours by the death of its parent.
    for _ in 0..100 {
        let found = found(mark, children);
        if found.is_empty() {
            break;
        }
        for one in found {
            if end(one) && !ended.contains(&one.pid) {
                ended.push(one.pid);
            }
        }
        after_each_round();
        // They need a moment to go.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    ended
}

/// Ends one process, if it is still this one.
pub(crate) fn end(one: Identity) -> bool {
    one.kill()
}
