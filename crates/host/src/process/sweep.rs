//! Orphans: processes an agent started and left behind are found by an inherited environment variable, and ended.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// The variable that marks an agent and everybody it starts.
pub(crate) const MARK: &str = "SLUICE_HOST_MARK";

/// Ends everybody who carries the mark but `leader`, until nobody does: one may fork while another is ended.
pub(super) fn sweep(mark: &str, leader: u32) {
    // Each round can only find what was started after the last one looked.
    for _ in 0..20 {
        let found = carriers(mark, leader);
        if found.is_empty() {
            return;
        }
        for pid in found {
            kill_process(pid, Signal::KILL).ok();
        }
    }
}

fn carriers(mark: &str, leader: u32) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != leader && *pid != std::process::id())
        .filter(|pid| {
            let carried = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            carried.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
        })
        .filter(|pid| !is_zombie(*pid))
        .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
        .collect()
}

/// When the process with this number started, in ticks.
pub(super) fn started(pid: u32) -> Option<u64> {
    field(pid, 19)?.parse().ok()
}

fn is_zombie(pid: u32) -> bool {
    field(pid, 0).is_none_or(|state| state == "Z" || state == "X")
}

/// A field of `/proc/PID/stat`, counted after the name, which may itself hold blanks and brackets.
fn field(pid: u32, n: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(") ")?;
    after.split_whitespace().nth(n).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::started;

    #[test]
    fn this_process_has_started_and_number_zero_has_not() {
        assert!(started(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(started(0), None);
    }
}
