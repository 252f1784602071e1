//! Folder trust outside of a session: what a folder would bring into effect, and trusting it.
//!
//! Used by the trust dialog of the terminal, `--worktree`, `attach`, `doctor` and the page.

use std::path::{Path, PathBuf};

use sluice_engine::mcp::scopes::{self, Named, ServerApproval};
use sluice_engine::mcp::store;
use sluice_engine::settings::held::Held;
use sluice_engine::settings::{Opener, WriteError, trust};

use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};

/// Returns the settings of `folder` for an interactive session.
pub(crate) fn place_of(flags: &Flags, environment: &Environment, folder: &Path) -> Place {
    let environment = Environment {
        cwd: folder.to_owned(),
        ..environment.clone()
    };
    Place::look(flags, &environment, Opener::Person)
}

/// Returns what is not applied without trust, by file. Empty if the folder is trusted or contains nothing that needs
/// trust.
pub(crate) fn held_back(flags: &Flags, place: &Place) -> Vec<Held> {
    if place.settings.trusted() {
        return Vec::new();
    }
    // Flags that select a session or name files do not apply here.
    let flags = Flags {
        strict_mcp_config: flags.strict_mcp_config,
        disable_slash_commands: flags.disable_slash_commands,
        no_session_persistence: true,
        ..Flags::default()
    };
    match launch::options(&flags, place, Keyless::Refuse) {
        Ok(options) => sluice_engine::held(&options),
        Err(_) => place.settings.held_back(),
    }
}

/// Trusts a folder and the MCP servers in its `.mcp.json`. Returns the trusted path.
///
/// Agents running in the folder apply its settings immediately, because they watch the file in which trust is saved.
pub(crate) fn trust(flags: &Flags, place: &Place) -> Result<PathBuf, WriteError> {
    let places = place.settings.places();
    let trusted = trust::trust(&places.global, &places.cwd)?;
    for named in waiting_servers(flags, place) {
        store::choose(places, &named.name, true)?;
    }
    Ok(trusted)
}

/// Returns the MCP servers of the project that are neither approved nor rejected.
pub(crate) fn waiting_servers(flags: &Flags, place: &Place) -> Vec<Named> {
    if flags.strict_mcp_config {
        return Vec::new();
    }
    let named = scopes::gather(&place.settings, &indexmap::IndexMap::new(), false);
    let waits = |named: &Named| named.approval == ServerApproval::Pending;
    named.into_iter().filter(waits).collect()
}
