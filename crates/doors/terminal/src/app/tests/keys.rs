//! Every key of the table, and what it does.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::stage::Stage;
use crate::app::Act;
use crate::input::Input;

/// What is wished for after these keys, on a fresh screen with this draft.
fn wishes(draft: &str, keys: &[&str]) -> Vec<Act> {
    let mut stage = Stage::new(80, 24);
    stage.write(draft);
    stage.acts();
    stage.press(keys);
    stage.acts()
}

/// The draft after these keys.
fn draft(text: &str, keys: &[&str]) -> String {
    let mut stage = Stage::new(80, 24);
    stage.write(text);
    stage.press(keys);
    let mut text = stage.app.editor.text().to_owned();
    text.insert(stage.app.editor.cursor(), '|');
    text
}

#[test]
fn keys_that_wish_for_something() {
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
            |act| matches!(act, Act::Shell(command) if command == "ls"),
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
fn keys_that_write() {
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
fn a_call_that_runs_goes_to_the_background_and_where_there_is_text_the_cursor_moves() {
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
fn a_paste_is_opened_and_a_picture_is_attached() {
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
fn vim_takes_the_first_escape_and_the_turn_the_second() {
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
