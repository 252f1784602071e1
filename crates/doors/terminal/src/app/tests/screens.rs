//! The named screens, compared with the files of the same name. `SLUICE_SCREENS=write` updates the files.

use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_host::conversation::{Submit, What};
use sluice_wire::stdin::User;

use super::stage::Stage;
use crate::app::{ActOutcome, Files, Point};
use crate::input::Input;
use crate::text::Row;

/// Compares the visible rows with the file of the screen.
pub(super) fn screen(name: &str, rows: &[String]) {
    let mut text = rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n");
    text.push('\n');
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/app/tests/screens/{name}.txt"));
    if std::env::var_os("SLUICE_SCREENS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(wanted, text, "{name}");
}

/// Returns the rows committed since the last call, followed by the live region.
pub(super) fn seen(stage: &mut Stage) -> Vec<String> {
    let region = stage.region();
    let mut rows = std::mem::take(&mut stage.committed);
    rows.extend(region);
    rows
}

pub(super) fn stage(columns: usize) -> Stage {
    let mut stage = Stage::new(columns, 24);
    stage.region();
    stage.committed.clear();
    stage
}

pub(super) fn called(stage: &mut Stage, id: &str, tool: &str, input: &Value) {
    stage.says(
        &json!({"type": "assistant", "message": {"id": format!("m{id}"), "type": "message", "role": "assistant",
        "model": "x", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": null,
        "session_id": "s", "uuid": format!("a{id}")}),
    );
}

pub(super) fn came(stage: &mut Stage, id: &str, text: &str, value: &Value, is_error: bool) {
    stage.says(&json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
        "content": text, "is_error": is_error}]}, "parent_tool_use_id": null, "session_id": "s", "uuid": format!("u{id}"),
        "tool_use_result": value}));
}

pub(super) fn card(stage: &mut Stage, id: &str, tool: &str, input: &Value, text: &str, value: &Value) {
    called(stage, id, tool, input);
    stage.later(1200);
    came(stage, id, text, value, false);
}

pub(super) fn ended(stage: &mut Stage) {
    stage.says(&json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "", "session_id": "6da3ebdf-0000", "total_cost_usd": 0.42, "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {}, "stop_reason": "end_turn", "uuid": "r", "permission_denials": []}));
    stage.look();
}

#[test]
fn idle_and_help() {
    for columns in [80, 40] {
        let mut stage = stage(columns);
        screen(&format!("idle-{columns}"), &stage.region());
        stage.write("?");
        screen(&format!("help-{columns}"), &stage.region());
    }
}

#[test]
fn first_run() {
    for columns in [80, 40] {
        let mut facts = Stage::facts();
        facts.model = "demo".to_owned();
        let mut stage = Stage::of(facts, columns, 24);
        screen(&format!("first-run-{columns}"), &seen(&mut stage));
    }
}

#[test]
fn bash() {
    let mut stage = stage(80);
    stage.turn("test it");
    called(&mut stage, "1", "Bash", &json!({"command": "cargo test --workspace"}));
    stage.later(14_000);
    stage.look();
    screen("bash-running-80", &stage.region());
    stage.later(17_000);
    let lines: String = (0..211).map(|number| format!("line {number}\n")).collect();
    let said = format!("{lines}test result: ok. 212 passed; 0 failed");
    came(&mut stage, "1", &said, &json!({"stdout": said, "stderr": ""}), false);
    called(
        &mut stage,
        "2",
        "Bash",
        &json!({"command": "cargo clippy -- -D warnings"}),
    );
    stage.later(9000);
    came(
        &mut stage,
        "2",
        "Exit code 101\nerror: unused variable: `span`\n  --> crates/wire/src/line.rs:41:9",
        &Value::Null,
        true,
    );
    card(
        &mut stage,
        "3",
        "Bash",
        &json!({"command": "npm run dev", "run_in_background": true}),
        "running",
        &json!({"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
    );
    stage.look();
    stage.committed.clear();
    screen("bash-80", &seen(&mut stage));
}

fn cards(stage: &mut Stage) {
    stage.turn("look");
    let file = json!({"type": "text", "file": {"startLine": 1, "numLines": 120, "totalLines": 480}});
    card(
        stage,
        "1",
        "Read",
        &json!({"file_path": "/home/me/code/shop/src/main.rs"}),
        "",
        &file,
    );
    card(
        stage,
        "2",
        "Grep",
        &json!({"pattern": "retry", "path": "crates"}),
        "a",
        &json!({"numMatches": 12, "numFiles": 3, "content": "a.rs:1:x"}),
    );
    card(
        stage,
        "3",
        "Glob",
        &json!({"pattern": "**/*.toml"}),
        "",
        &json!({"numFiles": 14}),
    );
    let patch = json!({"structuredPatch": [{"oldStart": 6, "newStart": 6, "oldLines": 3, "newLines": 3, "lines":
        [" fn add(a: i32, b: i32) -> i32 {", "-    a - b", "+    a + b", " }"]}]});
    card(
        stage,
        "4",
        "Edit",
        &json!({"file_path": "/home/me/code/shop/src/add.rs"}),
        "",
        &patch,
    );
    card(
        stage,
        "5",
        "Write",
        &json!({"file_path": "/home/me/code/shop/notes.md", "content": "# Notes\nAsk before the release.\na\nb\nc\nd\n"}),
        "",
        &json!({"type": "create"}),
    );
    card(
        stage,
        "6",
        "WebFetch",
        &json!({"url": "https://docs.rs/ratatui"}),
        "Layout, Buffer and Widget are its three ideas.",
        &json!({"code": 200, "bytes": 48_000, "durationMs": 1200}),
    );
    card(
        stage,
        "7",
        "mcp__tracker__search_issues",
        &json!({"query": "retry"}),
        "#41 Retry never ends (open)",
        &Value::Null,
    );
    card(
        stage,
        "8",
        "Frobnicate",
        &json!({"depth": 2, "paths": ["a", "b"]}),
        "",
        &Value::Null,
    );
    card(
        stage,
        "9",
        "TodoWrite",
        &json!({"todos": [
        {"content": "Read the retry code", "status": "completed", "activeForm": "Reading"},
        {"content": "Add the test", "status": "in_progress", "activeForm": "Adding the test for the limit"},
        {"content": "Note it in CHANGELOG.md", "status": "pending", "activeForm": "Noting"}]}),
        "",
        &Value::Null,
    );
    ended(stage);
}

#[test]
fn reading_changing_others() {
    for columns in [80, 40] {
        let mut stage = stage(columns);
        cards(&mut stage);
        screen(&format!("cards-{columns}"), &seen(&mut stage));
    }
}

#[test]
fn asks() {
    for (columns, keys) in [(80, [].as_slice()), (40, &[]), (120, &["s"])] {
        let mut stage = stage(columns);
        stage.turn("fix it");
        stage.later(1000);
        stage.edit("1");
        stage.region();
        stage.later(500);
        stage.press(keys);
        screen(&format!("ask-edit-{columns}"), &stage.region());
    }
    let mut stage = stage(80);
    stage.turn("publish");
    stage.later(1000);
    let rules = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "cargo publish:*"}], "behavior": "allow",
        "destination": "localSettings"}]);
    let input = json!({"command": "cargo publish --dry-run --manifest-path crates/wire/Cargo.toml --registry internal",
        "description": "Publish the crate"});
    stage.ask("1", "Bash", &input, &rules);
    stage.region();
    stage.later(500);
    stage.press(&["down"]);
    screen("ask-bash-80", &stage.region());
    stage.press(&["3"]);
    screen("ask-change-80", &stage.region());
}

#[test]
fn questions_plans_and_forms() {
    let mut stage = self::stage(80);
    stage.turn("ask me");
    stage.later(1000);
    let questions = json!({"questions": [
        {"question": "Which language?", "header": "Language", "multiSelect": false, "options": [{"label": "Rust", "description": ""}, {"label": "Go", "description": ""}]},
        {"question": "Which stores?", "header": "Stores", "multiSelect": true, "options":
            [{"label": "SQLite", "description": "embedded, one file"}, {"label": "Postgres", "description": "a server you run"}]}]});
    stage.ask("1", "AskUserQuestion", &questions, &json!([]));
    stage.region();
    stage.later(500);
    stage.press(&["enter", "space", "down"]);
    screen("question-80", &stage.region());
    let mut stage = self::stage(80);
    stage.turn("plan it");
    stage.later(1000);
    stage.ask(
        "1",
        "ExitPlanMode",
        &json!({"plan": "# The plan\n\n1. Read\n2. Write"}),
        &json!([]),
    );
    screen("plan-80", &seen(&mut stage));
    let mut stage = self::stage(80);
    stage.turn("issue");
    stage.later(1000);
    stage.says(&json!({"type": "control_request", "request_id": "e", "request": {"subtype": "elicitation",
        "mcp_server_name": "tracker", "message": "Which project gets the issue?", "mode": "form", "requested_schema":
        {"type": "object", "required": ["project"], "properties": {"project": {"type": "string", "minLength": 3, "maxLength": 40},
            "priority": {"type": "string", "enum": ["low", "normal", "high"]}, "notify": {"type": "boolean"}}}}}));
    stage.look();
    screen("elicit-80", &stage.region());
}

#[test]
fn between_turns() {
    let mut stage = self::stage(80);
    stage.turn("go");
    for (uuid, text) in [
        ("q1", "also run clippy"),
        ("q2", "and note it in the changelog\na\nb\nc"),
    ] {
        stage.happen(What::Submit(Submit::new(uuid, User::new(text))));
    }
    called(&mut stage, "1", "Bash", &json!({"command": "cargo test"}));
    stage.later(31_000);
    stage.look();
    screen("queue-80", &stage.region());
    let mut stage = self::stage(80);
    stage.turn("go");
    stage.says(
        &json!({"type": "system", "subtype": "api_retry", "attempt": 5, "max_retries": 10, "retry_delay_ms": 8000,
        "error": "overloaded", "error_status": 529, "session_id": "s", "uuid": "x"}),
    );
    stage.look();
    screen("retry-80", &stage.region());
    let mut stage = self::stage(80);
    stage.turn("go");
    stage.says(&json!({"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "auto", "pre_tokens": 168_000,
        "post_tokens": 21_000}, "session_id": "s", "uuid": "x"}));
    ended(&mut stage);
    screen("compacted-80", &seen(&mut stage));
}

fn point(text: &str, ago: u64, files: Option<(&[&str], u64, u64)>) -> Point {
    Point {
        uuid: text.to_owned(),
        before: Some("b".to_owned()),
        text: text.to_owned(),
        at: 10_000_000 - ago,
        files: files.map(|(names, added, removed)| Files {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            added,
            removed,
        }),
        commands: 2,
    }
}

#[test]
fn rewind() {
    let mut stage = self::stage(80);
    stage.now = 10_000_000;
    let files: &[&str] = &["/home/me/code/shop/src/frame.rs", "/home/me/code/shop/src/lib.rs"];
    let points = vec![
        point("now the tests", 3_600_000, Some((&["/home/me/code/shop/a"], 44, 0))),
        point("rename Frame to Line", 60_000, Some((files, 18, 18))),
    ];
    stage.app.apply_outcome(ActOutcome::Points(points), stage.now);
    screen("rewind-80", &stage.region());
    stage.press(&["up", "enter"]);
    screen("rewind-what-80", &stage.region());
    stage.press(&["esc"]);
    assert!(
        stage.acts().iter().any(|act| matches!(act, crate::app::Act::Points)),
        "escape goes back to the list"
    );
}

#[test]
fn dialogs() {
    let mut stage = self::stage(80);
    let models = json!([{"value": "default", "displayName": "Default", "description": "$3 in, $15 out per M", "resolvedModel": "claude-sonnet-4-5"},
        {"value": "opus", "displayName": "Opus", "description": "$5 in, $25 out per M", "resolvedModel": "claude-opus-4-5"}]);
    stage
        .app
        .apply_outcome(ActOutcome::Models(serde_json::from_value(models).unwrap()), stage.now);
    screen("model-80", &stage.region());
    for command in ["/mode", "/theme"] {
        stage.press(&["esc"]);
        stage.write(command);
        stage.press(&["enter"]);
        screen(&format!("{}-80", command.trim_start_matches('/')), &stage.region());
    }
    let rules = json!({"rules": [{"behavior": "allow", "source": "localSettings", "rule": "Bash(cargo test:*)"},
        {"behavior": "allow", "source": "projectSettings", "rule": "Bash(npm run *)", "notInEffect": true},
        {"behavior": "deny", "source": "userSettings", "rule": "Bash(rm:*)"}], "workspaceDirectories": [], "originalCwd": "/", "managedOnly": false});
    stage.app.apply_outcome(
        ActOutcome::Rules(Box::new(serde_json::from_value(rules).unwrap())),
        stage.now,
    );
    screen("rules-80", &stage.region());
    stage.press(&["right", "right"]);
    screen("rules-deny-80", &stage.region());
    stage.app.apply_outcome(
        ActOutcome::Settings(json!({"theme": "dark", "sluice": {"glyphs": "ascii"}})),
        stage.now,
    );
    screen("config-80", &stage.region());
    let agents = json!([{"name": "Explore", "description": "reads only", "model": "haiku"}, {"name": "release", "description": "all tools"}]);
    stage
        .app
        .apply_outcome(ActOutcome::Agents(serde_json::from_value(agents).unwrap()), stage.now);
    screen("agents-80", &stage.region());
    let servers = json!([{"name": "tracker", "status": "connected", "scope": "project", "tools": [], "transport": "stdio"},
        {"name": "docs", "status": "failed", "error": "exit 1: module not found: docs-mcp"}]);
    stage
        .app
        .apply_outcome(ActOutcome::Servers(serde_json::from_value(servers).unwrap()), stage.now);
    screen("mcp-80", &stage.region());
}

#[test]
fn typing() {
    let mut stage = self::stage(80);
    stage.write("Look at ");
    stage.app.input(Input::Paste("a line\n".repeat(148)), stage.now);
    stage.write(" and then");
    stage.press(&["ctrl+j"]);
    stage.write("compare with @crates/wire/src/line.rs");
    screen("composer-80", &stage.region());
    let mut stage = self::stage(80);
    stage.write("/co");
    stage.press(&["down"]);
    screen("complete-command-80", &stage.region());
    let mut stage = self::stage(80);
    stage.write("compare @li");
    stage.app.apply_outcome(
        ActOutcome::Files {
            query: "li".to_owned(),
            found: ["crates/wire/src/line.rs", "agent-linter", "docs:file://lines.md"]
                .map(str::to_owned)
                .into(),
        },
        stage.now,
    );
    screen("complete-file-80", &stage.region());
    let mut stage = self::stage(80);
    stage.write("# tests need the paused clock");
    stage.press(&["enter"]);
    screen("note-80", &stage.region());
    let mut stage = self::stage(80);
    stage.write("!git status --short");
    stage.press(&["enter"]);
    stage.region();
    stage.app.apply_outcome(
        ActOutcome::Shell {
            id: 1,
            output: " M src/add.rs\n".to_owned(),
            code: Some(0),
        },
        stage.now,
    );
    screen("shell-80", &seen(&mut stage));
    let mut facts = Stage::facts();
    facts.settings.vim = true;
    facts.settings.status_line = Some("true".to_owned());
    let mut stage = Stage::of(facts, 80, 24);
    stage.app.apply_outcome(
        ActOutcome::StatusLine("\x1b[32mshop\x1b[m on main via rust 1.91\n".to_owned()),
        stage.now,
    );
    stage.write("fix the tests");
    stage.press(&["esc"]);
    screen("vim-80", &stage.region());
}

#[test]
fn pager() {
    let mut stage = self::stage(80);
    cards(&mut stage);
    let items = stage.state.items().collect();
    stage
        .app
        .apply_outcome(ActOutcome::Transcript { items, title: None }, stage.now);
    let (rows, _) = stage.app.sheet().unwrap();
    let rows: Vec<String> = rows.iter().map(Row::text).collect();
    assert_eq!(rows.len(), 24);
    screen("pager-80", &rows);
    stage.press(&["g"]);
    assert!(
        stage
            .app
            .sheet()
            .unwrap()
            .0
            .first()
            .unwrap()
            .text()
            .starts_with("› look")
    );
    stage.write("/");
    stage.write("ratatui");
    stage.press(&["enter"]);
    let found = |row: &Row| row.text().contains("ratatui") && row.0.iter().any(|span| span.style.reverse);
    assert!(stage.app.sheet().unwrap().0.iter().any(found));
    stage.press(&["q"]);
    assert!(stage.app.sheet().is_none());
}

#[test]
fn leave() {
    for columns in [80, 40] {
        let mut stage = self::stage(columns);
        stage.says(&json!({"type": "system", "subtype": "session_title_changed", "title": "Fix the retry loop", "session_id": "s", "uuid": "t"}));
        cards(&mut stage);
        stage.later(1_310_000);
        stage.look();
        let rows: Vec<String> = stage.app.farewell(stage.now).iter().map(Row::text).collect();
        screen(&format!("leave-{columns}"), &rows);
    }
}
