//! Listeners inherited through `exec`, so that no connection is refused during an upgrade, and the previous program,
//! which continues if the new one does not start.

use std::fs::File;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::{FdFlags, fcntl_setfd};

/// Environment variables for the next program.
pub(super) type Variables = Vec<(&'static str, String)>;

/// Contains the process id and its listeners: `PID main=5,6 metrics=7`.
const VARIABLE: &str = "SLUICE_LISTENERS";

/// Contains the process id and the previous program as an open file: `PID 8`.
const PROGRAM: &str = "SLUICE_PREVIOUS";
/// The program of this process, even if its file was replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// Listeners inherited from an earlier process.
#[derive(Debug)]
pub struct Inherited {
    pub(super) main: Vec<TcpListener>,
    pub(super) metrics: Option<TcpListener>,
    /// The program that this process ran before.
    program: Option<File>,
}

/// State for the next program. Keep it until `exec`, because dropping it closes the listeners.
#[derive(Debug)]
pub struct Inheritance {
    listeners: Vec<TcpListener>,
    variable: String,
    program: Option<File>,
}

static TAKEN: AtomicBool = AtomicBool::new(false);

impl Inherited {
    /// Takes the inherited listeners, if there are any. Succeeds at most once.
    pub fn take() -> Option<Self> {
        let text = std::env::var(VARIABLE).ok()?;
        let (main, metrics) = read(&text, std::process::id())?;
        if TAKEN.swap(true, Ordering::SeqCst) {
            return None;
        }
        let main = main.into_iter().map(adopt).collect::<io::Result<Vec<_>>>().ok()?;
        let metrics = metrics.map(adopt).transpose().ok()?;
        let program = std::env::var(PROGRAM).ok();
        let program = program.and_then(|text| read_program(&text, std::process::id()));
        Some(Self {
            main,
            metrics,
            program: program.and_then(|number| adopt_descriptor(number).ok()).map(File::from),
        })
    }

    /// Returns copies of the listeners for the previous program, in case this one does not start.
    ///
    /// # Errors
    /// No file descriptors are left.
    pub fn to_go_back(&self) -> io::Result<Inheritance> {
        let program = self.program.as_ref().map(File::try_clone).transpose()?;
        Inheritance::new(&self.main, self.metrics.as_ref(), program)
    }
}

fn adopt(number: RawFd) -> io::Result<TcpListener> {
    let listener = TcpListener::from(adopt_descriptor(number)?);
    // Fails and closes the descriptor if it is not a socket.
    listener.local_addr()?;
    Ok(listener)
}

/// Takes ownership of a descriptor and marks it close-on-exec.
#[allow(unsafe_code, reason = "a descriptor's number is all that passes through exec")]
fn adopt_descriptor(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the variables are written by `Inheritance::variables` right before `exec` for this process id, and name
    // descriptors kept open for it. No other code in this process knows these numbers, and `TAKEN` ensures that they
    // are taken only once.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(descriptor.as_fd(), FdFlags::CLOEXEC)?;
    Ok(descriptor)
}

impl Inheritance {
    /// Creates the state from listeners and the running program.
    pub(crate) fn of_this_program(main: &[TcpListener], metrics: Option<&TcpListener>) -> io::Result<Self> {
        // Systems without `/proc` cannot open the running program.
        Self::new(main, metrics, File::open(OWN_PROGRAM).ok())
    }

    fn new(main: &[TcpListener], metrics: Option<&TcpListener>, program: Option<File>) -> io::Result<Self> {
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
        Ok(Self {
            listeners,
            variable,
            program,
        })
    }

    /// Makes the listeners and the previous program survive `exec`, which must follow immediately with these variables
    /// set. Programs started in between would inherit them too.
    ///
    /// # Errors
    /// A system call fails.
    pub fn keep_for_exec(&self) -> io::Result<Variables> {
        let mut variables = self.keep_listeners()?;
        if let Some(program) = &self.program {
            fcntl_setfd(program.as_fd(), FdFlags::empty())?;
            variables.push((PROGRAM, format!("{} {}", std::process::id(), program.as_raw_fd())));
        }
        Ok(variables)
    }

    /// As `keep_for_exec`, for returning to the previous program; also returns its path. `None` if there is none.
    ///
    /// # Errors
    /// A system call fails.
    pub fn keep_to_go_back(&self) -> io::Result<Option<(PathBuf, Variables)>> {
        let Some(program) = &self.program else { return Ok(None) };
        // Passes no previous program on: the next program is the previous one itself.
        let mut variables = self.keep_listeners()?;
        variables.push((PROGRAM, String::new()));
        let path = format!("/proc/self/fd/{}", program.as_raw_fd()).into();
        Ok(Some((path, variables)))
    }

    fn keep_listeners(&self) -> io::Result<Variables> {
        for listener in &self.listeners {
            fcntl_setfd(listener.as_fd(), FdFlags::empty())?;
        }
        Ok(vec![(VARIABLE, self.variable.clone())])
    }
}

fn read_program(text: &str, own: u32) -> Option<RawFd> {
    let (pid, number) = text.split_once(' ')?;
    let number = number.parse().ok().filter(|number| *number > 2);
    number.filter(|_| pid.parse() == Ok(own))
}

fn read(text: &str, own: u32) -> Option<(Vec<RawFd>, Option<RawFd>)> {
    let mut words = text.split(' ');
    let pid: u32 = words.next()?.parse().ok()?;
    // Child processes inherit the variable too, but have another process id.
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
    fn the_previous_program_is_read_by_the_same_process_only() {
        assert_eq!(read_program("7 9", 7), Some(9));
        for bad in ["8 9", "7", "7 1", "7 x", ""] {
            assert_eq!(read_program(bad, 7), None, "{bad}");
        }
    }

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
