//! Listeners inherited over `exec`, so that no connection is refused during an upgrade.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::{FdFlags, fcntl_setfd};

/// Names the process and its listeners: `PID main=5,6 metrics=7`.
const VARIABLE: &str = "SLUICE_LISTENERS";

/// Listeners an earlier process left open for this one.
#[derive(Debug)]
pub struct Inherited {
    pub(super) main: Vec<TcpListener>,
    pub(super) metrics: Option<TcpListener>,
}

/// What the next process needs. Keep it until `exec`: dropping it closes the listeners.
#[derive(Debug)]
pub struct Inheritance {
    listeners: Vec<TcpListener>,
    variable: String,
}

static TAKEN: AtomicBool = AtomicBool::new(false);

impl Inherited {
    /// What was left for this process, if anything was. Can be taken once.
    pub fn take() -> Option<Self> {
        let text = std::env::var(VARIABLE).ok()?;
        let (main, metrics) = read(&text, std::process::id())?;
        if TAKEN.swap(true, Ordering::SeqCst) {
            return None;
        }
        let main = main.into_iter().map(adopt).collect::<io::Result<Vec<_>>>().ok()?;
        let metrics = metrics.map(adopt).transpose().ok()?;
        Some(Self { main, metrics })
    }
}

/// Takes a descriptor over, and keeps it from programs started from here.
#[allow(unsafe_code, reason = "a descriptor's number is all that passes through exec")]
fn adopt(number: RawFd) -> io::Result<TcpListener> {
    // SAFETY: the variable is written right before `exec` by `Inheritance::new` for this very process id, and names
    // descriptors that were kept open for it. Nothing else in this process knows these numbers, and `TAKEN` sees to it
    // that they are taken over once.
    let listener = unsafe { TcpListener::from_raw_fd(number) };
    // Fails, with the descriptor closed, when it is no socket after all.
    listener.local_addr()?;
    fcntl_setfd(listener.as_fd(), FdFlags::CLOEXEC)?;
    Ok(listener)
}

impl Inheritance {
    pub(crate) fn new(main: &[TcpListener], metrics: Option<&TcpListener>) -> io::Result<Self> {
        let mut listeners = Vec::new();
        let mut keep = |listener: &TcpListener| -> io::Result<String> {
            let copy = listener.try_clone()?;
            let number = copy.as_raw_fd().to_string();
            listeners.push(copy);
            Ok(number)
        };
        let main: Vec<String> = main.iter().map(&mut keep).collect::<io::Result<_>>()?;
        let mut variable = format!("{} main={}", std::process::id(), main.join(","));
        if let Some(metrics) = metrics {
            variable = format!("{variable} metrics={}", keep(metrics)?);
        }
        Ok(Self { listeners, variable })
    }

    /// Lets the listeners pass through `exec`, which has to follow at once, with this variable set. Programs started
    /// in between would have them too.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn keep_for_exec(&self) -> io::Result<(&'static str, &str)> {
        for listener in &self.listeners {
            fcntl_setfd(listener.as_fd(), FdFlags::empty())?;
        }
        Ok((VARIABLE, &self.variable))
    }
}

fn read(text: &str, own: u32) -> Option<(Vec<RawFd>, Option<RawFd>)> {
    let mut words = text.split(' ');
    let pid: u32 = words.next()?.parse().ok()?;
    // Children see the variable too, and are somebody else.
    if pid != own {
        return None;
    }
    let numbers = |text: &str| -> Option<Vec<RawFd>> {
        let number = |text: &str| text.parse::<RawFd>().ok().filter(|number| *number > 2);
        text.split(',').map(number).collect()
    };
    let main = numbers(words.next()?.strip_prefix("main=")?)?;
    let metrics = match words.next() {
        Some(word) => Some(*numbers(word.strip_prefix("metrics=")?)?.first()?),
        None => None,
    };
    Some((main, metrics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_it_was_written_for_reads_it() {
        assert_eq!(read("7 main=5,6 metrics=9", 7), Some((vec![5, 6], Some(9))));
        assert_eq!(read("7 main=5", 7), Some((vec![5], None)));
        for bad in [
            "8 main=5",
            "7",
            "7 main=",
            "7 main=1",
            "7 main=x",
            "7 main=5 metrics=",
            "",
            "7 other=5",
        ] {
            assert_eq!(read(bad, 7), None, "{bad}");
        }
    }
}
