//! Built-in parts that can be disabled like plugins: `"enabledPlugins": {"agents-md@builtin": false}`.

use serde_json::Value;

use sluice_settings::Settings;
use sluice_settings::keys;

/// The marketplace name of built-in parts.
pub const SOURCE: &str = "builtin";

/// A built-in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `AGENTS.md` is read if a project has no `CLAUDE.md`.
    AgentsMd,
    /// `/init`.
    Onboarding,
    /// `/review` and `/security-review`.
    Review,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AgentsMd, Self::Onboarding, Self::Review];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentsMd => "agents-md",
            Self::Onboarding => "onboarding",
            Self::Review => "review",
        }
    }

    /// Returns the id `name@builtin`.
    pub fn source(self) -> String {
        format!("{}@{SOURCE}", self.name())
    }

    /// Returns the part that a built-in command belongs to.
    pub fn of_command(command: &str) -> Option<Self> {
        match command {
            "init" => Some(Self::Onboarding),
            "review" | "security-review" => Some(Self::Review),
            _ => None,
        }
    }

    /// Whether the part is enabled. It is, unless the strongest settings file that contains it disables it.
    pub fn is_on(self, settings: &Settings) -> bool {
        let id = self.source();
        let values = settings.each(&keys::ENABLED_PLUGINS).into_iter().rev();
        let mut values = values.filter_map(|(_, plugins)| plugins.get(&id));
        !matches!(values.next(), Some(Value::Bool(false) | Value::Null))
    }
}
