//! Memory use of this process.

/// Bytes resident, 0 where that is not known.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Gives free memory back to the system. The allocator keeps what a client with a large history needed for a moment.
pub(crate) fn release_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: releases pages that the allocator has no use for; it takes the locks it needs itself.
    #[allow(unsafe_code)]
    unsafe {
        libc::malloc_trim(0);
    }
}
