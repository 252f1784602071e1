//! A slash command or skill: a file whose body becomes a prompt.

use std::io;
use std::path::{Path, PathBuf};

use super::front_matter::{FrontMatter, cut};
use super::plugins::ROOT_MARK;

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The placeholder for a skill's folder in its body.
const SKILL_DIR_MARK: &str = "${CLAUDE_SKILL_DIR}";

/// Whether an entry is a command or a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file in a `commands` folder.
    Command,
    /// A folder with a `SKILL.md`.
    Skill,
}

/// The source of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The user's configuration folder.
    User,
    /// The project folder.
    Project,
    /// A plugin.
    Plugin {
        /// The name of the plugin.
        name: String,
        /// The folder of the plugin.
        root: PathBuf,
    },
}

/// A command or a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// A command or a skill.
    pub kind: Kind,
    /// The source.
    pub origin: Origin,
    /// The name after the slash: `deploy`, `db:migrate`, `plugin:command`.
    pub name: String,
    /// The name in the front matter, if it differs.
    pub title: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The description, or the first line of the body if there is none.
    pub description: String,
    /// When the model should use it.
    pub when_to_use: Option<String>,
    /// The hint about the arguments for the user.
    pub argument_hint: String,
    /// The names of the arguments, in order.
    pub arguments: Vec<String>,
    /// Allow rules that apply while it runs.
    pub allowed_tools: Vec<String>,
    /// The model for its turn.
    pub model: Option<String>,
    /// The effort level for its turn.
    pub effort: Option<String>,
    /// Whether the user may invoke it.
    pub user_invocable: bool,
    /// Whether the model may invoke it.
    pub model_invocable: bool,
    /// Whether the list for the model contains only the name.
    pub listed_by_name: bool,
    /// Whether it runs in a subagent (`context: fork`).
    pub fork: bool,
    /// The type of that subagent.
    pub agent: Option<String>,
    /// Hooks that apply while it is in use, in the format of settings.
    pub hooks: Option<serde_json::Value>,
    /// Whether the body may contain shell commands. If this is `false`, it certainly contains none.
    pub may_run: bool,
}

impl Entry {
    /// Whether it changes which calls run without a permission request, by allow rules or hooks.
    pub fn lends(&self) -> bool {
        !self.allowed_tools.is_empty() || self.hooks.is_some()
    }

    /// Creates an entry from the front matter and the first line of the body.
    pub fn new(kind: Kind, origin: Origin, name: String, path: PathBuf, front: &FrontMatter, first_line: &str) -> Self {
        let description = front.text("description");
        let title = front.text("name").map(|title| match &origin {
            Origin::Plugin { name, .. } if !title.contains(':') => format!("{name}:{title}"),
            _ => title,
        });
        // Without a description the model does not know when to use a command.
        let described = description.is_some() || kind == Kind::Skill;
        Self {
            kind,
            origin,
            title: title.filter(|title| kind == Kind::Skill && *title != name && is_name(title)),
            name,
            path,
            description: description.unwrap_or_else(|| first_line.to_owned()),
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

    /// Whether this is its name or title.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.title.as_deref() == Some(name)
    }

    /// Returns the description with the source, for lists of commands.
    pub fn told(&self) -> String {
        match &self.origin {
            Origin::User => format!("{} (user)", self.description),
            Origin::Project => format!("{} (project)", self.description),
            Origin::Plugin { name, .. } => format!("({name}) {}", self.description),
        }
    }

    /// Returns the folder of a skill's files.
    pub fn folder(&self) -> Option<&Path> {
        match self.kind {
            Kind::Skill => self.path.parent(),
            Kind::Command => None,
        }
    }

    /// Reads the body and fills in the placeholders for folders. Other placeholders are unchanged.
    pub fn body(&self) -> io::Result<String> {
        let bytes = sluice_settings::read_regular(&self.path, MAX_FILE_BYTES)?;
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

/// Returns the argument hint as text. YAML parses `[a]` as a list, which is converted back.
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

/// Whether the text can be the name of a command.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    !name.is_empty() && name.len() <= 128 && name.chars().all(fits)
}
