//! The sandbox of a session's commands, where the settings ask for one.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{Call, Decision, Policy};
use sluice_tools::sandbox::{Config, Sandbox};

use crate::asking::World;
use crate::catalogue::entry::Entry;
use crate::commands::{SKILL, skill_of};
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

/// Decides about a call; one that would run outside of the sandbox as if there were none.
pub(crate) fn decide(policy: &Policy, sandbox: Option<&Sandbox>, cwd: &Path, tool: &str, input: &Value) -> Decision {
    let call = Call::new(tool, input, cwd);
    if policy.sandboxed && tool == "Bash" && !is_confined(sandbox, input) {
        let policy = Policy {
            sandboxed: false,
            ..policy.clone()
        };
        return sluice_permission::decide(&policy, &call, &World);
    }
    sluice_permission::decide(policy, &call, &World)
}

fn is_confined(sandbox: Option<&Sandbox>, input: &Value) -> bool {
    let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
    let disable = input
        .get("dangerouslyDisableSandbox")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    sandbox.is_some_and(|sandbox| sandbox.applies(command, disable))
}

impl Session {
    /// Decides about a call of this session.
    pub(crate) fn decide(&self, tool: &str, input: &Value) -> Decision {
        let mode = self.servers.mode_of(tool, &self.policy.mode);
        let lends = tool == SKILL && self.catalogue.find(skill_of(input)).is_some_and(Entry::lends);
        let stricter = (mode.is_some() || lends).then(|| Policy {
            mode: mode.unwrap_or_else(|| self.policy.mode.clone()),
            lends,
            ..self.policy.clone()
        });
        let policy = stricter.as_ref().unwrap_or(&self.policy);
        decide(policy, self.sandbox.as_deref(), &self.cwd.get(), tool, input)
    }
}
