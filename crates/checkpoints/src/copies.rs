//! The copies of files on disk. These functions block, so the session must not call them on its own task.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::shelf::Backup;

/// Number of bytes that are compared at a time.
const COMPARE_BYTES: usize = 64 * 1024;
/// Number of bytes that are copied between two checks for cancellation.
const COPY_BYTES: u64 = 64 * 1024 * 1024;

/// The folder of the copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    dir: PathBuf,
}

/// The tracked files and their last copies.
#[derive(Debug)]
pub struct Followed {
    pub copies: Copies,
    /// The folder to which relative names refer.
    pub cwd: PathBuf,
    pub files: BTreeMap<String, Backup>,
    /// Cancels the copying.
    pub cancel: CancellationToken,
}

/// The path of a file that could not be copied, and the error.
pub type Unkept = (PathBuf, io::Error);

impl Followed {
    /// Copies all files that have changed. Returns the current copies of all files and the first error.
    pub fn renew(mut self, now: &str) -> (BTreeMap<String, Backup>, Option<Unkept>) {
        let mut problem = None;
        for (name, backup) in &mut self.files {
            let path = self.cwd.join(name);
            if self.copies.is_as(&path, backup) {
                continue;
            }
            let place = sluice_tools::settled(&path);
            match self.copies.keep((&path, &place), backup.version + 1, now, &self.cancel) {
                Ok(newer) => *backup = newer,
                Err(error) => problem = problem.or(Some((path, error))),
            }
        }
        (self.files, problem)
    }
}

impl Copies {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    pub fn place(&self, copy: &str) -> PathBuf {
        self.dir.join(copy)
    }

    /// Adds copies of another session, which are in the folder `there`.
    pub fn share<'a>(&self, copies: impl Iterator<Item = &'a String>, there: &Path) {
        if there == self.dir || make_folder(&self.dir).is_err() {
            return;
        }
        for copy in copies {
            let (from, to) = (there.join(copy), self.place(copy));
            if !to.exists() {
                // Copies are never changed, so two sessions can share them.
                let _shared = fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()));
            }
        }
    }

    /// Copies the current content of a file. `place` is the path that was resolved for the permission decision, so that
    /// links created since then are not followed.
    pub fn keep(
        &self,
        (path, place): (&Path, &Path),
        version: u64,
        now: &str,
        cancel: &CancellationToken,
    ) -> io::Result<Backup> {
        let copy = match fs::symlink_metadata(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
            Ok(_) => {
                let name = format!("{:016x}@v{version}", hash(&path.to_string_lossy()));
                make_folder(&self.dir)?;
                copy(place, &self.place(&name), cancel)?;
                Some(name)
            }
        };
        Ok(Backup {
            copy,
            version,
            time: now.to_owned(),
            folder: path.parent().and_then(|folder| folder.canonicalize().ok()),
        })
    }

    /// Whether a file is equal to its copy.
    pub fn is_as(&self, path: &Path, backup: &Backup) -> bool {
        match &backup.copy {
            None => fs::symlink_metadata(path).is_err(),
            Some(copy) => same(path, &self.place(copy)).unwrap_or(false),
        }
    }
}

/// Copies a file. An existing copy may be shared with another session, so it is unlinked instead of overwritten.
fn copy(from: &Path, to: &Path, cancel: &CancellationToken) -> io::Result<()> {
    // Reading a pipe could block, and a device may have no end.
    let from = sluice_tools::open_unlinked(from)?;
    let _none = fs::remove_file(to);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let permissions = from.metadata()?.permissions();
    let copied = loop {
        match io::copy(&mut (&from).take(COPY_BYTES), &mut file) {
            Ok(0) => break file.set_permissions(permissions),
            Ok(_) if cancel.is_cancelled() => break Err(io::ErrorKind::Interrupted.into()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    if copied.is_err() {
        // Remove an incomplete copy.
        let _none = fs::remove_file(to);
    }
    copied
}

/// Whether two files have the same content.
fn same(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (
        sluice_settings::open_regular(one)?,
        sluice_settings::open_regular(other)?,
    );
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let reader = |file: File| BufReader::with_capacity(COMPARE_BYTES, file);
    let (mut one, mut other) = (reader(one), reader(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.len() == right.len());
        }
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

fn make_folder(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// A hash of a path for file names. It is not cryptographic (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn files_are_compared_to_the_last_byte() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        for length in [0, 1, COMPARE_BYTES, COMPARE_BYTES + 1, 3 * COMPARE_BYTES] {
            let mut content = vec![b'x'; length];
            fs::write(&one, &content).unwrap();
            fs::write(&other, &content).unwrap();
            assert!(same(&one, &other).unwrap(), "{length}");
            if let Some(last) = content.last_mut() {
                *last = b'y';
                fs::write(&other, &content).unwrap();
                assert!(!same(&one, &other).unwrap(), "{length}");
            }
        }
        assert!(same(&one, &dir.path().join("none")).is_err());
    }

    #[test]
    fn a_copy_has_the_mode_of_the_file_and_replaces_an_older_copy() {
        let dir = tempfile::tempdir().unwrap();
        let copies = Copies::new(dir.path().join("copies"));
        let file = dir.path().join("f");
        fs::write(&file, "new").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
        let kept = copies.keep((&file, &file), 1, "t", &CancellationToken::new()).unwrap();
        let copy = copies.place(kept.copy.as_deref().unwrap());
        // Shared with another session.
        let shared = dir.path().join("shared");
        fs::hard_link(&copy, &shared).unwrap();
        fs::write(&file, "newer").unwrap();
        assert!(!copies.is_as(&file, &kept));
        copies.keep((&file, &file), 1, "t", &CancellationToken::new()).unwrap();
        assert_eq!(fs::read_to_string(&copy).unwrap(), "newer");
        assert_eq!(fs::read_to_string(&shared).unwrap(), "new");
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o750);
    }

    #[test]
    fn special_files_are_not_copied() {
        let dir = tempfile::tempdir().unwrap();
        let copies = Copies::new(dir.path().join("copies"));
        let keep = |path: &Path| copies.keep((path, path), 1, "t", &CancellationToken::new());
        assert!(keep(Path::new("/dev/zero")).is_err());
        assert!(keep(dir.path()).is_err());
        assert_eq!(keep(&dir.path().join("none")).unwrap().copy, None);
    }

    #[test]
    fn targets_of_links_created_later_are_not_copied() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let copies = Copies::new(dir.join("copies"));
        fs::create_dir(dir.join("inside")).unwrap();
        fs::create_dir(dir.join("outside")).unwrap();
        fs::write(dir.join("outside/f"), "secret").unwrap();
        fs::write(dir.join("inside/f"), "own").unwrap();
        let file = dir.join("inside/f");
        let place = sluice_tools::settled(&file);
        let keep = || copies.keep((&file, &place), 1, "t", &CancellationToken::new());
        keep().unwrap();
        // The file, and then its folder, are replaced with links after the path was resolved.
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(dir.join("outside/f"), &file).unwrap();
        assert!(keep().is_err());
        fs::remove_dir_all(dir.join("inside")).unwrap();
        std::os::unix::fs::symlink(dir.join("outside"), dir.join("inside")).unwrap();
        assert!(keep().is_err());
        let kept = fs::read_dir(dir.join("copies")).unwrap().flatten();
        assert!(
            kept.into_iter()
                .all(|copy| fs::read_to_string(copy.path()).unwrap() == "own")
        );
    }

    #[test]
    fn cancelled_copies_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let copies = Copies::new(dir.path().join("copies"));
        let file = dir.path().join("f");
        fs::write(&file, "x").unwrap();
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert!(copies.keep((&file, &file), 1, "t", &cancel).is_err());
        assert_eq!(fs::read_dir(dir.path().join("copies")).unwrap().count(), 0);
    }
}
