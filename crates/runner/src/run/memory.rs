//! Reducing the memory of the runner, which is part of a large program but needs little of it.

/// Returns large freed blocks to the system immediately; otherwise one long line would occupy memory for the whole run.
pub(crate) fn configure_allocator() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets two parameters of the allocator, before there is any other thread.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 10);
    }
}

/// Releases pages of the program that only its start needed, such as megabytes of loader tables. Pages that are needed
/// again are read from the file again.
#[cfg(target_os = "linux")]
pub(crate) fn release_startup_pages() {
    for (start, length) in unmodified_mappings(&std::fs::read_to_string("/proc/self/smaps").unwrap_or_default()) {
        // SAFETY: the range is one mapping of this process: private, of a file, not writable, and the kernel reports that
        // none of its pages differs from the file. Dropping such pages changes nothing that can be read there; there is
        // one thread, so nothing was mapped or written since `smaps` was read.
        #[allow(unsafe_code)]
        unsafe {
            let at = std::ptr::with_exposed_provenance_mut(start);
            rustix::mm::madvise(at, length, rustix::mm::Advice::LinuxDontNeed).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn release_startup_pages() {}

/// Returns start and length of the file mappings whose pages are all identical to the file.
#[cfg(target_os = "linux")]
fn unmodified_mappings(smaps: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut candidate = None;
    for line in smaps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(first), Some(second)) = (words.next(), words.next()) else {
            continue;
        };
        if !first.ends_with(':') {
            let of_file = words.nth(3).is_some_and(|path| path.starts_with('/'));
            let range = first.split_once('-').and_then(|(start, end)| {
                let start = usize::from_str_radix(start, 16).ok()?;
                Some((start, usize::from_str_radix(end, 16).ok()?.checked_sub(start)?))
            });
            candidate = range.filter(|_| of_file && matches!(second, "r--p" | "r-xp"));
        } else if first == "Anonymous:" && second == "0" {
            found.extend(candidate.take());
        }
    }
    found
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::unmodified_mappings;

    #[test]
    fn only_unmodified_file_mappings_are_released() {
        let smaps = "1000-3000 r--p 00000000 fe:00 1    /bin/x\nRss: 8 kB\nAnonymous:  0 kB\n\
                     3000-4000 r--p 00002000 fe:00 1    /bin/x\nRss: 4 kB\nAnonymous:  4 kB\n\
                     4000-5000 rw-p 00003000 fe:00 1    /bin/x\nAnonymous:  0 kB\n\
                     5000-6000 r-xp 00000000 00:00 0    [vdso]\nAnonymous:  0 kB\n\
                     6000-9000 r-xp 00004000 fe:00 1    /bin/x\nAnonymous:  0 kB\n";
        assert_eq!(unmodified_mappings(smaps), [(0x1000, 0x2000), (0x6000, 0x3000)]);
    }
}
