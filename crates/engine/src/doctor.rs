//! Problems with settings and other files, for `/doctor` and for callers without a session.

use sluice_catalogue::agents::Roster;
use sluice_hooks::config::Reader;
use sluice_hooks::{HookList, Origin};

use crate::agents;
use crate::catalogue::Catalogue;
use crate::options::Options;
use crate::session::Session;

/// Returns the problems of the files that a session with these options would read, one sentence each. Nothing is
/// started or connected, so unreachable servers, for example, are not found.
#[must_use]
pub fn problems(options: &Options) -> Vec<String> {
    let catalogue = options.load_catalogue();
    let hooks = HookList::default().lay_out(&options.settings, &options.cwd, &options.folders.home);
    let roster = agents::of_files(options, &catalogue);
    let agents = agents::problems(&roster);
    let in_files = hooks_in_files(options, &catalogue, &roster);
    collect_problems(options, &catalogue, hooks.into_iter().chain(agents).chain(in_files))
}

/// Returns the problems of hooks in the front matter of commands, skills and agents.
fn hooks_in_files(options: &Options, catalogue: &Catalogue, roster: &Roster) -> Vec<String> {
    let (cwd, home) = (options.cwd.as_path(), options.folders.home.as_path());
    let reader = Reader { cwd, home };
    let entries = catalogue.entries.iter().filter_map(|entry| {
        let (name, root) = (entry.name.clone(), cwd.to_owned());
        Some((&entry.path, Origin::Skill { name, root }, entry.hooks.as_ref()?))
    });
    let kinds = roster.kinds().filter_map(|kind| {
        let name = kind.name.clone();
        Some((kind.path.as_ref()?, Origin::Agent { name }, kind.brings.hooks.as_ref()?))
    });
    let problems = entries.chain(kinds).flat_map(|(path, origin, hooks)| {
        let (_, problems) = reader.read(&origin, hooks);
        problems
            .into_iter()
            .map(move |problem| format!("{}: {problem}", path.display()))
    });
    problems.collect()
}

/// Collects the problems of settings, the catalogue and plugins, together with `others`.
fn collect_problems(options: &Options, catalogue: &Catalogue, others: impl Iterator<Item = String>) -> Vec<String> {
    let settings = options.settings.problems().iter().map(ToString::to_string);
    let files = catalogue.problems.iter().map(ToString::to_string);
    let plugins = catalogue.plugins.errors.iter();
    let plugins = plugins.map(|error| format!("plugin {}: {}", error.plugin, error.message));
    settings.chain(others).chain(files).chain(plugins).collect()
}

impl Session {
    /// Describes all problems of the session in text.
    pub(crate) fn diagnose(&self) -> String {
        let hooks = self.hooks.problems().map(str::to_owned);
        let agents = self.agents.file_problems().into_iter();
        let mut problems = collect_problems(&self.options, self.commands.catalogue(), hooks.chain(agents));
        problems.extend(self.server_problems());
        problems.extend(self.conversation.transcript.problem());
        if problems.is_empty() {
            return "Settings, hooks, commands, skills, agents, output styles, plugins, MCP servers and the transcript: \
                    no problems."
                .to_owned();
        }
        format!("Problems (everything else works):\n- {}", problems.join("\n- "))
    }
}
