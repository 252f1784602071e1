//! Agents offered by a bridge, and the account each uses.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use sluice_bridge::{AgentConfig, Agents};
use sluice_engine::settings::Opener;

use crate::environment::Environment;
use crate::flags::{Flags, Serve};
use crate::launch::Place;
use crate::serve::trust::Trust;
use crate::worktree;

/// Returns our agent first, unless another one is configured, then the reference CLI if it is installed.
pub(super) fn find(serve: &Serve, environment: &Environment, sluice: &Path) -> Result<Agents, String> {
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut all = vec![ours(environment, sluice), reference(environment, &variables)];
    for command in serve.agents.iter().rev() {
        let known = all.iter().position(|agent| agent.name == *command);
        let agent = match known {
            Some(at) => all.remove(at),
            None => other(command)?,
        };
        all.insert(0, agent);
    }
    Ok(Agents {
        all,
        environment: variables,
        config_dir: environment.config_dir.clone(),
        trust: Some(Arc::new(Trust::new(environment))),
        git: Some(sluice_tools::git::command),
        worktree: Some(worktree::for_session),
    })
}

fn ours(environment: &Environment, sluice: &Path) -> AgentConfig {
    let place = Place::look(&Flags::default(), environment, Opener::Person);
    let server = place.environment.base_url.clone();
    let (pays, detail) = match (place.has_key(), server) {
        (true, Some(server)) => ("server", format!("the server at {server}")),
        (true, None) if place.environment.api_key.is_some() => ("key", "the key in ANTHROPIC_API_KEY".to_owned()),
        (true, None) => ("key", "the key this machine's settings name".to_owned()),
        (false, _) => ("demo", "the built-in demo model, with real tools".to_owned()),
    };
    let env = match pays {
        "demo" => BTreeMap::from([("SLUICE_DEMO".to_owned(), "1".to_owned())]),
        _ => BTreeMap::new(),
    };
    // A small model, because the demo shows the task list, which is not offered to the largest models.
    let mut args: Vec<OsString> = vec!["--own-host".into(), "page".into()];
    if pays == "demo" {
        args.extend(["--model".into(), "claude-haiku-4-5".into()]);
    }
    AgentConfig {
        name: "sluice".to_owned(),
        program: sluice.to_owned(),
        args,
        env,
        pays: pays.to_owned(),
        pays_detail: detail,
    }
}

fn reference(environment: &Environment, variables: &BTreeMap<String, String>) -> AgentConfig {
    let set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
    let (pays, detail) = if set("ANTHROPIC_API_KEY") || set("ANTHROPIC_AUTH_TOKEN") {
        ("key", "the key in the environment".to_owned())
    } else if environment.config_dir.join(".credentials.json").exists() {
        ("account", "the account `claude` is signed in with".to_owned())
    } else {
        ("unknown", "the account or key of `claude`".to_owned())
    };
    AgentConfig {
        name: "claude".to_owned(),
        program: "claude".into(),
        args: Vec::new(),
        env: BTreeMap::new(),
        pays: pays.to_owned(),
        pays_detail: detail,
    }
}

/// Configures another program that implements the protocol, by its command line.
fn other(command: &str) -> Result<AgentConfig, String> {
    let mut words = words(command).into_iter();
    let program = words.next().ok_or("--agent needs a name or a command line")?;
    let name = Path::new(&program)
        .file_name()
        .map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
    Ok(AgentConfig {
        name,
        program: program.into(),
        args: words.map(OsString::from).collect(),
        env: BTreeMap::new(),
        pays: "unknown".to_owned(),
        pays_detail: format!("the account or key of `{command}`"),
    })
}

/// Splits a command line into words. Quotes are respected; nothing is expanded.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_command_line_is_split_into_words() {
        assert_eq!(
            words("node 'my agent.js'  --x=\"a b\" ''"),
            ["node", "my agent.js", "--x=a b", ""]
        );
        assert!(words("  ").is_empty());
    }
}
