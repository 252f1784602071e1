//! `!` commands: run in a process group, displayed while they run, stopped when the session ends.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use super::Executor;
use crate::app::ActOutcome;

/// Minimum interval between two updates of the rows of a running command.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// Time a stopped command has to exit before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long output is still read after the shell exits while its child processes keep the pipe open.
const STRAGGLERS: Duration = Duration::from_millis(50);
/// Maximum number of bytes kept from each end of the output.
const MAX_HALF: usize = 512 << 10;
/// Number of bytes from the end of the output that are displayed while a command runs.
const TAIL: usize = 4 << 10;
/// Maximum number of characters of output sent to the model.
const MAX_FOR_MODEL: usize = 30_000;

/// Process groups of the running `!` commands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shells {
    groups: Arc<Mutex<Vec<Pid>>>,
}

impl Shells {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Pid>) -> T) -> T {
        change(&mut self.groups.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks every command to exit; kills those that do not within the grace period.
    pub(crate) async fn stop(&self) {
        self.signal(Signal::TERM);
        let asked = self.change(|groups| groups.clone());
        tokio::time::sleep(GRACE).await;
        let left = self.change(|groups| {
            groups
                .iter()
                .copied()
                .filter(|it| asked.contains(it))
                .collect::<Vec<_>>()
        });
        for group in left {
            rustix::process::kill_process_group(group, Signal::KILL).ok();
        }
    }

    /// Kills every command immediately.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        self.change(|groups| {
            for group in groups.iter() {
                rustix::process::kill_process_group(*group, signal).ok();
            }
        });
    }
}

/// The beginning and the end of a command's output.
#[derive(Debug, Default)]
struct Output {
    head: Vec<u8>,
    tail: Vec<u8>,
    left_out: usize,
}

impl Output {
    fn add(&mut self, bytes: &[u8]) {
        let room = MAX_HALF.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        // Dropped in large steps, so that each byte moves at most once.
        if self.tail.len() > 2 * MAX_HALF {
            let over = self.tail.len() - MAX_HALF;
            self.tail.drain(..over);
            self.left_out += over;
        }
    }

    fn last(&self) -> String {
        let all = if self.tail.is_empty() { &self.head } else { &self.tail };
        let from = all.len().saturating_sub(TAIL);
        String::from_utf8_lossy(all.get(from..).unwrap_or_default()).into_owned()
    }

    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.left_out > 0 {
            text.push_str(&format!("\n⋯ {} bytes left out\n", self.left_out));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }
}

impl Executor {
    /// Runs a `!` command. The output is sent to the model, which answers if `asks` is set.
    pub(super) async fn shell(&self, id: usize, command: String, asks: bool) -> ActOutcome {
        let (output, code, stopped) = match start(&self.facts.shell, &command, &self.facts.folder) {
            Ok((child, pipe)) => self.follow(id, child, pipe).await,
            Err(error) => (error.to_string(), Some(127), false),
        };
        let short = crate::text::width::tail(&output, MAX_FOR_MODEL);
        let note = if stopped { "stopped by the user" } else { "" };
        let told = format!(
            "<bash-input>{command}</bash-input>\n<bash-stdout>{short}</bash-stdout><bash-stderr>{note}</bash-stderr>"
        );
        self.tell(told, asks).await;
        ActOutcome::Shell {
            id,
            output,
            code: code.filter(|_| !stopped),
        }
    }

    /// Reads the output of a command until it ends. Returns output, exit code, and whether a signal ended it.
    async fn follow(&self, id: usize, mut child: Child, mut pipe: Receiver) -> (String, Option<i32>, bool) {
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        self.shells.change(|groups| groups.extend(group));
        let mut output = Output::default();
        let mut piece = vec![0; 64 << 10];
        let (mut open, mut exit, mut ended_at) = (true, None, None::<Instant>);
        let mut next = Instant::now() + MIN_UPDATE_INTERVAL;
        let mut fresh = false;
        while open || exit.is_none() {
            tokio::select! {
                biased;
                status = child.wait(), if exit.is_none() => {
                    exit = Some(status);
                    ended_at = Some(Instant::now() + STRAGGLERS);
                }
                count = pipe.read(&mut piece), if open => match count {
                    Ok(0) | Err(_) => open = false,
                    Ok(count) => {
                        output.add(piece.get(..count).unwrap_or_default());
                        fresh = true;
                    }
                },
                () = tokio::time::sleep_until(next), if fresh => {
                    self.outcomes.send(ActOutcome::ShellWrote { id, tail: output.last() }).ok();
                    (fresh, next) = (false, Instant::now() + MIN_UPDATE_INTERVAL);
                }
                // A server that the command left running is not awaited.
                () = tokio::time::sleep_until(ended_at.unwrap_or(next)), if ended_at.is_some() => open = false,
            }
        }
        self.shells.change(|groups| groups.retain(|it| Some(*it) != group));
        let status = exit.and_then(Result::ok);
        (
            output.text(),
            status.and_then(|status| status.code()),
            was_killed(status),
        )
    }
}

fn was_killed(status: Option<ExitStatus>) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.is_some_and(|status| status.signal().is_some())
}

/// Starts a command with standard output and error on one pipe, to preserve their order.
fn start(shell: &str, command: &str, folder: &Path) -> std::io::Result<(Child, Receiver)> {
    let (ours, theirs) = std::io::pipe()?;
    // In a session without a terminal, a program that asks for a password fails immediately.
    let setsid = Path::new("/usr/bin/setsid");
    let mut child = if setsid.exists() {
        let mut child = Command::new(setsid);
        child.arg(shell);
        child
    } else {
        let mut child = Command::new(shell);
        child.process_group(0);
        child
    };
    let child = child
        .arg("-c")
        .arg(command)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::from(theirs.try_clone()?))
        .stderr(Stdio::from(theirs))
        .spawn()?;
    Ok((child, Receiver::from_owned_fd(OwnedFd::from(ours))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_and_end_of_long_output_are_kept() {
        let mut output = Output::default();
        output.add(b"first\n");
        for _ in 0..100 {
            output.add(&vec![b'x'; 64 << 10]);
        }
        output.add(b"\nlast");
        let text = output.text();
        assert!(text.starts_with("first\n") && text.ends_with("\nlast"));
        assert!(text.contains("bytes left out") && text.len() < 3 * MAX_HALF + 100);
        assert!(output.last().ends_with("last"));
    }
}
