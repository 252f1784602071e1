//! The sandbox for commands of a session.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{Call, Decision, PermissionMode, Policy, Reason, ReasonKind, ToolFacts, Touches, Verdict};
use sluice_settings::keys;
use sluice_tools::sandbox::{Config, Sandbox};
use sluice_tools::{Pinned, Pins};

use crate::options::Options;

/// Creates the sandbox that the settings configure. If that fails, the returned sandbox rejects all commands, so that
/// no command runs unsandboxed.
#[must_use]
pub fn sandbox(options: &Options) -> Option<Arc<Sandbox>> {
    let settings = options.settings.effective();
    let places = options.settings.places();
    let roots = std::iter::once(options.cwd.clone())
        .chain(options.folders.added.iter().cloned())
        .collect();
    let protected = vec![places.config_dir.clone(), places.global.clone()];
    let wanted = settings.get(keys::SANDBOX.name).unwrap_or(&Value::Null);
    let sandbox = match Config::from_settings(wanted, roots, options.folders.home.clone(), protected) {
        Ok(None) => return None,
        Ok(Some(config)) => Sandbox::new(config).unwrap_or_else(Sandbox::refusing),
        Err(error) => Sandbox::refusing(error),
    };
    Some(Arc::new(sandbox))
}

/// True if sandboxed commands run without a permission request.
pub(crate) fn runs_unasked(sandbox: Option<&Sandbox>) -> bool {
    sandbox.is_some_and(|sandbox| sandbox.kind().is_some() && sandbox.config().auto_allow)
}

/// Decides a call whose paths are resolved. A command that would run outside of the sandbox is decided as if there were
/// none.
pub(crate) fn decide(
    policy: &Policy,
    sandbox: Option<&Sandbox>,
    cwd: &Path,
    (tool, input): (ToolFacts<'_>, &Value),
    paths: Pinned<'_>,
) -> Decision {
    let call = Call::new(tool, input, cwd);
    if policy.sandboxed && tool.touches.runs() && !is_confined(sandbox, tool.touches, input) {
        let policy = Policy {
            sandboxed: false,
            ..policy.clone()
        };
        return sluice_permission::decide(&policy, &call, &paths);
    }
    let decision = sluice_permission::decide(policy, &call, &paths);
    match unshared(policy, &decision, paths.pins) {
        true => decision,
        false => of_shared(policy, tool.name),
    }
}

/// True if an allowed call touches no file that has another hard link outside of the working folders, or if such files
/// are allowed as well. The content of such a file belongs outside, regardless of its name inside.
fn unshared(policy: &Policy, decision: &Decision, pins: &Pins) -> bool {
    let free = policy.mode == PermissionMode::BypassPermissions || decision.reason.rule.is_some();
    let outside = |place: &Path| !sluice_tools::all_names_below(place, &policy.roots);
    decision.behavior != Verdict::Allow || free || !pins.shared().any(outside)
}

fn of_shared(policy: &Policy, tool: &str) -> Decision {
    const WHY: &str = "The file has another name, which may lie outside the working directories";
    let reason = Reason::said(ReasonKind::WorkingDir, WHY);
    match policy.mode {
        PermissionMode::DontAsk => Decision::deny(reason, format!("{WHY}, so {tool} would have to be asked about.")),
        _ => Decision::ask(reason, format!("{WHY}.")),
    }
}

/// True if a call may be checked against its file before the permission decision. The result of the check, even just
/// that the file does not exist, would reveal information about a file that must not be read.
pub(crate) fn may_look(touches: Touches, read: impl FnOnce(ToolFacts<'static>) -> Decision) -> bool {
    match touches.file() {
        Some(path) => read(ToolFacts::reading(path)).behavior == Verdict::Allow,
        // The files that such a tool would access are unknown.
        None => touches != Touches::Anything,
    }
}

/// True if a sandbox restricts the effects of the call.
fn is_confined(sandbox: Option<&Sandbox>, touches: Touches, input: &Value) -> bool {
    let Touches::Shell {
        command,
        sandbox: Some(leave),
    } = touches
    else {
        return false;
    };
    let command = input.get(command).and_then(Value::as_str).unwrap_or_default();
    let disable = input.get(leave).and_then(Value::as_bool).unwrap_or(false);
    sandbox.is_some_and(|sandbox| sandbox.applies(command, disable))
}
