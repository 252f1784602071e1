//! The listing of a mentioned folder for the model.

use std::fs::ReadDir;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;

use sluice_tools::{Hidden, Pin};

/// The maximum number of names.
const MOST: usize = 500;
/// The maximum number of entries to read; a folder may contain millions.
const MOST_SEEN: usize = 20_000;

/// Lists a folder. Uses the pinned path: if the path leads elsewhere now, nothing is listed.
pub(super) fn folder(path: &Path, pin: &Pin, hidden: &Hidden) -> String {
    let shown = path.display();
    let told = match names(path, pin, hidden) {
        Ok(names) => format!("The folder {shown}, as mentioned, holds:\n{}", names.join("\n")),
        Err(error) => format!("The folder {shown} was mentioned and could not be shown: {error}"),
    };
    format!("<system-reminder>\n{told}\n</system-reminder>")
}

fn names(path: &Path, pin: &Pin, hidden: &Hidden) -> io::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = 0;
    let mut entries = entries(path, pin)?;
    for entry in entries.by_ref().take(MOST_SEEN).filter_map(Result::ok) {
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
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    if seen == MOST_SEEN && entries.next().is_some() {
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
    fn names_are_shown_but_those_that_are_hidden() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        fs::create_dir(path.join("sub")).unwrap();
        fs::write(path.join("b"), "").unwrap();
        fs::write(path.join("secret"), "").unwrap();
        let hidden: Hidden = Arc::new(|path: &Path| path.ends_with("secret"));
        let told = folder(&path, &Pin::new(&path), &hidden);
        assert!(told.contains("holds:\nb\nsub/\n<"), "{told}");
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["decided", "other"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        fs::write(base.join("other/secret"), "").unwrap();
        symlink("other", base.join("link")).unwrap();
        let told = folder(
            &base.join("link"),
            &Pin::to(base.join("link"), base.join("decided")),
            &(Arc::new(|_: &Path| false) as Hidden),
        );
        assert!(told.contains("could not be shown"), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }

    #[test]
    fn a_large_folder_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        for at in 0..MOST + 7 {
            fs::write(path.join(format!("{at:05}")), "").unwrap();
        }
        let told = folder(&path, &Pin::new(&path), &(Arc::new(|_: &Path| false) as Hidden));
        assert!(told.contains("00499\nand 7 more\n"), "{told}");
    }
}
