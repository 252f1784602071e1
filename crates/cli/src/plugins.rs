//! `sluice plugin …`: the plugins of this folder, and what is wrong with one.

use std::io::{self, Write};

use serde_json::json;
use sluice_engine::settings::Opener;
use sluice_engine::{Options, Validation, checkup, validate_plugin};

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
        plain(&plugins.iter().map(line).collect::<String>())
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
        plain(&errors.chain(warnings).chain([verdict]).collect::<String>())
    };
    show(&text);
    i32::from(!valid)
}

/// Prints. A reader that is gone is no error.
fn show(text: &str) {
    let _gone = io::stdout().lock().write_all(text.as_bytes());
}
