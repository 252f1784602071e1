//! `sluice doctor`: what is there and what is missing, in a few lines.

use std::io::{self, Write};
use std::path::Path;

use sluice_engine::mcp::scopes::Named;
use sluice_engine::settings::Opener;

use crate::environment::Environment;
use crate::flags::{self, Flags};
use crate::launch::{self, Keyless, Place};
use crate::mcp_list;

pub(crate) fn run(flags: &Flags, environment: &Environment) -> i32 {
    let place = Place::look(flags, environment, Opener::Person);
    let (sandbox, problems) = match launch::options(flags, &place, Keyless::Refuse) {
        Ok(options) => (
            sluice_engine::sandbox(&options).map(|sandbox| sandbox.describe()),
            sluice_engine::problems(&options),
        ),
        Err(problem) => (
            Some(problem),
            place.settings.problems().iter().map(ToString::to_string).collect(),
        ),
    };
    let servers = mcp_list::all(&place, flags);
    let report = report(
        &place,
        &servers,
        sandbox
            .as_deref()
            .unwrap_or("not asked for (`sandbox.enabled` in the settings)"),
        problems,
    );
    let _gone = io::stdout().lock().write_all(report.as_bytes());
    0
}

fn report(place: &Place, servers: &[Named], sandbox: &str, problems: Vec<String>) -> String {
    let Place { environment, settings } = place;
    let key = match (&environment.api_key, &environment.auth_token, settings.api_key_helper()) {
        (Some(_), _, _) => "ANTHROPIC_API_KEY is set",
        (None, Some(_), _) => "ANTHROPIC_AUTH_TOKEN is set",
        (None, None, Some(_)) => "the settings name an apiKeyHelper",
        (None, None, None) => "no key: the demo model answers in the terminal; set ANTHROPIC_API_KEY for a real one",
    };
    let trusted = match (settings.trusted(), place.waits_for_trust()) {
        (true, _) => "yes",
        (false, true) => "no: the folder's own settings wait for it",
        (false, false) => "no, and nothing waits for it",
    };
    let address = environment
        .base_url
        .as_deref()
        .unwrap_or(sluice_model::DEFAULT_BASE_URL);
    let bash = found("bash").unwrap_or_else(|| "not found: the Bash tool will not work".to_owned());
    let git = found("git").unwrap_or_else(|| "not found".to_owned());
    let lines = vec![
        ("version", flags::version_line()),
        ("folder", environment.cwd.display().to_string()),
        ("settings", environment.config_dir.display().to_string()),
        ("trusted", trusted.to_owned()),
        ("key", key.to_owned()),
        ("model at", address.to_owned()),
        ("sandbox", sandbox.to_owned()),
        ("bash", bash),
        ("git", git),
    ];
    let problems = problems.into_iter().map(|problem| ("problem", problem));
    let servers = servers.iter().map(|named| {
        let scope = named.scope.as_str();
        (
            "server",
            format!("{} ({scope}): {}", named.name, mcp_list::standing(named)),
        )
    });
    lines
        .into_iter()
        .chain(servers)
        .chain(problems)
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
