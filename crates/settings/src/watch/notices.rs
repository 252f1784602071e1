//! inotify: the watches needed to detect any change of a path, whether it exists or not.
//!
//! A path is followed from the root. Each folder of it is watched for being moved or removed. The last folder, and each
//! one that contains a link of the path, is also watched for names that are created, removed or replaced. The
//! file itself is watched for writes. So changes of other files cause no notification, and neither do changes in
//! folders like `/tmp` that are only part of the path.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use tokio::net::unix::pipe;

/// Events for a folder of the path.
const SELF_EVENTS: WatchFlags = WatchFlags::MOVE_SELF.union(WatchFlags::DELETE_SELF);
/// Events for a folder in which names may change.
const NAME_EVENTS: WatchFlags = SELF_EVENTS
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);
/// Events for the file itself.
const CONTENT_EVENTS: WatchFlags = SELF_EVENTS.union(WatchFlags::MODIFY).union(WatchFlags::ATTRIB);
/// Maximum number of links in a path, as in the kernel.
const MAX_LINKS: usize = 40;
/// Maximum number of attempts if folders change while the watches are added.
const MAX_ATTEMPTS: usize = 8;
/// File systems on which changes by another machine or program cause no notification:
/// NFS, SMB (three numbers), 9P, FUSE, AFS and Ceph.
const POLLED_FILE_SYSTEMS: [u32; 8] = [
    0x0000_6969,
    0x0000_517b,
    0xfe53_4d42,
    0xff53_4d42,
    0x0102_1997,
    0x6573_5546,
    0x5346_414f,
    0x00c3_6400,
];

/// The notifications for a set of paths.
pub(super) struct Notices {
    /// The inotify descriptor; `None` if inotify is not available.
    kernel: Option<pipe::Receiver>,
    /// Whether some changes cause no notification, so that the files must be polled as well.
    needs_polling: bool,
}

impl Notices {
    /// Adds the watches. Must be called within a tokio runtime or on one of its blocking threads.
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        let mut plan = plan(paths);
        for _ in 0..MAX_ATTEMPTS {
            let Ok((fd, is_whole)) = add_watches(&plan) else { break };
            // Folders that were created before the watches were added are found by a second pass; later ones cause a
            // notification.
            let again = self::plan(paths);
            if again == plan {
                let needs_polling = !is_whole || paths.iter().any(|path| is_on_polled_file_system(path));
                // tokio's pipe works for an inotify descriptor: both are only polled and read.
                let kernel = pipe::Receiver::from_owned_fd_unchecked(fd).ok();
                return Self {
                    needs_polling: needs_polling || kernel.is_none(),
                    kernel,
                };
            }
            plan = again;
        }
        Self {
            kernel: None,
            needs_polling: true,
        }
    }

    /// Waits for the next notification, or for the polling interval if polling is needed.
    pub(super) async fn changed(&self) {
        let poll_interval = async {
            if self.needs_polling {
                tokio::time::sleep(super::EVERY).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = self.notified() => {}
            () = poll_interval => {}
        }
    }

    async fn notified(&self) {
        if let Some(kernel) = &self.kernel
            && kernel.readable().await.is_ok()
        {
            // The content of the events is not needed: the files are compared.
            let mut buffer = [0_u8; 4096];
            while kernel.try_read(&mut buffer).is_ok_and(|read| read > 0) {}
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// The watch of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Watch {
    flags: WatchFlags,
    /// Device and inode, to detect a replaced file.
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

/// Adds the watches for `path`. A relative path starts at the working folder of the process.
fn walk(path: &Path, plan: &mut Plan) {
    let Ok(path) = std::path::absolute(path) else { return };
    let mut rest = names(&path);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    add(plan, &here, SELF_EVENTS);
    while let Some(name) = rest.pop() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let found = match next.symlink_metadata() {
            Ok(found) => found,
            // The path may be created later, or there is a file where a folder is expected.
            Err(error) => {
                let what = if error.kind() == ErrorKind::NotADirectory {
                    CONTENT_EVENTS
                } else {
                    NAME_EVENTS
                };
                return add(plan, &here, what);
            }
        };
        if found.is_symlink() {
            add(plan, &here, NAME_EVENTS);
            links += 1;
            let Ok(target) = next.read_link() else { return };
            if links > MAX_LINKS {
                return;
            }
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            rest.extend(names(&target));
        } else {
            if rest.is_empty() {
                add(plan, &here, NAME_EVENTS);
                let also = if found.is_dir() {
                    NAME_EVENTS
                } else {
                    WatchFlags::empty()
                };
                add(plan, &next, CONTENT_EVENTS.union(also));
            } else {
                add(plan, &next, SELF_EVENTS);
            }
            here = next;
        }
    }
}

/// Returns the components of a path in reverse order.
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

/// Adds all watches. Returns the inotify descriptor and whether all important watches were added.
fn add_watches(plan: &Plan) -> Result<(OwnedFd, bool), Errno> {
    let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    let mut is_whole = true;
    for (path, watch) in plan {
        // Two paths may lead to the same file. The second watch must not replace the events of the first.
        let flags = watch.flags | WatchFlags::MASK_ADD;
        // Folders of the path that cannot be watched are rarely moved.
        if inotify::add_watch(&fd, path.as_path(), flags).is_err() && watch.flags != SELF_EVENTS {
            is_whole = false;
        }
    }
    Ok((fd, is_whole))
}

/// Whether `path`, or its nearest existing ancestor, is on a file system that needs polling.
fn is_on_polled_file_system(path: &Path) -> bool {
    let found = path.ancestors().find_map(|place| rustix::fs::statfs(place).ok());
    found.is_some_and(|found| u32::try_from(found.f_type).is_ok_and(|kind| POLLED_FILE_SYSTEMS.contains(&kind)))
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
