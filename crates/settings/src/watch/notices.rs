//! inotify: the watches that are needed to learn of any change of a path, whether it exists or not.
//!
//! A path is walked from the root. Each folder on it is watched for being moved or removed. The folder in which the
//! walk ends, and each one that holds a link, is also watched for names that are created, removed or replaced. The
//! file itself is watched for writes. So changes of the content of other files cause no notification, and neither do
//! folders like `/tmp` that only lie on the way.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use tokio::net::unix::pipe;

/// A folder on the way.
const ITSELF: WatchFlags = WatchFlags::MOVE_SELF.union(WatchFlags::DELETE_SELF);
/// A folder in which names matter.
const NAMES: WatchFlags = ITSELF
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);
/// The file at the end.
const CONTENT: WatchFlags = ITSELF.union(WatchFlags::MODIFY).union(WatchFlags::ATTRIB);
/// As many links as the kernel follows.
const LINKS: usize = 40;
/// How often watching begins anew because the folders changed meanwhile.
const TRIES: usize = 8;
/// File systems on which another machine, or a program, changes files without a notice here:
/// NFS, SMB (three numbers), 9P, FUSE, AFS and Ceph.
const UNHEARD: [u32; 8] = [
    0x0000_6969,
    0x0000_517b,
    0xfe53_4d42,
    0xff53_4d42,
    0x0102_1997,
    0x6573_5546,
    0x5346_414f,
    0x00c3_6400,
];

/// The notices of one set of paths.
pub(super) struct Notices {
    /// `None` when there are none to be had.
    kernel: Option<pipe::Receiver>,
    /// Whether something can change without a notice.
    is_deaf: bool,
}

impl Notices {
    /// Begins to listen. Has to be called on a runtime, or on one of its threads for blocking work.
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        let mut plan = plan(paths);
        for _ in 0..TRIES {
            let Ok((fd, is_whole)) = listen(&plan) else { break };
            // What was made before it was listened to is seen by a second walk, what is made after it is heard.
            let again = self::plan(paths);
            if again == plan {
                let is_deaf = !is_whole || paths.iter().any(|path| is_unheard(path));
                // Read from as a pipe is: tokio asks of both only that they can be polled and read.
                let kernel = pipe::Receiver::from_owned_fd_unchecked(fd).ok();
                return Self {
                    is_deaf: is_deaf || kernel.is_none(),
                    kernel,
                };
            }
            plan = again;
        }
        Self {
            kernel: None,
            is_deaf: true,
        }
    }

    /// Waits for the next notice, or until it is time to look all the same.
    pub(super) async fn heard(&self) {
        let late = async {
            if self.is_deaf {
                tokio::time::sleep(super::EVERY).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = self.noticed() => {}
            () = late => {}
        }
    }

    async fn noticed(&self) {
        if let Some(kernel) = &self.kernel
            && kernel.readable().await.is_ok()
        {
            // What was told does not matter: the files are looked at.
            let mut buffer = [0_u8; 4096];
            while kernel.try_read(&mut buffer).is_ok_and(|read| read > 0) {}
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// What is to be watched in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Watch {
    flags: WatchFlags,
    /// Which file it was: one that replaced it is another.
    inode: (u64, u64),
}

type Plan = BTreeMap<PathBuf, Watch>;

fn plan(paths: &[PathBuf]) -> Plan {
    let mut plan = Plan::new();
    for path in paths {
        walk(path, &mut plan);
    }
    plan
}

fn add(plan: &mut Plan, path: &Path, flags: WatchFlags) {
    use std::os::unix::fs::MetadataExt as _;
    let inode = path.metadata().map_or((0, 0), |found| (found.dev(), found.ino()));
    let watch = plan.entry(path.to_path_buf()).or_insert(Watch { flags, inode });
    watch.flags |= flags;
}

/// Adds what has to be watched for `path`. A path that is not absolute begins at the working folder of the process.
fn walk(path: &Path, plan: &mut Plan) {
    let Ok(path) = std::path::absolute(path) else { return };
    let mut rest = names(&path);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    add(plan, &here, ITSELF);
    while let Some(name) = rest.pop() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let found = match next.symlink_metadata() {
            Ok(found) => found,
            // Something that may come to be, or a file where a folder should be.
            Err(error) => {
                let what = if error.kind() == ErrorKind::NotADirectory {
                    CONTENT
                } else {
                    NAMES
                };
                return add(plan, &here, what);
            }
        };
        if found.is_symlink() {
            add(plan, &here, NAMES);
            links += 1;
            let Ok(target) = next.read_link() else { return };
            if links > LINKS {
                return;
            }
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            rest.extend(names(&target));
        } else {
            if rest.is_empty() {
                add(plan, &here, NAMES);
                let also = if found.is_dir() { NAMES } else { WatchFlags::empty() };
                add(plan, &next, CONTENT.union(also));
            } else {
                add(plan, &next, ITSELF);
            }
            here = next;
        }
    }
}

/// The names of a path, the first one last.
fn names(path: &Path) -> Vec<OsString> {
    let named = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    let mut names: Vec<OsString> = named.collect();
    names.reverse();
    names
}

/// Asks the kernel for all of it, and says whether it gave all that matters.
fn listen(plan: &Plan) -> Result<(OwnedFd, bool), Errno> {
    let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    let mut is_whole = true;
    for (path, watch) in plan {
        // Two paths may lead to one file: what one of them asks for must not undo what the other did.
        let flags = watch.flags | WatchFlags::MASK_ADD;
        // A folder on the way that may not be read is one that is moved rarely.
        if inotify::add_watch(&fd, path.as_path(), flags).is_err() && watch.flags != ITSELF {
            is_whole = false;
        }
    }
    Ok((fd, is_whole))
}

/// Whether `path`, or the nearest folder above it that exists, lies where changes go without a notice.
fn is_unheard(path: &Path) -> bool {
    let found = path.ancestors().find_map(|place| rustix::fs::statfs(place).ok());
    found.is_some_and(|found| u32::try_from(found.f_type).is_ok_and(|kind| UNHEARD.contains(&kind)))
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
