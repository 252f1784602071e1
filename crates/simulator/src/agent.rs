//! The scripted agent: the agent's side of the NDJSON protocol, played to a host.
//!
//! A script is a list of steps (see `SCRIPTS.md`), or a recording: a folder with `stdout.ndjson` and, to find the
//! waits, `stdin.ndjson` and `timeline.ndjson`; or one `.ndjson` file. Control requests that a script does not
//! mention are answered with success, so that real hosts can drive it.

mod answers;
mod fault;
mod frames;
mod output;
mod placeholders;
mod player;
mod recording;
mod steps;

use std::path::Path;

use tokio::io::{AsyncRead, AsyncWrite};

pub use steps::AgentScript;

use crate::error::Error;

/// Plays the script at `script_path` to a host, with `input` and `output` as the pipes.
///
/// Returns the exit code for the process: 0 at the end of the input, or the code of an `exit` or `crash` step.
///
/// # Errors
/// If the script cannot be read, the pipe breaks, or an `expect` with a `timeout` is not met.
pub async fn run_agent(
    script_path: &Path,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send,
) -> Result<i32, Error> {
    let script = AgentScript::load(script_path)?;
    play(&script, input, output).await
}

/// Plays a script that is already loaded.
///
/// # Errors
/// If the pipe breaks, or an `expect` with a `timeout` is not met.
pub async fn play(
    script: &AgentScript,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send,
) -> Result<i32, Error> {
    player::Player::new(script, input, output).run().await
}
