//! What lies on disk for a session to use: commands, skills, output styles, plugins.
//!
//! One walk at the start, and only of folders that are there. Of each file the front matter is read; the rest of it when
//! it is used. What is wrong with one file is named in [`Catalogue::problems`] and takes nothing from the others.
//!
//! * [`front_matter`]: the fields at the top of a file, pure;
//! * [`entry`]: a command or a skill;
//! * [`styles`]: ways of talking;
//! * [`plugins`]: folders that bring all of these, and where their agents, hooks and servers lie;
//! * [`listing`]: what the model is told of it, pure;
//! * `walk`: the one loader.

pub(crate) mod entry;
pub(crate) mod front_matter;
pub(crate) mod listing;
pub(crate) mod plugins;
pub(crate) mod styles;

mod walk;

use std::path::PathBuf;

use crate::options::Options;
use entry::Entry;
use plugins::Plugins;
use styles::Style;

/// Something that could not be read as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) path: PathBuf,
    pub(crate) message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

/// Everything that was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Catalogue {
    pub(crate) plugins: Plugins,
    /// Commands and skills, each name once.
    pub(crate) entries: Vec<Entry>,
    pub(crate) styles: Vec<Style>,
    pub(crate) problems: Vec<Problem>,
}

impl Catalogue {
    /// Looks at what there is.
    pub(crate) fn load(options: &Options) -> Self {
        let plugins = Plugins::load(&options.catalogue.plugin_dirs, &options.settings);
        let mut catalogue = walk::walk(options, plugins);
        catalogue.heed_overrides(options.settings.get("skillOverrides"));
        if let Some(chosen) = &options.catalogue.skills {
            for entry in &mut catalogue.entries {
                entry.model_invocable &= chosen.iter().any(|name| entry.is_called(name));
            }
        }
        catalogue
    }

    /// The command or skill of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        let by_name = self.entries.iter().find(|entry| entry.name == name);
        by_name.or_else(|| self.entries.iter().find(|entry| entry.is_called(name)))
    }

    /// What the model may use by itself.
    pub(crate) fn for_model(&self) -> impl Iterator<Item = &Entry> {
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
