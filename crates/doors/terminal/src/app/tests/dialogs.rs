//! Further keys in dialogs: effort levels, settings files, agent files, evaluating rules, previewing themes.

use pretty_assertions::assert_eq;
use serde_json::{from_value, json};

use super::screens::{called, came, card, ended, screen, seen, stage};
use super::stage::Stage;
use crate::app::{Act, ActOutcome};
use crate::theme::Theme;

fn told(told: ActOutcome) -> Stage {
    let mut stage = stage(80);
    stage.app.apply_outcome(told, stage.now);
    stage
}

fn models() -> Stage {
    let models = json!([{"value": "default", "displayName": "Default", "description": "$3 in, $15 out per M", "resolvedModel": "claude-sonnet-4-5"},
        {"value": "opus", "displayName": "Opus", "description": "$5 in, $25 out per M", "resolvedModel": "claude-opus-4-5",
            "supportsEffort": true, "supportedEffortLevels": ["low", "medium", "high", "max"]},
        {"value": "haiku", "displayName": "Haiku", "description": "", "supportsEffort": false}]);
    let mut stage = stage(80);
    stage
        .app
        .apply_outcome(ActOutcome::Effort(Some("medium".to_owned())), stage.now);
    stage
        .app
        .apply_outcome(ActOutcome::Models(from_value(models).unwrap()), stage.now);
    stage
}

#[test]
fn a_model_is_selected_with_effort_and_thinking_for_this_or_all_sessions() {
    let mut stage = models();
    screen("model-effort-80", &stage.region());
    stage.press(&["down", "right", "right", "right", "t", "enter"]);
    assert_eq!(
        stage.acts(),
        [
            Act::SetModel(Some("opus".to_owned())),
            Act::Effort("max".to_owned()),
            Act::Thinking(Some(0))
        ]
    );
    let mut stage = models();
    stage.press(&["left", "d"]);
    let kept = json!({"model": null, "effortLevel": "low"});
    assert_eq!(
        stage.acts(),
        [
            Act::SetModel(Some("default".to_owned())),
            Act::Effort("low".to_owned()),
            Act::SettingIn("userSettings", kept)
        ]
    );
    let mut stage = models();
    stage.press(&["down", "down"]);
    assert!(
        !stage.region().iter().any(|row| row.contains("effort  ")),
        "this one has none"
    );
    stage.press(&["right", "esc"]);
    assert!(stage.acts().is_empty(), "nothing was chosen");
}

#[test]
fn a_model_is_selected_by_name() {
    let mut stage = models();
    stage.press(&["end", "enter"]);
    stage.write("qwen3-coder");
    stage.press(&["enter"]);
    assert_eq!(stage.acts(), [Act::SetModel(Some("qwen3-coder".to_owned()))]);
    assert!(stage.app.picker.is_none());
}

#[test]
fn a_highlighted_theme_is_previewed_and_reverted() {
    let mut facts = Stage::facts();
    facts.settings.truecolor = true;
    let mut stage = Stage::of(facts, 80, 24);
    stage.write("/theme");
    stage.press(&["enter", "down", "down"]);
    assert_eq!(stage.acts(), [Act::SetTheme(Theme::Dark)]);
    stage.press(&["esc"]);
    assert_eq!(stage.acts(), [Act::SetTheme(Theme::Terminal)]);
    stage.write("/theme");
    stage.press(&["enter", "5", "enter"]);
    let acts = stage.acts();
    assert!(
        acts.contains(&Act::SettingIn("userSettings", json!({"theme": "light"}))),
        "{acts:?}"
    );
    assert_eq!(stage.app.facts.settings.theme, Theme::Terminal, "it is not saved yet");
    let saved = |stage: &mut Stage| {
        let settings = json!({"theme": "light"});
        let place = "userSettings";
        stage
            .app
            .apply_outcome(ActOutcome::Saved { place, settings }, stage.now);
    };
    let mut refused = stage;
    refused
        .app
        .apply_outcome(ActOutcome::NotSaved("not saved: no space".to_owned()), refused.now);
    assert_eq!(refused.acts(), [Act::SetTheme(Theme::Terminal)]);
    assert!(refused.region().iter().any(|row| row.contains("not saved: no space")));
    saved(&mut refused);
    assert_eq!(refused.app.facts.settings.theme, Theme::Light);
}

#[test]
fn a_setting_is_saved_in_the_selected_file_and_applies_immediately() {
    let mut stage = told(ActOutcome::Settings(json!({})));
    stage.write("prefersRed");
    stage.press(&["right", "enter"]);
    assert_eq!(
        stage.acts(),
        [Act::SettingIn("localSettings", json!({"prefersReducedMotion": true}))]
    );
    let shown = |stage: &mut Stage| {
        stage
            .region()
            .iter()
            .any(|row| row.contains("prefersReducedMotion  true"))
    };
    assert!(
        !stage.app.facts.settings.still && !shown(&mut stage),
        "it is not saved yet"
    );
    let why = "not saved: the file cannot be written".to_owned();
    stage.app.apply_outcome(ActOutcome::NotSaved(why.clone()), stage.now);
    assert!(!shown(&mut stage) && stage.region().iter().any(|row| row.contains(&why)));
    let settings = json!({"prefersReducedMotion": true});
    let place = "localSettings";
    stage.app.apply_outcome(
        ActOutcome::Saved {
            place,
            settings: settings.clone(),
        },
        stage.now,
    );
    assert!(stage.app.facts.settings.still);
    assert_eq!(stage.acts(), [Act::Settings], "what applies is read again");
    stage.app.apply_outcome(ActOutcome::Settings(settings), stage.now);
    assert!(shown(&mut stage));
    stage.later(3000);
    assert!(
        stage
            .region()
            .iter()
            .any(|row| row.contains("‹ only you, this project ›"))
    );
    stage.press(&["esc", "esc"]);
    stage.write("/config sluice.wrap=terminal");
    stage.press(&["enter"]);
    assert_eq!(
        stage.acts(),
        [Act::SettingIn("userSettings", json!({"sluice": {"wrap": "terminal"}}))]
    );
    assert!(!stage.app.feed.flows);
    let settings = json!({"sluice": {"wrap": "terminal"}});
    let place = "userSettings";
    stage
        .app
        .apply_outcome(ActOutcome::Saved { place, settings }, stage.now);
    assert!(stage.app.feed.flows);
}

#[test]
fn agents_show_their_file_and_can_be_edited_or_created() {
    let open = || {
        let mut stage = stage(80);
        let file = "/home/me/.claude/agents/release.md".into();
        stage
            .app
            .apply_outcome(ActOutcome::AgentFiles([("release".to_owned(), file)].into()), stage.now);
        let agents = json!([{"name": "Explore", "description": "reads only", "model": "claude-haiku-4-5"},
            {"name": "release", "description": "all tools", "model": "inherit"}]);
        stage
            .app
            .apply_outcome(ActOutcome::Agents(from_value(agents).unwrap()), stage.now);
        stage
    };
    let mut stage = open();
    screen("agents-where-80", &stage.region());
    stage.press(&["e"]);
    assert!(
        stage.acts().is_empty()
            && stage
                .region()
                .iter()
                .any(|row| row.contains("built in; there is no file"))
    );
    stage.press(&["down", "e"]);
    assert_eq!(
        stage.acts(),
        [Act::EditFile("/home/me/.claude/agents/release.md".into())]
    );
    let mut stage = open();
    stage.press(&["n"]);
    stage.write("review migrations");
    stage.press(&["enter"]);
    let acts = stage.acts();
    assert!(
        matches!(acts.as_slice(), [Act::Send { text, .. }] if text.contains(".claude/agents/") && text.ends_with("review migrations")),
        "{acts:?}"
    );
}

#[test]
fn rules_are_filtered_and_evaluated_for_a_command() {
    let open = || {
        let mut facts = Stage::facts();
        facts.decides = Some(|rules, _, _, command| {
            assert_eq!((rules.rules.len(), command), (2, "cargo test"));
            ("runs", "Bash(cargo test:*), localSettings".to_owned())
        });
        let mut stage = Stage::of(facts, 80, 24);
        seen(&mut stage);
        let rules = json!({"rules": [{"behavior": "allow", "source": "userSettings", "rule": "Read(docs/**)"},
            {"behavior": "allow", "source": "localSettings", "rule": "Bash(cargo test:*)"}],
            "workspaceDirectories": [], "originalCwd": "/", "managedOnly": false});
        stage
            .app
            .apply_outcome(ActOutcome::Rules(Box::new(from_value(rules).unwrap())), stage.now);
        stage
    };
    let mut stage = open();
    stage.write("/cargo");
    let region = stage.region();
    assert!(
        region.iter().any(|row| row.starts_with("› Bash(cargo")) && !region.iter().any(|row| row.contains("Read(docs"))
    );
    stage.press(&["esc"]);
    assert!(
        stage.region().iter().any(|row| row.contains("Read(docs")),
        "escape clears what was typed first"
    );
    let mut stage = open();
    stage.write("t");
    stage.write("cargo test");
    stage.press(&["enter"]);
    assert!(stage.acts().is_empty());
    stage.region();
    let told: Vec<&str> = stage
        .committed
        .iter()
        .map(String::as_str)
        .filter(|row| !row.is_empty())
        .collect();
    assert_eq!(
        told,
        [
            "~ cargo test  runs: Bash(cargo test:*), only you, this project",
            "  by the rules and the mode alone: hooks, the sandbox and the plan's own file",
            "  can change it",
        ]
    );
}

#[test]
fn folders_skills_and_status_line_are_terminal_commands() {
    let mut stage = stage(80);
    for (line, wanted) in [
        ("/add-dir ../docs", Act::AddFolder("/home/me/code/shop/../docs".into())),
        ("/add-dir ~/notes", Act::AddFolder("/home/me/notes".into())),
        ("/skills", Act::Skills),
        (
            "/statusline off",
            Act::SettingIn("userSettings", json!({"statusLine": null})),
        ),
        (
            "/statusline printf hi",
            Act::SettingIn(
                "userSettings",
                json!({"statusLine": {"type": "command", "command": "printf hi"}}),
            ),
        ),
    ] {
        stage.write(line);
        stage.press(&["enter"]);
        assert_eq!(stage.acts(), [wanted], "{line}");
    }
    let settings = json!({"statusLine": {"type": "command", "command": "printf hi"}});
    let place = "userSettings";
    stage
        .app
        .apply_outcome(ActOutcome::Saved { place, settings }, stage.now);
    stage.later(400);
    stage.region();
    stage.later(400);
    stage.region();
    let acts = stage.acts();
    assert!(
        matches!(acts.as_slice(), [Act::StatusLine { command, .. }] if command == "printf hi"),
        "{acts:?}"
    );
    let skills = json!([{"name": "deploy", "description": "Bring it out"}]);
    stage
        .app
        .apply_outcome(ActOutcome::Skills(from_value(skills).unwrap()), stage.now);
    let rows = seen(&mut stage);
    assert!(rows.contains(&"  /deploy  Bring it out".to_owned()), "{rows:#?}");
}

#[test]
fn equally_good_matches_are_sorted_by_last_use() {
    let mut stage = stage(80);
    stage.write("/cost");
    stage.press(&["enter"]);
    stage.acts();
    stage.write("/co");
    assert_eq!(
        stage.app.popup.as_ref().unwrap().offers.first().unwrap().insert,
        "/cost"
    );
}

#[test]
fn a_code_block_is_copied_by_its_number() {
    let mut stage = stage(80);
    stage.turn("go");
    stage.begins_text();
    stage.says(&json!({"type": "assistant", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "text", "text": "One:\n```rust\nfn a() {}\n```\nTwo:\n```\nb\n```\n"}], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": null,
        "session_id": "s", "uuid": "a"}));
    ended(&mut stage);
    stage.acts();
    stage.write("/copy 2");
    stage.press(&["enter"]);
    assert_eq!(stage.acts(), [Act::Copy("b\n".to_owned())]);
    stage.write("/copy 3");
    stage.press(&["enter"]);
    assert!(
        stage.acts().is_empty()
            && stage
                .region()
                .iter()
                .any(|row| row.contains("the last answer has 2 code blocks"))
    );
}

#[test]
fn the_help_shows_custom_key_bindings() {
    let mut facts = Stage::facts();
    facts.multiplexer = true;
    let mut stage = Stage::of(facts, 100, 24);
    stage.app.bind(
        &json!({"bindings": [{"context": "Chat", "bindings": {"ctrl+n": "chat:newline", "alt+s": "chat:stash"}}]})
            .to_string(),
        stage.now,
    );
    stage.app.reports_shift_enter = true;
    stage.write("?");
    let help = stage.region().join("\n");
    for wanted in [
        "ctrl+n newline",
        "alt+s stash",
        "ctrl+x ctrl+b background",
        "alt+p model",
    ] {
        assert!(help.contains(wanted), "{wanted} in {help}");
    }
    stage.press(&["esc"]);
    stage.turn("go");
    called(&mut stage, "1", "Bash", &json!({"command": "sleep 9"}));
    stage.look();
    assert!(
        stage
            .region()
            .iter()
            .any(|row| row.contains("ctrl+x ctrl+b to background")),
        "tmux takes ctrl+b"
    );
}

#[test]
fn settings_of_the_reference_cli_apply() {
    let mut facts = Stage::facts();
    facts.settings.verbose = true;
    facts.settings.stamps = true;
    facts.settings.no_durations = true;
    facts.settings.verbs = (vec!["Pondering".to_owned()], false);
    let mut stage = Stage::of(facts, 80, 24);
    seen(&mut stage);
    stage.turn("count");
    assert!(
        stage.region().iter().any(|row| row.contains("pondering ∙ 0s")),
        "words of one's own for waiting"
    );
    called(&mut stage, "1", "Bash", &json!({"command": "seq 12"}));
    stage.later(40_000);
    let said: String = (1..=12).map(|number| format!("{number}\n")).collect();
    came(&mut stage, "1", &said, &json!({"stdout": said, "stderr": ""}), false);
    ended(&mut stage);
    let rows = seen(&mut stage);
    assert!(rows.iter().any(|row| row == "› count  00:00"), "{rows:#?}");
    assert!(
        (1..=12).all(|number| rows.contains(&format!("    {number}"))),
        "all of it: {rows:#?}"
    );
    assert!(!rows.iter().any(|row| row.starts_with("~ 40s")), "{rows:#?}");
}

#[test]
fn mapped_keys_act_as_escape_in_insert_mode() {
    let mut facts = Stage::facts();
    facts.settings.vim = true;
    facts.settings.escapes = vec!["jk".to_owned()];
    let mut stage = Stage::of(facts, 80, 24);
    stage.write("fix jk");
    assert_eq!(stage.app.editor.text(), "fix ");
    assert!(stage.region().iter().any(|row| row.contains("NORMAL")));
    stage.press(&["A"]);
    stage.write("j");
    stage.later(2000);
    stage.write("k");
    assert_eq!(stage.app.editor.text(), "fix jk", "typed slowly they are letters");
}

#[test]
fn a_transcript_write_error_is_shown_in_the_status_line() {
    let mut stage = stage(80);
    stage.turn("go");
    stage.says(
        &json!({"type": "system", "subtype": "session_writes_lost", "session_id": "s", "uuid": "w", "error_code": "ENOSPC", "lost": ["transcript"]}),
    );
    card(
        &mut stage,
        "1",
        "Bash",
        &json!({"command": "true"}),
        "",
        &json!({"stdout": "", "stderr": ""}),
    );
    ended(&mut stage);
    let rows = seen(&mut stage);
    assert!(
        rows.iter().any(|row| row.contains("the transcript cannot be written")),
        "{rows:#?}"
    );
    assert!(rows.last().unwrap().contains("not saved"), "{rows:#?}");
    // The next turn was written without errors.
    stage.says(&json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "", "session_id": "s", "total_cost_usd": 0.43, "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {}, "stop_reason": "end_turn", "uuid": "r2", "permission_denials": []}));
    stage.look();
    let rows = seen(&mut stage);
    assert!(!rows.last().unwrap().contains("not saved"), "{rows:#?}");
}
