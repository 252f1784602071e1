//! Returns memory of idle processes to the system.

/// Makes the allocator return free memory to the system. A request is as large as the conversation, and glibc would
/// keep the memory for the next one, which is most of the memory of a process that mostly waits.
pub(crate) fn give_back_what_is_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const THRESHOLD: libc::c_int = 128 * 1024;
        // SAFETY: `mallopt` takes two numbers and changes thresholds of the allocator under its lock; allocated memory
        // is not touched. These are the initial values; setting them disables their automatic increase.
        #[allow(unsafe_code)]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, THRESHOLD);
            libc::mallopt(libc::M_TRIM_THRESHOLD, THRESHOLD);
        }
    }
}

/// Releases pages of the executable: most are needed only once, and the kernel maps sixteen for each one touched. Pages
/// that are needed again come from the page cache.
pub(crate) fn let_program_go() {
    #[cfg(target_os = "linux")]
    {
        static UNCHANGED: std::sync::OnceLock<Vec<Range>> = std::sync::OnceLock::new();
        let ranges = UNCHANGED.get_or_init(|| {
            let program = std::env::current_exe().unwrap_or_default();
            let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
            unchanged(&maps, &program.to_string_lossy())
        });
        for range in ranges {
            // SAFETY: these are mappings of the executable file that are read-only and contain no page that differs
            // from the file, according to the kernel. A released page is read from the file again when it is accessed,
            // with the same contents, so references into it stay valid. The file cannot be written while it runs, and
            // replacing it creates another file.
            #[allow(unsafe_code)]
            unsafe {
                libc::madvise(
                    std::ptr::with_exposed_provenance_mut(range.from),
                    range.to.saturating_sub(range.from),
                    libc::MADV_DONTNEED,
                );
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    from: usize,
    to: usize,
}

/// Returns the read-only, unmodified mappings of the program's file in the text of `smaps`.
#[cfg(target_os = "linux")]
fn unchanged(maps: &str, program: &str) -> Vec<Range> {
    let mut found = Vec::new();
    let mut of_program = None;
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("Anonymous:"), Some("0")) => found.extend(of_program.take()),
            (Some(first), Some(modes)) if !first.ends_with(':') => {
                let name = words.nth(3).unwrap_or_default();
                let is_read_only = modes == "r--p" || modes == "r-xp";
                of_program = range(first).filter(|_| is_read_only && !program.is_empty() && name == program);
            }
            _ => {}
        }
    }
    found
}

#[cfg(target_os = "linux")]
fn range(text: &str) -> Option<Range> {
    let (from, to) = text.split_once('-')?;
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    Some(Range {
        from: number(from)?,
        to: number(to)?,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const MAPS: &str = "\
5600-5700 r--p 00000000 08:01 12 /opt/sluice
Rss:                 100 kB
Anonymous:             0 kB
5700-5800 r-xp 00001000 08:01 12 /opt/sluice
Anonymous:             0 kB
VmFlags: rd ex mr mw me
5800-5900 r--p 00002000 08:01 12 /opt/sluice
Anonymous:            32 kB
5900-5a00 rw-p 00003000 08:01 12 /opt/sluice
Anonymous:             0 kB
7000-7100 r-xp 00000000 08:01 13 /lib/libc.so.6
Anonymous:             0 kB
8000-8100 r--p 00000000 00:00 0
Anonymous:             0 kB
";

    #[test]
    fn only_unmodified_mappings_are_released() {
        let both = [
            Range {
                from: 0x5600,
                to: 0x5700,
            },
            Range {
                from: 0x5700,
                to: 0x5800,
            },
        ];
        assert_eq!(unchanged(MAPS, "/opt/sluice"), both);
        assert_eq!(unchanged(MAPS, ""), []);
    }

    #[test]
    fn the_program_continues_after_releasing_its_pages() {
        let before = format!("{:?}", [1.5, 2.5]);
        let_program_go();
        assert_eq!(format!("{:?}", [1.5, 2.5]), before);
    }
}
