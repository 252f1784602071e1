//! One run of git, or of a program that runs git, with bounded time and output.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::api::{Code, Problem};

/// Makes a command for git in which no setting of a repository names a program. The program that starts the bridge
/// provides it.
pub type GitCommand = fn(&[(OsString, OsString)]) -> std::process::Command;

/// The longest that a run on this machine may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest that a run may take that talks to another machine.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(120);
/// The most output of one run that is read.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;
/// The most of its error messages that is read.
const MAX_ERRORS: u64 = 64 * 1024;

/// One run, as planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) program: Program,
    pub(crate) args: Vec<String>,
    /// Variables besides those of every run.
    pub(crate) env: Vec<(String, String)>,
    /// Settings for this run alone.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) input: Vec<u8>,
    /// Whether it talks to another machine.
    pub(crate) network: bool,
    /// Whether it runs in the main folder of the repository instead of the worktree.
    pub(crate) in_main: bool,
}

/// The program of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Program {
    #[default]
    Git,
    Gh,
}

impl Run {
    pub(crate) fn git<const N: usize>(args: [&str; N]) -> Self {
        Self {
            args: args.map(str::to_owned).into(),
            ..Self::default()
        }
    }

    /// As a person would type it.
    pub(crate) fn shown(&self) -> String {
        let program = match self.program {
            Program::Git => "git",
            Program::Gh => "gh",
        };
        let words = self.args.iter().map(|arg| quoted(arg));
        std::iter::once(program.to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn quoted(arg: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@+,%".contains(&byte);
    match !arg.is_empty() && arg.bytes().all(plain) {
        true => arg.to_owned(),
        false => format!("'{}'", arg.replace('\'', "'\\''")),
    }
}

/// Runs git with the environment of the person.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) git: GitCommand,
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// What a run printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) success: bool,
    pub(crate) out: Vec<u8>,
    pub(crate) errors: String,
}

impl Runner {
    /// Runs it to its end.
    pub(crate) async fn run(&self, folder: &Path, run: &Run) -> Result<Printed, Problem> {
        let mut command = Command::from((self.git)(&self.env));
        if run.program == Program::Gh {
            let hardened: Vec<_> = command
                .as_std()
                .get_envs()
                .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
                .collect();
            command = Command::new("gh");
            command
                .env_clear()
                .envs(hardened)
                .env("GH_PROMPT_DISABLED", "1")
                .env("NO_COLOR", "1");
        } else {
            for (key, value) in &run.settings {
                command.arg("-c").arg(format!("{key}={value}"));
            }
        }
        command
            .args(&run.args)
            .current_dir(folder)
            // A path is a path, also where its name looks like a pattern.
            .env("GIT_LITERAL_PATHSPECS", "1")
            .envs(run.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let limit = if run.network { NETWORK_TIMEOUT } else { TIMEOUT };
        let ended = tokio::time::timeout(limit, self.finish(command, &run.input)).await;
        ended
            .map_err(|_| failed(run, "no answer in time"))?
            .map_err(|why| failed(run, &why))
    }

    async fn finish(&self, mut command: Command, input: &[u8]) -> Result<Printed, String> {
        let text = |error: std::io::Error| error.to_string();
        let mut child = command.spawn().map_err(text)?;
        let (stdin, out, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // A program that does not read its input reports why on its own.
                stdin.write_all(input).await.ok();
            }
        };
        let ((), out, errors) = tokio::join!(write, read(out, MAX_OUTPUT), read(errors, MAX_ERRORS));
        let (out, errors) = (out.map_err(text)?, errors.map_err(text)?);
        if u64::try_from(out.len()).is_ok_and(|bytes| bytes >= MAX_OUTPUT) {
            return Err("there is too much output".to_owned());
        }
        let status = child.wait().await.map_err(text)?;
        Ok(Printed {
            success: status.success(),
            out,
            errors: String::from_utf8_lossy(&errors).trim().to_owned(),
        })
    }

    /// Runs it; an error if it fails.
    pub(crate) async fn must(&self, folder: &Path, run: &Run) -> Result<Vec<u8>, Problem> {
        let printed = self.run(folder, run).await?;
        match printed.success {
            true => Ok(printed.out),
            false => Err(failed(run, &printed.errors)),
        }
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(limit).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

fn failed(run: &Run, why: &str) -> Problem {
    let name = match run.program {
        Program::Git => format!("git {}", run.args.first().map_or("", String::as_str)),
        Program::Gh => "gh".to_owned(),
    };
    let why = if why.is_empty() {
        "it failed without a message"
    } else {
        why
    };
    Problem::new(Code::Refused, format!("{name}: {}", crate::body::cut(why, 2000)))
}
