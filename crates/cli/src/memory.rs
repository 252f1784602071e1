//! Memory: what an idle process gives back.

/// Lets the allocator give back what is free again. A request is as large as the conversation, and after the first one
/// glibc would keep room for the next: in a process that mostly waits that is most of its memory.
pub(crate) fn give_back_what_is_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const MOST: libc::c_int = 128 * 1024;
        // SAFETY: `mallopt` takes two numbers and changes thresholds of the allocator, under its own lock; no memory that
        // was handed out is touched. These are the values it starts with; saying them keeps it from raising them.
        #[allow(unsafe_code)]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MOST);
            libc::mallopt(libc::M_TRIM_THRESHOLD, MOST);
        }
    }
}

/// Lets go of the pages of the program itself: most were needed once, at the start or by a request, and the kernel maps
/// sixteen for each one that is touched. Those that are needed again come back from its cache of the file.
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
            // SAFETY: these are mappings of the program's own file, neither writable nor with a single page that differs
            // from the file, as the kernel says itself. A page that is let go of is read from the file again when it is
            // touched, with the same bytes, so nothing that refers into it can tell. The file cannot be written while it
            // runs, and what replaces it under its name is another file.
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

/// The mappings of the program's file that can only be read and are what the file says, of the text of `smaps`.
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
    fn only_what_is_as_the_file_says_is_let_go_of() {
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
    fn the_program_goes_on_without_its_pages() {
        let before = format!("{:?}", [1.5, 2.5]);
        let_program_go();
        assert_eq!(format!("{:?}", [1.5, 2.5]), before);
    }
}
