//! Built-in parts that can be disabled like plugins: `"enabledPlugins": {"agents-md@builtin": false}`.

use serde_json::Value;

use sluice_settings::Settings;
use sluice_settings::keys;

/// Where they come from, as plugins name it.
pub const SOURCE: &str = "builtin";

/// A built-in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `AGENTS.md` is read where a project has no `CLAUDE.md`.
    AgentsMd,
    /// `/init`.
    Onboarding,
    /// `/review` and `/security-review`.
    Review,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AgentsMd, Self::Onboarding, Self::Review];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentsMd => "agents-md",
            Self::Onboarding => "onboarding",
            Self::Review => "review",
        }
    }

    /// Its name with where it comes from.
    pub fn source(self) -> String {
        format!("{}@{SOURCE}", self.name())
    }

    /// The part a built-in command belongs to.
    pub fn of_command(command: &str) -> Option<Self> {
        match command {
            "init" => Some(Self::Onboarding),
            "review" | "security-review" => Some(Self::Review),
            _ => None,
        }
    }

    /// Whether it is enabled: unless the strongest settings file that names it disables it.
    pub fn is_on(self, settings: &Settings) -> bool {
        let id = self.source();
        let said = settings.each(&keys::ENABLED_PLUGINS).into_iter().rev();
        let mut said = said.filter_map(|(_, plugins)| plugins.get(&id));
        !matches!(said.next(), Some(Value::Bool(false) | Value::Null))
    }
}
