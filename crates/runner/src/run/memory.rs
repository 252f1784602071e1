//! Memory of the runner: it is part of a large program, and uses little of it.

/// Memory of large blocks goes back to the system as soon as it is free; else one long line would be kept for life.
pub(crate) fn give_back_what_is_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets two numbers of the allocator, before there is any other thread.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 10);
    }
}

/// Pages of the program that only its start needed (the tables the loader reads are megabytes) are let go of. What is
/// needed again is read again from the file.
#[cfg(target_os = "linux")]
pub(crate) fn let_go_of_the_start() {
    for (start, length) in clean(&std::fs::read_to_string("/proc/self/smaps").unwrap_or_default()) {
        // SAFETY: the range is one mapping of this process, private, of a file, not writable, and the kernel says that
        // none of its pages differs from the file. Dropping such pages changes nothing that can be read there; there is
        // one thread, so nothing was mapped or written since it was looked at.
        #[allow(unsafe_code)]
        unsafe {
            let at = std::ptr::with_exposed_provenance_mut(start);
            rustix::mm::madvise(at, length, rustix::mm::Advice::LinuxDontNeed).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn let_go_of_the_start() {}

/// The mappings of files that hold nothing but what the file holds: start and length.
#[cfg(target_os = "linux")]
fn clean(smaps: &str) -> Vec<(usize, usize)> {
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
    use super::clean;

    #[test]
    fn only_mappings_that_equal_their_file_are_let_go_of() {
        let smaps = "1000-3000 r--p 00000000 fe:00 1    /bin/x\nRss: 8 kB\nAnonymous:  0 kB\n\
                     3000-4000 r--p 00002000 fe:00 1    /bin/x\nRss: 4 kB\nAnonymous:  4 kB\n\
                     4000-5000 rw-p 00003000 fe:00 1    /bin/x\nAnonymous:  0 kB\n\
                     5000-6000 r-xp 00000000 00:00 0    [vdso]\nAnonymous:  0 kB\n\
                     6000-9000 r-xp 00004000 fe:00 1    /bin/x\nAnonymous:  0 kB\n";
        assert_eq!(clean(smaps), [(0x1000, 0x2000), (0x6000, 0x3000)]);
    }
}
