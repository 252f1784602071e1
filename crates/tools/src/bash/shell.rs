//! The shell that runs a command.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;

use super::{LATE_OUTPUT_TIMEOUT, Lines};
use crate::capture::{Capture, Printed};
use crate::context::Context;
use crate::ids;
use crate::process::Process;
use crate::sandbox::{Confined, Held};

/// Variables that would make bash run code before the command or interpret it differently.
const FORBIDDEN_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "POSIXLY_CORRECT",
    "BASH_XTRACEFD",
];
/// Descriptor on which the directory is reported. A high number avoids conflicts with `exec 3>file` in a command.
const DIRECTORY_FD: u8 = 117;

/// A running shell.
#[derive(Debug)]
pub(super) struct Shell {
    pub(super) process: Process,
    pub(super) output: Capture,
    /// Kept open until the end, because a shell that cannot write to it would be killed.
    side: PipeReader,
    /// Marks the directory reported by the shell. The command can write to the pipe but does not know the token.
    token: String,
    /// Resources of the sandbox that must live as long as the command.
    _held: Held,
    /// Copy of the git index for this command.
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
        // A command found to be read-only is run so that it can only read.
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
            // without `unsafe` only the three standard descriptors can be passed; the script moves this one and gives
            // the command an empty stdin
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

    /// Returns the complete output of the ended command.
    pub(super) async fn settle(&self) -> Printed {
        // process substitutions may end after the shell; background processes are not awaited
        tokio::time::timeout(LATE_OUTPUT_TIMEOUT, self.output.closed())
            .await
            .ok();
        self.output.finish().await
    }

    /// Returns the working directory that the shell reported when it ended.
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
        // The directory follows the token. Anything after it is from processes that outlive the shell.
        let mark = format!("{}:", self.token);
        let at = memchr::memmem::find(&said, mark.as_bytes())?;
        let line = said.get(at + mark.len()..)?.split(|byte| *byte == b'\n').next()?;
        let path = PathBuf::from(OsString::from_vec(line.to_vec()));
        path.is_absolute().then_some(path)
    }
}

/// Explains why a shell could not be started.
pub(super) fn explained(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "The command is too long for one call. Write it to a file with Write and run that.".to_owned()
        }
        io::ErrorKind::NotFound => "bash is not installed here, so no command can be run.".to_owned(),
        _ => format!("The command could not be started: {error}"),
    }
}

/// Creates a command that leads its own process group. If `setsid` is available it also has no terminal, so that a
/// password prompt fails immediately instead of stopping the process or writing to a terminal. `before` is the command
/// line of the sandbox.
fn detached(before: &[OsString], program: &str) -> Command {
    let setsid = Path::new("/usr/bin/setsid");
    let (first, rest) = match before.split_first() {
        Some((first, rest)) => (first.as_os_str(), rest),
        None => (OsStr::new(program), before),
    };
    let mut command = if setsid.exists() {
        let mut command = Command::new(setsid);
        // it is not a group leader here, so `setsid` does not fork and the process id stays the same
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

/// A single line, so that bash counts the command's lines from 1. The trap also runs if the command calls `exit` or has
/// a syntax error, which `eval` confines.
fn script(command: &str, before: &str, token: &str) -> String {
    format!(
        "exec {DIRECTORY_FD}>&0 0</dev/null; trap '{{ builtin echo -n {token}:; builtin pwd -P; }} >&{DIRECTORY_FD}' EXIT; {before}eval {}",
        quoted(command)
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn allowed(name: &OsStr) -> bool {
    !FORBIDDEN_VARIABLES.iter().any(|forbidden| name == *forbidden) && !name.as_bytes().starts_with(b"BASH_FUNC_")
}
