//! The supervisor: kills running commands when this process dies.
//!
//! `PR_SET_PDEATHSIG` would need `unsafe`, affects only the direct child, and fires when the spawning *thread* ends.
//! Instead, a small bash process waits on a pipe whose other end is held by this process only. However this process
//! ends, the kernel closes the pipe, the read returns, and bash kills the registered commands.

use std::io::{self, PipeWriter, Write as _};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

use crate::process::MARKER;

/// Lines: `soon 0 MARK`: kill processes with the mark and the groups they lead. `never 0 MARK`: cancels `soon`. `run
/// GROUP MARK`: kill the group and processes with the mark. `left GROUP MARK`: the shell has ended; kill only processes
/// in the group that have the mark, because the group id may have been reused. `gone GROUP`: the group has ended.
const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT PIPE
declare -A soon=() running=() left=()
while IFS=' ' read -r what group mark; do
  case $what in
    soon) soon[$mark]=1 ;;
    never) unset "soon[$mark]" ;;
    run) unset "soon[$mark]"; running[$group]=$mark ;;
    left) unset "running[$group]"; left[$group]=$mark ;;
    gone) unset "running[$group]" "left[$group]" ;;
  esac
done
marked() { grep -lsF -- "$1" /proc/[0-9]*/environ; }
for group in "${!running[@]}"; do
  kill -KILL -- "-$group"
  for file in $(marked "${running[$group]}"); do
    pid=${file#/proc/}; kill -KILL "${pid%/environ}"
  done
done
# one of these may not have come to carry its mark yet
for ((look = 0; look < 3 && ${#soon[@]}; look++)); do
  for mark in "${!soon[@]}"; do
    for file in $(marked "$mark"); do
      pid=${file#/proc/}; pid=${pid%/environ}
      kill -KILL -- "-$pid"; kill -KILL "$pid"
    done
  done
  sleep 0.1
done
for group in "${!left[@]}"; do
  for file in $(marked "${left[$group]}"); do
    pid=${file#/proc/}; pid=${pid%/environ}
    read -r stat <"/proc/$pid/stat" || continue
    set -- ${stat##*) }
    [[ $3 == "$group" ]] && kill -KILL "$pid"
  done
done
"#;

/// The write end of the pipe; the process is started with the first command.
#[derive(Debug, Default)]
pub(crate) struct Supervisor {
    line: Mutex<Option<PipeWriter>>,
}

impl Supervisor {
    /// Announces that a command with this mark is about to start, so that it is found even if this process dies during
    /// the start.
    pub(crate) fn expect(&self, mark: &str) -> io::Result<()> {
        self.tell(&format!("soon 0 {MARKER}={mark}\n"))
    }

    /// Reports that the command did not start.
    pub(crate) fn failed(&self, mark: &str) {
        self.say(&format!("never 0 {MARKER}={mark}\n"));
    }

    /// Registers a running command with its process group.
    pub(crate) fn running(&self, group: Pid, mark: &str) -> io::Result<()> {
        self.tell(&format!("run {} {MARKER}={mark}\n", group.as_raw_nonzero()))
    }

    fn tell(&self, text: &str) -> io::Result<()> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = line.as_mut()
            && open.write_all(text.as_bytes()).is_ok()
        {
            return Ok(());
        }
        let mut open = start()?;
        open.write_all(text.as_bytes())?;
        *line = Some(open);
        Ok(())
    }

    /// Reports that the shell of this group ended and left processes in it.
    pub(crate) fn left(&self, group: Pid, mark: &str) {
        self.say(&format!("left {} {MARKER}={mark}\n", group.as_raw_nonzero()));
    }

    /// Reports that no process is left in this group.
    pub(crate) fn gone(&self, group: Pid) {
        self.say(&format!("gone {}\n", group.as_raw_nonzero()));
    }

    fn say(&self, text: &str) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line
            .as_mut()
            .is_some_and(|open| open.write_all(text.as_bytes()).is_err())
        {
            *line = None;
        }
    }
}

fn start() -> io::Result<PipeWriter> {
    let (theirs, ours) = io::pipe()?;
    let child = tokio::process::Command::new("bash")
        .args(["--noprofile", "--norc", "-c", SCRIPT])
        // this process may itself run as a command; killing it by its mark must not kill the supervisor
        .env_remove(MARKER)
        .env_remove("BASH_ENV")
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // a dropped child is reaped by the runtime
    drop(child);
    Ok(ours)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[tokio::test]
    async fn closing_the_line_kills_the_group() {
        let supervisor = Supervisor::default();
        let mut child = tokio::process::Command::new("sleep")
            .arg("1000")
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
        supervisor.running(group, "mark-of-a-test").unwrap();
        drop(supervisor);
        assert_eq!(child.wait().await.unwrap().signal(), Some(9));
    }

    #[tokio::test]
    async fn a_starting_command_is_found_by_its_mark() {
        let supervisor = Supervisor::default();
        let mark = format!("soon-{}", std::process::id());
        supervisor.expect(&mark).unwrap();
        let mut child = tokio::process::Command::new("sleep")
            .arg("1000")
            .env(MARKER, &mark)
            .process_group(0)
            .spawn()
            .unwrap();
        drop(supervisor);
        assert_eq!(child.wait().await.unwrap().signal(), Some(9));
    }

    #[tokio::test]
    async fn a_group_that_is_gone_is_left_alone() {
        let supervisor = Supervisor::default();
        let mut spared = tokio::process::Command::new("sleep")
            .arg("1000")
            .process_group(0)
            .spawn()
            .unwrap();
        let mut other = tokio::process::Command::new("sleep")
            .arg("1000")
            .process_group(0)
            .spawn()
            .unwrap();
        let group = |child: &tokio::process::Child| Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
        supervisor.running(group(&spared), "one").unwrap();
        supervisor.running(group(&other), "two").unwrap();
        supervisor.expect("three").unwrap();
        supervisor.failed("three");
        supervisor.gone(group(&spared));
        drop(supervisor);
        assert_eq!(other.wait().await.unwrap().signal(), Some(9));
        assert!(spared.try_wait().unwrap().is_none());
        spared.kill().await.unwrap();
    }
}
