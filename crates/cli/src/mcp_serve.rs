//! `sluice mcp serve`: the tools or the agent as an MCP server on standard streams.

use std::path::Path;
use std::sync::Arc;

use sluice_engine::Options;
use sluice_engine::settings::Opener;
use sluice_mcp_door::{Bounds, Errand, Launcher};
use sluice_wire::mode::PermissionMode;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::broken_settings;
use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};
use crate::{fail, warn};

pub(crate) async fn run(flags: &Flags, environment: &Environment, agent: bool) -> i32 {
    let place = Place::look(flags, environment, launch::opener(flags));
    if let Some(refusal) = broken_settings::refusal(&place, flags) {
        return fail(&refusal.to_string());
    }
    let mut options = match launch::options(flags, &place, Keyless::Refuse) {
        Ok(options) => options,
        Err(problem) => return fail(&problem.to_string()),
    };
    // Reported on standard error, because MCP uses standard output.
    for problem in place.settings.problems() {
        warn(&problem.to_string());
    }
    if let Some(left_out) = sluice_engine::held_back(&mut options) {
        warn(&left_out);
    }
    let stop = CancellationToken::new();
    tokio::spawn(told_to_go(stop.clone()));
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let served = if agent {
        let bounds = bounds(&options);
        let launcher = launcher(flags.clone(), environment.clone());
        sluice_mcp_door::serve_agent(launcher, bounds, streams, stop).await
    } else {
        sluice_mcp_door::serve_tools(options, streams, stop).await
    };
    match served {
        Ok(()) => 0,
        Err(error) => fail(&error.to_string()),
    }
}

/// Limits for clients: the options with which the server was started.
fn bounds(options: &Options) -> Bounds {
    // Settings may select a mode, but only the command line may bypass permissions.
    let configured = options.settings.default_mode();
    let configured =
        configured.filter(|mode| *mode != PermissionMode::BypassPermissions || options.permissions.bypass_launched);
    Bounds {
        roots: std::iter::once(&options.cwd)
            .chain(&options.folders.added)
            .cloned()
            .collect(),
        mode: options.permissions.mode.clone().or(configured).unwrap_or_default(),
    }
}

/// Starts each agent like the command line, in the folder and with the model that its client requests.
fn launcher(flags: Flags, environment: Environment) -> Launcher {
    Arc::new(move |errand: &Errand| {
        let flags = changed(&flags, &environment, errand);
        let own = is_own(&environment.cwd, errand.cwd.as_deref());
        let opener = if own { launch::opener(&flags) } else { Opener::Person };
        let flags = Flags {
            trust_folder: flags.trust_folder && own,
            ..flags
        };
        let mut environment = environment.clone();
        if let Some(cwd) = &errand.cwd {
            environment.cwd.clone_from(cwd);
        }
        let place = Place::look(&flags, &environment, opener);
        launch::options(&flags, &place, Keyless::Refuse).map_err(|refusal| refusal.to_string())
    })
}

/// True if a client requests the folder in which the server was started. Trust in that folder applies to no other
/// folder, which may contain hooks and servers, for example of a dependency.
fn is_own(launched: &Path, asked: Option<&Path>) -> bool {
    let same = |asked: &Path| launched.canonicalize().is_ok_and(|launched| launched == asked);
    asked.is_none_or(same)
}

/// Returns the flags of the server adapted to a client's request.
fn changed(flags: &Flags, environment: &Environment, errand: &Errand) -> Flags {
    let mut flags = flags.clone();
    // Relative paths refer to the folder in which the server was started.
    let absolute = |path: &str| environment.cwd.join(path).to_string_lossy().into_owned();
    flags.add_dir = flags.add_dir.iter().map(|dir| absolute(dir)).collect();
    flags.settings = flags
        .settings
        .map(|settings| match settings.trim_start().starts_with('{') {
            true => settings,
            false => absolute(&settings),
        });
    if let Some(model) = &errand.model {
        flags.model = Some(model.clone());
    }
    if let Some(mode) = &errand.mode {
        flags.allow_dangerously_skip_permissions |= flags.dangerously_skip_permissions;
        flags.dangerously_skip_permissions = false;
        flags.permission_mode = Some(mode.as_str().to_owned());
    }
    // Zero means no limit.
    let limit = |turns: Option<u32>| turns.filter(|most| *most > 0);
    flags.max_turns = match (limit(flags.max_turns), limit(errand.max_turns)) {
        (Some(most), Some(asked)) => Some(most.min(asked)),
        (most, asked) => asked.or(most),
    };
    flags.resume.clone_from(&errand.resume);
    flags
}

/// Waits for a signal and then stops the server.
async fn told_to_go(stop: CancellationToken) {
    let signals = [
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = signals else {
        return;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    stop.cancel();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_folder_named_by_the_client_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let launched = dir.path().canonicalize().unwrap();
        let inner = launched.join("node_modules/evil");
        std::fs::create_dir_all(&inner).unwrap();
        assert!(is_own(&launched, None));
        assert!(is_own(&launched, Some(&launched)));
        assert!(!is_own(&launched, Some(&inner)));
    }
}
