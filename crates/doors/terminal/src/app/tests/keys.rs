//! All keys of the key table and their effects.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::stage::Stage;
use crate::app::Act;
use crate::input::Input;

/// Returns the acts requested by these keys with this draft.
fn wishes(draft: &str, keys: &[&str]) -> Vec<Act> {
    let mut stage = Stage::new(80, 24);
    stage.write(draft);
    stage.acts();
    stage.press(keys);
    stage.acts()
}

/// Returns the draft after these keys.
fn draft(text: &str, keys: &[&str]) -> String {
    let mut stage = Stage::new(80, 24);
    stage.write(text);
    stage.press(keys);
    let mut text = stage.app.editor.text().to_owned();
    text.insert(stage.app.editor.cursor(), '|');
    text
}

#[test]
fn keys_that_request_acts() {
    type Wanted = fn(&Act) -> bool;
    let table: &[(&str, &[&str], Wanted)] = &[
        ("", &["ctrl+o"], |act| matches!(act, Act::Transcript)),
        ("", &["ctrl+l"], |act| matches!(act, Act::Redraw)),
        ("", &["ctrl+z"], |act| matches!(act, Act::Suspend)),
        ("", &["shift+tab"], |act| matches!(act, Act::SetMode(_))),
        ("", &["meta+p"], |act| matches!(act, Act::Models)),
        ("", &["meta+t"], |act| matches!(act, Act::Thinking(Some(0)))),
        (
            "x",
            &["ctrl+g"],
            |act| matches!(act, Act::Edit { text, .. } if text == "x"),
        ),
        ("x", &["ctrl+x", "ctrl+e"], |act| matches!(act, Act::Edit { .. })),
        ("", &["ctrl+v"], |act| matches!(act, Act::PasteImage)),
        ("", &["ctrl+x", "ctrl+b"], |act| matches!(act, Act::Background)),
        ("x", &["enter"], |act| matches!(act, Act::Send { at_once: false, .. })),
        ("x", &["ctrl+x", "enter"], |act| {
            matches!(act, Act::Send { at_once: false, .. })
        }),
        ("x", &["ctrl+enter"], |act| {
            matches!(act, Act::Send { at_once: true, .. })
        }),
        ("x", &["ctrl+x", "ctrl+s"], |act| {
            matches!(act, Act::Send { at_once: true, .. })
        }),
        (
            "!ls",
            &["enter"],
            |act| matches!(act, Act::Shell { command, asks: false, .. } if command == "ls"),
        ),
        ("", &["esc", "esc"], |act| matches!(act, Act::Points)),
        ("", &["ctrl+c", "ctrl+c"], |act| matches!(act, Act::Leave(0))),
        ("", &["ctrl+d", "ctrl+d"], |act| matches!(act, Act::Leave(0))),
    ];
    for (draft, keys, wanted) in table {
        let acts = wishes(draft, keys);
        assert!(acts.iter().any(wanted), "{keys:?}: {acts:?}");
    }
}

#[test]
fn a_late_dialog_does_not_take_the_keyboard() {
    use crate::app::ActOutcome;
    let settings = || ActOutcome::Settings(json!({}));
    for (keys, opens) in [([].as_slice(), true), (&["esc"], false), (&["a"], false)] {
        let mut stage = Stage::new(80, 24);
        stage.write("/config");
        stage.press(&["enter"]);
        stage.press(keys);
        stage.app.apply_outcome(settings(), stage.now);
        assert_eq!(stage.app.picker.is_some(), opens, "{keys:?}");
    }
}

#[test]
fn queued_prompts_are_restored_from_either_end() {
    use sluice_host::conversation::{Submit, What};
    use sluice_wire::stdin::User;
    for (key, expected) in [("meta+up", "second"), ("meta+down", "first")] {
        let mut stage = Stage::new(80, 24);
        stage.turn("go");
        for (uuid, text) in [("q1", "first"), ("q2", "second")] {
            stage.happen(What::Submit(Submit::new(uuid, User::new(text))));
        }
        stage.look();
        stage.write("draft");
        stage.press(&[key]);
        assert_eq!(stage.app.editor.text(), expected);
        assert!(stage.acts().iter().any(|act| matches!(act, Act::Withdraw(_))));
        let kept = stage.app.history.all().iter().any(|asked| asked.text == "draft");
        assert!(kept, "nothing typed is lost");
    }
}

#[test]
fn a_queued_prompt_stays_queued_when_the_turn_is_stopped() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.write("next");
    stage.press(&["enter"]);
    stage.look();
    stage.press(&["esc"]);
    assert_eq!(stage.app.editor.text(), "");
    assert!(
        stage
            .acts()
            .iter()
            .any(|act| matches!(act, Act::Interrupt { all: false }))
    );
}

#[test]
fn a_request_handles_every_key_of_its_table() {
    let asked = || {
        let mut stage = Stage::new(80, 24);
        stage.turn("fix it");
        stage.later(1000);
        stage.edit("1");
        stage.region();
        stage.later(500);
        stage.acts();
        stage
    };
    for (keys, behavior) in [
        (["enter"].as_slice(), "allow"),
        (&["y"], "allow"),
        (&["1"], "allow"),
        (&["2"], "allow"),
        (&["n"], "deny"),
        (&["4"], "deny"),
        (&["end", "enter"], "deny"),
        (&["down", "up", "enter"], "allow"),
        (&["esc"], "deny"),
    ] {
        let mut stage = asked();
        stage.press(keys);
        assert_eq!(stage.answer()["behavior"], behavior, "{keys:?}");
    }
    let mut stage = asked();
    stage.press(&["shift+tab"]);
    assert!(
        matches!(stage.acts().as_slice(), [Act::SetMode(_)]),
        "the mode goes on while one is asked"
    );
    stage.press(&["c"]);
    assert_eq!(stage.acts(), [Act::Copy("src/add.rs".to_owned())]);
    stage.press(&["e"]);
    assert!(matches!(stage.acts().as_slice(), [Act::Edit { .. }]));
}

#[test]
fn a_plan_edited_in_the_editor_is_sent() {
    use crate::app::ActOutcome;
    let mut stage = Stage::new(80, 24);
    stage.turn("plan");
    stage.later(1000);
    stage.ask("1", "ExitPlanMode", &json!({"plan": "1. Read"}), &json!([]));
    stage.region();
    stage.later(500);
    stage.press(&["ctrl+g"]);
    let acts = stage.acts();
    let [Act::Edit { text, what }] = acts.as_slice() else {
        panic!("{acts:?}")
    };
    assert_eq!(text, "1. Read");
    let edited = ActOutcome::Edited {
        text: Some("1. Read\n2. Write\n".to_owned()),
        what: what.clone(),
    };
    stage.app.apply_outcome(edited, stage.now);
    stage.region();
    assert!(
        stage.committed.iter().any(|row| row == "2. Write"),
        "it is read again: {:?}",
        stage.committed
    );
    stage.press(&["1"]);
    assert_eq!(stage.answer()["updatedInput"]["plan"], "1. Read\n2. Write");
}

#[test]
fn the_pager_handles_every_key_of_its_table() {
    use crate::app::ActOutcome;
    let mut stage = Stage::new(80, 24);
    let long: String = (0..200).map(|number| format!("line {number}\n")).collect();
    stage.turn(&long);
    let items = stage.state.items().collect();
    stage
        .app
        .apply_outcome(ActOutcome::Transcript { items, title: None }, stage.now);
    let top = |stage: &mut Stage| stage.app.sheet().map(|(rows, _)| rows.first().unwrap().text());
    let end = top(&mut stage);
    for (there, back) in [
        ("k", "j"),
        ("up", "down"),
        ("b", "space"),
        ("ctrl+b", "ctrl+f"),
        ("ctrl+u", "ctrl+d"),
        ("g", "G"),
    ] {
        stage.press(&[there]);
        assert_ne!(top(&mut stage), end, "{there}");
        stage.press(&[back]);
        assert_eq!(top(&mut stage), end, "{back}");
    }
    for (there, back) in [("home", "end"), ("[", "end"), ("pageup", "pagedown")] {
        stage.press(&[there]);
        assert_ne!(top(&mut stage), end, "{there}");
        stage.press(&[back]);
        assert_eq!(top(&mut stage), end, "{back}");
    }
    stage.press(&["c"]);
    assert!(matches!(stage.acts().as_slice(), [Act::Copy(_)]));
    stage.press(&["e"]);
    assert!(matches!(stage.acts().as_slice(), [Act::Edit { .. }]));
    for leaves in ["q", "esc", "ctrl+c", "ctrl+o"] {
        let items = stage.state.items().collect();
        stage
            .app
            .apply_outcome(ActOutcome::Transcript { items, title: None }, stage.now);
        stage.press(&[leaves]);
        assert_eq!(top(&mut stage), None, "{leaves}");
    }
}

#[test]
fn keys_that_edit_the_draft() {
    for (text, keys, expected) in [
        ("one two", ["ctrl+a"].as_slice(), "|one two"),
        ("one two", &["home"], "|one two"),
        ("one two", &["ctrl+a", "ctrl+e"], "one two|"),
        ("one two", &["ctrl+a", "end"], "one two|"),
        ("one two", &["ctrl+b", "ctrl+b"], "one t|wo"),
        ("one two", &["ctrl+a", "ctrl+f"], "o|ne two"),
        ("one two", &["ctrl+h"], "one tw|"),
        ("one two", &["left", "ctrl+k"], "one tw|"),
        ("one two", &["ctrl+u"], "|"),
        ("one two", &["ctrl+w"], "one |"),
        ("one two", &["ctrl+w", "ctrl+y"], "one two|"),
        ("one two", &["meta+b"], "one |two"),
        ("one two", &["ctrl+left"], "one |two"),
        ("one two", &["ctrl+a", "meta+f"], "one| two"),
        ("one two", &["ctrl+a", "ctrl+right"], "one| two"),
        ("one two", &["ctrl+a", "meta+d"], "| two"),
        ("one two", &["meta+backspace"], "one |"),
        ("one", &["ctrl+a", "ctrl+d"], "|ne"),
        ("one", &["ctrl+a", "delete"], "|ne"),
        ("one", &["ctrl+j"], "one\n|"),
        ("one", &["shift+enter"], "one\n|"),
        ("one", &["alt+enter"], "one\n|"),
        ("one\\", &["enter"], "one\n|"),
        ("one", &["ctrl+w", "ctrl+_"], "one|"),
        ("one", &["ctrl+s"], "|"),
        ("one", &["ctrl+s", "ctrl+s"], "one|"),
        ("one", &["esc", "esc"], "|"),
        ("one", &["esc", "esc", "up"], "one|"),
        ("one", &["ctrl+c"], "|"),
        ("one", &["ctrl+c", "up", "down"], "|"),
    ] {
        assert_eq!(draft(text, keys), expected, "{text:?} {keys:?}");
    }
}

#[test]
fn ctrl_b_backgrounds_a_call_or_moves_the_cursor_in_text() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.says(&json!({"type": "assistant", "message": {"id": "m", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "sleep 9"}}], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": null,
        "session_id": "s", "uuid": "a"}));
    stage.look();
    stage.press(&["ctrl+b"]);
    assert!(stage.acts().contains(&Act::Background));
    stage.write("ab");
    stage.press(&["ctrl+b"]);
    assert!(!stage.acts().contains(&Act::Background));
    assert_eq!(stage.app.editor.cursor(), 1);
}

#[test]
fn a_paste_is_expanded_and_an_image_is_attached() {
    let mut stage = Stage::new(80, 24);
    stage.app.input(Input::Paste("line\n".repeat(8)), stage.now);
    stage.press(&["ctrl+x", "p"]);
    assert_eq!(stage.app.editor.text(), "line\n".repeat(8));
    let mut stage = Stage::new(80, 24);
    stage.app.read_bytes = |_| Some(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x02\xd0".to_vec());
    stage.app.input(Input::Paste("/tmp/shot.png".to_owned()), stage.now);
    let region = stage.region();
    assert!(
        region.iter().any(|row| row == "› [image 1: 1280x720 png]"),
        "{region:?}"
    );
    stage.write("what is it?");
    stage.press(&["enter"]);
    let sent = stage.acts();
    assert!(
        sent.iter()
            .any(|act| matches!(act, Act::Send { images, .. } if images.len() == 1)),
        "{sent:?}"
    );
}

#[test]
fn first_escape_leaves_insert_mode_and_second_stops_the_turn() {
    let mut facts = Stage::facts();
    facts.settings.vim = true;
    let mut stage = Stage::of(facts, 80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.look();
    stage.write("abc");
    stage.press(&["esc"]);
    assert!(stage.acts().is_empty(), "the turn runs");
    assert!(stage.region().iter().any(|row| row.contains("NORMAL")));
    stage.press(&["esc"]);
    assert!(stage.acts().iter().any(|act| matches!(act, Act::Interrupt { .. })));
    assert_eq!(stage.app.editor.text(), "abc");
}
