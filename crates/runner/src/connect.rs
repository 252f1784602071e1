//! Connecting to a runner's socket, however long the path of its folder is.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The name of the socket in a runner's folder.
pub const SOCKET: &str = "socket";

/// Connects to the runner of a folder.
///
/// # Errors
/// When no runner listens there.
#[cfg(target_os = "linux")]
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags, open};
    // The path of a socket holds some hundred bytes at most; an open folder has a short one.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(dir, flags, Mode::empty())?;
    UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()))
}

/// Connects to the runner of a folder, where the path is short enough for this system.
///
/// # Errors
/// When no runner listens there.
#[cfg(not(target_os = "linux"))]
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(dir.join(SOCKET))
}
