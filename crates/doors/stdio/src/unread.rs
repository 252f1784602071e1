//! The number of bytes on stdout that the host has not read.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::FileType;

/// The number of bytes written to stdout that its reader has not read; 0 if unknown.
#[must_use]
pub fn unread_stdout() -> u64 {
    unread(io::stdout().as_fd())
}

/// Pipes report the number on both ends; for sockets it is the number of bytes that the peer has not acknowledged.
fn unread(stream: BorrowedFd<'_>) -> u64 {
    let kind = rustix::fs::fstat(stream).map(|stat| FileType::from_raw_mode(stat.st_mode));
    match kind {
        Ok(FileType::Fifo) => rustix::io::ioctl_fionread(stream).unwrap_or(0),
        #[cfg(target_os = "linux")]
        Ok(FileType::Socket) => in_flight(stream).unwrap_or(0),
        _ => 0,
    }
}

/// The bytes that the other end of a socket has not read (`SIOCOUTQ`).
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "rustix has no function for this request")]
fn in_flight(socket: BorrowedFd<'_>) -> Option<u64> {
    const SIOCOUTQ: rustix::ioctl::Opcode = 0x5411;
    // SAFETY: the request writes one C int, which is what the getter provides.
    let bytes = unsafe { rustix::ioctl::ioctl(socket, rustix::ioctl::Getter::<SIOCOUTQ, i32>::new()) };
    u64::try_from(bytes.ok()?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    fn counts_down(mut writer: impl Write + AsFd, mut reader: impl Read) {
        assert_eq!(unread(writer.as_fd()), 0);
        writer.write_all(b"hello").unwrap();
        assert!(
            unread(writer.as_fd()) >= 5,
            "a socket may count what it takes to store them"
        );
        reader.read_exact(&mut [0; 5]).unwrap();
        assert_eq!(unread(writer.as_fd()), 0);
    }

    #[test]
    fn pipe_counts_what_is_not_read() {
        let (reader, writer) = io::pipe().unwrap();
        counts_down(writer, reader);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn socket_counts_what_is_not_read() {
        let (writer, reader) = UnixStream::pair().unwrap();
        counts_down(writer, reader);
    }

    #[test]
    fn unread_bytes_of_a_file_are_zero() {
        assert_eq!(unread(std::fs::File::open("/dev/null").unwrap().as_fd()), 0);
    }
}
