//! The process of an agent: its process group, its identity, and killing what it leaves behind.

mod sweep;

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as blocking;
use std::sync::{Arc, OnceLock};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::conversation::Exit;
pub(crate) use sweep::MARK;

/// The identity of a process: its pid and start time. Pids are reused, the pair is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The process id.
    pub pid: u32,
    /// The start time in clock ticks since boot; 0 if unknown.
    pub started: u64,
}

impl Identity {
    /// Returns the identity of the process that has this pid now.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        Self {
            pid,
            started: sweep::started(pid).unwrap_or(0),
        }
    }

    /// Returns whether this process still exists.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        sweep::started(self.pid).is_some_and(|started| started == self.started)
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt as _;
    Exit {
        code: status.code(),
        signal: status.signal(),
    }
}

/// A running agent. Dropping the last handle kills its process group.
#[derive(Debug, Clone)]
pub struct Process {
    identity: Identity,
    group: Arc<Group>,
    ended: watch::Receiver<Option<Exit>>,
}

impl Process {
    /// Returns the identity of the process.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns how the process ended, if it has.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        *self.ended.borrow()
    }

    /// Waits until the process and all processes it started have ended.
    pub async fn exited(&self) -> Exit {
        self.ending().await
    }

    /// Like [`Process::exited`], without keeping the process alive.
    pub(crate) fn ending(&self) -> impl Future<Output = Exit> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            let exit = ended.wait_for(Option::is_some).await.ok().and_then(|exit| *exit);
            exit.unwrap_or_default()
        }
    }

    /// Terminates the process group.
    pub(crate) fn terminate(&self) {
        self.group.signal(Signal::TERM);
        // A stopped process handles SIGTERM only after it was continued.
        self.group.signal(Signal::CONT);
    }

    /// Kills the process group.
    pub(crate) fn kill(&self) {
        self.group.signal(Signal::KILL);
    }
}

/// The process group of a child.
#[derive(Debug)]
struct Group {
    leader: Option<Pid>,
    identity: Identity,
    mark: String,
    /// Whether the child was reaped. From then on its pid may be reused.
    reaped: Arc<AtomicBool>,
}

impl Group {
    fn signal(&self, signal: Signal) {
        if self.reaped.load(Ordering::Acquire) {
            return;
        }
        if let Some(leader) = self.leader {
            // The only possible error is that the group is empty.
            kill_process_group(leader, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped.load(Ordering::Acquire) {
            self.signal(Signal::KILL);
            sweep::sweep(&self.mark, self.identity.pid);
        }
    }
}

/// Starts `command` in a new process group. It receives SIGTERM when this program ends for any reason.
pub(crate) async fn start(mut command: Command) -> io::Result<(Pipes, Process)> {
    let mark = uuid::Uuid::new_v4().simple().to_string();
    command.env(MARK, &mark).process_group(0).kill_on_drop(true);
    set_parent_death_signal(&mut command);
    let mut child = spawn_on_dedicated_thread(command).await?;
    let pid = child.id().unwrap_or(0);
    let identity = Identity::of(pid);
    let reaped = Arc::new(AtomicBool::new(false));
    let group = Arc::new(Group {
        leader: i32::try_from(pid).ok().and_then(Pid::from_raw),
        identity,
        mark: mark.clone(),
        reaped: Arc::clone(&reaped),
    });
    let pipes = Pipes {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
    };
    let (exit_sender, ended) = watch::channel(None);
    tokio::spawn(supervise(child, mark, reaped, exit_sender));
    Ok((pipes, Process { identity, group, ended }))
}

/// The pipes of a child.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// Waits for the child, then kills the processes it left behind.
async fn supervise(mut child: Child, mark: String, reaped: Arc<AtomicBool>, exit_sender: watch::Sender<Option<Exit>>) {
    let pid = child.id().unwrap_or(0);
    let status = child.wait().await;
    reaped.store(true, Ordering::Release);
    // Reading all of /proc is slow.
    let swept = tokio::task::spawn_blocking(move || sweep::sweep(&mark, pid));
    swept.await.ok();
    exit_sender.send_replace(Some(status.map(exit_of).unwrap_or_default()));
}

#[cfg(target_os = "linux")]
fn set_parent_death_signal(command: &mut Command) {
    let set_signal = || {
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe functions may be called. `set_signal` makes one system
    // call (prctl), allocates nothing, takes no lock and touches nothing of the parent.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(set_signal);
    }
}

#[cfg(not(target_os = "linux"))]
fn set_parent_death_signal(_: &mut Command) {}

type Job = Box<dyn FnOnce() + Send>;

/// Starts the child from a thread that lives as long as this program. The kernel sends the signal of
/// [`set_parent_death_signal`] when the *thread* that started the child ends, and threads of a runtime may end earlier.
async fn spawn_on_dedicated_thread(mut command: Command) -> io::Result<Child> {
    static THREAD: OnceLock<Option<blocking::Sender<Job>>> = OnceLock::new();
    let thread = THREAD.get_or_init(|| {
        let (jobs, inbox) = blocking::channel::<Job>();
        let started = std::thread::Builder::new()
            .name("sluice-host-spawn".to_owned())
            .spawn(move || inbox.into_iter().for_each(|job| job()));
        started.is_ok().then_some(jobs)
    });
    let runtime = tokio::runtime::Handle::current();
    let (done, spawned) = tokio::sync::oneshot::channel();
    let job: Job = Box::new(move || {
        let _inside = runtime.enter();
        // The receiver may be gone; the child is then killed when it is dropped.
        done.send(command.spawn()).ok();
    });
    match thread {
        Some(thread) if thread.send(job).is_ok() => {
            let thread_ended = || Err(io::Error::other("the thread that starts agents has ended"));
            spawned.await.unwrap_or_else(|_| thread_ended())
        }
        _ => Err(io::Error::other("no thread could be started")),
    }
}
