//! A slash command or a skill: a file whose body becomes a prompt.

use std::io;
use std::path::{Path, PathBuf};

use super::front_matter::{FrontMatter, cut};
use super::plugins::ROOT_MARK;

/// More than a prompt has a reason to hold.
const LARGEST: u64 = 1024 * 1024;
/// The placeholder for a skill's folder in its body.
const SKILL_DIR_MARK: &str = "${CLAUDE_SKILL_DIR}";

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file in a `commands` folder.
    Command,
    /// A folder with a `SKILL.md`.
    Skill,
}

/// Whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The person's own.
    User,
    /// It came with the folder the session works in.
    Project,
    /// A plugin's.
    Plugin {
        /// What the plugin is called.
        name: String,
        /// Its folder.
        root: PathBuf,
    },
}

/// A command or a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// A command or a skill.
    pub kind: Kind,
    /// Where it comes from.
    pub origin: Origin,
    /// What follows the slash: `deploy`, `db:migrate`, `plugin:command`.
    pub name: String,
    /// The name its front matter gives, where that is another one.
    pub title: Option<String>,
    /// Its file.
    pub path: PathBuf,
    /// Its description; without one, the first line of its body.
    pub description: String,
    /// When the model should use it.
    pub when_to_use: Option<String>,
    /// What a person is shown of its arguments.
    pub argument_hint: String,
    /// Names of its arguments, in order.
    pub arguments: Vec<String>,
    /// Rules that hold while it runs.
    pub allowed_tools: Vec<String>,
    /// The model its turn runs on.
    pub model: Option<String>,
    /// How hard its turn tries.
    pub effort: Option<String>,
    /// Whether a person may call for it.
    pub user_invocable: bool,
    /// Whether the model may.
    pub model_invocable: bool,
    /// Whether the model sees only its name.
    pub listed_by_name: bool,
    /// Whether it runs in an agent of its own (`context: fork`), and of which kind.
    pub fork: bool,
    /// The kind of agent.
    pub agent: Option<String>,
    /// Hooks that run while it is in use, as in a settings file.
    pub hooks: Option<serde_json::Value>,
    /// Whether there may be commands in its text; sure only where there are none.
    pub may_run: bool,
}

impl Entry {
    /// Whether it changes what runs without a question: it brings rules or hooks of its own.
    pub fn lends(&self) -> bool {
        !self.allowed_tools.is_empty() || self.hooks.is_some()
    }

    /// From the top of its file.
    pub fn new(kind: Kind, origin: Origin, name: String, path: PathBuf, front: &FrontMatter, first_line: &str) -> Self {
        let said = front.text("description");
        let title = front.text("name").map(|title| match &origin {
            Origin::Plugin { name, .. } if !title.contains(':') => format!("{name}:{title}"),
            _ => title,
        });
        // A command that says nothing of itself gives the model no reason to use it.
        let described = said.is_some() || kind == Kind::Skill;
        Self {
            kind,
            origin,
            title: title.filter(|title| kind == Kind::Skill && *title != name && is_name(title)),
            name,
            path,
            description: said.unwrap_or_else(|| first_line.to_owned()),
            when_to_use: front.text("when_to_use").or_else(|| front.text("when-to-use")),
            argument_hint: hint(front),
            arguments: front.words("arguments").unwrap_or_default(),
            allowed_tools: front.list("allowed-tools").unwrap_or_default(),
            model: front.text("model").filter(|model| model != "inherit"),
            effort: front.text("effort"),
            user_invocable: front.flag("user-invocable") != Some(false),
            model_invocable: described && front.flag("disable-model-invocation") != Some(true),
            listed_by_name: false,
            fork: front.text("context").as_deref() == Some("fork"),
            agent: front.text("agent"),
            hooks: front.get("hooks").cloned(),
            may_run: true,
        }
    }

    /// Whether it answers to this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.title.as_deref() == Some(name)
    }

    /// Its description in a list of commands.
    pub fn told(&self) -> String {
        match &self.origin {
            Origin::User => format!("{} (user)", self.description),
            Origin::Project => format!("{} (project)", self.description),
            Origin::Plugin { name, .. } => format!("({name}) {}", self.description),
        }
    }

    /// The folder a skill's own files lie in.
    pub fn folder(&self) -> Option<&Path> {
        match self.kind {
            Kind::Skill => self.path.parent(),
            Kind::Command => None,
        }
    }

    /// Its body, read now, with the marks of its folders filled in and nothing else done to it.
    pub fn body(&self) -> io::Result<String> {
        let bytes = sluice_settings::read_regular(&self.path, LARGEST)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut body = cut(&text).body.to_owned();
        if let Origin::Plugin { root, .. } = &self.origin {
            body = body.replace(ROOT_MARK, &root.to_string_lossy());
        }
        if let Some(folder) = self.folder() {
            body = body.replace(SKILL_DIR_MARK, &folder.to_string_lossy());
        }
        Ok(body)
    }
}

/// The hint as it was typed: `[a] [b]` is a list to YAML, and no list to the person.
fn hint(front: &FrontMatter) -> String {
    match front.get("argument-hint") {
        Some(serde_json::Value::Array(items)) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect();
            format!("[{}]", items.join(", "))
        }
        _ => front.text("argument-hint").unwrap_or_default(),
    }
}

/// Whether something can be called so after a slash.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    !name.is_empty() && name.len() <= 128 && name.chars().all(fits)
}
