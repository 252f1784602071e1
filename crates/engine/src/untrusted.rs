//! Customizations of an untrusted folder that are not applied.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_catalogue::agents::{AgentDefinition, AgentOrigin, Roster};
use sluice_catalogue::body::runs_commands;
use sluice_servers::scopes::{self, Scope, ServerApproval};
use sluice_settings::Settings;
use sluice_settings::held::{Held, sentence};
use sluice_settings::trust;

use crate::agents;
use crate::catalogue::Catalogue;
use crate::catalogue::entry::{Entry, Origin};
use crate::options::{Options, Preloaded};

/// Describes in one sentence what is not applied because the folder is untrusted, and how to trust it. `None` if
/// everything is applied. The loaded files are kept for the session.
#[must_use]
pub fn held_back(options: &mut Options) -> Option<String> {
    if options.settings.trusted() {
        return None;
    }
    let catalogue = options.load_catalogue();
    let roster = agents::of_files(options, &catalogue);
    let held_back = held_back_of(options, &catalogue, &roster);
    options.folders.preloaded = Some(Preloaded {
        catalogue: Arc::new(catalogue),
        roster,
        held_back: held_back.clone(),
    });
    held_back
}

/// Lists the parts of each file of an untrusted folder that are not applied. Empty for a trusted folder.
#[must_use]
pub fn held(options: &Options) -> Vec<Held> {
    if options.settings.trusted() {
        return Vec::new();
    }
    let catalogue = options.load_catalogue();
    let roster = agents::of_files(options, &catalogue);
    held_of(options, &catalogue, &roster)
}

/// Like [`held_back`], for files that are loaded already.
pub(crate) fn held_back_of(options: &Options, catalogue: &Catalogue, roster: &Roster) -> Option<String> {
    let held = held_of(options, catalogue, roster);
    sentence(&trust::key(&options.settings.places().cwd), &held)
}

fn held_of(options: &Options, catalogue: &Catalogue, roster: &Roster) -> Vec<Held> {
    let settings = &options.settings;
    if settings.trusted() {
        return Vec::new();
    }
    let cwd = &settings.places().cwd;
    let mut held = settings.held_back();
    let mut files = Files::default();
    if !options.servers.strict {
        servers(settings, &mut files);
    }
    commands(options, catalogue, &mut files);
    kinds(settings, roster, &mut files);
    held.extend(files.0.into_iter().map(|(file, what)| Held::new(&file, cwd, what)));
    held
}

/// The parts that are not applied, by file.
#[derive(Default)]
struct Files(BTreeMap<PathBuf, Vec<String>>);

impl Files {
    fn add(&mut self, file: &Path, what: impl Into<String>) {
        self.0.entry(file.to_owned()).or_default().push(what.into());
    }
}

fn servers(settings: &Settings, files: &mut Files) {
    let named = scopes::gather(settings, &indexmap::IndexMap::new(), false);
    let waits = named
        .into_iter()
        .filter(|named| named.scope == Scope::Project && named.approval == ServerApproval::Pending);
    let names: Vec<String> = waits.map(|named| named.name).collect();
    if !names.is_empty() {
        let file = settings.places().cwd.join(scopes::PROJECT_FILE);
        files.add(&file, format!("servers ({})", names.join(", ")));
    }
}

fn commands(options: &Options, catalogue: &Catalogue, files: &mut Files) {
    let runs = options.settings.runs_projects();
    let projects = |entry: &&Entry| entry.origin == Origin::Project;
    for entry in catalogue.entries.iter().filter(projects) {
        if !entry.allowed_tools.is_empty() {
            files.add(&entry.path, "allowed-tools");
        }
        if entry.hooks.is_some() {
            files.add(&entry.path, "hooks");
        }
        if !runs && entry.may_run && entry.body().is_ok_and(|body| runs_commands(&body)) {
            files.add(&entry.path, "commands in its text");
        }
    }
}

fn kinds(settings: &Settings, roster: &Roster, files: &mut Files) {
    let projects = |kind: &&AgentDefinition| kind.origin == AgentOrigin::Project;
    for kind in roster.kinds().filter(projects) {
        let Some(path) = &kind.path else { continue };
        if kind.brings.hooks.is_some() {
            files.add(path, "hooks");
        }
        if !kind.brings.servers.is_empty() && !settings.runs_projects() {
            files.add(path, "mcpServers");
        }
        if kind.limits.mode.is_some() {
            files.add(path, "permissionMode");
        }
    }
}
