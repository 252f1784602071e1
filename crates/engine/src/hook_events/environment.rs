//! The environment of hooks, and the variables that they set for later commands.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;

use sluice_hooks::Event;
use sluice_tools::{Launch, Program};
use tokio::time::{Instant, timeout_at};

use crate::hooks::environment;
use crate::session::Session;

/// Maximum time to evaluate the variables that a hook has set.
const SOURCE_TIMEOUT: Duration = Duration::from_secs(5);

impl Session {
    /// The environment for the hooks of an event.
    pub(super) fn hook_env(&mut self, event: Event) -> Vec<(OsString, OsString)> {
        let mut env = environment(&self.options);
        let mut set = |name: &str, value: OsString| {
            env.retain(|(known, _)| *known != *name);
            env.push((name.into(), value));
        };
        set("CLAUDE_EFFORT", self.effort_level().into());
        if event.has_env_file() {
            // The file is executed later, outside of any sandbox. It is new and in a folder that sandboxed commands
            // cannot write.
            let config = &self.options.settings.places().config_dir;
            let folder = config.join("session-env").join(&self.options.session.id);
            let file = folder.join(format!("{}.sh", uuid::Uuid::new_v4().simple()));
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            if made.is_ok() {
                set("CLAUDE_ENV_FILE", file.clone().into());
                if matches!(event, Event::SessionStart | Event::Setup) {
                    self.hooks.set_env_file(file);
                }
            }
        }
        env
    }

    /// Applies the variables that hooks have set through the file, for later commands.
    pub(super) async fn take_env_file(&mut self) {
        let Some(path) = self.hooks.take_env_file() else {
            return;
        };
        if path.is_file() {
            self.source(&path).await;
            let _gone = std::fs::remove_file(&path);
        }
        // Remove the folder if it is empty.
        let _kept = path.parent().map(std::fs::remove_dir);
    }

    async fn source(&mut self, path: &Path) {
        let program = Program {
            launch: Launch::Exec(
                "bash".to_owned(),
                ["--noprofile", "--norc", "-c", "set -a; . \"$1\" >&2; env -0", "bash"]
                    .map(str::to_owned)
                    .into_iter()
                    .chain([path.display().to_string()])
                    .collect(),
            ),
            directory: self.tooling.cwd().get(),
            env: self.options.env.to_vec(),
            input: Vec::new(),
        };
        let Ok(mut running) = program.start(self.tooling.tasks()) else {
            return;
        };
        let deadline = Instant::now() + SOURCE_TIMEOUT;
        if timeout_at(deadline, running.end()).await == Ok(0) {
            for entry in running.printed().stdout.split('\0') {
                let Some((name, value)) = entry.split_once('=') else {
                    continue;
                };
                // Variables that every shell sets are ignored.
                if matches!(name, "_" | "SHLVL" | "PWD" | "OLDPWD") || name.starts_with("SLUICE_") {
                    continue;
                }
                self.options.set_env(name, value);
            }
        }
    }
}
