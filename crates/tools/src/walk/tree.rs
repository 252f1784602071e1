//! Finds all files of a tree with several threads.
//!
//! Optimized for trees with very many files: a folder is opened once, its names are read in bulk, and paths are built
//! only on demand. Whether a folder has ignore rules follows from its names, so folders without rules cost nothing.

use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, OFlags, RawDir};

use super::ignored::{Ignored, Told};

/// Size of the buffer for names in bytes.
const NAME_BUFFER_SIZE: usize = 32 << 10;

/// A file that was found, with a fast way to open it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileAt<'a> {
    /// Its path.
    pub(crate) path: &'a Path,
    /// Its open folder and name; `None` for a file that was given directly.
    pub(crate) at: Option<(BorrowedFd<'a>, &'a CStr)>,
}

/// Controls a walk.
pub(super) trait Guide: Sync {
    /// True to enter this folder.
    fn enters(&self, folder: &Path, name: &OsStr) -> bool;
    /// True to stop.
    fn is_over(&self) -> bool;
}

/// A folder to be processed.
struct Waiting {
    path: PathBuf,
    above: Ignored,
}

/// State shared by the threads.
struct Shared {
    waiting: Mutex<Stack>,
    news: Condvar,
}

struct Stack {
    folders: Vec<Waiting>,
    /// Number of threads that may still find folders.
    busy: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next folder; `None` when the walk is complete.
    fn next(&self) -> Option<Waiting> {
        let mut stack = self.lock();
        stack.busy -= 1;
        loop {
            if let Some(folder) = stack.folders.pop() {
                stack.busy += 1;
                return Some(folder);
            }
            if stack.busy == 0 {
                self.news.notify_all();
                return None;
            }
            stack = self.news.wait(stack).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, folders: &mut Vec<Waiting>) {
        if !folders.is_empty() {
            self.lock().folders.append(folders);
            self.news.notify_all();
        }
    }
}

/// Passes every file below the open `root` that is not ignored to `visit`, which is created once per thread. Folders
/// are opened relative to the root without following symlinks, because paths could resolve to other locations
/// meanwhile.
pub(super) fn each<G, M, V>((root, held): (&Path, &OwnedFd), above: Ignored, threads: usize, guide: &G, make: M)
where
    G: Guide,
    M: Fn() -> V + Sync,
    V: FnMut(FileAt<'_>),
{
    let shared = Shared {
        waiting: Mutex::new(Stack {
            folders: vec![Waiting {
                path: root.to_owned(),
                above,
            }],
            busy: threads,
        }),
        news: Condvar::new(),
    };
    let work = || {
        let mut visit = make();
        let mut names = Names::default();
        let mut found = Vec::new();
        while let Some(folder) = shared.next() {
            if !guide.is_over() {
                names.visit((&folder, root, held), guide, &mut visit, &mut found);
            }
            shared.add(&mut found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

/// Names in one folder; reused to avoid allocations.
#[derive(Default)]
struct Names {
    /// Names with their terminating zeros.
    text: Vec<u8>,
    /// Start and type of each name.
    list: Vec<(usize, FileType)>,
}

impl Names {
    fn visit<G: Guide>(
        &mut self,
        (folder, root, held): (&Waiting, &Path, &OwnedFd),
        guide: &G,
        visit: &mut impl FnMut(FileAt<'_>),
        folders: &mut Vec<Waiting>,
    ) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let Ok(open) = folder
            .path
            .strip_prefix(root)
            .map_err(|_| rustix::io::Errno::NOENT)
            .and_then(|below| crate::pins::below(held, below, flags))
        else {
            return;
        };
        let told = self.read(&open);
        let ignored = folder.above.inside(&folder.path, Some(&open), told);
        let mut path = folder.path.clone();
        for (index, (start, kind)) in self.list.iter().enumerate() {
            // checking costs more than skipping a file
            if index % 64 == 63 && guide.is_over() {
                return;
            }
            let Some(Ok(name)) = self.text.get(*start..).map(CStr::from_bytes_until_nul) else {
                continue;
            };
            let kind = known(*kind, &open, name);
            let (is_folder, is_file) = (kind == FileType::Directory, kind == FileType::RegularFile);
            if !is_folder && !is_file {
                continue;
            }
            let name_os = OsStr::from_bytes(name.to_bytes());
            path.push(name_os);
            let left_out = !ignored.is_empty() && ignored.leaves_out(&path, is_folder);
            if !left_out && is_file {
                let at = Some((open.as_fd(), name));
                visit(FileAt { path: &path, at });
            } else if !left_out && guide.enters(&path, name_os) {
                folders.push(Waiting {
                    path: path.clone(),
                    above: ignored.clone(),
                });
            }
            path.pop();
        }
    }

    /// Reads all names; a read error keeps the names read so far.
    fn read(&mut self, folder: &OwnedFd) -> Told {
        self.text.clear();
        self.list.clear();
        let mut told = Told::default();
        let mut buffer = [MaybeUninit::uninit(); NAME_BUFFER_SIZE];
        let mut entries = RawDir::new(folder, &mut buffer);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            told.note(name.to_bytes());
            self.list.push((self.text.len(), entry.file_type()));
            self.text.extend_from_slice(name.to_bytes_with_nul());
        }
        told
    }
}

/// Returns the type of an entry; queries the file if the folder does not record it.
fn known(kind: FileType, folder: &OwnedFd, name: &CStr) -> FileType {
    if kind != FileType::Unknown {
        return kind;
    }
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(kind, |stat| FileType::from_raw_mode(stat.st_mode))
}
