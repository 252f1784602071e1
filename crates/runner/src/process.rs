//! Process identity, and finding and killing the processes that an agent left behind.

use std::fs;
use std::io;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};

/// The environment variable that marks an agent and all processes it starts.
pub const MARK: &str = "SLUICE_RUNNER_MARK";

/// Identifies a process. Process ids are reused; a process id together with its start time is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The process id.
    pub pid: u32,
    /// Start time in clock ticks since boot; 0 if unknown.
    pub started: u64,
}

impl Identity {
    /// Returns the identity of the process that has this id now.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let started = Stat::of(pid).map_or(0, |stat| stat.started);
        Self { pid, started }
    }

    /// Returns whether this process still exists and is not a zombie.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && !stat.ended)
    }

    /// Returns whether this process is stopped by a signal (`SIGSTOP`), so that it does not react.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && stat.paused)
    }

    /// Kills the process, if it still exists. A pidfd ensures that no other process with the same id is hit.
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

/// Returns an id of the current boot of the machine; empty if unknown.
#[must_use]
pub fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Returns a unique random mark.
///
/// # Errors
/// Returns an error if no random numbers are available.
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

/// The fields of `/proc/PID/stat` that are used here.
struct Stat {
    ended: bool,
    paused: bool,
    parent: u32,
    started: u64,
}

impl Stat {
    fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program may contain blanks and parentheses.
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

fn has_mark(mark: &str, pid: u32) -> bool {
    let carried = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    carried.split(|byte| *byte == 0).any(|entry| {
        entry
            .strip_prefix(MARK.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(|value| value == mark.as_bytes())
    })
}

/// Returns the living processes, other than this one, that carry the mark, are children of this process (if
/// `children`), or descend from one of these.
fn find_processes(mark: &str, children: bool) -> Vec<Identity> {
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
        if (children && stat.parent == own) || has_mark(mark, pid) {
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

/// Kills all processes of an agent and returns their ids. Repeats until none is found, as one may fork meanwhile.
pub(crate) fn kill_all(mark: &str, children: bool, after_each_round: impl Fn()) -> Vec<u32> {
    let mut ended = Vec::new();
    // Each round only finds processes that were started, or reparented to this process, since the round before.
    for _ in 0..100 {
        let found = find_processes(mark, children);
        if found.is_empty() {
            break;
        }
        for one in found {
            if kill_process(one) && !ended.contains(&one.pid) {
                ended.push(one.pid);
            }
        }
        after_each_round();
        // Killed processes need a moment to exit.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    ended
}

/// Kills one process, if it still has this identity.
pub(crate) fn kill_process(one: Identity) -> bool {
    one.kill()
}
