//! The shell a command runs in.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;

use super::{Lines, STRAGGLERS};
use crate::capture::{Capture, Printed};
use crate::context::Context;
use crate::ids;
use crate::process::Process;
use crate::sandbox::{Confined, Held};

/// Variables that would make bash run something before the command, or read it differently.
const FORBIDDEN: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "POSIXLY_CORRECT",
    "BASH_XTRACEFD",
];
/// The descriptor the directory is reported on: high, so that `exec 3>file` in a command does not meet it.
const SIDE: u8 = 117;

/// A running shell.
#[derive(Debug)]
pub(super) struct Shell {
    pub(super) process: Process,
    pub(super) output: Capture,
    /// Kept open to the end: a shell that cannot write here would die of it.
    side: PipeReader,
    /// Precedes the directory that the shell itself reports. The command can write to the pipe, but does not know it.
    token: String,
    /// Kept to the end as well: what the sandbox around the command stands on.
    _held: Held,
    /// A copy of git's index, for this command.
    index: Option<PathBuf>,
}

impl Drop for Shell {
    fn drop(&mut self) {
        if let Some(index) = &self.index {
            std::fs::remove_file(index).ok();
        }
    }
}

impl Shell {
    pub(super) fn start(
        command: &str,
        directory: &Path,
        cx: &Context,
        file: PathBuf,
        confined: Option<Confined>,
        lines: Option<Lines>,
    ) -> io::Result<Self> {
        let (env, tasks) = (&cx.env, &cx.tasks);
        let (ours, theirs) = io::pipe()?;
        let (side, side_in) = io::pipe()?;
        rustix::io::ioctl_fionbio(&side, true)?;
        let ours = Receiver::from_owned_fd(OwnedFd::from(ours))?;
        let before = confined.as_ref().map(Confined::before).unwrap_or_default();
        let mut shell = detached(before, program());
        // What was found to only read is run so that it can do nothing else.
        let quiet = sluice_permission::quiet::of(command);
        let token = ids::hex(32);
        let index = quiet.copies_index.then(|| file.with_extension("index"));
        let bound = match &cx.pins {
            Some(pins) if quiet.binds_git => pins.git_env(index.as_deref()),
            _ => Vec::new(),
        };
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
        let trusted = cx.policy.as_deref().zip(path).filter(|_| !quiet.programs.is_empty());
        let trusted = trusted.and_then(|(policy, path)| policy.trusted_path(path, &quiet.programs, directory));
        shell
            .args(["--noprofile", "--norc", "-c", &script(command, quiet.before, &token)])
            .current_dir(directory)
            .env_clear()
            .envs(env.iter().filter(|(name, _)| allowed(name)).map(|(name, value)| (name, value)))
            .envs(quiet.env)
            .envs(bound)
            .envs(trusted.map(|path| ("PATH", path)))
            // without `unsafe` only the three standard descriptors can be handed over; the script moves this one
            // away and gives the command an empty stdin
            .stdin(Stdio::from(side_in))
            .stdout(Stdio::from(theirs.try_clone()?))
            .stderr(Stdio::from(theirs));
        let mut held = Held::default();
        let process = match confined {
            None => Process::start(shell, tasks, Command::spawn)?,
            Some(confined) => {
                confined.set_env(&mut shell);
                Process::start(shell, tasks, |shell| {
                    let (child, keep) = confined.spawn(shell)?;
                    held = keep;
                    Ok(child)
                })?
            }
        };
        let output = Capture::start(ours, file, lines);
        Ok(Self {
            process,
            output,
            side,
            token,
            _held: held,
            index,
        })
    }

    /// Everything the ended command printed.
    pub(super) async fn settle(&self) -> Printed {
        // a process substitution may be a moment later than its shell; a server that was left running is not waited for
        tokio::time::timeout(STRAGGLERS, self.output.closed()).await.ok();
        self.output.finish().await
    }

    /// The working directory of the ended shell, if it reported one.
    pub(super) fn directory_after(&self) -> Option<PathBuf> {
        let mut said = Vec::new();
        let mut piece = [0; 4096];
        let mut side = &self.side;
        while let Ok(count) = side.read(&mut piece) {
            if count == 0 || said.len() > 1 << 16 {
                break;
            }
            said.extend_from_slice(piece.get(..count).unwrap_or_default());
        }
        // What follows the token is the whole answer: nothing is written after it but by processes that outlive the shell.
        let mark = format!("{}:", self.token);
        let at = memchr::memmem::find(&said, mark.as_bytes())?;
        let line = said.get(at + mark.len()..)?.split(|byte| *byte == b'\n').next()?;
        let path = PathBuf::from(OsString::from_vec(line.to_vec()));
        path.is_absolute().then_some(path)
    }
}

/// Why a shell did not start.
pub(super) fn explained(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "The command is too long for one call. Write it to a file with Write and run that.".to_owned()
        }
        io::ErrorKind::NotFound => "bash is not installed here, so no command can be run.".to_owned(),
        _ => format!("The command could not be started: {error}"),
    }
}

/// A command that leads a group of its own and, where `setsid` is there, a session without a terminal: what wants
/// to ask for a password then fails at once instead of stopping, or of writing over someone's screen.
/// `before` are the words that put it into a sandbox.
fn detached(before: &[OsString], program: &str) -> Command {
    let setsid = Path::new("/usr/bin/setsid");
    let (first, rest) = match before.split_first() {
        Some((first, rest)) => (first.as_os_str(), rest),
        None => (OsStr::new(program), before),
    };
    let mut command = if setsid.exists() {
        let mut command = Command::new(setsid);
        // it is not a group's leader here, so it does not fork and the process stays the one we know
        command.arg(first);
        command
    } else {
        let mut command = Command::new(first);
        command.process_group(0);
        command
    };
    command.args(rest);
    if !before.is_empty() {
        command.arg(program);
    }
    command
}

fn program() -> &'static str {
    if Path::new("/bin/bash").exists() {
        "/bin/bash"
    } else {
        "bash"
    }
}

/// One line, so that bash counts the command's own lines from 1. The trap speaks also when the command calls `exit`
/// or does not parse; `eval` keeps a syntax error from taking the trap with it.
fn script(command: &str, before: &str, token: &str) -> String {
    format!(
        "exec {SIDE}>&0 0</dev/null; trap '{{ builtin echo -n {token}:; builtin pwd -P; }} >&{SIDE}' EXIT; {before}eval {}",
        quoted(command)
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn allowed(name: &OsStr) -> bool {
    !FORBIDDEN.iter().any(|forbidden| name == *forbidden) && !name.as_bytes().starts_with(b"BASH_FUNC_")
}
