//! Runs a command as a process group: starts, watches and kills it with all descendants.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Weak;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::ids;
use crate::tasks::Tasks;

/// Environment variable inherited by every descendant of a command; identifies those that left its process group.
pub(crate) const MARKER: &str = "SLUICE_CALL";

/// Time a command has to exit before it is killed.
const GRACE_PERIOD: Duration = Duration::from_millis(500);
/// Interval at which its exit is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Number of attempts to kill descendants that were forked meanwhile or are not dead yet.
const MAX_SWEEPS: usize = 200;
/// Pause between two attempts, because the kernel needs a moment to end a process.
const SWEEP_INTERVAL: Duration = Duration::from_millis(5);

/// Exit status of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    code: i32,
}

impl Exit {
    /// Returns the exit code; 128 plus the signal number if a signal killed it.
    pub(crate) fn code(self) -> i32 {
        self.code
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Self {
            code: status
                .code()
                .or_else(|| status.signal().map(|signal| 128 + signal))
                .unwrap_or(1),
        }
    }
}

/// A running command. It is ended by its cancellation token and always reaped by the runtime.
#[derive(Debug)]
pub(crate) struct Process {
    kill: CancellationToken,
    exit: watch::Receiver<Option<Exit>>,
}

impl Process {
    /// Starts `command` by `spawn`; it must become a process group leader. `tasks` is notified of
    /// processes it leaves running.
    pub(crate) fn start(
        mut command: Command,
        tasks: &std::sync::Arc<Tasks>,
        spawn: impl FnOnce(&mut Command) -> io::Result<Child>,
    ) -> io::Result<Self> {
        let mark: String = ids::base36(20).collect();
        tasks.supervisor().expect(&mark)?;
        let child = spawn(command.env(MARKER, &mark)).inspect_err(|_| tasks.supervisor().failed(&mark))?;
        // closes the write ends of the pipes that `command` holds
        drop(command);
        let group = group_of(&child).ok_or_else(|| io::Error::other("the command ended before it was seen"))?;
        let kill = CancellationToken::new();
        let (told, exit) = watch::channel(None);
        let watched = tasks.supervisor().running(group, &mark);
        if watched.is_err() {
            kill.cancel();
        }
        tokio::spawn(keep(
            child,
            group,
            mark,
            kill.clone(),
            told,
            std::sync::Arc::downgrade(tasks),
        ));
        watched.map(|()| Self { kill, exit })
    }

    /// Returns the token that kills the command.
    pub(crate) fn killer(&self) -> CancellationToken {
        self.kill.clone()
    }

    /// Waits for the exit of the command.
    pub(crate) async fn exit(&self) -> Exit {
        match self.exit.clone().wait_for(Option::is_some).await {
            Ok(exit) => (*exit).unwrap_or(Exit { code: 1 }),
            Err(_) => Exit { code: 1 },
        }
    }
}

/// Processes that an ended shell left running in its group.
#[derive(Debug)]
pub(crate) struct Leftover {
    group: Pid,
    mark: String,
}

impl Leftover {
    pub(crate) fn group(&self) -> Pid {
        self.group
    }

    /// True if any process of the group is running.
    pub(crate) fn is_there(&self) -> bool {
        test_kill_process_group(self.group).is_ok()
    }

    /// Kills the processes.
    pub(crate) async fn kill(self) {
        sweep(self.group, self.mark, Who::Left).await;
    }
}

/// Which processes belong to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The leader is not reaped yet, so the group id is ours: all processes in the group, and those with the marker
    /// elsewhere.
    Led,
    /// The group id may have been reused: only processes in the group that also have the marker.
    Left,
}

/// Watches one child until it exits.
async fn keep(
    mut child: Child,
    group: Pid,
    mark: String,
    kill: CancellationToken,
    told: watch::Sender<Option<Exit>>,
    tasks: Weak<Tasks>,
) {
    let ended = tokio::select! {
        ended = child.wait() => Some(ended),
        () = kill.cancelled() => None,
    };
    let killed = ended.is_none();
    let status = match ended {
        Some(status) => status,
        None => {
            terminate(group, &mark).await;
            child.wait().await
        }
    };
    if let Some(tasks) = tasks.upgrade() {
        if !killed && test_kill_process_group(group).is_ok() {
            tasks.supervisor().left(group, &mark);
            tasks.keep_leftover(Leftover { group, mark });
        } else {
            tasks.supervisor().gone(group);
        }
    }
    told.send_replace(Some(status.map_or(Exit { code: 1 }, Exit::from)));
}

/// Asks all processes to exit, then kills them.
async fn terminate(group: Pid, mark: &str) {
    signal_group(group, Signal::TERM);
    signal_group(group, Signal::CONT);
    let patience = tokio::time::timeout(GRACE_PERIOD, async {
        while alive(group, mark.to_owned()).await {
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    });
    // whether or not all have exited in time
    patience.await.ok();
    signal_group(group, Signal::KILL);
    sweep(group, mark.to_owned(), Who::Led).await;
}

fn signal_group(group: Pid, signal: Signal) {
    // fails only if no process is left
    kill_process_group(group, signal).ok();
}

fn group_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()?).ok()?)
}

/// True if a descendant is still running.
async fn alive(group: Pid, mark: String) -> bool {
    tokio::task::spawn_blocking(move || !living(group, &mark, Who::Led).is_empty())
        .await
        .unwrap_or(false)
}

/// Kills repeatedly until no process is found, because one may fork while another is being killed.
async fn sweep(group: Pid, mark: String, who: Who) {
    let work = move || {
        for _ in 0..MAX_SWEEPS {
            let found = living(group, &mark, who);
            if found.is_empty() {
                return;
            }
            for pid in found {
                kill_process(pid, Signal::KILL).ok();
            }
            std::thread::sleep(SWEEP_INTERVAL);
        }
    };
    tokio::task::spawn_blocking(work).await.ok();
}

/// Returns the running processes of a command.
#[cfg(target_os = "linux")]
fn living(group: Pid, mark: &str, who: Who) -> Vec<Pid> {
    let wanted = format!("{MARKER}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // the name in parentheses may contain anything; state, parent and group follow it
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?;
            let in_group = fields.nth(1)?.parse() == Ok(group.as_raw_nonzero().get());
            if state == "Z" || (who == Who::Left && !in_group) {
                return None;
            }
            if who == Who::Led && in_group {
                return Some(pid);
            }
            let environ = std::fs::read(entry.path().join("environ")).ok()?;
            let marked = environ.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes());
            marked.then_some(pid)
        })
        .collect()
}

/// Other systems have no view of the environment of processes; only the group is killed.
#[cfg(not(target_os = "linux"))]
fn living(_group: Pid, _mark: &str, _who: Who) -> Vec<Pid> {
    Vec::new()
}
