//! Signals to the runner, delivered as bytes through a pipe that the main loop polls.

use std::io;
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicI32, Ordering};

static PIPE: AtomicI32 = AtomicI32::new(-1);

/// The byte written for `SIGTERM`.
pub(crate) const TERMINATE: u8 = 15;

/// A handler instead of `SIG_IGN`, because the agent would inherit ignored signals.
extern "C" fn on_signal(signal: libc::c_int) {
    let byte = [if signal == libc::SIGTERM { TERMINATE } else { 0 }];
    // SAFETY: `write` is async-signal-safe; the pipe is never closed, the buffer is one byte on this stack, and errno is
    // restored for the interrupted code.
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

/// Delivers `SIGTERM` and `SIGCHLD` as bytes. Signals from a terminal have no further effect.
pub(crate) fn watch() -> io::Result<io::PipeReader> {
    let (read, write) = io::pipe()?;
    rustix::io::ioctl_fionbio(&read, true)?;
    rustix::io::ioctl_fionbio(&write, true)?;
    PIPE.store(write.into_raw_fd(), Ordering::Relaxed);
    let handled = [
        libc::SIGTERM,
        libc::SIGCHLD,
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        // Makes a write beyond the file size limit an error, like a full disk.
        libc::SIGXFSZ,
    ];
    for signal in handled {
        // SAFETY: the action is complete (all fields set or zero, which is valid), and `on_signal` only calls
        // async-signal-safe functions.
        #[allow(unsafe_code)]
        let done = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
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
