//! The sandbox of a session's commands, where the settings ask for one.

use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{Decision, Policy};
use sluice_tools::sandbox::{Config, Sandbox};

use crate::options::Options;
use crate::session::Session;

/// The sandbox the settings ask for. One that cannot be had refuses every command: nothing runs
/// outside because the inside could not be made.
#[must_use]
pub fn sandbox(options: &Options) -> Option<Arc<Sandbox>> {
    let settings = options.settings.effective();
    let places = options.settings.places();
    let roots = std::iter::once(options.cwd.clone())
        .chain(options.add_dirs.iter().cloned())
        .collect();
    let protected = vec![places.config_dir.clone(), places.global.clone()];
    let wanted = settings.get("sandbox").unwrap_or(&Value::Null);
    let sandbox = match Config::from_settings(wanted, roots, options.home.clone(), protected) {
        Ok(None) => return None,
        Ok(Some(config)) => Sandbox::new(config).unwrap_or_else(Sandbox::refusing),
        Err(error) => Sandbox::refusing(error),
    };
    Some(Arc::new(sandbox))
}

/// Whether commands inside run without a question.
pub(crate) fn runs_unasked(sandbox: Option<&Sandbox>) -> bool {
    sandbox.is_some_and(|sandbox| sandbox.kind().is_some() && sandbox.config().auto_allow)
}

impl Session {
    /// Decides about a call that would run outside of the sandbox as if there were none.
    pub(crate) fn decide(&self, tool: &str, input: &Value) -> Decision {
        let outside = self.policy.sandboxed && tool == "Bash" && !self.is_confined(input);
        if outside {
            let policy = Policy {
                sandboxed: false,
                ..self.policy.clone()
            };
            return self.decide_by(&policy, tool, input);
        }
        self.decide_by(&self.policy, tool, input)
    }

    fn is_confined(&self, input: &Value) -> bool {
        let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
        let disable = input
            .get("dangerouslyDisableSandbox")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        self.sandbox
            .as_deref()
            .is_some_and(|sandbox| sandbox.applies(command, disable))
    }
}
