//! `sluice doctor`: reports what works and what is missing.

use std::io::{self, Write};
use std::path::Path;

use sluice_engine::Checkup;
use sluice_engine::mcp::scopes::{Named, Scope};
use sluice_engine::settings::Opener;

use crate::environment::Environment;
use crate::flags::{self, Flags};
use crate::launch::{self, Keyless, Place};
use crate::mcp_list;
use crate::plain;
use crate::trusting;

pub(crate) fn run(flags: &Flags, environment: &Environment) -> i32 {
    let place = Place::look(flags, environment, Opener::Person);
    let servers = mcp_list::all(&place, flags);
    let (sandbox, mut checkup) = match launch::options(flags, &place, Keyless::Refuse) {
        Ok(options) => (
            sluice_engine::sandbox(&options).map(|sandbox| sandbox.describe()),
            sluice_engine::checkup(&options),
        ),
        Err(problem) => {
            let problems = vec![problem.to_string()];
            let checkup = Checkup {
                problems,
                ..Checkup::default()
            };
            (None, checkup)
        }
    };
    // Servers of plugins are checked with their plugin.
    let broken = servers.iter().filter(|named| named.scope != Scope::Plugin);
    let broken =
        broken.filter_map(|named| Some(format!("The server {}: {}", named.name, named.config.as_ref().err()?)));
    checkup.problems.extend(broken);
    let sandbox = sandbox.unwrap_or_else(|| "off (`sandbox.enabled` in the settings switches it on)".to_owned());
    let (bridge, broken) = crate::serve::health::look(environment);
    checkup.problems.extend(broken);
    let report = report(&place, &servers, &sandbox, &bridge, &checkup);
    let _gone = io::stdout().lock().write_all(plain(&report).as_bytes());
    i32::from(!checkup.problems.is_empty())
}

/// Repairs a terminal after a process was killed.
pub(crate) fn repair() -> i32 {
    match sluice_terminal::repair() {
        Ok(()) => {
            let said = "the terminal was reset: keys, lines, cursor and colours\n";
            i32::from(io::stdout().lock().write_all(said.as_bytes()).is_err())
        }
        Err(error) => {
            let _gone = writeln!(io::stderr().lock(), "this is not a terminal: {error}");
            1
        }
    }
}

/// Reports the available credentials to programs.
pub(crate) fn auth_status(flags: &Flags, environment: &Environment, text: bool) -> i32 {
    let place = Place::look(flags, environment, Opener::Person);
    let Place { environment, settings } = &place;
    let (method, source) = match (&environment.api_key, &environment.auth_token, settings.api_key_helper()) {
        (Some(_), _, _) => ("api_key", Some("ANTHROPIC_API_KEY")),
        (None, Some(_), _) => ("oauth_token", None),
        (None, None, Some(_)) => ("api_key_helper", Some("apiKeyHelper")),
        (None, None, None) => ("none", None),
    };
    let signed_in = method != "none";
    let mut out = io::stdout().lock();
    if text {
        let line = match source {
            Some(source) => format!("API key: {source}"),
            None if signed_in => format!("Auth token: {}", environment.auth_token_name()),
            None => "Not logged in: set ANTHROPIC_API_KEY, or start sluice in a terminal and type /login".to_owned(),
        };
        let address = environment
            .base_url
            .as_ref()
            .map(|url| format!("Anthropic base URL: {url}\n"));
        let _gone = out.write_all(plain(&format!("{line}\n{}", address.unwrap_or_default())).as_bytes());
        return i32::from(!signed_in);
    }
    let mut status = serde_json::json!({
        "loggedIn": signed_in,
        "authMethod": method,
        "apiProvider": "firstParty",
        // Sluice sends no usage data and offers no sign-in with an account.
        "analyticsDisabled": true,
        "projectsDirectory": environment.config_dir.join("projects"),
        "configDirectory": environment.config_dir,
        "loginExpiresAt": null,
        "consoleProfileSignInOffered": false,
    });
    if let (Some(source), Some(fields)) = (source, status.as_object_mut()) {
        fields.insert("apiKeySource".to_owned(), source.into());
    }
    let _gone = writeln!(out, "{status:#}");
    i32::from(!signed_in)
}

fn report(place: &Place, servers: &[Named], sandbox: &str, bridge: &[(&str, String)], checkup: &Checkup) -> String {
    let Place { environment, settings } = place;
    let key = match (&environment.api_key, &environment.auth_token, settings.api_key_helper()) {
        (Some(_), _, _) => "ANTHROPIC_API_KEY is set",
        (None, Some(_), _) => "ANTHROPIC_AUTH_TOKEN is set",
        (None, None, Some(_)) => "apiKeyHelper in the settings is used",
        (None, None, None) => "no key: the demo model answers in the terminal; set ANTHROPIC_API_KEY for a real one",
    };
    let held = trusting::held_back(&Flags::default(), place);
    let trusted = match (settings.trusted(), !held.is_empty()) {
        (true, _) => "yes",
        (false, true) => "no: the settings of the folder do not apply until it is trusted",
        (false, false) => "no, but it contains nothing that needs trust",
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
    let plugins = checkup.plugins.iter().map(|plugin| {
        let version = plugin.version.as_deref().unwrap_or("no version");
        ("plugin", format!("{} ({version})", plugin.source))
    });
    let found = format!(
        "{} commands, {} skills, {} agents",
        checkup.commands,
        checkup.skills,
        checkup.agents.len()
    );
    let problems = checkup.problems.iter().map(|problem| ("problem", problem.clone()));
    let verdict = match checkup.problems.len() {
        0 => "no problems".to_owned(),
        1 => "1 problem, see above".to_owned(),
        several => format!("{several} problems, see above"),
    };
    let servers = servers.iter().map(|named| {
        let scope = named.scope.as_str();
        (
            "server",
            format!("{} ({scope}): {}", named.name, mcp_list::standing(named)),
        )
    });
    lines
        .into_iter()
        .chain([("found", found)])
        .chain(plugins)
        .chain(servers)
        .chain(bridge.iter().cloned())
        .chain(problems)
        .chain([("in all", verdict)])
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect()
}

/// Finds a program in `$PATH`.
fn found(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let place = std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| Path::is_file(file))?;
    Some(place.display().to_string())
}
