//! `apiKeyHelper`: a command that prints the API key.

use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::config::Helper;
use crate::failure::Failure;

/// Runs the command when a key is needed and caches the key.
#[derive(Debug)]
pub(crate) struct Keys {
    helper: Helper,
    known: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    key: Arc<str>,
    since: Instant,
}

impl Keys {
    pub(crate) fn new(helper: Helper) -> Self {
        Self {
            helper,
            known: Mutex::new(None),
        }
    }

    /// The key. Requests that need it at the same time share one run.
    pub(crate) async fn get(&self) -> Result<Arc<str>, Failure> {
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.since.elapsed() < self.helper.ttl) {
            return Ok(Arc::clone(&known.key));
        }
        let key: Arc<str> = run(&self.helper).await?.into();
        *known = Some(Known {
            key: Arc::clone(&key),
            since: Instant::now(),
        });
        Ok(key)
    }

    /// Forgets a key the server refused, unless a newer one is known by now.
    pub(crate) async fn refused(&self, key: &str) {
        let mut known = self.known.lock().await;
        if known.as_ref().is_some_and(|known| &*known.key == key) {
            *known = None;
        }
    }
}

async fn run(helper: &Helper) -> Result<String, Failure> {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(&helper.command)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    if let Some(cwd) = &helper.cwd {
        command.current_dir(cwd);
    }
    let output = timeout(helper.timeout, command.output())
        .await
        .map_err(|_| failed("it took too long".to_owned()))?
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(
            format!("{} {}", output.status, said.trim()).trim_end().to_owned(),
        ));
    }
    let key = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if key.is_empty() {
        Err(failed("it printed nothing".to_owned()))
    } else {
        Ok(key)
    }
}

fn failed(message: String) -> Failure {
    Failure::Helper { message }
}
