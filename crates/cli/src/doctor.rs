//! `sluice doctor`: what is there and what is missing, in a few lines.

use std::io::{self, Write};
use std::path::Path;

use crate::environment::Environment;
use crate::flags;

pub(crate) fn run(environment: &Environment) -> i32 {
    let report = report(environment);
    let _gone = io::stdout().lock().write_all(report.as_bytes());
    0
}

fn report(environment: &Environment) -> String {
    let key = match (&environment.api_key, &environment.auth_token) {
        (Some(_), _) => "ANTHROPIC_API_KEY is set",
        (None, Some(_)) => "ANTHROPIC_AUTH_TOKEN is set",
        (None, None) => "no key: the demo model answers in the terminal; set ANTHROPIC_API_KEY for a real one",
    };
    let address = environment
        .base_url
        .as_deref()
        .unwrap_or(sluice_model::DEFAULT_BASE_URL);
    let bash = found("bash").unwrap_or_else(|| "not found: the Bash tool will not work".to_owned());
    let git = found("git").unwrap_or_else(|| "not found".to_owned());
    let lines = [
        ("version", flags::version_line()),
        ("folder", environment.cwd.display().to_string()),
        ("settings", environment.config_dir.display().to_string()),
        ("key", key.to_owned()),
        ("model at", address.to_owned()),
        ("bash", bash),
        ("git", git),
    ];
    lines
        .iter()
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect()
}

/// Where a program is, by `$PATH`.
fn found(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let place = std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| Path::is_file(file))?;
    Some(place.display().to_string())
}
