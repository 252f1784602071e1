//! The catalogue: all slash commands, skills and output styles that were found.

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
    /// Plugins the command line or the host named.
    pub plugin_dirs: Vec<PluginDir>,
    /// No commands and no skills: a prompt that begins with `/` is a prompt.
    pub without_commands: bool,
    /// The skills the host lets the model use; none is all of them.
    pub skills: Option<Vec<String>>,
}

/// A file with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

/// Everything that was found.
#[derive(Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Plugins.
    pub plugins: Plugins,
    /// Commands and skills, each name once.
    pub entries: Vec<Entry>,
    /// Output styles.
    pub styles: Vec<Style>,
    /// Files with errors.
    pub problems: Vec<Problem>,
}

impl Catalogue {
    /// Looks at what there is; in further folders for skills alone.
    #[must_use]
    pub fn load(options: &CatalogueOptions, settings: &Settings, further: &[PathBuf]) -> Self {
        let plugins = Plugins::load(&options.plugin_dirs, settings);
        let mut catalogue = walk::walk(options, settings, further, plugins);
        catalogue.heed_overrides(settings.get(&keys::SKILL_OVERRIDES));
        if let Some(chosen) = &options.skills {
            for entry in &mut catalogue.entries {
                entry.model_invocable &= chosen.iter().any(|name| entry.is_called(name));
            }
        }
        catalogue
    }

    /// The command or skill of this name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        let by_name = self.entries.iter().find(|entry| entry.name == name);
        by_name.or_else(|| self.entries.iter().find(|entry| entry.is_called(name)))
    }

    /// What a person may call.
    pub fn for_people(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.user_invocable)
    }

    /// What the model may use by itself.
    pub fn for_model(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.model_invocable)
    }

    /// What the person switched off, wholly or for the model.
    fn heed_overrides(&mut self, overrides: Option<&serde_json::Value>) {
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
