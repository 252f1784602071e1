//! The listing of a mentioned folder for the model.

use std::fs::ReadDir;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;

use sluice_tools::{Hidden, Pin};

/// The maximum number of names.
const MAX_NAMES: usize = 500;
/// The maximum number of entries to read; a folder may contain millions.
const MAX_ENTRIES: usize = 20_000;

/// Lists a folder. Uses the pinned path: if the path leads elsewhere now, nothing is listed.
pub(super) fn folder(path: &Path, pin: &Pin, hidden: &Hidden) -> String {
    let shown = path.display();
    let text = match names(path, pin, hidden) {
        Ok(names) => format!("The folder {shown}, as mentioned, holds:\n{}", names.join("\n")),
        Err(error) => format!("The folder {shown} was mentioned and could not be shown: {error}"),
    };
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

fn names(path: &Path, pin: &Pin, hidden: &Hidden) -> io::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = 0;
    let mut entries = entries(path, pin)?;
    for entry in entries.by_ref().take(MAX_ENTRIES).filter_map(Result::ok) {
        seen += 1;
        // Rules apply to the location of a file, not to the path by which it was reached.
        let name = entry.file_name();
        if hidden(&path.join(&name)) {
            continue;
        }
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = name.to_string_lossy().into_owned();
        names.push(if is_dir { format!("{name}/") } else { name });
    }
    names.sort();
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    if seen == MAX_ENTRIES && entries.next().is_some() {
        names.push("and many more".to_owned());
    } else if more > 0 {
        names.push(format!("and {more} more"));
    }
    Ok(names)
}

/// Opens the pinned folder itself, even if the path changes.
fn entries(path: &Path, pin: &Pin) -> io::Result<ReadDir> {
    let folder = sluice_tools::open_checked(path, Some(pin))?;
    // Without /proc, fall back to the path.
    std::fs::read_dir(format!("/proc/self/fd/{}", folder.as_raw_fd())).or_else(|_| std::fs::read_dir(pin.place()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn hidden_names_are_omitted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        fs::create_dir(path.join("sub")).unwrap();
        fs::write(path.join("b"), "").unwrap();
        fs::write(path.join("secret"), "").unwrap();
        let hidden: Hidden = Arc::new(|path: &Path| path.ends_with("secret"));
        let text = folder(&path, &Pin::new(&path), &hidden);
        assert!(text.contains("holds:\nb\nsub/\n<"), "{text}");
    }

    #[test]
    fn folder_replaced_by_a_link_is_not_listed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["decided", "other"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        fs::write(base.join("other/secret"), "").unwrap();
        symlink("other", base.join("link")).unwrap();
        let text = folder(
            &base.join("link"),
            &Pin::to(base.join("link"), base.join("decided")),
            &(Arc::new(|_: &Path| false) as Hidden),
        );
        assert!(text.contains("could not be shown"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }

    #[test]
    fn long_listing_is_truncated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        for at in 0..MAX_NAMES + 7 {
            fs::write(path.join(format!("{at:05}")), "").unwrap();
        }
        let text = folder(&path, &Pin::new(&path), &(Arc::new(|_: &Path| false) as Hidden));
        assert!(text.contains("00499\nand 7 more\n"), "{text}");
    }
}
