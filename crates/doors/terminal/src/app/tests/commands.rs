//! Slash commands: which one a line runs, and how they are listed.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_host::conversation::{Command, Submit, What};
use sluice_wire::mode::PermissionMode;
use sluice_wire::stdin::User;

use super::screens::{called, came, ended, seen, stage};
use super::stage::Stage;
use crate::app::{Act, ActOutcome, PickerKind};
use crate::facts::Facts;

fn command(name: &str) -> Command {
    Command {
        name: name.into(),
        description: Some(format!("what {name} does").into()),
        hint: None,
    }
}

/// Creates a stage whose agent has these commands.
fn with(names: &[&str]) -> Stage {
    let mut stage = stage(80);
    stage.app.snapshot.commands = names.iter().map(|name| command(name)).collect();
    stage
}

fn enter(stage: &mut Stage, line: &str) -> Vec<Act> {
    stage.write(line);
    stage.press(&["enter"]);
    stage.acts()
}

#[test]
fn the_typed_command_runs_instead_of_the_last_used_one() {
    let mut stage = with(&["reload-plugins"]);
    assert_eq!(enter(&mut stage, "/model"), [Act::Models]);
    assert!(enter(&mut stage, "/mode").is_empty());
    assert!(matches!(stage.app.picker.as_ref().unwrap().picks, PickerKind::Mode));
    stage.press(&["esc"]);
    enter(&mut stage, "/statusline date");
    assert!(enter(&mut stage, "/status").is_empty());
    assert!(
        seen(&mut stage).iter().any(|row| row.contains("version")),
        "it shows the status"
    );
}

#[test]
fn status_names_the_model_before_the_first_turn() {
    let facts = Facts {
        model: String::new(),
        ..Stage::facts()
    };
    let mut stage = Stage::of(facts, 80, 24);
    stage
        .app
        .apply_outcome(ActOutcome::Model("claude-opus-5-5".to_owned()), stage.now);
    enter(&mut stage, "/status");
    let rows = seen(&mut stage);
    assert!(
        rows.iter()
            .any(|row| row.contains("model") && row.ends_with("claude-opus-5-5")),
        "{rows:?}"
    );
}

#[test]
fn the_output_of_a_command_follows_the_command() {
    let mut stage = Stage::new(80, 24);
    stage.happen(What::Submit(Submit::new("p1", User::new("/goal"))));
    let lifecycle =
        |state: &str| json!({"type": "command_lifecycle", "command_uuid": "p1", "state": state, "uuid": state});
    let output = json!({"type": "assistant", "message": {"id": "m1", "type": "message", "role": "assistant",
        "model": "<synthetic>", "content": [{"type": "text", "text": "No goal is set."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 0, "output_tokens": 0}}, "parent_tool_use_id": null, "session_id": "s", "uuid": "a1",
        "local_command_source": "<local-command-stdout>No goal is set.</local-command-stdout>",
        "local_command_run": {"command": "goal", "args": ""}});
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "num_turns": 0, "result": "No goal is set.",
        "duration_ms": 1, "duration_api_ms": 0, "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": [],
        "session_id": "s", "uuid": "r1", "user_message_uuid": "p1", "user_message_uuids": ["p1"]});
    for message in [
        lifecycle("queued"),
        lifecycle("started"),
        output,
        result,
        lifecycle("completed"),
    ] {
        stage.says(&message);
    }
    stage.look();
    let rows = seen(&mut stage);
    let place = |text: &str| rows.iter().position(|row| row.contains(text));
    assert!(
        place("› /goal").is_some() && place("› /goal") < place("No goal is set."),
        "{rows:?}"
    );
}

#[test]
fn a_partial_match_is_completed_but_not_run() {
    let mut stage = with(&["reload-plugins"]);
    assert_eq!(enter(&mut stage, "/rld-pl"), []);
    assert_eq!(stage.app.editor.text(), "/reload-plugins");
    stage.press(&["enter"]);
    assert!(
        matches!(stage.acts().as_slice(), [Act::Send { text, .. }] if text == "/reload-plugins"),
        "the second enter runs it"
    );
    assert_eq!(enter(&mut stage, "/cos"), []);
    assert_eq!(
        stage.app.editor.text(),
        "/cost",
        "the beginning of a name is a guess too"
    );
}

#[test]
fn a_highlighted_command_runs() {
    let mut stage = with(&[]);
    stage.write("/cos");
    stage.press(&["down", "up", "enter"]);
    assert_eq!(stage.acts(), [Act::Cost], "it was chosen with the arrows");
}

#[test]
fn an_unknown_command_is_an_error_with_a_suggestion() {
    let mut stage = with(&["reload-plugins"]);
    assert_eq!(enter(&mut stage, "/statsu now"), []);
    assert_eq!(stage.app.editor.text(), "/statsu now", "it stays to be corrected");
    let rows = stage.region().join("\n");
    assert!(
        rows.contains("no command /statsu") && rows.contains("/status"),
        "{rows}"
    );
    stage.press(&["ctrl+c"]);
    assert!(
        matches!(enter(&mut stage, "/usr/bin/x is broken").as_slice(), [Act::Send { .. }]),
        "a path is a prompt"
    );
}

#[test]
fn every_command_can_be_reached_in_the_list_below_the_composer() {
    let mut stage = with(&["reload-plugins"]);
    stage.write("/");
    let mut shown = std::collections::BTreeSet::new();
    for _ in 0..crate::app::commands::OURS.len() + 1 {
        let rows = stage.region();
        shown.extend(rows.iter().filter_map(|row| {
            let word = row.split_whitespace().next()?;
            word.strip_prefix('/').map(str::to_owned)
        }));
        stage.press(&["down"]);
    }
    let missing: Vec<&str> = crate::app::commands::OURS
        .iter()
        .map(|(name, ..)| *name)
        .chain(["reload-plugins"])
        .filter(|name| !shown.contains(*name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn help_lists_every_command_with_one_line_each() {
    let mut stage = with(&["reload-plugins"]);
    assert!(enter(&mut stage, "/help").is_empty());
    let mut shown = stage.region();
    assert!(
        shown.iter().any(|row| row.contains("shift+tab mode")),
        "the keys: {shown:?}"
    );
    for _ in 0..9 {
        stage.press(&["pagedown"]);
        shown.extend(stage.region());
    }
    for (name, _, about) in crate::app::commands::OURS {
        let row = shown.iter().find(|row| row.contains(&format!("/{name} ")));
        let start: String = about.chars().take(20).collect();
        assert!(row.is_some_and(|row| row.contains(&start)), "/{name}: {row:?}");
    }
    assert!(shown.iter().any(|row| row.contains("what reload-plugins does")));
    stage.press(&["enter"]);
    assert!(
        stage.app.editor.text().starts_with('/'),
        "a choice is put into the line"
    );
}

#[test]
fn the_end_of_a_background_agent_is_shown_in_plain_words() {
    let mut stage = stage(80);
    stage.turn("go");
    called(
        &mut stage,
        "c1",
        "Agent",
        &json!({"description": "Read the docs", "prompt": "x", "run_in_background": true}),
    );
    stage.says(
        &json!({"type": "system", "subtype": "task_started", "task_id": "a1", "tool_use_id": "c1",
        "description": "Read the docs", "task_type": "local_agent", "session_id": "s", "uuid": "1"}),
    );
    came(&mut stage, "c1", "started", &json!({"isAsync": true}), false);
    stage.look();
    ended(&mut stage);
    let report = "[The agent was stopped early. Tell the user.]\n# Findings\n\nThe docs are fine.";
    stage.says(
        &json!({"type": "system", "subtype": "task_notification", "task_id": "a1", "tool_use_id": "c1",
        "status": "completed", "output_file": "/tmp/a1.output", "summary": report, "session_id": "s", "uuid": "2"}),
    );
    stage.look();
    let rows = seen(&mut stage).join("\n");
    assert!(rows.contains("& job a1 ended  Read the docs"), "{rows}");
    assert!(!rows.contains("\\x0a") && !rows.contains("Tell the user"), "{rows}");
}

#[test]
fn plan_switches_the_mode_sends_a_prompt_and_shows_the_plan() {
    let plan = || Act::SetMode(PermissionMode::Plan);
    let mut stage = with(&["x"]);
    assert_eq!(enter(&mut stage, "/plan"), [plan()]);
    let acts = enter(&mut stage, "/plan a new parser");
    assert!(
        matches!(acts.as_slice(), [mode, Act::Send { text, .. }] if *mode == plan() && text == "a new parser"),
        "{acts:?}"
    );
    stage.app.snapshot.mode = Some(PermissionMode::Plan);
    assert_eq!(enter(&mut stage, "/plan"), [Act::Plan]);
}

#[test]
fn memory_lists_all_possible_files() {
    let mut stage = with(&["x"]);
    assert!(enter(&mut stage, "/memory").is_empty());
    let rows = stage.region().join("\n");
    assert!(
        rows.contains("CLAUDE.local.md") && rows.contains("you, everywhere"),
        "{rows}"
    );
    stage.press(&["down", "enter"]);
    assert_eq!(
        stage.acts(),
        [Act::EditFile("/home/me/code/shop/CLAUDE.local.md".into())]
    );
}
