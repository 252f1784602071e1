//! `apiKeyHelper`: a command that prints the API key.

use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::config::Helper;
use crate::failure::Failure;

/// Runs the helper when a key is needed, and caches the key.
#[derive(Debug)]
pub(crate) struct Keys {
    helper: Helper,
    cached: Mutex<Option<CachedKey>>,
}

#[derive(Debug)]
struct CachedKey {
    key: Arc<str>,
    since: Instant,
}

impl Keys {
    pub(crate) fn new(helper: Helper) -> Self {
        Self {
            helper,
            cached: Mutex::new(None),
        }
    }

    /// Returns the key. Concurrent requests share one run of the helper.
    pub(crate) async fn get(&self) -> Result<Arc<str>, Failure> {
        let mut cached = self.cached.lock().await;
        if let Some(cached) = cached
            .as_ref()
            .filter(|cached| cached.since.elapsed() < self.helper.ttl)
        {
            return Ok(Arc::clone(&cached.key));
        }
        let key: Arc<str> = run(&self.helper).await?.into();
        *cached = Some(CachedKey {
            key: Arc::clone(&key),
            since: Instant::now(),
        });
        Ok(key)
    }

    /// Removes a key that the server rejected, unless it was already replaced.
    pub(crate) async fn discard(&self, key: &str) {
        let mut cached = self.cached.lock().await;
        if cached.as_ref().is_some_and(|cached| &*cached.key == key) {
            *cached = None;
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
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(failed(
            format!("{} {}", output.status, stderr.trim()).trim_end().to_owned(),
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
