//! An agent definition: its description, tools, model and prompt.

use std::path::PathBuf;

use serde_json::{Map, Value};
use sluice_permission::{PermissionMode, names};

use crate::front_matter::{self, FrontMatter};

/// The source of a definition, ordered by precedence: of two definitions with the same name, the later source wins.
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
    /// Returns the name of the source for hosts.
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

/// What an agent may do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// The tools it may use; `None` means all tools that subagents may use.
    pub tools: Option<Vec<String>>,
    /// Rules for what it must not do.
    pub disallowed: Vec<String>,
    /// The agent types it may start, if `tools` contains `Agent(a, b)`.
    pub may_start: Option<Vec<String>>,
    /// Whether it is read-only: it gets no tools that edit files or start subagents.
    pub only_reads: bool,
    /// The requested permission mode.
    pub mode: Option<PermissionMode>,
    pub max_turns: Option<u32>,
}

/// What an agent provides in addition to its prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brings {
    /// Skills that are loaded from the start.
    pub skills: Vec<String>,
    /// MCP servers: the name of a configured server, or a name with a configuration.
    pub servers: Vec<Value>,
    /// Hooks that apply while it runs, in the format of settings.
    pub hooks: Option<Value>,
}

/// An agent definition.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDefinition {
    pub name: String,
    pub description: String,
    /// The prompt, which replaces the system prompt of the session.
    pub prompt: String,
    pub origin: AgentOrigin,
    /// The file of the definition.
    pub path: Option<PathBuf>,
    /// The tools, rules and limits.
    pub limits: Limits,
    /// An alias or a model id; `None` means the model of the parent session.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Whether it runs in the background, so that its calls return immediately.
    pub background: Option<bool>,
    pub omit_memory: bool,
    pub notebook: Option<Notebook>,
    /// Whether it runs in a separate git worktree.
    pub isolated: bool,
    /// Skills, MCP servers and hooks.
    pub brings: Brings,
    /// The first prompt of a session that this agent runs as the main agent.
    pub initial_prompt: Option<String>,
    /// A reminder that is repeated during the conversation.
    pub reminder: Option<String>,
}

impl AgentDefinition {
    /// Creates a definition with only a description and a prompt.
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

    /// Removes everything that would run a program or avoid a permission request. Agents of plugins only have a prompt
    /// and tools.
    pub fn restrict_to_prompt_and_tools(&mut self) {
        self.limits.mode = None;
        self.brings.hooks = None;
        self.brings.servers.clear();
    }

    /// Parses a file with front matter and prompt. `stem` is the file name without the extension. Also returns the
    /// problem of the file, if there is one. Without a description there is no definition.
    pub fn from_markdown(text: &str, stem: &str, origin: AgentOrigin) -> (Option<Self>, Option<String>) {
        let (fields, body) = front_matter::read(text);
        let name = fields.text("name").unwrap_or_else(|| stem.to_owned());
        let problem = fields.problem.clone();
        if fields.get("name").is_none() && fields.get("description").is_none() && problem.is_none() {
            // A file of notes, for example a README.
            return (None, None);
        }
        match Self::read(&name, &fields, body.trim(), origin) {
            Ok(definition) => (Some(definition), problem),
            Err(why) => (None, Some(problem.unwrap_or(why))),
        }
    }

    /// Parses a definition from a host or from `--agents`.
    pub fn from_json(name: &str, value: &Value, origin: AgentOrigin) -> Result<Self, String> {
        let Some(map) = value.as_object() else {
            return Err("an agent must be an object with `description` and `prompt`".to_owned());
        };
        let prompt = match map.get("prompt") {
            Some(Value::String(prompt)) => prompt.clone(),
            _ => return Err("`prompt` is missing: add the instructions for the agent".to_owned()),
        };
        Self::read(name, &FrontMatter::of(map.clone()), &prompt, origin)
    }

    fn read(name: &str, fields: &FrontMatter, prompt: &str, origin: AgentOrigin) -> Result<Self, String> {
        let Some(description) = fields.text("description") else {
            return Err("`description` is missing: describe when to use the agent".to_owned());
        };
        // The name is used in lists, messages and rules.
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err("`name` must be one line of text".to_owned());
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

/// Parses a permission mode that a definition may request.
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

/// Splits a list into tools and the agent types in `Agent(a, b)`. `*` means all tools.
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

/// Parses MCP servers: names, a list of `{name: config}`, or one object of configurations by name.
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
    fn a_name_must_be_one_line() {
        for name in ["a\nb", "", " ", "a\u{1b}[0m"] {
            let given = serde_json::json!({"description": "d", "prompt": "p"});
            assert!(
                AgentDefinition::from_json(name, &given, AgentOrigin::User).is_err(),
                "{name:?}"
            );
        }
    }

    #[test]
    fn all_front_matter_fields_are_read() {
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
    fn fields_of_an_invalid_file_are_used_and_the_problem_is_reported() {
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
        fn any_text_is_parsed_without_a_panic(text in "(---\n)?[ -~\n]{0,200}(\n---\n)?[ -~\n]{0,80}") {
            let (definition, _) = AgentDefinition::from_markdown(&text, "stem", AgentOrigin::Project);
            if let Some(definition) = definition {
                prop_assert!(!definition.name.is_empty() && !definition.description.is_empty());
            }
        }
    }
}
