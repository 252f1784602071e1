//! Finding the processes that an agent left behind, by an inherited environment variable, and killing them.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// The environment variable that marks an agent and all processes it starts.
pub(crate) const MARK: &str = "SLUICE_HOST_MARK";

/// Kills all processes with the mark except `leader`. Repeats until none is found, as one may fork meanwhile.
pub(super) fn sweep(mark: &str, leader: u32) {
    // Each round only finds processes that were started since the round before.
    for _ in 0..20 {
        let found = find_marked(mark, leader);
        if found.is_empty() {
            return;
        }
        for pid in found {
            kill_process(pid, Signal::KILL).ok();
        }
    }
}

fn find_marked(mark: &str, leader: u32) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != leader && *pid != std::process::id())
        .filter(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        })
        .filter(|pid| !is_zombie(*pid))
        .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
        .collect()
}

/// Returns the start time of a process in clock ticks since boot.
pub(super) fn started(pid: u32) -> Option<u64> {
    field(pid, 19)?.parse().ok()
}

fn is_zombie(pid: u32) -> bool {
    field(pid, 0).is_none_or(|state| state == "Z" || state == "X")
}

/// Returns a field of `/proc/PID/stat` after the name, which may contain blanks and parentheses.
fn field(pid: u32, n: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(") ")?;
    after.split_whitespace().nth(n).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::started;

    #[test]
    fn start_time_exists_only_for_existing_processes() {
        assert!(started(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(started(0), None);
    }
}
