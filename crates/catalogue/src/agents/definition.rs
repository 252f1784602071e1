//! One agent definition: its description, tools, model and prompt.

use std::path::PathBuf;

use serde_json::{Map, Value};
use sluice_permission::{PermissionMode, names};

use crate::front_matter::{self, FrontMatter};

/// Where a definition comes from. The later one wins over the earlier where two have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentOrigin {
    BuiltIn,
    Plugin,
    User,
    Project,
    /// `--agents` or `initialize`.
    Host,
    /// The administrator.
    Managed,
}

impl AgentOrigin {
    /// As hosts see it.
    pub fn source(self) -> &'static str {
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

/// The scope of an agent's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notebook {
    User,
    Project,
    Local,
}

/// What a kind of subagent may do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// The tools it may use; none is all that subagents may use.
    pub tools: Option<Vec<String>>,
    /// Rules about what it may not do.
    pub disallowed: Vec<String>,
    /// The types it may start itself, where `tools` says `Agent(a, b)`.
    pub may_start: Option<Vec<String>>,
    /// It changes nothing: tools that edit files or start subagents are not for it.
    pub only_reads: bool,
    /// The permission mode it works in, where it asks for one.
    pub mode: Option<PermissionMode>,
    pub max_turns: Option<u32>,
}

/// What a kind of subagent brings with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brings {
    /// Skills it knows from the start.
    pub skills: Vec<String>,
    /// MCP servers: a name, or a name with how to run it.
    pub servers: Vec<Value>,
    /// Hooks that hold while it runs, as settings write them.
    pub hooks: Option<Value>,
}

/// One kind of subagent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDefinition {
    pub name: String,
    pub description: String,
    /// Its prompt, in place of the session's system prompt.
    pub prompt: String,
    pub origin: AgentOrigin,
    /// The file of the definition.
    pub path: Option<PathBuf>,
    /// What it may do.
    pub limits: Limits,
    /// An alias or an id; `None` is the model of the parent session.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Whether its calls return without waiting for it.
    pub background: Option<bool>,
    pub omit_memory: bool,
    pub notebook: Option<Notebook>,
    /// In a work tree of its own.
    pub isolated: bool,
    /// What it brings with it besides words.
    pub brings: Brings,
    /// What a session led by it begins with.
    pub initial_prompt: Option<String>,
    /// What it must not lose sight of.
    pub reminder: Option<String>,
}

impl AgentDefinition {
    /// A kind with nothing but its words.
    pub fn plain(name: &str, description: &str, prompt: &str, origin: AgentOrigin) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            prompt: prompt.to_owned(),
            origin,
            path: None,
            limits: Limits::default(),
            model: None,
            effort: None,
            background: None,
            omit_memory: false,
            notebook: None,
            isolated: false,
            brings: Brings::default(),
            initial_prompt: None,
            reminder: None,
        }
    }

    /// Takes away what would run a program or switch off a question: a plugin's agents have words and tools only.
    pub fn keep_to_words(&mut self) {
        self.limits.mode = None;
        self.brings.hooks = None;
        self.brings.servers.clear();
    }

    /// Reads a file: front matter, then its words. `stem` is the file's name without its ending. The second part says
    /// what is wrong with it, where something is; without a description there is no agent.
    pub fn from_markdown(text: &str, stem: &str, origin: AgentOrigin) -> (Option<Self>, Option<String>) {
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

    /// Reads one definition of a host or of `--agents`.
    pub fn from_json(name: &str, value: &Value, origin: AgentOrigin) -> Result<Self, String> {
        let Some(map) = value.as_object() else {
            return Err("an agent is an object with `description` and `prompt`".to_owned());
        };
        let prompt = match map.get("prompt") {
            Some(Value::String(prompt)) => prompt.clone(),
            _ => return Err("`prompt` is missing: say what the agent is told".to_owned()),
        };
        Self::read(name, &FrontMatter::of(map.clone()), &prompt, origin)
    }

    fn read(name: &str, fields: &FrontMatter, prompt: &str, origin: AgentOrigin) -> Result<Self, String> {
        let Some(description) = fields.text("description") else {
            return Err("`description` is missing: say when the agent is to be used".to_owned());
        };
        // It stands in lists, in sentences and in rules.
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err("`name` has to be one line of text".to_owned());
        }
        let (tools, may_start) = split_tools(fields.list("tools"));
        Ok(Self {
            limits: Limits {
                tools,
                may_start,
                disallowed: fields.list("disallowedTools").unwrap_or_default(),
                only_reads: false,
                mode: fields.text("permissionMode").and_then(|word| mode(&word)),
                max_turns: fields.number("maxTurns").and_then(whole),
            },
            model: fields
                .text("model")
                .filter(|model| model != "inherit" && model != "default"),
            effort: fields.text("effort"),
            background: fields.flag("background"),
            omit_memory: fields.flag("omitClaudeMd") == Some(true),
            notebook: fields.text("memory").and_then(|word| match word.as_str() {
                "user" => Some(Notebook::User),
                "project" => Some(Notebook::Project),
                "local" => Some(Notebook::Local),
                _ => None,
            }),
            isolated: fields.text("isolation").as_deref() == Some("worktree"),
            brings: Brings {
                skills: fields.list("skills").unwrap_or_default(),
                servers: servers(fields.get("mcpServers")),
                hooks: fields.get("hooks").filter(|hooks| hooks.is_object()).cloned(),
            },
            initial_prompt: fields.text("initialPrompt"),
            reminder: fields.text("criticalSystemReminder_EXPERIMENTAL"),
            ..Self::plain(name, &description, prompt, origin)
        })
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
        let inner = [names::AGENT, names::TASK]
            .iter()
            .find_map(|name| item.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')'));
        if item == "*" {
            return (None, types);
        } else if let Some(inner) = inner {
            tools.push(names::AGENT.to_owned());
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
            assert!(
                AgentDefinition::from_json(name, &given, AgentOrigin::User).is_err(),
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_file_says_everything_in_its_front_matter() {
        let text = "---\nname: looker\ndescription: looks at things\ntools: Read, Agent(a, b), Bash(ls:*)\n\
            disallowedTools: [Write]\nmodel: haiku\npermissionMode: plan\nmaxTurns: 7\nbackground: true\n\
            memory: project\neffort: low\nisolation: worktree\nskills:\n  - one\nmcpServers:\n  - github\n---\n\nYou look.\n";
        let (definition, problem) = AgentDefinition::from_markdown(text, "file", AgentOrigin::Project);
        let definition = definition.unwrap();
        assert_eq!(problem, None);
        assert_eq!((&*definition.name, &*definition.prompt), ("looker", "You look."));
        assert_eq!(definition.limits.tools.unwrap(), ["Read", "Agent", "Bash(ls:*)"]);
        assert_eq!(definition.limits.may_start.unwrap(), ["a", "b"]);
        assert_eq!(definition.limits.disallowed, ["Write"]);
        assert_eq!(definition.limits.mode, Some(PermissionMode::Plan));
        assert_eq!(
            (definition.limits.max_turns, definition.background),
            (Some(7), Some(true))
        );
        assert_eq!(definition.notebook, Some(Notebook::Project));
        assert!(definition.isolated);
        assert_eq!(definition.brings.servers, [json!("github")]);
    }

    #[test]
    fn a_broken_file_has_a_problem_and_what_can_be_told_still_counts() {
        let text = "---\nname: x\ndescription: Note: do this\n  bad: [\n---\nBody";
        let (definition, problem) = AgentDefinition::from_markdown(text, "x", AgentOrigin::User);
        assert_eq!(definition.unwrap().name, "x");
        assert!(problem.unwrap().contains("YAML"));
        let (none, problem) = AgentDefinition::from_markdown("---\nname: x\n---\nBody", "x", AgentOrigin::User);
        assert!(none.is_none() && problem.unwrap().contains("description"));
        assert_eq!(
            AgentDefinition::from_markdown("# Notes", "README", AgentOrigin::User),
            (None, None)
        );
    }

    #[test]
    fn json_needs_a_description_and_a_prompt() {
        let good = json!({"description": "d", "prompt": "p", "tools": ["Read"], "model": "inherit"});
        let agent = AgentDefinition::from_json("a", &good, AgentOrigin::Host).unwrap();
        assert_eq!((agent.model, agent.limits.tools), (None, Some(vec!["Read".to_owned()])));
        for bad in [json!(1), json!({"description": "d"}), json!({"prompt": "p"})] {
            assert!(
                AgentDefinition::from_json("a", &bad, AgentOrigin::Host).is_err(),
                "{bad}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "(---\n)?[ -~\n]{0,200}(\n---\n)?[ -~\n]{0,80}") {
            let (definition, _) = AgentDefinition::from_markdown(&text, "stem", AgentOrigin::Project);
            if let Some(definition) = definition {
                prop_assert!(!definition.name.is_empty() && !definition.description.is_empty());
            }
        }
    }
}
