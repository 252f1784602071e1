//! The key table of the reference CLI, row by row: 5.1 stop keys, 5.2 default bindings.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_host::conversation::{Submit, What};
use sluice_wire::stdin::User;

use super::screens::called;
use super::stage::Stage;
use crate::app::{Act, ActOutcome};
use crate::input::Bindings;
use crate::view::snapshot::Phase;

fn idle() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.region();
    stage
}

/// A turn that has been running a command for some seconds.
fn busy() -> Stage {
    let mut stage = idle();
    stage.turn("go");
    called(&mut stage, "c1", "Bash", &json!({"command": "sleep 9"}));
    stage.later(5000);
    stage.look();
    stage.region();
    stage.acts();
    stage
}

/// A request that has the keyboard.
fn asked(tool: &str) -> Stage {
    let mut stage = idle();
    stage.turn("go");
    stage.later(1000);
    match tool {
        "Edit" => stage.edit("1"),
        tool => stage.ask(
            "1",
            tool,
            &json!({"command": "cargo publish", "plan": "1. Read"}),
            &rules(),
        ),
    }
    stage.region();
    stage.later(500);
    stage.acts();
    stage
}

fn rules() -> serde_json::Value {
    json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "cargo publish:*"}],
        "behavior": "allow", "destination": "localSettings"}])
}

fn vim() -> Stage {
    let mut facts = Stage::facts();
    facts.settings.vim = true;
    let mut stage = Stage::of(facts, 80, 24);
    stage.region();
    stage
}

fn picking() -> Stage {
    let mut stage = idle();
    stage.write("/mode");
    stage.press(&["enter"]);
    assert!(stage.app.picker.is_some());
    stage.acts();
    stage
}

fn paging() -> Stage {
    let mut stage = idle();
    stage.turn(&"line\n".repeat(99));
    let items = stage.state.items().collect();
    stage
        .app
        .apply_outcome(ActOutcome::Transcript { items, title: None }, stage.now);
    stage.acts();
    stage
}

fn written(text: &str) -> Stage {
    let mut stage = idle();
    stage.write(text);
    stage.acts();
    stage
}

fn remembers(stage: &mut Stage, text: &str) -> bool {
    stage.app.history.all().iter().any(|asked| asked.text == text)
}

fn interrupts(stage: &mut Stage, everything: bool) -> bool {
    stage.acts().contains(&Act::Interrupt { all: everything })
}

fn says(stage: &mut Stage, text: &str) -> bool {
    stage.region().iter().any(|row| row.contains(text))
}

#[test]
fn row_popup_picker_pager_help_both_keys_close() {
    for key in ["esc", "ctrl+c"] {
        let mut stage = written("/co");
        assert!(stage.app.popup.is_some());
        stage.press(&[key]);
        assert!(
            stage.app.popup.is_none() && stage.app.editor.text() == "/co",
            "popup {key}"
        );
        let mut stage = picking();
        stage.press(&[key]);
        assert!(stage.app.picker.is_none() && stage.acts().is_empty(), "picker {key}");
        let mut stage = paging();
        stage.press(&[key]);
        assert!(stage.app.pager.is_none() && stage.acts().is_empty(), "pager {key}");
        let mut stage = written("?");
        assert!(says(&mut stage, "shift+tab mode"));
        stage.press(&[key]);
        assert!(
            !says(&mut stage, "shift+tab mode") && stage.acts().is_empty(),
            "help {key}"
        );
        assert!(!says(&mut stage, "again to exit"), "help {key}");
    }
}

#[test]
fn row_request_focused_both_deny_and_stop_except_for_plans() {
    for key in ["esc", "ctrl+c"] {
        let mut stage = asked("Edit");
        stage.press(&[key]);
        let answer = stage.answer();
        assert_eq!(
            (&answer["behavior"], &answer["interrupt"]),
            (&json!("deny"), &json!(true)),
            "{key}"
        );
    }
    let mut stage = asked("ExitPlanMode");
    stage.press(&["esc"]);
    let answer = stage.answer();
    assert_eq!(answer["behavior"], "deny");
    assert_ne!(answer["interrupt"], json!(true), "planning goes on");
}

#[test]
fn row_vim_insert_escape_is_normal_mode_and_nothing_else() {
    let mut stage = vim();
    stage.write("abc");
    stage.press(&["esc"]);
    assert!(stage.acts().is_empty() && says(&mut stage, "NORMAL"));
    stage.press(&["i", "ctrl+c"]);
    assert!(stage.app.editor.is_empty() && remembers(&mut stage, "abc"));
}

#[test]
fn row_turn_runs_draft_empty_escape_sends_the_queue_and_ctrl_c_restores_it() {
    for (key, all, draft) in [("esc", false, ""), ("ctrl+c", true, "first\n\nsecond")] {
        let mut stage = busy();
        for (uuid, text) in [("q1", "first"), ("q2", "second")] {
            stage.happen(What::Submit(Submit::new(uuid, User::new(text))));
        }
        stage.look();
        stage.press(&[key]);
        assert_eq!(stage.app.editor.text(), draft, "{key}");
        assert!(interrupts(&mut stage, all), "{key}");
    }
}

#[test]
fn row_turn_runs_draft_typed_escape_stops_and_ctrl_c_clears() {
    let mut stage = busy();
    stage.write("abc");
    stage.press(&["esc"]);
    assert!(interrupts(&mut stage, false));
    assert_eq!(stage.app.editor.text(), "abc");
    let mut stage = busy();
    stage.write("abc");
    stage.press(&["ctrl+c"]);
    assert!(stage.acts().is_empty() && stage.app.editor.is_empty() && remembers(&mut stage, "abc"));
}

#[test]
fn row_right_after_enter_both_restore_the_prompt() {
    for key in ["esc", "ctrl+c"] {
        let mut stage = written("why");
        stage.press(&["enter"]);
        stage.acts();
        stage.turn("why");
        stage.later(900);
        stage.press(&[key]);
        assert_eq!(stage.app.editor.text(), "why", "{key}");
        assert!(
            stage.acts().iter().any(|act| matches!(act, Act::Interrupt { .. })),
            "{key}"
        );
    }
}

#[test]
fn row_slow_stop_ctrl_c_twice_exits() {
    let mut stage = busy();
    stage.app.snapshot.phase = Phase::Stopping(Duration::from_millis(3500));
    stage.press(&["ctrl+c"]);
    assert!(says(&mut stage, "again to exit"));
    stage.press(&["ctrl+c"]);
    assert!(stage.acts().contains(&Act::Leave(0)));
}

#[test]
fn row_idle_draft_typed_escape_confirms_and_ctrl_c_clears() {
    let mut stage = written("abc");
    stage.press(&["esc"]);
    assert!(says(&mut stage, "esc again clears the draft") && stage.app.editor.text() == "abc");
    stage.later(700);
    stage.press(&["esc"]);
    assert!(stage.app.editor.is_empty() && remembers(&mut stage, "abc"));
    let mut stage = written("abc");
    stage.press(&["ctrl+c"]);
    assert!(stage.app.editor.is_empty() && remembers(&mut stage, "abc"));
}

#[test]
fn row_idle_empty_escape_twice_rewinds_and_ctrl_c_twice_exits() {
    for (wait, opens) in [(700, true), (900, false)] {
        let mut stage = idle();
        stage.press(&["esc"]);
        stage.later(wait);
        stage.press(&["esc"]);
        assert_eq!(stage.acts().contains(&Act::Points), opens, "after {wait} ms");
    }
    for (wait, leaves) in [(1900, true), (2100, false)] {
        let mut stage = idle();
        stage.press(&["ctrl+c"]);
        stage.later(wait);
        stage.press(&["ctrl+c"]);
        assert_eq!(stage.acts().contains(&Act::Leave(0)), leaves, "after {wait} ms");
    }
}

#[test]
fn row_global_keys_work_in_main_dialogs_and_vim() {
    let normal = || {
        let mut stage = vim();
        stage.press(&["esc"]);
        stage
    };
    type Position = (&'static str, fn() -> Stage);
    let places: [Position; 5] = [
        ("main", idle),
        ("picker", picking),
        ("ask", || asked("Edit")),
        ("vim insert", vim),
        ("pager", paging),
    ];
    for (place, make) in places {
        let suspends = |stage: &mut Stage| stage.acts().contains(&Act::Suspend);
        let mut stage = make();
        stage.press(&["ctrl+z"]);
        assert!(suspends(&mut stage), "ctrl+z in {place}");
        if place == "pager" {
            continue;
        }
        stage.press(&["ctrl+l"]);
        assert!(stage.acts().contains(&Act::Redraw), "ctrl+l in {place}");
        stage.press(&["alt+r"]);
        assert!(stage.app.feed.flows, "alt+r in {place}");
        stage.press(&["ctrl+o"]);
        assert!(stage.acts().contains(&Act::Transcript), "ctrl+o in {place}");
        let before = stage.app.todos;
        stage.press(&["ctrl+t"]);
        assert_ne!(stage.app.todos, before, "ctrl+t in {place}");
    }
    let mut stage = normal();
    stage.press(&["ctrl+z"]);
    assert!(stage.acts().contains(&Act::Suspend), "ctrl+z in vim normal");
    let mut stage = idle();
    stage.app.remember("before", stage.now);
    stage.press(&["ctrl+r"]);
    assert!(says(&mut stage, "History"), "ctrl+r");
}

#[test]
fn row_chat_kills_agents_on_the_second_press_and_stashes_and_undoes() {
    let mut stage = idle();
    stage.press(&["ctrl+x", "ctrl+k"]);
    assert!(says(&mut stage, "no agents run"));
    let mut stage = written("abc");
    stage.press(&["ctrl+s"]);
    assert!(stage.app.editor.is_empty());
    stage.press(&["ctrl+s"]);
    assert_eq!(stage.app.editor.text(), "abc");
    stage.press(&["ctrl+w", "ctrl+_"]);
    assert_eq!(stage.app.editor.text(), "abc");
}

#[test]
fn row_chat_editing_alt_y_after_a_yank_is_the_yank_before() {
    let mut stage = written("one two");
    stage.press(&["ctrl+w", "left", "ctrl+u", "end", "ctrl+u", "ctrl+y"]);
    let first = stage.app.editor.text().to_owned();
    stage.press(&["alt+y"]);
    assert_ne!(stage.app.editor.text(), first);
    assert!(!says(&mut stage, "there is no answer yet"));
    stage.write("x");
    stage.press(&["alt+y"]);
    assert!(
        says(&mut stage, "there is no answer yet"),
        "otherwise it copies the answer"
    );
}

#[test]
fn row_autocomplete() {
    for (keys, text) in [
        (["tab"].as_slice(), "/compact "),
        (&["down", "tab"], "/config "),
        (&["down", "up", "tab"], "/compact "),
    ] {
        let mut stage = idle();
        stage.app.snapshot.commands = vec![];
        stage.write("/co");
        let offered = stage.app.popup.as_ref().map(|popup| popup.offers.len());
        assert!(offered.is_some_and(|count| count > 1));
        let before = stage.app.editor.text().to_owned();
        stage.press(keys);
        assert_ne!(stage.app.editor.text(), before, "{keys:?}");
        assert!(stage.app.editor.text().starts_with("/co"), "{keys:?}, such as {text}");
        assert!(stage.app.popup.is_none() || !keys.is_empty());
    }
    let mut stage = written("/cost");
    stage.press(&["enter"]);
    assert!(
        stage.acts().contains(&Act::Cost),
        "a command without arguments is sent too"
    );
}

#[test]
fn row_task_ctrl_b_moves_a_call_to_the_background_unless_there_is_text() {
    for keys in [["ctrl+b"].as_slice(), &["ctrl+x", "ctrl+b"]] {
        let mut stage = busy();
        stage.press(keys);
        assert!(stage.acts().contains(&Act::Background), "{keys:?}");
    }
    let mut stage = busy();
    stage.write("ab");
    stage.press(&["ctrl+b"]);
    assert!(!stage.acts().contains(&Act::Background) && stage.app.editor.cursor() == 1);
}

#[test]
fn row_confirmation() {
    for (keys, behavior) in [
        (["enter"].as_slice(), "allow"),
        (&["y"], "allow"),
        (&["1"], "allow"),
        (&["n"], "deny"),
        (&["down", "up", "enter"], "allow"),
        (&["escape"], "deny"),
    ] {
        let mut stage = asked("Edit");
        stage.press(keys);
        assert_eq!(stage.answer()["behavior"], behavior, "{keys:?}");
    }
    let mut stage = asked("Edit");
    stage.press(&["shift+tab"]);
    assert!(matches!(stage.acts().as_slice(), [Act::SetMode(_)]), "shift+tab");
    stage.press(&["c"]);
    assert!(matches!(stage.acts().as_slice(), [Act::Copy(_)]), "c");
    stage.press(&["end", "tab"]);
    assert!(says(&mut stage, "No, with a note"), "tab");
    let mut stage = asked("Bash");
    stage.press(&["e"]);
    assert!(says(&mut stage, "change it, then enter"), "e");
    let mut stage = asked("Bash");
    stage.press(&["down"]);
    assert!(says(&mut stage, "only you, this project"));
    stage.press(&["right"]);
    assert!(says(&mut stage, "everyone, this project"), "right");
    stage.press(&["left"]);
    assert!(says(&mut stage, "only you, this project"), "left");
    let mut stage = Stage::new(120, 24);
    stage.turn("go");
    stage.later(1000);
    stage.edit("1");
    stage.region();
    stage.later(500);
    stage.press(&["s"]);
    let side = |row: &String| row.contains("7 -     a - b") && row.contains("7 +     a + b");
    assert!(stage.region().iter().any(side), "s");
}

#[test]
fn row_history_search() {
    let found = || {
        let mut stage = idle();
        for text in ["run clippy", "fix clippy"] {
            stage.later(1000);
            stage.app.remember(text, stage.now);
        }
        stage.press(&["ctrl+r"]);
        stage.write("clip");
        stage.acts();
        stage
    };
    for (keys, draft) in [
        (["enter"].as_slice(), "fix clippy"),
        (&["ctrl+r", "enter"], "run clippy"),
        (&["escape", "escape"], ""),
    ] {
        let mut stage = found();
        stage.press(keys);
        assert_eq!(stage.app.editor.text(), draft, "{keys:?}");
        assert!(stage.app.picker.is_none(), "{keys:?}");
    }
    let mut stage = found();
    let before = stage.app.scope;
    stage.press(&["ctrl+s"]);
    assert_ne!(stage.app.scope, before, "ctrl+s");
    let mut stage = found();
    stage.press(&["ctrl+enter"]);
    assert!(
        matches!(stage.acts().as_slice(), [Act::Send { text, .. }] if text == "fix clippy"),
        "ctrl+enter"
    );
}

#[test]
fn row_transcript_search_and_show_all() {
    let mut stage = paging();
    for key in ["ctrl+e", "v"] {
        stage.press(&[key]);
        let (rows, _) = stage.app.sheet().unwrap();
        assert!(rows.last().unwrap().text().contains("nothing is omitted"), "{key}");
    }
    stage.press(&["/"]);
    stage.write("line");
    stage.press(&["enter", "n", "shift+n"]);
    assert!(stage.app.pager.is_some());
}

#[test]
fn row_select_keys_move_and_choose() {
    for (keys, at) in [
        (["down"].as_slice(), 1),
        (&["j", "j"], 2),
        (&["j", "k"], 0),
        (&["ctrl+n"], 1),
        (&["ctrl+n", "ctrl+p"], 0),
        (&["end"], 5),
        (&["end", "home"], 0),
        (&["pagedown"], 5),
        (&["pagedown", "pageup"], 0),
        (&["3"], 2),
    ] {
        let mut stage = picking();
        stage.press(keys);
        assert_eq!(
            stage.app.picker.as_ref().map(|picker| picker.selected),
            Some(at),
            "{keys:?}"
        );
    }
    let mut stage = picking();
    stage.press(&["3", "enter"]);
    assert!(
        matches!(stage.acts().as_slice(), [Act::SetMode(_)]),
        "a digit moves, enter chooses"
    );
}

#[test]
fn row_not_bound_does_nothing() {
    for key in ["ctrl+q", "alt+o"] {
        let mut stage = written("abc");
        stage.press(&[key]);
        assert!(stage.acts().is_empty() && stage.app.editor.text() == "abc", "{key}");
    }
}

#[test]
fn custom_keys_apply_only_in_their_context() {
    let (bindings, unknown) = Bindings::read(
        r#"{"bindings": [{"context": "Confirmation", "bindings": {"ctrl+k": "confirm:no"}},
            {"context": "Global", "bindings": {"ctrl+q": "app:toggleTranscript"}}]}"#,
    );
    assert!(unknown.is_empty(), "{unknown:?}");
    let mut stage = asked("Edit");
    stage.app.bindings = bindings.clone();
    stage.press(&["ctrl+k"]);
    assert_eq!(stage.answer()["behavior"], "deny");
    let mut stage = written("abc");
    stage.app.bindings = bindings;
    stage.press(&["home", "ctrl+k"]);
    assert!(stage.app.editor.is_empty(), "elsewhere it is what it was");
    stage.press(&["ctrl+q"]);
    assert!(stage.acts().contains(&Act::Transcript));
}
