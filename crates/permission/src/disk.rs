//! [`Paths`](crate::Paths) on this machine's disk.

use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::path::{Found, Paths, normal};

/// The largest file whose text is looked at.
const MOST_TEXT: u64 = 256 * 1024;
/// The most names of one directory that are looked at.
const MOST_NAMES: usize = 2_000;
/// The largest index of a repository that is looked at.
const MOST_INDEX: u64 = 1024 * 1024;
/// The largest that is looked through for repositories within.
const MOST_WHOLE_INDEX: u64 = 32 * 1024 * 1024;
/// The mode of a repository within.
const GITLINK: u32 = 0o160_000;
/// The most links one path may lead through.
const MOST_LINKS: usize = 40;

/// The disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnDisk;

impl Paths for OnDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut at = path.to_owned();
        for _ in 0..MOST_LINKS {
            match followed(&at) {
                Ok(settled) => return settled,
                Err(further) => at = further,
            }
        }
        path.to_owned()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Found<String> {
        let Ok(about) = std::fs::metadata(path) else {
            return if std::fs::symlink_metadata(path).is_ok() {
                Found::Unknown
            } else {
                Found::Nothing
            };
        };
        let kind = about.file_type();
        if kind.is_dir() {
            return Found::Nothing;
        }
        // A pipe would wait for its other end, a device may have none.
        if kind.is_fifo() || !kind.is_file() || about.len() > MOST_TEXT {
            return Found::Unknown;
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(MOST_TEXT).read_to_end(&mut bytes));
        match read {
            Ok(_) => Found::This(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Found::Unknown,
        }
    }

    fn names(&self, directory: &Path) -> Found<Vec<String>> {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Found::Nothing,
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Found::Nothing,
            Err(_) => return Found::Unknown,
        };
        let mut names = Vec::new();
        for entry in entries {
            let Ok(entry) = entry else {
                return Found::Unknown;
            };
            let Ok(name) = entry.file_name().into_string() else {
                return Found::Unknown;
            };
            names.push(name);
            if names.len() > MOST_NAMES {
                return Found::Unknown;
            }
        }
        names.sort();
        Found::This(names)
    }

    fn is_link(&self, path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_symlink())
    }

    fn tracked(&self, path: &Path) -> Found<Vec<PathBuf>> {
        let index = path.join(".git/index");
        if std::fs::symlink_metadata(&index).is_ok_and(|about| about.is_file() && about.len() <= MOST_INDEX)
            && let Ok(bytes) = std::fs::read(&index)
        {
            return index_names(&bytes).map_or(Found::Unknown, Found::This);
        }
        Found::Unknown
    }

    fn submodules(&self, path: &Path) -> Found<Vec<PathBuf>> {
        let index = path.join("index");
        let Ok(about) = std::fs::symlink_metadata(&index) else {
            return Found::Nothing;
        };
        if !about.is_file() || about.len() > MOST_WHOLE_INDEX {
            return Found::Unknown;
        }
        let Ok(bytes) = std::fs::read(&index) else {
            return Found::Unknown;
        };
        let mut links = Vec::new();
        let whole = index_entries(&bytes, |mode, name| {
            if mode == GITLINK {
                links.push(PathBuf::from(String::from_utf8_lossy(name).into_owned()));
            }
            Some(())
        });
        whole.map_or(Found::Unknown, |()| Found::This(links))
    }
}

/// The names in an index of git's, in the two forms that hold them whole.
fn index_names(bytes: &[u8]) -> Option<Vec<PathBuf>> {
    let mut names = Vec::new();
    index_entries(bytes, |_, name| {
        names.push(PathBuf::from(std::str::from_utf8(name).ok()?));
        (names.len() <= MOST_NAMES).then_some(())
    })?;
    Some(names)
}

/// Tells every entry of an index by its mode and name; nothing where it does not hold them all.
fn index_entries(bytes: &[u8], mut tell: impl FnMut(u32, &[u8]) -> Option<()>) -> Option<()> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut at = 12;
    for _ in 0..number(8)? {
        let extended = bytes.get(at + 60)? & 0x40 != 0;
        let begins = at + if extended { 64 } else { 62 };
        let length = bytes.get(begins..)?.iter().position(|byte| *byte == 0)?;
        let name = bytes.get(begins..begins + length)?;
        // A folder stands for names that lie in another place.
        if name.ends_with(b"/") {
            return None;
        }
        tell(number(at + 24)?, name)?;
        at += (begins - at + length + 8) / 8 * 8;
    }
    // A part of it may lie in another file, or in trees: extensions that have to be understood are written small.
    let rest = bytes.get(at..)?;
    let needed = [&b"link"[..], b"sdir"];
    let partial = rest.windows(4).any(|mark| needed.contains(&mark));
    (!partial).then_some(())
}

/// Where `path` leads, or the path behind a link on its way that leads to nothing.
fn followed(path: &Path) -> Result<PathBuf, PathBuf> {
    let mut existing = path;
    loop {
        let with_rest = |front: PathBuf| match path.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => front.join(rest),
            _ => front,
        };
        if let Ok(real) = existing.canonicalize() {
            return Ok(normal(&with_rest(real)));
        }
        let Some(parent) = existing.parent() else {
            return Ok(path.to_owned());
        };
        if let Ok(link) = std::fs::read_link(existing) {
            return Err(with_rest(parent.join(link)));
        }
        existing = parent;
    }
}
