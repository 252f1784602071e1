//! The catalogue: all slash commands, skills and output styles of a session.

use std::path::PathBuf;

use sluice_settings::Settings;
use sluice_settings::keys;

use crate::entry::Entry;
use crate::plugins::{PluginDir, Plugins};
use crate::styles::Style;
use crate::walk;

/// The options of a session that concern slash commands, skills and plugins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueOptions {
    /// Plugin folders from the command line or the host.
    pub plugin_dirs: Vec<PluginDir>,
    /// Whether commands and skills are disabled: a prompt that begins with `/` is an ordinary prompt.
    pub without_commands: bool,
    /// The skills that the model may use; `None` means all skills.
    pub skills: Option<Vec<String>>,
}

/// A file with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path of the file.
    pub path: PathBuf,
    /// The error.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

/// All slash commands, skills, output styles and plugins.
#[derive(Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Plugins.
    pub plugins: Plugins,
    /// Commands and skills. Names are unique.
    pub entries: Vec<Entry>,
    /// Output styles.
    pub styles: Vec<Style>,
    /// Files with errors.
    pub problems: Vec<Problem>,
}

impl Catalogue {
    /// Loads the catalogue. Only skills are loaded from the `further` folders.
    #[must_use]
    pub fn load(options: &CatalogueOptions, settings: &Settings, further: &[PathBuf]) -> Self {
        let plugins = Plugins::load(&options.plugin_dirs, settings);
        let mut catalogue = walk::walk(options, settings, further, plugins);
        catalogue.apply_overrides(settings.get(&keys::SKILL_OVERRIDES));
        if let Some(chosen) = &options.skills {
            for entry in &mut catalogue.entries {
                entry.model_invocable &= chosen.iter().any(|name| entry.is_called(name));
            }
        }
        catalogue
    }

    /// Returns the command or skill with this name or title.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        let by_name = self.entries.iter().find(|entry| entry.name == name);
        by_name.or_else(|| self.entries.iter().find(|entry| entry.is_called(name)))
    }

    /// Iterates over the commands and skills that the user may invoke.
    pub fn for_people(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.user_invocable)
    }

    /// Iterates over the commands and skills that the model may invoke.
    pub fn for_model(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.model_invocable)
    }

    /// Applies the setting `skillOverrides`, which disables skills completely or for the model.
    fn apply_overrides(&mut self, overrides: Option<&serde_json::Value>) {
        let Some(serde_json::Value::Object(overrides)) = overrides else {
            return;
        };
        for (name, word) in overrides {
            match word.as_str() {
                Some("off") => self.entries.retain(|entry| !entry.is_called(name)),
                Some("user-invocable-only") => {
                    for entry in self.entries.iter_mut().filter(|entry| entry.is_called(name)) {
                        entry.model_invocable = false;
                    }
                }
                Some("name-only") => {
                    for entry in self.entries.iter_mut().filter(|entry| entry.is_called(name)) {
                        entry.listed_by_name = true;
                    }
                }
                _ => {}
            }
        }
    }
}
