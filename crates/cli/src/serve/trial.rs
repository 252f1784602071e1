//! Trial start of a new version before the running bridge is replaced by it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::arguments;
use crate::flags::Serve;

/// Timeout for the new version to listen.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout for it to stop afterwards.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum length of its error message in bytes.
const MAX_MESSAGE: u64 = 2000;

/// Starts the program with the flags of this bridge, an empty state folder and a free port, and waits until it listens.
/// The running bridge is not affected.
pub(super) async fn run(program: &Path, serve: &Serve, cwd: &Path) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("sluice-trial-{}", uuid::Uuid::new_v4().simple()));
    let tried = start(program, serve, cwd, &folder).await;
    if let Err(error) = tokio::fs::remove_dir_all(&folder).await
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "the folder of a trial could not be removed");
    }
    tried.map_err(|why| {
        format!(
            "the program at {} does not start: {why}\nhint: the running bridge continues; replace the program and try again",
            program.display()
        )
    })
}

async fn start(program: &Path, serve: &Serve, cwd: &Path, state: &Path) -> Result<(), String> {
    let trial = Serve {
        port: Some(0),
        state: Some(state.to_string_lossy().into_owned()),
        // The first line on standard output shows that it listens.
        log_format: None,
        metrics_addr: None,
        bind: serve
            .bind
            .iter()
            .filter(|address| !address.starts_with("unix:"))
            .cloned()
            .collect(),
        ..serve.clone()
    };
    let mut child = Command::new(program)
        .args(arguments::of(&trial, cwd))
        .env_remove("JOURNAL_STREAM")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| error.to_string())?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (Some(out), Some(err)) = (out, err) else {
        return Err("its output cannot be read".to_owned());
    };
    let mut line = String::new();
    let mut out = BufReader::new(out.take(MAX_MESSAGE));
    let listens = timeout(START_TIMEOUT, out.read_line(&mut line)).await;
    match listens {
        Ok(Ok(1..)) if line.contains("://") => {}
        Ok(_) => {
            let mut message = String::new();
            let read = timeout(STOP_TIMEOUT, err.take(MAX_MESSAGE).read_to_string(&mut message)).await;
            let message = message.trim();
            return Err(match (read, message.is_empty()) {
                (Ok(Ok(_)), false) => message.to_owned(),
                _ => "it ended without a message".to_owned(),
            });
        }
        Err(_) => return Err(format!("it did not listen within {} s", START_TIMEOUT.as_secs())),
    }
    if let Some(pid) = child
        .id()
        .and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?))
    {
        // It may have exited already.
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
    }
    // If it does not stop, dropping `child` kills it.
    timeout(STOP_TIMEOUT, child.wait()).await.ok();
    Ok(())
}
