//! Signals to the runner, as bytes in a pipe the loop waits for.

use std::io;
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicI32, Ordering};

static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Told to end.
pub(crate) const TERMINATE: u8 = 15;

/// A handler, and not "ignore": that would be inherited by the agent, which must hear its signals.
extern "C" fn told(signal: libc::c_int) {
    let byte = [if signal == libc::SIGTERM { TERMINATE } else { 0 }];
    // SAFETY: `write` may be called in a handler; the pipe is never closed, the buffer is one byte on this stack, and
    // errno is put back for whatever was interrupted.
    #[allow(unsafe_code)]
    unsafe {
        let errno = errno();
        let before = *errno;
        libc::write(PIPE.load(Ordering::Relaxed), byte.as_ptr().cast(), 1);
        *errno = before;
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
use libc::__errno_location as errno;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use libc::__error as errno;

/// From now on `SIGTERM` and `SIGCHLD` come as bytes, and what a terminal sends has no effect.
pub(crate) fn watch() -> io::Result<io::PipeReader> {
    let (read, write) = io::pipe()?;
    rustix::io::ioctl_fionbio(&read, true)?;
    rustix::io::ioctl_fionbio(&write, true)?;
    PIPE.store(write.into_raw_fd(), Ordering::Relaxed);
    let heard = [
        libc::SIGTERM,
        libc::SIGCHLD,
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        // A file that grew to its limit is an error of the write, as a full disk is.
        libc::SIGXFSZ,
    ];
    for signal in heard {
        // SAFETY: the action is whole (all fields set or zero, which is valid), and `told` calls only what may be
        // called in a handler.
        #[allow(unsafe_code)]
        let done = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = told as *const () as usize;
            action.sa_flags = libc::SA_RESTART | libc::SA_NOCLDSTOP;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(read)
}
