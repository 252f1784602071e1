//! Folders and files below the folder of a session.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::api::{Code, FolderEntries, FolderEntry, Problem};
use crate::hub::Roots;

/// The most entries of one folder that are listed.
const MAX_ENTRIES: usize = 2000;
/// The most of a file that is read, in bytes.
const MAX_BYTES: u64 = 512 * 1024;

const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// A file as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// Relative to the folder, links resolved.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// Nothing for a file that is not text.
    pub(crate) text: Option<String>,
    /// Whether the file is longer.
    pub(crate) cut: bool,
}

fn problem(why: impl Into<String>) -> Problem {
    Problem::new(Code::Folder, why)
}

/// Where a path below `folder` leads. Whatever leads out of it is refused, also through links.
fn inside(roots: &Roots, folder: &Path, path: &str) -> Result<PathBuf, Problem> {
    if path.contains('\0') {
        return Err(problem("a path has no zero byte"));
    }
    let outside = || problem(format!("{path}: outside the folder of this session"));
    let whole = match fs::canonicalize(folder.join(path)) {
        Ok(whole) => whole,
        // Nothing outside is reported, also not that it does not exist.
        Err(_) if Path::new(path).is_absolute() && !Path::new(path).starts_with(folder) => return Err(outside()),
        Err(error) => return Err(problem(format!("{path}: {error}"))),
    };
    match whole.starts_with(folder) && roots.allows(&whole) {
        true => Ok(whole),
        false => Err(outside()),
    }
}

/// The entries of a folder.
pub(crate) fn entries(roots: &Roots, folder: &Path, path: &str) -> Result<FolderEntries, Problem> {
    let place = inside(roots, folder, path)?;
    let read = fs::read_dir(&place).map_err(|error| problem(format!("{path}: {error}")))?;
    let kept = not_ignored(&place);
    let mut entries: Vec<FolderEntry> = read
        .flatten()
        .map(|entry| {
            let name = entry.file_name();
            let link = fs::read_link(entry.path()).ok();
            // What a link leads to is only reported where it stays inside.
            let about = match &link {
                Some(_) => fs::canonicalize(entry.path())
                    .ok()
                    .filter(|whole| whole.starts_with(folder) && roots.allows(whole))
                    .and_then(|whole| fs::metadata(whole).ok()),
                None => entry.metadata().ok(),
            };
            FolderEntry {
                folder: about.as_ref().is_some_and(fs::Metadata::is_dir),
                bytes: about
                    .as_ref()
                    .filter(|about| about.is_file())
                    .map_or(0, fs::Metadata::len),
                link: link.map(|target| target.to_string_lossy().into_owned()),
                ignored: name == ".git" || !kept.contains(&name),
                name: name.to_string_lossy().into_owned(),
            }
        })
        .collect();
    entries
        .sort_by(|a, b| (!a.folder, a.name.to_lowercase(), &a.name).cmp(&(!b.folder, b.name.to_lowercase(), &b.name)));
    let more = entries.len().saturating_sub(MAX_ENTRIES);
    entries.truncate(MAX_ENTRIES);
    Ok(FolderEntries {
        entries,
        more: u32::try_from(more).unwrap_or(u32::MAX),
    })
}

/// The names in a folder that no ignore file names.
fn not_ignored(place: &Path) -> HashSet<std::ffi::OsString> {
    let mut walk = WalkBuilder::new(place);
    // Repositories are recognised by their `.git` where there is one; elsewhere the files apply all the same.
    walk.hidden(false).max_depth(Some(1)).require_git(false);
    walk.build()
        .flatten()
        .skip(1)
        .map(|entry| entry.file_name().to_owned())
        .collect()
}

/// The beginning of a file.
pub(crate) fn read(roots: &Roots, folder: &Path, path: &str) -> Result<Content, Problem> {
    let place = inside(roots, folder, path)?;
    let failed = |error: std::io::Error| problem(format!("{path}: {error}"));
    let file = File::options()
        .read(true)
        // Opening a pipe does not wait for its other end.
        .custom_flags(NONBLOCK)
        .open(&place)
        .map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(problem(format!("{path}: not a file")));
    }
    // The path may have been turned elsewhere after it was judged.
    let same = fs::metadata(inside(roots, folder, path)?).map_err(failed)?;
    if (same.dev(), same.ino()) != (about.dev(), about.ino()) {
        return Err(problem(format!("{path}: it changed while it was read")).hint("try again"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    let cut = about.len() > MAX_BYTES;
    Ok(Content {
        path: place
            .strip_prefix(folder)
            .unwrap_or(&place)
            .to_string_lossy()
            .into_owned(),
        bytes: about.len(),
        text: text(bytes, cut),
        cut,
    })
}

/// The text of a file; a character that the limit cut in two is left out.
fn text(mut bytes: Vec<u8>, cut: bool) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    if let Err(error) = std::str::from_utf8(&bytes) {
        if !cut || error.error_len().is_some() {
            return None;
        }
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::hub::Config;

    fn lab() -> (tempfile::TempDir, Roots, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(place.path()).unwrap();
        let folder = home.join("project");
        for name in ["project/src", "project/target", "other", "state"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        let roots = Roots::new(&Config {
            state: home.join("state"),
            sluice: "sluice".into(),
            roots: vec![home.clone()],
            home: home.clone(),
            idle_after: None,
        });
        fs::write(folder.join(".gitignore"), "target\n*.log\n").unwrap();
        fs::write(folder.join("src/pool.rs"), "fn pool() {}\n").unwrap();
        fs::write(folder.join("noise.log"), "x").unwrap();
        fs::write(home.join("other/secret"), "x").unwrap();
        (place, roots, folder)
    }

    #[test]
    fn ignored_entries_are_marked_and_folders_come_first() {
        let (_place, roots, folder) = lab();
        symlink("../other", folder.join("way-out")).unwrap();
        let found = entries(&roots, &folder, "").unwrap();
        let shown: Vec<_> = found
            .entries
            .iter()
            .map(|one| (one.name.as_str(), one.folder, one.ignored))
            .collect();
        let expected = [
            ("src", true, false),
            ("target", true, true),
            (".gitignore", false, false),
            ("noise.log", false, true),
            ("way-out", false, false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(found.entries[4].link.as_deref(), Some("../other"));
        assert_eq!(entries(&roots, &folder, "src").unwrap().entries.len(), 1);
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let (_place, roots, folder) = lab();
        symlink("../other/secret", folder.join("link")).unwrap();
        symlink("../other", folder.join("way")).unwrap();
        let other = folder.with_file_name("other");
        for path in [
            "../other/secret",
            "link",
            "way/secret",
            "/etc/passwd",
            &other.join("secret").to_string_lossy(),
            &other.join("none").to_string_lossy(),
        ] {
            let refused = read(&roots, &folder, path).unwrap_err();
            assert!(refused.message.contains("outside"), "{path}: {}", refused.message);
        }
        assert!(entries(&roots, &folder, "..").is_err());
        assert!(entries(&roots, &folder, "way").is_err());
    }

    #[test]
    fn file_is_read_up_to_the_limit() {
        let (_place, roots, folder) = lab();
        let read = |path: &str| read(&roots, &folder, path);
        let whole = folder.join("src/pool.rs");
        let content = read(&whole.to_string_lossy()).unwrap();
        assert_eq!(
            (content.path.as_str(), content.text.as_deref()),
            ("src/pool.rs", Some("fn pool() {}\n"))
        );
        fs::write(folder.join("long"), format!("a{}", "ä".repeat(400_000))).unwrap();
        let long = read("long").unwrap();
        assert!(long.cut && long.bytes == 800_001);
        assert_eq!(long.text.map(|text| text.len()), Some(512 * 1024 - 1));
        fs::write(folder.join("binary"), [0, 159]).unwrap();
        assert_eq!(read("binary").unwrap().text, None);
        assert!(read("src").is_err());
        assert!(read("none").is_err());
    }
}
