//! The trust dialog, and the approval of a project's MCP servers, before a session starts.

use std::io;

use serde_json::{Map, Value};
use sluice_engine::mcp::scopes::{self, Named};
use sluice_engine::mcp::store;
use sluice_engine::settings::held::Held;
use sluice_engine::settings::keys::{self, permissions};
use sluice_engine::settings::{Layer, WriteError};
use sluice_terminal::{Facts, Questioner, StartQuestion};

use crate::flags::Flags;
use crate::launch::Place;
use crate::mcp_list::reach;
use crate::trusting;

/// Result of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing changed.
    Same,
    /// Additional settings or servers may take effect.
    More,
    /// The user does not want to work in this folder.
    Leave,
}

/// Name of a server, and its command or URL.
type Waiting = (String, String);

/// Asks the pending questions and saves the answers.
pub(crate) async fn ask(place: &Place, flags: &Flags, facts: &Facts) -> io::Result<Said> {
    let servers = waiting(place, flags);
    if place.settings.trusted() {
        return match servers.is_empty() {
            true => Ok(Said::Same),
            false => about_servers(place, facts, &servers).await,
        };
    }
    let held = trusting::held_back(flags, place);
    if held.is_empty() && servers.is_empty() {
        return Ok(Said::Same);
    }
    let question = question(facts, place.settings.layers(), &held, &servers);
    let mut questioner = Questioner::open(facts)?;
    match questioner.choose(&question).await? {
        Some(0) => Ok(Said::Same),
        Some(1) => {
            kept(trusting::trust(flags, place).map(|_| ()), &mut questioner)?;
            Ok(Said::More)
        }
        _ => Ok(Said::Leave),
    }
}

/// Asks whether to trust a folder whose git configuration names programs that a checkout would run.
pub(crate) async fn ask_about_filters(
    place: &Place,
    flags: &Flags,
    facts: &Facts,
    filters: &[String],
) -> io::Result<Said> {
    let mut body =
        vec!["  A worktree is checked out by git, which would run programs that .git/config names:".to_owned()];
    body.extend(filters.iter().map(|filter| format!("    {}", crate::plain(filter))));
    let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
    let question = StartQuestion {
        title: ("New folder".to_owned(), facts.folder_word()),
        body,
        choices: vec![choice("Leave", ""), choice("Trust this folder", "now and later")],
        ..StartQuestion::default()
    };
    let mut questioner = Questioner::open(facts)?;
    if questioner.choose(&question).await? != Some(1) {
        return Ok(Said::Leave);
    }
    kept(trusting::trust(flags, place).map(|_| ()), &mut questioner)?;
    Ok(Said::More)
}

fn kept(written: Result<(), WriteError>, questioner: &mut Questioner<'_>) -> io::Result<()> {
    match written {
        Ok(()) => Ok(()),
        Err(error) => questioner.say("✗", &format!("the answer could not be saved: {error}")),
    }
}

/// Builds the question: folder, what it would bring into effect, and three answers.
fn question(facts: &Facts, layers: &[Layer], held: &[Held], servers: &[Waiting]) -> StartQuestion {
    let mut brings = Vec::new();
    let mut whole = Vec::new();
    for held in held {
        let file = held.file.display().to_string();
        let is_of = |layer: &&Layer| layer.path.as_deref().is_some_and(|path| path.ends_with(&held.file));
        let layer = layers.iter().find(|layer| layer.waits() && is_of(layer));
        let counted = layer.map(|layer| brought(&layer.value)).unwrap_or_default();
        if let Some(layer) = layer {
            whole.push(format!("{file}:"));
            let text = serde_json::to_string_pretty(&layer.value).unwrap_or_default();
            whole.extend(text.lines().map(str::to_owned));
        }
        match counted.is_empty() {
            // Servers are listed in a separate row.
            true if file == scopes::PROJECT_FILE => {}
            true => {
                if layer.is_none() {
                    whole.push(held.to_string());
                }
                brings.push((shortened(&held.what), file, String::new()));
            }
            false => brings.extend(counted.into_iter().map(|(what, names)| (what, file.clone(), names))),
        }
    }
    if !servers.is_empty() {
        let names: Vec<String> = servers.iter().map(|(name, reach)| format!("{name}: {reach}")).collect();
        whole.push(".mcp.json:".to_owned());
        whole.extend(names.iter().map(|name| format!("  {name}")));
        brings.push((
            count(servers.len(), "server"),
            ".mcp.json".to_owned(),
            shortened(&names),
        ));
    }
    let width =
        |pick: fn(&(String, String, String)) -> &String| brings.iter().map(|it| pick(it).len()).max().unwrap_or(0);
    let (whats, files) = (width(|it| &it.0), width(|it| &it.1));
    let mut body = vec!["  Nothing in it runs automatically until you trust it. It contains".to_owned()];
    body.extend(brings.iter().map(|(what, file, names)| {
        format!("    {what:<whats$}   {file:<files$}   {names}")
            .trim_end()
            .to_owned()
    }));
    if brings.is_empty() {
        body.clear();
    }
    let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
    StartQuestion {
        title: ("New folder".to_owned(), facts.folder_word()),
        body,
        choices: vec![
            choice("Work here without them", "its deny and ask rules still apply"),
            choice("Trust this folder", "now and later"),
            choice("Leave", ""),
        ],
        selected: 0,
        whole,
    }
}

/// Summarizes what a settings file would bring into effect: kinds with counts, and names.
fn brought(settings: &Map<String, Value>) -> Vec<(String, String)> {
    let names = |value: Option<&Value>| -> Vec<String> {
        match value {
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(text)) => vec![text.clone()],
            _ => Vec::new(),
        }
    };
    let allowed = settings
        .get(keys::PERMISSIONS.name)
        .and_then(|value| value.get(permissions::ALLOW.name));
    let folders = settings
        .get(keys::PERMISSIONS.name)
        .and_then(|value| value.get(permissions::ADDITIONAL_DIRECTORIES.name));
    let mut brings = Vec::new();
    let mut add = |count: usize, what: &str, names: &[String]| {
        if count > 0 {
            brings.push((self::count(count, what), shortened(names)));
        }
    };
    let events = names(settings.get(keys::HOOKS.name));
    let hooks = settings.get(keys::HOOKS.name).and_then(Value::as_object);
    let commands = |matchers: &Value| -> usize {
        let lists = matchers.as_array().into_iter().flatten();
        lists
            .filter_map(|matcher| Some(matcher.get("hooks")?.as_array()?.len()))
            .sum()
    };
    let hooks: usize = hooks.into_iter().flat_map(Map::values).map(commands).sum();
    add(hooks.max(events.len()), "hook", &events);
    let rules = names(allowed);
    add(rules.len(), "allow rule", &rules);
    let variables = names(settings.get(keys::ENV.name));
    add(variables.len(), "variable", &variables);
    let directories = names(folders);
    add(directories.len(), "other folder", &directories);
    for (key, what) in [
        (keys::API_KEY_HELPER, "key command"),
        (keys::STATUS_LINE, "status line"),
        (keys::ENABLED_PLUGINS, "plugin"),
    ] {
        let value = settings.get(key.name);
        let found = match value {
            Some(value) if key == keys::STATUS_LINE => names(value.get("command")),
            value => names(value),
        };
        add(found.len(), what, &found);
    }
    brings
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the first few names.
fn shortened(names: &[String]) -> String {
    const MAX_NAMES: usize = 2;
    let mut text = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMES {
        text.push_str(", ⋯");
    }
    text
}

/// Asks about each server of the project that is neither approved nor rejected.
async fn about_servers(place: &Place, facts: &Facts, servers: &[Waiting]) -> io::Result<Said> {
    let places = place.settings.places();
    let mut questioner = Questioner::open(facts)?;
    let mut said = Said::Same;
    for (at, (name, reach)) in servers.iter().enumerate() {
        let rest = servers.get(at..).unwrap_or_default();
        let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
        let mut choices = vec![
            choice("Not now", "ask again next time"),
            choice("Connect it", "here, from now on"),
        ];
        if rest.len() > 1 {
            choices.push(choice(
                &format!("Connect all {} new servers of this project", rest.len()),
                "",
            ));
        }
        choices.push(choice("Never", "in this project"));
        let question = StartQuestion {
            title: ("New server".to_owned(), name.clone()),
            body: vec![
                format!("    {reach}"),
                "  This project configures it in .mcp.json.".to_owned(),
            ],
            choices,
            ..StartQuestion::default()
        };
        let never = if rest.len() > 1 { 3 } else { 2 };
        match questioner.choose(&question).await? {
            None | Some(0) => continue,
            Some(1) => kept(store::choose(places, name, true), &mut questioner)?,
            Some(at) if at == never => kept(store::choose(places, name, false), &mut questioner)?,
            Some(_) => {
                for (name, _) in rest {
                    kept(store::choose(places, name, true), &mut questioner)?;
                }
                return Ok(Said::More);
            }
        }
        said = Said::More;
    }
    Ok(said)
}

fn waiting(place: &Place, flags: &Flags) -> Vec<Waiting> {
    let told = |named: Named| (named.name, named.config.as_ref().map(reach).unwrap_or_default());
    trusting::waiting_servers(flags, place).into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn brings(settings: &Value) -> Vec<(String, String)> {
        brought(settings.as_object().unwrap())
    }

    fn pair(what: &str, names: &str) -> (String, String) {
        (what.to_owned(), names.to_owned())
    }

    #[test]
    fn contents_of_a_folder_are_counted_and_named() {
        let hook = json!([{"hooks": [{"type": "command", "command": "a"}]}]);
        let settings = json!({
            "hooks": {"PreToolUse": hook, "Stop": hook},
            "permissions": {"allow": ["Bash(npm run *)", "Read(docs/**)", "WebFetch"], "deny": ["Bash(rm:*)"]},
            "env": {"A": "1"},
            "statusLine": {"type": "command", "command": "status.sh"},
            "model": "opus",
        });
        assert_eq!(
            brings(&settings),
            [
                pair("2 hooks", "PreToolUse, Stop"),
                pair("3 allow rules", "Bash(npm run *), Read(docs/**), ⋯"),
                pair("1 variable", "A"),
                pair("1 status line", "status.sh"),
            ]
        );
        assert!(brings(&json!({"model": "opus", "permissions": {"deny": ["Bash"]}})).is_empty());
    }

    #[test]
    fn files_that_are_no_settings_are_listed() {
        let held = Held {
            file: ".claude/commands/go.md".into(),
            what: vec!["allowed-tools".to_owned(), "hooks".to_owned()],
        };
        let question = question(&Facts::default(), &[], &[held], &[]);
        assert_eq!(
            question.body.last().map(String::as_str),
            Some("    allowed-tools, hooks   .claude/commands/go.md")
        );
        assert_eq!(question.whole, [".claude/commands/go.md: allowed-tools, hooks"]);
    }

    #[test]
    fn the_question_is_aligned_and_holds_the_servers() {
        let facts = Facts {
            folder: "/home/me/code/shop".into(),
            home: "/home/me".into(),
            ..Facts::default()
        };
        let question = question(
            &facts,
            &[],
            &[],
            &[("tracker".to_owned(), "npx tracker-mcp".to_owned())],
        );
        assert_eq!(question.title.1, "~/code/shop");
        assert_eq!(
            question.body,
            [
                "  Nothing in it runs automatically until you trust it. It contains",
                "    1 server   .mcp.json   tracker: npx tracker-mcp",
            ]
        );
        assert_eq!(question.selected, 0, "no is highlighted");
    }
}
