//! `sluice plugin …`: lists and validates plugins; also the plugin store for `/plugin`.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use sluice_engine::library::{Library, StagedPlugin};
use sluice_engine::settings::Opener;
use sluice_engine::{Options, Validation, checkup, validate_plugin};
use sluice_terminal::{PluginEntry, PluginOffer, PluginStore};

use crate::environment::Environment;
use crate::fail;
use crate::flags::{Flags, Plugin};
use crate::launch::{self, Keyless, Place};
use crate::plain;

pub(crate) fn run(asked: &Plugin, flags: &Flags, environment: &Environment) -> i32 {
    let place = Place::look(flags, environment, Opener::Person);
    let options = match launch::options(flags, &place, Keyless::Refuse) {
        Ok(options) => options,
        Err(problem) => return fail(&problem.to_string()),
    };
    match asked {
        Plugin::List { json } => list(&options, *json),
        Plugin::Validate { path, strict, json } => {
            let found = validate_plugin(&environment.cwd.join(path), &options);
            validated(&found, *strict, *json)
        }
    }
}

fn list(options: &Options, json: bool) -> i32 {
    let plugins = checkup(options).plugins;
    let text = if json {
        let all = plugins.iter().map(|plugin| {
            json!({
                "name": plugin.name,
                "source": plugin.source,
                "version": plugin.version,
                "path": plugin.path,
            })
        });
        format!("{:#}\n", serde_json::Value::Array(all.collect()))
    } else if plugins.is_empty() {
        "No plugins. --plugin-dir loads one for a session; `enabledPlugins` in the settings switches installed ones on.\n"
            .to_owned()
    } else {
        let line = |plugin: &sluice_engine::CheckedPlugin| {
            let version = plugin.version.as_deref().unwrap_or("no version");
            format!("{} ({version}): {}\n", plugin.source, plugin.path.display())
        };
        plain(&plugins.iter().map(line).collect::<String>()).into_owned()
    };
    show(&text);
    0
}

fn validated(found: &Validation, strict: bool, json: bool) -> i32 {
    let valid = found.errors.is_empty() && (!strict || found.warnings.is_empty());
    let text = if json {
        let report = json!({
            "valid": valid,
            "name": found.name,
            "errors": found.errors,
            "warnings": found.warnings,
        });
        format!("{report:#}\n")
    } else {
        let errors = found.errors.iter().map(|text| format!("error    {text}\n"));
        let warnings = found.warnings.iter().map(|text| format!("warning  {text}\n"));
        let verdict = match (valid, found.name.as_str()) {
            (true, "") => "valid\n".to_owned(),
            (true, name) => format!("{name} is valid\n"),
            (false, "") => "not valid\n".to_owned(),
            (false, name) => format!("{name} is not valid\n"),
        };
        plain(&errors.chain(warnings).chain([verdict]).collect::<String>()).into_owned()
    };
    show(&text);
    i32::from(!valid)
}

/// Prints text. A closed pipe is not an error.
fn show(text: &str) {
    let _gone = io::stdout().lock().write_all(text.as_bytes());
}

/// The plugins in the configuration folder, for the terminal.
#[derive(Debug)]
pub(crate) struct OwnPlugins {
    library: Library,
    /// The plugin whose installation is being confirmed.
    staged: Mutex<Option<StagedPlugin>>,
}

impl OwnPlugins {
    pub(crate) fn new(config_dir: &Path) -> Self {
        Self {
            library: Library::new(config_dir),
            staged: Mutex::new(None),
        }
    }

    fn replace(&self, staged: Option<StagedPlugin>) -> Option<StagedPlugin> {
        let mut held = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, staged)
    }
}

impl PluginStore for OwnPlugins {
    fn list(&self) -> Vec<PluginEntry> {
        let entry = |plugin: sluice_engine::library::InstalledPlugin| {
            let (contents, problem) = match plugin.contents {
                Ok(contents) => (contents, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            PluginEntry {
                id: plugin.id,
                version: plugin.version,
                contents,
                problem,
                enabled: false,
            }
        };
        self.library.list().into_iter().map(entry).collect()
    }

    fn stage(&self, source: &Path) -> Result<PluginOffer, String> {
        let staged = self.library.stage(source).map_err(|error| error.to_string())?;
        let offer = PluginOffer {
            id: staged.id.clone(),
            version: staged.version.clone(),
            contents: staged.contents.clone(),
            replaces: staged.replaces,
        };
        self.replace(Some(staged));
        Ok(offer)
    }

    fn install(&self, id: &str) -> Result<(), String> {
        let staged = self.replace(None).filter(|staged| staged.id == id);
        let staged = staged.ok_or_else(|| format!("{id} is no longer there; install it again"))?;
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        self.library
            .install(&staged, &now)
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    fn discard(&self) {
        self.replace(None);
    }

    fn remove(&self, id: &str) -> Result<(), String> {
        self.library.remove(id).map_err(|error| error.to_string())
    }
}
