//! All agent definitions of a session, and the problems of those that cannot be used.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_settings::{Chosen, Places};

use crate::bounds::Bounds;

use super::builtin;
use super::definition::{AgentDefinition, AgentOrigin};

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Maximum depth of folders, and maximum number of files.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 1000;

/// The available agent definitions by name. Of two with the same name, the one with the higher precedence counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Roster {
    kinds: Vec<AgentDefinition>,
    /// Messages for the user about definitions that could not be read.
    pub problems: Vec<String>,
    /// Messages about files without front matter. They are ignored silently, because they may be notes; only `doctor`
    /// shows these messages.
    pub left_out: Vec<String>,
}

/// The file of an agent definition and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    pub origin: AgentOrigin,
    /// The name of the plugin, which is the prefix of the agent's name, separated by a colon.
    pub prefix: Option<String>,
}

impl Roster {
    /// Creates a roster with the built-in definitions.
    pub fn builtin() -> Self {
        let mut roster = Self::default();
        builtin::all().into_iter().for_each(|kind| roster.add(kind));
        roster
    }

    /// Reads the files of all scopes. Files of the project are only read if they are inside the bounds.
    pub fn load(places: &Places, chosen: Chosen, plugins: Vec<Found>, bounds: Option<&Path>) -> Self {
        let mut roster = Self::builtin();
        let mut bounds = Bounds::new(bounds.map(Path::to_owned));
        let mut leads_out = |found: &Found| found.origin == AgentOrigin::Project && bounds.leads_out(&found.path);
        for found in plugins.into_iter().chain(files(places, chosen)) {
            if leads_out(&found) {
                roster.problems.push(format!(
                    "The agent in {} is a link out of the project; it is loaded once the folder is trusted",
                    found.path.display()
                ));
            } else {
                roster.read(&found);
            }
        }
        roster
    }

    fn read(&mut self, found: &Found) {
        let path = &found.path;
        let text = sluice_settings::read_regular(path, MAX_FILE_BYTES)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match text {
            Err(error) => self
                .problems
                .push(format!("The agent in {} cannot be read: {error}", path.display())),
            Ok(text) => {
                let (definition, problem) = AgentDefinition::from_markdown(&text, &stem, found.origin);
                if definition.is_none() && problem.is_none() && !stem.eq_ignore_ascii_case("readme") {
                    self.left_out.push(format!(
                        "The agent in {}: it has no front matter, so it is ignored; begin the file with `---`, `name: …`, \
                         `description: …` and `---`",
                        path.display()
                    ));
                }
                if let Some(problem) = problem {
                    self.problems
                        .push(format!("The agent in {}: {problem}", path.display()));
                }
                if let Some(mut definition) = definition {
                    if let Some(prefix) = &found.prefix {
                        definition.name = format!("{prefix}:{}", definition.name);
                    }
                    definition.path = Some(path.clone());
                    if found.origin == AgentOrigin::Plugin {
                        definition.restrict_to_prompt_and_tools();
                    }
                    self.add(definition);
                }
            }
        }
    }

    /// Adds definitions from a host or from `--agents`: an object that maps names to definitions.
    pub fn add_json(&mut self, agents: &Value) {
        let Some(map) = agents.as_object() else {
            return self
                .problems
                .push("Agents must be an object that maps names to definitions".to_owned());
        };
        for (name, value) in map {
            match AgentDefinition::from_json(name, value, AgentOrigin::Host) {
                Ok(definition) => self.add(definition),
                Err(why) => self.problems.push(format!("The agent {name}: {why}")),
            }
        }
    }

    /// Adds the definitions of `--agents`: JSON text, or the path of a JSON file.
    pub fn add_argument(&mut self, argument: &str, cwd: &Path) {
        let text = if argument.trim_start().starts_with('{') {
            Ok(argument.to_owned())
        } else {
            sluice_settings::read_named(&cwd.join(argument))
        };
        match text.map(|text| serde_json::from_str::<Value>(&text)) {
            Ok(Ok(agents)) => self.add_json(&agents),
            Ok(Err(error)) => self
                .problems
                .push(format!("The agent definitions are not JSON: {error}")),
            Err(error) => self.problems.push(format!("The file of agent definitions: {error}")),
        }
    }

    fn add(&mut self, kind: AgentDefinition) {
        match self.kinds.iter_mut().find(|known| known.name == kind.name) {
            Some(known) if kind.origin >= known.origin => *known = kind,
            Some(_) => {}
            None => self.kinds.push(kind),
        }
        let key = |kind: &AgentDefinition| (kind.name.to_lowercase(), kind.name.clone());
        self.kinds.sort_by_key(key);
    }

    /// Returns the definition with this name. A name in another case matches if there is no exact match.
    pub fn find(&self, name: &str) -> Option<&AgentDefinition> {
        let exact = self.kinds.iter().find(|kind| kind.name == name);
        exact.or_else(|| self.kinds.iter().find(|kind| kind.name.eq_ignore_ascii_case(name)))
    }

    /// Iterates over all definitions, sorted by name.
    pub fn kinds(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.kinds.iter()
    }

    pub fn names(&self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.name.clone()).collect()
    }
}

/// Returns the files of all scopes, lowest precedence first.
fn files(places: &Places, chosen: Chosen) -> Vec<Found> {
    let mut found = Vec::new();
    let mut take = |dir: &Path, origin: AgentOrigin| {
        let mut paths = Vec::new();
        collect(dir, MAX_DEPTH, &mut paths);
        paths.sort();
        found.extend(paths.into_iter().map(|path| Found {
            path,
            origin,
            prefix: None,
        }));
    };
    if chosen.user {
        take(&places.config_dir.join("agents"), AgentOrigin::User);
    }
    if chosen.project {
        // Folders above the repository may belong to others, and trust in the project does not cover them.
        for folder in sluice_settings::project_folders(&places.cwd) {
            let dir = folder.join(".claude");
            if dir != places.config_dir {
                take(&dir.join("agents"), AgentOrigin::Project);
            }
        }
    }
    if let Some(managed) = places.managed.parent() {
        take(&managed.join(".claude").join("agents"), AgentOrigin::Managed);
    }
    found
}

/// Collects the Markdown files of a folder and its subfolders.
fn collect(dir: &Path, depth: usize, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if into.len() >= MAX_FILES {
            return;
        }
        if kind.is_dir() {
            if depth > 0 {
                collect(&path, depth - 1, into);
            }
        } else if path.extension().is_some_and(|ending| ending == "md") {
            into.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use serde_json::json;

    use super::*;

    fn places(dir: &Path) -> Places {
        Places {
            cwd: dir.join("home/work"),
            home: dir.join("home"),
            config_dir: dir.join("home/.claude"),
            managed: dir.join("etc/managed-settings.json"),
            global: dir.join("home/.claude.json"),
        }
    }

    fn put(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn agent(description: &str) -> String {
        format!("---\nname: one\ndescription: {description}\n---\nBody")
    }

    #[test]
    fn precedence_decides_and_an_invalid_file_affects_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        put(places.config_dir.join("agents/one.md"), &agent("user"));
        put(
            places.config_dir.join("agents/sub/two.md"),
            "---\ndescription: second\n---\nB",
        );
        put(places.cwd.join(".claude/agents/one.md"), &agent("project"));
        put(places.cwd.join(".claude/agents/bad.md"), "---\nname: bad\n---\nB");
        let mut roster = Roster::load(&places, Chosen::ALL, Vec::new(), None);
        assert_eq!(roster.find("one").unwrap().description, "project");
        assert_eq!(roster.find("two").unwrap().description, "second");
        assert!(roster.find("bad").is_none());
        assert_eq!(roster.problems.len(), 1);
        assert!(roster.problems.iter().all(|problem| problem.contains("bad.md")));
        roster.add_json(&json!({"one": {"description": "flag", "prompt": "p"}, "three": 3}));
        assert_eq!(roster.find("one").unwrap().description, "flag");
        assert_eq!(roster.problems.len(), 2);
        put(dir.path().join("etc/.claude/agents/one.md"), &agent("managed"));
        let mut roster = Roster::load(&places, Chosen::ALL, Vec::new(), None);
        roster.add_json(&json!({"one": {"description": "flag", "prompt": "p"}}));
        assert_eq!(roster.find("one").unwrap().description, "managed");
    }

    #[test]
    fn agents_of_plugins_have_only_prompt_and_tools() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        let path = dir.path().join("plug/agents/one.md");
        put(
            path.clone(),
            "---\nname: one\ndescription: d\npermissionMode: acceptEdits\ndisallowedTools: Bash\nmcpServers: [x]\n\
             hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: touch /tmp/x\n---\nBody",
        );
        let found = Found {
            path,
            origin: AgentOrigin::Plugin,
            prefix: Some("plug".to_owned()),
        };
        let roster = Roster::load(&places, Chosen::ALL, vec![found], None);
        let kind = roster.find("plug:one").unwrap();
        assert_eq!(
            (&kind.limits.mode, &kind.brings.hooks, kind.brings.servers.len()),
            (&None, &None, 0)
        );
        assert_eq!(kind.limits.disallowed, ["Bash"]);
    }

    #[test]
    fn files_above_the_repository_are_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        put(dir.path().join(".claude/agents/one.md"), &agent("planted"));
        put(places.cwd.join(".claude/agents/two.md"), "---\ndescription: d\n---\nB");
        let roster = Roster::load(&places, Chosen::ALL, Vec::new(), None);
        assert!(roster.find("one").is_none());
        assert!(roster.find("two").is_some());
    }

    #[test]
    fn only_requested_scopes_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        put(places.config_dir.join("agents/one.md"), &agent("user"));
        assert!(
            Roster::load(&places, Chosen::NONE, Vec::new(), None)
                .find("one")
                .is_none()
        );
        assert_eq!(
            Roster::builtin().names(),
            ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"]
        );
    }
}
