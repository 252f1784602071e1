//! The process of an agent: its process group, an identity that outlives its pid, and cleaning up behind it.

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
    /// Its number.
    pub pid: u32,
    /// When it started, in ticks since the machine did; 0 where that is not known.
    pub started: u64,
}

impl Identity {
    /// The identity of the process that has this pid now.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        Self {
            pid,
            started: sweep::started(pid).unwrap_or(0),
        }
    }

    /// Whether this very process is still there.
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

/// A running agent. Dropping the last handle ends its whole group.
#[derive(Debug, Clone)]
pub struct Process {
    identity: Identity,
    group: Arc<Group>,
    ended: watch::Receiver<Option<Exit>>,
}

impl Process {
    /// Its identity.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        *self.ended.borrow()
    }

    /// Waits until it and all processes it started have ended.
    pub async fn exited(&self) -> Exit {
        self.ending().await
    }

    /// The same, without holding the process.
    pub(crate) fn ending(&self) -> impl Future<Output = Exit> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            let gone = ended.wait_for(Option::is_some).await.ok().and_then(|exit| *exit);
            gone.unwrap_or_default()
        }
    }

    /// Asks its group to end.
    pub(crate) fn terminate(&self) {
        self.group.signal(Signal::TERM);
        // One that is stopped could not obey.
        self.group.signal(Signal::CONT);
    }

    /// Ends its group.
    pub(crate) fn kill(&self) {
        self.group.signal(Signal::KILL);
    }
}

/// The group a child leads.
#[derive(Debug)]
struct Group {
    leader: Option<Pid>,
    identity: Identity,
    mark: String,
    /// From then on the number may be somebody else's.
    reaped: Arc<AtomicBool>,
}

impl Group {
    fn signal(&self, signal: Signal) {
        if self.reaped.load(Ordering::Acquire) {
            return;
        }
        if let Some(leader) = self.leader {
            // The only failure there can be is that nobody is left.
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

/// Starts `command` in a group of its own. It is told to end when this program does, however that happens.
pub(crate) async fn start(mut command: Command) -> io::Result<(Pipes, Process)> {
    let mark = uuid::Uuid::new_v4().simple().to_string();
    command.env(MARK, &mark).process_group(0).kill_on_drop(true);
    ask_for_our_death(&mut command);
    let mut child = spawn_elsewhere(command).await?;
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
    let (told, ended) = watch::channel(None);
    tokio::spawn(keep(child, mark, reaped, told));
    Ok((pipes, Process { identity, group, ended }))
}

/// The pipes of a child.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// Waits for the child, then ends whoever it left behind.
async fn keep(mut child: Child, mark: String, reaped: Arc<AtomicBool>, told: watch::Sender<Option<Exit>>) {
    let pid = child.id().unwrap_or(0);
    let status = child.wait().await;
    reaped.store(true, Ordering::Release);
    // Reading all of /proc is slow.
    let swept = tokio::task::spawn_blocking(move || sweep::sweep(&mark, pid));
    swept.await.ok();
    told.send_replace(Some(status.map(exit_of).unwrap_or_default()));
}

#[cfg(target_os = "linux")]
fn ask_for_our_death(command: &mut Command) {
    let ask = || {
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        Ok(())
    };
    // SAFETY: between fork and exec only what is safe in a signal handler may be called. `ask` makes one system
    // call (prctl), allocates nothing, takes no lock and touches nothing of the parent.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(ask);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_our_death(_: &mut Command) {}

type Job = Box<dyn FnOnce() + Send>;

/// Starts the child from a thread that lives as long as this program: the kernel sends the signal of
/// [`ask_for_our_death`] when the *thread* ends that started the child, and threads of a runtime come and go.
async fn spawn_elsewhere(mut command: Command) -> io::Result<Child> {
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
        // Nobody waits any more: the child is ended by its drop.
        done.send(command.spawn()).ok();
    });
    match thread {
        Some(thread) if thread.send(job).is_ok() => {
            let gone = || Err(io::Error::other("the thread that starts agents has ended"));
            spawned.await.unwrap_or_else(|_| gone())
        }
        _ => Err(io::Error::other("no thread could be started")),
    }
}
