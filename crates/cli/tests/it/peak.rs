//! Peak memory of a process.

use std::process::Child;
use std::time::{Duration, Instant};

/// Waits for the end of a process and returns its peak memory in MiB.
pub(crate) fn memory_of(child: &mut Child) -> u64 {
    let began = Instant::now();
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    while child.try_wait().unwrap().is_none() {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        memory = memory.max(kib.unwrap_or(0) / 1024);
        assert!(began.elapsed() < Duration::from_mins(3), "it does not end");
        std::thread::yield_now();
    }
    memory
}
