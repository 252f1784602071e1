//! One kind of subagent: what it is for, what it may use, and what it is told.

use std::path::PathBuf;

use serde_json::{Map, Value};
use sluice_permission::PermissionMode;
use sluice_servers::ServerConfig;
use sluice_servers::scopes::{self, Named, Scope};
use sluice_settings::Settings;

use crate::catalogue::front_matter::{self, FrontMatter};

/// Where a definition comes from. The later one wins over the earlier where two have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    BuiltIn,
    Plugin,
    User,
    Project,
    /// `--agents` or `initialize`.
    Host,
    /// The administrator.
    Managed,
}

impl Origin {
    /// As hosts are told.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Plugin => "plugin",
            Self::User => "userSettings",
            Self::Project => "projectSettings",
            Self::Host => "flagSettings",
            Self::Managed => "policySettings",
        }
    }
}

/// Where an agent keeps what it has learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notebook {
    User,
    Project,
    Local,
}

/// One kind of subagent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Its own words; they stand where the session's system prompt would.
    pub(crate) prompt: String,
    pub(crate) origin: Origin,
    /// The file it stands in.
    pub(crate) path: Option<PathBuf>,
    /// The tools it may use; none is all that subagents may use.
    pub(crate) tools: Option<Vec<String>>,
    /// Rules about what it may not do.
    pub(crate) disallowed: Vec<String>,
    /// The types it may start itself, where `tools` says `Agent(a, b)`.
    pub(crate) may_start: Option<Vec<String>>,
    /// An alias or an id; none is the model of whoever starts it.
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) max_turns: Option<u32>,
    /// Whether its calls return without waiting for it.
    pub(crate) background: Option<bool>,
    pub(crate) omit_memory: bool,
    pub(crate) notebook: Option<Notebook>,
    /// In a work tree of its own.
    pub(crate) isolated: bool,
    /// Skills it knows from the start.
    pub(crate) skills: Vec<String>,
    /// MCP servers: a name, or a name with how to run it.
    pub(crate) servers: Vec<Value>,
    /// Hooks that hold while it runs, as settings write them.
    pub(crate) hooks: Option<Value>,
    /// What a session led by it begins with.
    pub(crate) initial_prompt: Option<String>,
    /// What it must not lose sight of.
    pub(crate) reminder: Option<String>,
}

impl Definition {
    /// A kind with nothing but its words.
    pub(crate) fn plain(name: &str, description: &str, prompt: &str, origin: Origin) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            prompt: prompt.to_owned(),
            origin,
            path: None,
            tools: None,
            disallowed: Vec::new(),
            may_start: None,
            model: None,
            effort: None,
            mode: None,
            max_turns: None,
            background: None,
            omit_memory: false,
            notebook: None,
            isolated: false,
            skills: Vec::new(),
            servers: Vec::new(),
            hooks: None,
            initial_prompt: None,
            reminder: None,
        }
    }

    /// Takes away what would run a program or switch off a question: a plugin's agents have words and tools only.
    pub(crate) fn keep_to_words(&mut self) {
        self.mode = None;
        self.hooks = None;
        self.servers.clear();
    }

    /// Reads a file: front matter, then its words. `stem` is the file's name without its ending. The second part says
    /// what is wrong with it, where something is; without a description there is no agent.
    pub(crate) fn from_markdown(text: &str, stem: &str, origin: Origin) -> (Option<Self>, Option<String>) {
        let (fields, body) = front_matter::read(text);
        let name = fields.text("name").unwrap_or_else(|| stem.to_owned());
        let problem = fields.problem.clone();
        if fields.get("name").is_none() && fields.get("description").is_none() && problem.is_none() {
            // Notes beside the agents, a README for instance.
            return (None, None);
        }
        match Self::read(&name, &fields, body.trim(), origin) {
            Ok(definition) => (Some(definition), problem),
            Err(why) => (None, Some(problem.unwrap_or(why))),
        }
    }

    /// Reads what a host or `--agents` says about one agent.
    pub(crate) fn from_json(name: &str, value: &Value, origin: Origin) -> Result<Self, String> {
        let Some(map) = value.as_object() else {
            return Err("an agent is an object with `description` and `prompt`".to_owned());
        };
        let prompt = match map.get("prompt") {
            Some(Value::String(prompt)) => prompt.clone(),
            _ => return Err("`prompt` is missing: say what the agent is told".to_owned()),
        };
        Self::read(name, &FrontMatter::of(map.clone()), &prompt, origin)
    }

    fn read(name: &str, fields: &FrontMatter, prompt: &str, origin: Origin) -> Result<Self, String> {
        let Some(description) = fields.text("description") else {
            return Err("`description` is missing: say when the agent is to be used".to_owned());
        };
        // It stands in lists, in sentences and in rules.
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err("`name` has to be one line of text".to_owned());
        }
        let (tools, may_start) = split_tools(fields.list("tools"));
        Ok(Self {
            tools,
            may_start,
            disallowed: fields.list("disallowedTools").unwrap_or_default(),
            model: fields
                .text("model")
                .filter(|model| model != "inherit" && model != "default"),
            effort: fields.text("effort"),
            mode: fields.text("permissionMode").and_then(|word| mode(&word)),
            max_turns: fields.number("maxTurns").and_then(whole),
            background: fields.flag("background"),
            omit_memory: fields.flag("omitClaudeMd") == Some(true),
            notebook: fields.text("memory").and_then(|word| match word.as_str() {
                "user" => Some(Notebook::User),
                "project" => Some(Notebook::Project),
                "local" => Some(Notebook::Local),
                _ => None,
            }),
            isolated: fields.text("isolation").as_deref() == Some("worktree"),
            skills: fields.list("skills").unwrap_or_default(),
            servers: servers(fields.get("mcpServers")),
            hooks: fields.get("hooks").filter(|hooks| hooks.is_object()).cloned(),
            initial_prompt: fields.text("initialPrompt"),
            reminder: fields.text("criticalSystemReminder_EXPERIMENTAL"),
            ..Self::plain(name, &description, prompt, origin)
        })
    }
}

impl Definition {
    /// The servers it brings with it; those it only names are there already. A project's run where the project may run
    /// anything, and a plugin's agents bring none: servers are the plugin's own to bring.
    pub(crate) fn own_servers(&self, settings: &Settings) -> Vec<Named> {
        let runs = match self.origin {
            Origin::Project => settings.runs_projects(),
            Origin::Plugin => false,
            _ => true,
        };
        let configs = self.servers.iter().filter_map(Value::as_object).flatten();
        let configs = configs.map(|(name, config)| (name.clone(), ServerConfig::parse(config)));
        // One inside the host is not there for one agent alone.
        let own = configs.filter(|(_, config)| runs && !config.as_ref().is_ok_and(ServerConfig::is_sdk));
        scopes::brought(settings, Scope::Dynamic, own.collect())
    }
}

/// A mode a definition may ask for.
fn mode(word: &str) -> Option<PermissionMode> {
    match PermissionMode::from(if word == "manual" { "default" } else { word }) {
        PermissionMode::Other(_) | PermissionMode::Delegate => None,
        mode => Some(mode),
    }
}

fn whole(number: f64) -> Option<u32> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (number.fract() == 0.0 && number >= 1.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
}

/// The tools, and the types of agents that `Agent(a, b)` among them names. `*` is all of them.
fn split_tools(list: Option<Vec<String>>) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let Some(list) = list else { return (None, None) };
    let mut tools = Vec::new();
    let mut types: Option<Vec<String>> = None;
    for item in list {
        let inner = ["Agent(", "Task("]
            .iter()
            .find_map(|head| item.strip_prefix(head)?.strip_suffix(')'));
        if item == "*" {
            return (None, types);
        } else if let Some(inner) = inner {
            tools.push("Agent".to_owned());
            let named = inner.split(',').map(|name| name.trim().to_owned());
            types
                .get_or_insert_default()
                .extend(named.filter(|name| !name.is_empty()));
        } else {
            tools.push(item);
        }
    }
    (Some(tools), types)
}

/// Names, `{name: config}` in a list, or one object of them.
fn servers(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::String(name)) => name.split(',').map(|name| Value::from(name.trim())).collect(),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, config)| Value::Object(Map::from_iter([(name.clone(), config.clone())])))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_one_line() {
        for name in ["a\nb", "", " ", "a\u{1b}[0m"] {
            let given = serde_json::json!({"description": "d", "prompt": "p"});
            assert!(Definition::from_json(name, &given, Origin::User).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_file_says_everything_in_its_front_matter() {
        let text = "---\nname: looker\ndescription: looks at things\ntools: Read, Agent(a, b), Bash(ls:*)\n\
            disallowedTools: [Write]\nmodel: haiku\npermissionMode: plan\nmaxTurns: 7\nbackground: true\n\
            memory: project\neffort: low\nisolation: worktree\nskills:\n  - one\nmcpServers:\n  - github\n---\n\nYou look.\n";
        let (definition, problem) = Definition::from_markdown(text, "file", Origin::Project);
        let definition = definition.unwrap();
        assert_eq!(problem, None);
        assert_eq!((&*definition.name, &*definition.prompt), ("looker", "You look."));
        assert_eq!(definition.tools.unwrap(), ["Read", "Agent", "Bash(ls:*)"]);
        assert_eq!(definition.may_start.unwrap(), ["a", "b"]);
        assert_eq!(definition.disallowed, ["Write"]);
        assert_eq!(definition.mode, Some(PermissionMode::Plan));
        assert_eq!((definition.max_turns, definition.background), (Some(7), Some(true)));
        assert_eq!(definition.notebook, Some(Notebook::Project));
        assert!(definition.isolated);
        assert_eq!(definition.servers, [json!("github")]);
    }

    #[test]
    fn a_broken_file_has_a_problem_and_what_can_be_told_still_counts() {
        let text = "---\nname: x\ndescription: Note: do this\n  bad: [\n---\nBody";
        let (definition, problem) = Definition::from_markdown(text, "x", Origin::User);
        assert_eq!(definition.unwrap().name, "x");
        assert!(problem.unwrap().contains("YAML"));
        let (none, problem) = Definition::from_markdown("---\nname: x\n---\nBody", "x", Origin::User);
        assert!(none.is_none() && problem.unwrap().contains("description"));
        assert_eq!(
            Definition::from_markdown("# Notes", "README", Origin::User),
            (None, None)
        );
    }

    #[test]
    fn json_needs_a_description_and_a_prompt() {
        let good = json!({"description": "d", "prompt": "p", "tools": ["Read"], "model": "inherit"});
        let agent = Definition::from_json("a", &good, Origin::Host).unwrap();
        assert_eq!((agent.model, agent.tools), (None, Some(vec!["Read".to_owned()])));
        for bad in [json!(1), json!({"description": "d"}), json!({"prompt": "p"})] {
            assert!(Definition::from_json("a", &bad, Origin::Host).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "(---\n)?[ -~\n]{0,200}(\n---\n)?[ -~\n]{0,80}") {
            let (definition, _) = Definition::from_markdown(&text, "stem", Origin::Project);
            if let Some(definition) = definition {
                prop_assert!(!definition.name.is_empty() && !definition.description.is_empty());
            }
        }
    }
}
