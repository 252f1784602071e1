//! Performs changes of permission bits and timestamps, which Landlock rules do not cover.
//! The kernel forwards these calls to a thread of this process (seccomp user notification). It opens the file, checks
//! its location and makes the change through this handle, so that later changes of the caller's memory or of the path
//! have no effect.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;
use seccompiler::BpfProgram;

/// System call number of `fchmodat2`.
pub(super) const FCHMODAT2: i64 = 452;
/// Maximum length of a path, and the page size: memory after the end of a page may not be mapped.
const PAGE: u64 = 4096;
const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: libc::UTIME_NOW,
};

/// Applies a filter to the calling thread and its children. Returns the descriptor that receives the notifications.
#[allow(
    unsafe_code,
    reason = "no safe interface exists; the program outlives the call and the descriptor is new"
)]
pub(super) fn apply(filter: &BpfProgram) -> io::Result<OwnedFd> {
    let length = u16::try_from(filter.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog {
        len: length,
        filter: filter.as_ptr().cast_mut().cast(),
    };
    let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
    // SAFETY: the kernel copies the program during the call; a non-negative result is a new descriptor.
    unsafe {
        match libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) {
            -1 => Err(io::Error::last_os_error()),
            number => Ok(OwnedFd::from_raw_fd(i32::try_from(number).map_err(io::Error::other)?)),
        }
    }
}

/// Handles the notifications of a filter until its last process has ended. Files below the `writable` paths are
/// changed; other calls fail.
pub(super) fn answer(listener: &OwnedFd, writable: &[PathBuf]) {
    loop {
        let mut ready = [PollFd::new(listener, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(Errno::INTR) => continue,
            Ok(_) if ready.iter().all(|one| one.revents().contains(PollFlags::IN)) => {}
            _ => return,
        }
        let Some(call) = receive(listener) else { continue };
        let done = Caller { listener, call: &call }.carry_out(writable);
        respond(listener, call.id, done.err());
    }
}

#[allow(
    unsafe_code,
    reason = "no safe interface exists; the structures are the kernel's own"
)]
fn receive(listener: &OwnedFd) -> Option<libc::seccomp_notif> {
    // SAFETY: the kernel expects a zeroed structure, and fills in only this structure.
    unsafe {
        let mut call: libc::seccomp_notif = std::mem::zeroed();
        let got = libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call);
        (got == 0).then_some(call)
    }
}

#[allow(
    unsafe_code,
    reason = "no safe interface exists; the structures are the kernel's own"
)]
fn respond(listener: &OwnedFd, id: u64, error: Option<Errno>) {
    let response = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: error.map_or(0, |error| -error.raw_os_error()),
        flags: 0,
    };
    // SAFETY: the kernel reads this structure. An error means that the caller has ended.
    unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND,
            &raw const response,
        );
    }
}

/// A change of a file's metadata.
enum Change {
    Mode(Mode),
    Times(Timestamps),
}

/// The thread whose system call is handled.
struct Caller<'a> {
    listener: &'a OwnedFd,
    call: &'a libc::seccomp_notif,
}

impl Caller<'_> {
    fn carry_out(&self, writable: &[PathBuf]) -> Result<(), Errno> {
        let [first, second, third, fourth, ..] = self.call.data.args;
        let at_cwd = i64::from(libc::AT_FDCWD).cast_unsigned();
        let (file, change) = match i64::from(self.call.data.nr) {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_chmod => (self.open(at_cwd, first, 0)?, Change::Mode(mode(second))),
            libc::SYS_fchmod => (self.descriptor(first)?, Change::Mode(mode(second))),
            libc::SYS_fchmodat => (self.open(first, second, 0)?, Change::Mode(mode(third))),
            FCHMODAT2 => (self.open(first, second, fourth)?, Change::Mode(mode(third))),
            libc::SYS_utimensat if second == 0 => (self.descriptor(first)?, Change::Times(self.times(third)?)),
            libc::SYS_utimensat => (self.open(first, second, fourth)?, Change::Times(self.times(third)?)),
            // Older calls for timestamps; libraries then fall back to the newer one.
            _ => return Err(Errno::NOSYS),
        };
        self.check()?;
        may_change(&file, writable)?;
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        match change {
            Change::Mode(mode) => rustix::fs::chmod(own, mode),
            Change::Times(times) => rustix::fs::utimensat(&file, "", &times, AtFlags::EMPTY_PATH),
        }
    }

    /// Checks that the thread still waits; otherwise its id may have been reused.
    #[allow(unsafe_code, reason = "no safe interface exists")]
    fn check(&self) -> Result<(), Errno> {
        // SAFETY: the kernel reads one number.
        let valid = unsafe {
            let id = &raw const self.call.id;
            libc::ioctl(self.listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, id)
        };
        if valid == 0 { Ok(()) } else { Err(Errno::INTR) }
    }

    fn proc(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.call.pid)
    }

    /// Opens the file of a descriptor of the caller.
    fn descriptor(&self, number: u64) -> Result<File, Errno> {
        let number = low(number).cast_signed();
        let path = match number {
            libc::AT_FDCWD => self.proc("cwd"),
            _ => self.proc(&format!("fd/{number}")),
        };
        let opened = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        opened.map(File::from).map_err(|error| match error {
            Errno::NOENT => Errno::BADF,
            error => error,
        })
    }

    /// Opens the file named by a path of the caller, relative to a descriptor.
    fn open(&self, from: u64, path: u64, flags: u64) -> Result<File, Errno> {
        let flags = AtFlags::from_bits_retain(low(flags));
        let path = self.text(path)?;
        if path.is_empty() {
            let empty = flags.contains(AtFlags::EMPTY_PATH);
            return if empty {
                self.descriptor(from)
            } else {
                Err(Errno::NOENT)
            };
        }
        let follow = match flags.contains(AtFlags::SYMLINK_NOFOLLOW) {
            true => OFlags::NOFOLLOW,
            false => OFlags::empty(),
        };
        let flags = OFlags::PATH | OFlags::CLOEXEC | follow;
        let bytes = path.as_bytes();
        if bytes.first() == Some(&b'/') {
            // `/proc/self` of the caller is not that of this process.
            let own = bytes
                .strip_prefix(b"/proc/self/")
                .and_then(|rest| std::str::from_utf8(rest).ok());
            let own = own.map(|rest| self.proc(rest));
            let opened = match own {
                Some(own) => rustix::fs::openat(CWD, own, flags, Mode::empty()),
                None => rustix::fs::openat(CWD, &path, flags, Mode::empty()),
            };
            return opened.map(File::from);
        }
        let from = self.descriptor(from)?;
        rustix::fs::openat(from.as_fd(), &path, flags, Mode::empty()).map(File::from)
    }

    fn memory(&self) -> Result<File, Errno> {
        File::open(self.proc("mem")).map_err(|_| Errno::PERM)
    }

    /// Reads a string from the caller's memory.
    fn text(&self, at: u64) -> Result<CString, Errno> {
        let memory = self.memory()?;
        let mut text = Vec::new();
        while text.len() <= PAGE as usize {
            let from = at + text.len() as u64;
            let mut piece = vec![0; (PAGE - from % PAGE) as usize];
            memory.read_exact_at(&mut piece, from).map_err(|_| Errno::FAULT)?;
            let end = memchr::memchr(0, &piece);
            text.extend_from_slice(piece.get(..end.unwrap_or(piece.len())).unwrap_or_default());
            if end.is_some() {
                return CString::new(text).map_err(|_| Errno::INVAL);
            }
        }
        Err(Errno::NAMETOOLONG)
    }

    /// Reads two timestamps from the caller's memory; a null pointer means the current time.
    fn times(&self, at: u64) -> Result<Timestamps, Errno> {
        if at == 0 {
            return Ok(Timestamps {
                last_access: NOW,
                last_modification: NOW,
            });
        }
        let mut bytes = [0; 32];
        self.memory()?.read_exact_at(&mut bytes, at).map_err(|_| Errno::FAULT)?;
        let mut numbers = bytes
            .chunks_exact(8)
            .map(|chunk| chunk.try_into().map_or(0, i64::from_ne_bytes));
        let mut time = || Timespec {
            tv_sec: numbers.next().unwrap_or_default(),
            tv_nsec: numbers.next().unwrap_or_default(),
        };
        Ok(Timestamps {
            last_access: time(),
            last_modification: time(),
        })
    }
}

/// The caller has our user id and no capabilities, so it may change files that we own in writable paths. An unlinked
/// file belongs to no other path.
fn may_change(file: &File, writable: &[PathBuf]) -> Result<(), Errno> {
    let about = file.metadata().map_err(|_| Errno::PERM)?;
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(Errno::PERM);
    }
    let place = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(|_| Errno::PERM)?;
    let named = about.nlink() > 0 && FileType::from_raw_mode(about.mode()) != FileType::Fifo;
    let inside = |place: &Path| writable.iter().any(|folder| place.starts_with(folder));
    match named && !inside(&place) {
        true => Err(Errno::PERM),
        false => Ok(()),
    }
}

fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}

fn mode(number: u64) -> Mode {
    Mode::from_bits_truncate(low(number) & 0o7777)
}
