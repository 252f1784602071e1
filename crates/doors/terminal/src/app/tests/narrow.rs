//! All dialogs and reports at forty columns: no row is wider than the screen, and no value is lost.

use serde_json::{from_value, json};

use super::screens::{card, ended, screen, seen, stage};
use super::stage::Stage;
use crate::app::{ActOutcome, Files, Point};
use crate::input::PastPrompt;
use crate::text::width;

const NARROW: usize = 40;

/// Returns the visible letters without spaces and marks, whose order does not depend on line breaks.
fn letters(rows: &[String]) -> String {
    let text = rows.concat();
    text.chars()
        .filter(|it| !it.is_whitespace() && !"›‹∙".contains(*it))
        .collect()
}

fn fits(rows: &[String]) {
    for row in rows {
        assert!(width::of(row) <= NARROW, "{} cells: {row:?}", width::of(row));
    }
}

/// Checks that every choice of a list is shown in full while highlighted.
fn every_choice_is_whole(stage: &mut Stage, name: &str) {
    let picker = stage
        .app
        .picker
        .clone()
        .unwrap_or_else(|| panic!("{name} did not open"));
    stage.press(&["home"]);
    for (at, (label, about)) in picker.rows.iter().enumerate() {
        let region = stage.region();
        fits(&region);
        let shown = letters(&region);
        for part in [label, picker.longer.get(&at).unwrap_or(about)] {
            for word in part.split_whitespace().filter(|word| *word != "∙") {
                let word = letters(&[word.to_owned()]);
                assert!(
                    shown.contains(&word),
                    "{name}, choice {at}: {word:?} is lost in {region:#?}"
                );
            }
        }
        stage.press(&["down"]);
    }
    screen(&format!("{name}-40"), &stage.region());
}

fn told(told: ActOutcome) -> Stage {
    let mut stage = stage(NARROW);
    stage.now = 10_000_000_000;
    stage.app.apply_outcome(told, stage.now);
    stage
}

#[test]
fn lists_from_the_agent() {
    let models = json!([{"value": "default", "displayName": "Default", "description": "Sonnet 4.5 · $3 in, $15 out per M · for everyday work",
        "resolvedModel": "claude-sonnet-4-5"}, {"value": "opus", "displayName": "Opus", "description": "$5 in, $25 out per M",
        "resolvedModel": "claude-opus-4-5"}]);
    let servers = json!([{"name": "tracker-of-the-whole-company", "status": "connected", "scope": "project", "transport": "stdio",
        "tools": [{"name": "search_issues_in_every_project", "description": "Finds issues in every project there is."}]},
        {"name": "docs", "status": "failed", "error": "exit 1: module not found: docs-mcp in /usr/lib/node_modules/docs-mcp"}]);
    let rules = json!({"rules": [
        {"behavior": "allow", "source": "localSettings", "rule": "Bash(cargo test --workspace --all-features:*)"},
        {"behavior": "allow", "source": "projectSettings", "rule": "Bash(npm run *)", "notInEffect": true}],
        "workspaceDirectories": [{"path": "/home/me/code/shop", "source": "session"}], "originalCwd": "/", "managedOnly": false});
    let agents = json!([{"name": "Explore", "description": "reads only, and looks where something is", "model": "haiku"},
        {"name": "release", "description": "all tools"}]);
    for (name, list) in [
        ("model", ActOutcome::Models(from_value(models).unwrap())),
        ("mcp", ActOutcome::Servers(from_value(servers.clone()).unwrap())),
        ("rules", ActOutcome::Rules(Box::new(from_value(rules).unwrap()))),
        ("agents", ActOutcome::Agents(from_value(agents).unwrap())),
        (
            "config",
            ActOutcome::Settings(json!({"preferredNotifChannel": "notifications_disabled"})),
        ),
    ] {
        every_choice_is_whole(&mut told(list), name);
    }
    let mut stage = told(ActOutcome::Servers(from_value(servers).unwrap()));
    stage.press(&["home", "enter"]);
    let rows = seen(&mut stage);
    fits(&rows);
    assert!(
        letters(&rows).contains("search_issues_in_every_project") && letters(&rows).contains("everyprojectthereis.")
    );
}

#[test]
fn lists_of_the_past() {
    let session = |title: &str, folder: &str| {
        let mut info = sluice_host::sessions::SessionInfo::default();
        info.session_id = format!("{title}-0000-4000-8000-000000000001");
        info.summary = title.to_owned();
        info.last_modified = 9_990_000_000;
        info.git_branch = Some("main".to_owned());
        info.cwd = Some(folder.to_owned());
        info
    };
    let sessions = vec![
        session("Fix the retry loop that never ends in the bridge", "/home/me/code/shop"),
        session("two", "/home/me/code/a-folder-with-a-long-name/and-another"),
    ];
    for everywhere in [false, true] {
        let list = ActOutcome::Sessions {
            sessions: sessions.clone(),
            everywhere,
            first: true,
        };
        every_choice_is_whole(&mut told(list), if everywhere { "resume-everywhere" } else { "resume" });
    }
    let point = Point {
        uuid: "u".to_owned(),
        before: Some("b".to_owned()),
        text: "rename Frame to Line everywhere, and the tests too".to_owned(),
        at: 9_990_000_000,
        files: Some(Files {
            names: vec!["src/a/very/long/path/to/a/file/frame.rs".to_owned(); 2],
            added: 18,
            removed: 18,
        }),
        commands: 2,
    };
    let mut stage = told(ActOutcome::Points(vec![point]));
    every_choice_is_whole(&mut stage, "rewind");
    stage.press(&["home", "enter"]);
    every_choice_is_whole(&mut stage, "rewind-what");
    let mut stage = stage_with_history();
    stage.press(&["ctrl+r"]);
    every_choice_is_whole(&mut stage, "history");
}

fn stage_with_history() -> Stage {
    let mut stage = stage(NARROW);
    stage.now = 10_000_000_000;
    for text in [
        "also run clippy",
        "fix all clippy warnings in crates/wire, then\na\nb\nc",
    ] {
        let folder = "/home/me/code/shop".to_owned();
        stage.app.history.add(PastPrompt {
            text: text.to_owned(),
            at: 9_990_000_000,
            folder,
            session: None,
        });
    }
    stage
}

#[test]
fn lists_from_the_terminal() {
    for command in ["mode", "theme"] {
        let mut stage = stage(NARROW);
        stage.write(&format!("/{command}"));
        stage.press(&["enter"]);
        every_choice_is_whole(&mut stage, command);
    }
    let mut stage = stage(NARROW);
    stage.write("# tests need the paused clock, all of them, always");
    stage.press(&["enter"]);
    every_choice_is_whole(&mut stage, "note");
    let mut stage = self::stage(NARROW);
    stage.turn("go");
    let tasks = json!([{"task_id": "b1", "task_type": "local_bash", "description": "npm run dev"},
        {"task_id": "a3", "task_type": "local_agent", "description": "Review the whole diff of the branch"}]);
    stage.says(&json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks, "session_id": "s", "uuid": "x"}));
    stage.later(41_000);
    stage.look();
    stage.write("/tasks");
    stage.press(&["enter"]);
    every_choice_is_whole(&mut stage, "jobs");
    stage.press(&["esc"]);
    stage.write("/serve");
    stage.press(&["enter"]);
    every_choice_is_whole(&mut stage, "serve");
}

#[test]
fn reports_of_commands() {
    let mut facts = Stage::facts();
    facts.config_dir = "/home/me/a/place/for/settings/that/is/far/down/claude".into();
    let mut stage = Stage::of(facts, NARROW, 24);
    seen(&mut stage);
    stage.turn("go");
    card(
        &mut stage,
        "1",
        "Bash",
        &json!({"command": "true"}),
        "",
        &json!({"stdout": "", "stderr": ""}),
    );
    ended(&mut stage);
    stage.app.snapshot.session = Some("6da3ebdf-2b1c-4d5e-8f90-123456789abc".to_owned());
    seen(&mut stage);
    stage.write("/status");
    stage.press(&["enter"]);
    let rows = seen(&mut stage);
    fits(&rows);
    screen("status-40", &rows);
    assert!(
        rows.iter()
            .any(|row| row.trim() == "6da3ebdf-2b1c-4d5e-8f90-123456789abc"),
        "{rows:#?}"
    );
    let usage = json!({"session": {"total_cost_usd": 0.43, "total_api_duration_ms": 250_000, "total_duration_ms": 1_320_000,
        "total_lines_added": 164, "total_lines_removed": 49, "model_usage": {"claude-sonnet-4-5": {"inputTokens": 5100,
        "outputTokens": 9200, "cacheReadInputTokens": 39_000, "cacheCreationInputTokens": 4000, "webSearchRequests": 0,
        "costUSD": 0.43, "contextWindow": 200_000, "maxOutputTokens": 64_000}}}, "subscription_type": null,
        "rate_limits_available": false, "rate_limits": null, "behaviors": null});
    stage
        .app
        .apply_outcome(ActOutcome::Cost(Box::new(from_value(usage).unwrap())), stage.now);
    let rows = seen(&mut stage);
    fits(&rows);
    screen("cost-40", &rows);
    assert!(letters(&rows).contains("48.1kin(81%fromcache)9.2kout$0.43"));
    let hooks = json!([{"event": "PreToolUse", "matcher": "Bash", "type": "command", "displayText": "/home/me/bin/check-the-command --strict --log=/tmp/log",
        "source": "userSettings", "sourceLabel": "you, everywhere", "commandText": "", "contentLabel": ""}]);
    stage
        .app
        .apply_outcome(ActOutcome::Hooks(from_value(hooks).unwrap()), stage.now);
    let rows = seen(&mut stage);
    fits(&rows);
    assert!(
        letters(&rows).contains("check-the-command--strict--log=/tmp/logyou,everywhere"),
        "{rows:#?}"
    );
}

#[test]
fn a_notice_is_shown_completely() {
    let mut stage = stage(NARROW);
    stage.write("/rename");
    stage.press(&["enter", "enter"]);
    let rows = stage.region();
    fits(&rows);
    assert!(letters(&rows).contains("/renamefixtheretryloop"), "{rows:#?}");
}
