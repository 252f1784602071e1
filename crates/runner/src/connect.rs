//! Connecting to the socket of a runner, regardless of the length of its path.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The name of the socket in a runner's folder.
pub const SOCKET: &str = "socket";

/// Connects to the runner of a folder.
///
/// # Errors
/// Returns an error if no runner is listening on the socket.
#[cfg(target_os = "linux")]
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags, open};
    // A socket address is limited to about 100 bytes; `/proc/self/fd/N` gives the open folder a short path.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(dir, flags, Mode::empty())?;
    UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()))
}

/// Connects to the runner of a folder. The path must be short enough for a socket address of this system.
///
/// # Errors
/// Returns an error if no runner is listening on the socket.
#[cfg(not(target_os = "linux"))]
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(dir.join(SOCKET))
}
