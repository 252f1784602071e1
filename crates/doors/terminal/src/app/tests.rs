//! User journeys without a terminal: feed a conversation, press keys, check rows and acts.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod asks;
mod commands;
mod dialogs;
mod earlier;
mod keys;
mod lists;
mod narrow;
mod running_commands;
mod screens;
mod stage;
mod table;
mod turns;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;
use sluice_host::conversation::{Submit, What};
use sluice_wire::mode::PermissionMode;
use sluice_wire::stdin::User;

use super::{Act, Now};
use crate::input::Input;
use crate::text::width;
use stage::Stage;

#[test]
fn ask_edit_is_answered_by_enter() {
    let mut stage = Stage::new(80, 24);
    stage.turn("fix it");
    stage.later(1000);
    stage.edit("1");
    let region = stage.region();
    assert_eq!(region[1], "? Edit  src/add.rs  +1 -1");
    assert_eq!(region[8], "› 1  Yes");
    stage.later(500);
    stage.press(&["enter"]);
    assert_eq!(stage.answer(), json!({"behavior": "allow"}));
}

#[test]
fn denial_includes_the_note() {
    let mut stage = Stage::new(80, 24);
    stage.turn("fix it");
    stage.later(1000);
    stage.edit("1");
    stage.later(500);
    stage.press(&["down", "down", "down", "tab"]);
    stage.write("use wrapping_add");
    assert!(
        stage
            .region()
            .iter()
            .any(|row| row == "› 4  No, with a note  use wrapping_add")
    );
    stage.press(&["enter"]);
    let answer = stage.answer();
    assert_eq!(answer["behavior"], "deny");
    assert!(answer["message"].as_str().unwrap().ends_with("use wrapping_add"));
    stage.says(
        &json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
        "content": "no", "is_error": true}]}, "parent_tool_use_id": null, "session_id": "s", "uuid": "r1"}),
    );
    stage.look();
    stage.region();
    assert!(
        stage
            .committed
            .contains(&"⊘ Edit  src/add.rs  you denied it: use wrapping_add".to_owned()),
        "{:?}",
        stage.committed
    );
}

#[test]
fn escape_denies_and_stops_the_turn() {
    let mut stage = Stage::new(80, 24);
    stage.turn("fix it");
    stage.later(1000);
    stage.edit("1");
    stage.press(&["esc"]);
    assert_eq!(stage.answer()["interrupt"], json!(true));
}

#[test]
fn right_selects_where_a_rule_is_saved() {
    let mut stage = Stage::new(80, 24);
    stage.turn("publish");
    stage.later(1000);
    let rules = json!([{"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "cargo publish:*"}]}]);
    stage.ask("1", "Bash", &json!({"command": "cargo publish"}), &rules);
    stage.later(500);
    stage.press(&["down", "right", "enter"]);
    assert_eq!(
        stage.answer()["updatedPermissions"][0]["destination"],
        "projectSettings"
    );
}

#[test]
fn a_command_can_be_edited_before_approval() {
    let mut stage = Stage::new(80, 24);
    stage.turn("publish");
    stage.later(1000);
    stage.ask("1", "Bash", &json!({"command": "cargo publish"}), &json!([]));
    stage.later(500);
    stage.press(&["2"]);
    stage.write(" --dry-run");
    let region = stage.region();
    assert_eq!(
        region[1..4],
        [
            "? Bash  change it, then enter",
            "! cargo publish --dry-run",
            "  enter runs it changed ∙ ctrl+g in $EDITOR ∙ esc back"
        ]
    );
    stage.press(&["enter"]);
    assert_eq!(stage.answer()["updatedInput"]["command"], "cargo publish --dry-run");
}

#[test]
fn a_request_does_not_take_the_keyboard_while_typing() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.write("please rm");
    stage.edit("1");
    assert!(stage.region().contains(&"  tab answers ∙ you are typing".to_owned()));
    stage.press(&["enter"]);
    let acts = stage.acts();
    assert!(
        matches!(&acts[..], [Act::Send { text, .. }] if text == "please rm"),
        "{acts:?}"
    );
    stage.press(&["tab", "enter"]);
    assert_eq!(stage.answer(), json!({"behavior": "allow"}));
}

#[test]
fn a_digit_right_after_a_request_is_typed_into_the_draft() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.edit("1");
    stage.later(100);
    stage.press(&["1"]);
    assert!(stage.acts().is_empty());
    assert_eq!(stage.app.editor.text(), "1");
}

#[test]
fn typing_into_a_request_returns_the_keyboard_to_the_draft() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.edit("1");
    stage.later(5000);
    stage.write("list files, yes");
    assert!(stage.acts().is_empty());
    assert_eq!(stage.app.editor.text(), "list files, yes");
}

#[test]
fn a_long_diff_is_committed_and_only_the_choices_stay_live() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    let content: String = (0..300).map(|number| format!("line {number}\n")).collect();
    stage.app.read_file = |_| None;
    stage.ask(
        "1",
        "Write",
        &json!({"file_path": "/home/me/code/shop/a.txt", "content": content}),
        &json!([]),
    );
    let region = stage.region();
    assert_eq!(region[1], "? Write  a.txt  +300  the 300 rows above");
    assert_eq!(
        stage.committed.iter().filter(|row| row.contains("+ line ")).count(),
        300
    );
    assert!(stage.committed.iter().any(|row| row.ends_with("your choice is below")));
    assert_eq!(
        stage.app.next_tick(stage.now),
        None,
        "nothing moves while a person is asked"
    );
    let again = stage.region();
    assert_eq!(
        (region, 300),
        (
            again,
            stage.committed.iter().filter(|row| row.contains("+ line ")).count()
        )
    );
}

#[test]
fn two_requests_are_answered_with_their_ids() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.edit("1");
    stage.edit("2");
    stage.later(500);
    assert!(stage.region()[1].contains("(ask 1 of 2)"));
    stage.press(&["pagedown", "enter"]);
    let acts = stage.acts();
    assert!(
        matches!(&acts[..], [Act::Answer { ask, .. }] if ask.to_string() == "2"),
        "{acts:?}"
    );
}

#[test]
fn questions_are_answered_one_by_one_and_then_sent() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    let input = json!({"questions": [
        {"question": "How?", "options": [{"label": "Well", "description": ""}]},
        {"question": "Which?", "multiSelect": true, "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]}]});
    stage.ask("1", "AskUserQuestion", &input, &json!([]));
    stage.later(500);
    stage.press(&["enter", "space", "enter"]);
    assert!(stage.region().contains(&"    Which?  A".to_owned()));
    stage.press(&["enter"]);
    assert_eq!(
        stage.answer()["updatedInput"]["answers"],
        json!({"How?": "Well", "Which?": "A"})
    );
}

#[test]
fn a_plan_is_committed_and_can_set_the_mode() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    let plan: String = (0..200).map(|number| format!("- step {number}\n")).collect();
    stage.ask("1", "ExitPlanMode", &json!({"plan": plan}), &json!([]));
    assert_eq!(stage.region()[1], "? Carry out the plan above?");
    stage.later(500);
    stage.press(&["2"]);
    assert_eq!(stage.answer()["updatedPermissions"][0]["mode"], "acceptEdits");
}

#[test]
fn escape_stops_a_turn_and_keeps_the_draft() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.look();
    stage.write("abc");
    stage.press(&["esc"]);
    assert_eq!(stage.acts(), [Act::Interrupt { all: false }]);
    assert_eq!(stage.app.editor.text(), "abc");
}

#[test]
fn ctrl_c_clears_first_and_stops_second() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(5000);
    stage.look();
    stage.write("abc");
    stage.press(&["ctrl+c"]);
    assert!(stage.acts().is_empty());
    stage.press(&["ctrl+c"]);
    assert_eq!(stage.acts(), [Act::Interrupt { all: true }]);
    stage.press(&["up"]);
    assert_eq!(stage.app.editor.text(), "abc", "what was cleared is one up away");
}

#[test]
fn queued_prompts_wait_below_and_come_back() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.happen(What::Submit(Submit::new("p2", User::new("also run clippy"))));
    stage.happen(What::Submit(Submit::new("p3", User::new("and note it\n2\n3\n4"))));
    stage.look();
    let region = stage.region();
    assert!(
        region
            .iter()
            .any(|row| row.ends_with("esc stops and sends the 2 below")),
        "{region:?}"
    );
    assert!(region.contains(&"  next  also run clippy".to_owned()));
    assert!(region.contains(&"  next  and note it ⋯ 4 lines".to_owned()));
    stage.press(&["up"]);
    assert_eq!(stage.acts(), [Act::Withdraw("p3".to_owned())]);
    assert_eq!(stage.app.editor.text(), "and note it\n2\n3\n4");
}

#[test]
fn stopping_right_after_enter_restores_the_prompt() {
    let mut stage = Stage::new(80, 24);
    stage.write("x");
    stage.press(&["enter"]);
    stage.later(300);
    stage.press(&["esc"]);
    let acts = stage.acts();
    assert!(
        matches!(&acts[..], [Act::Send { .. }, Act::Interrupt { .. }]),
        "{acts:?}"
    );
    assert_eq!(stage.app.editor.text(), "x");
}

#[test]
fn exit_needs_two_key_presses() {
    let mut stage = Stage::new(80, 24);
    stage.press(&["ctrl+c"]);
    assert!(stage.region().contains(&"  press ctrl+c again to exit".to_owned()));
    stage.later(2500);
    stage.press(&["ctrl+d"]);
    assert!(stage.acts().is_empty());
    stage.press(&["ctrl+d"]);
    assert_eq!(stage.acts(), [Act::Leave(0)]);
    stage.write("ab");
    stage.press(&["home", "ctrl+d"]);
    assert_eq!(stage.app.editor.text(), "b");
}

#[test]
fn shift_tab_goes_through_the_first_four_modes() {
    let mut stage = Stage::new(80, 24);
    let mut seen = Vec::new();
    for _ in 0..4 {
        stage.press(&["shift+tab"]);
        match stage.acts().pop() {
            Some(Act::SetMode(mode)) => {
                stage.app.snapshot.mode = Some(mode.clone());
                seen.push(mode);
            }
            other => panic!("{other:?}"),
        }
    }
    let expected = [
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
        PermissionMode::Auto,
        PermissionMode::Default,
    ];
    assert_eq!(seen, expected);
}

#[test]
fn completion_is_below_and_the_composer_row_does_not_move() {
    let mut stage = Stage::new(80, 24);
    let before = stage.region().iter().position(|row| row.starts_with("› "));
    stage.write("/co");
    let region = stage.region();
    assert_eq!(region.iter().position(|row| row == "› /co"), before);
    assert!(
        region.iter().any(|row| row.trim_start().starts_with("/copy")),
        "{region:?}"
    );
    stage.press(&["down", "down", "tab"]);
    assert_eq!(stage.app.editor.text(), "/copy");
}

#[test]
fn a_long_paste_is_a_chip_and_is_sent_whole() {
    let mut stage = Stage::new(80, 24);
    let text = format!("{}\x1b\x07\u{202e}", "a line\n".repeat(5000));
    stage.app.input(Input::Paste(text.clone()), stage.now);
    assert!(
        stage
            .region()
            .iter()
            .any(|row| row.starts_with("› [paste 1: 5001 lines, "))
    );
    stage.press(&["enter"]);
    let acts = stage.acts();
    assert!(matches!(&acts[..], [Act::Send { text: sent, .. }] if *sent == text));
}

#[test]
fn no_timer_while_idle() {
    let mut stage = Stage::new(80, 24);
    stage.region();
    assert_eq!(stage.app.next_tick(stage.now), None);
}

#[test]
fn any_key_closes_the_help_and_is_handled() {
    let mut stage = Stage::new(80, 24);
    stage.write("?");
    assert!(stage.region().iter().any(|row| row.contains("shift+tab mode")));
    stage.write("a");
    assert_eq!(stage.app.editor.text(), "a");
    assert!(!stage.region().iter().any(|row| row.contains("shift+tab mode")));
}

/// An input or event of the terminal.
#[derive(Debug, Clone)]
enum Step {
    Key(&'static str),
    Paste(String),
    Size(usize, usize),
    Later(Now),
    Delta(String),
    Ask(u8),
    Turn,
}

fn steps() -> impl Strategy<Value = Step> {
    let keys = [
        "a",
        "1",
        "2",
        "y",
        "n",
        "/",
        "@",
        "!",
        "?",
        "space",
        "enter",
        "esc",
        "tab",
        "shift+tab",
        "up",
        "down",
        "left",
        "right",
        "ctrl+c",
        "ctrl+u",
        "ctrl+w",
        "ctrl+y",
        "ctrl+r",
        "ctrl+t",
        "ctrl+s",
        "ctrl+j",
        "alt+p",
        "pageup",
        "pagedown",
        "backspace",
        "ctrl+x",
        "ctrl+o",
        "ctrl+g",
        "#",
        "alt+t",
        "q",
        "x",
        "home",
        "end",
    ];
    prop_oneof![
        6 => proptest::sample::select(keys.to_vec()).prop_map(Step::Key),
        1 => "[a-z\n日👩\u{202e}\x1b]{0,40}".prop_map(Step::Paste),
        1 => (5_usize..120, 3_usize..40).prop_map(|(columns, rows)| Step::Size(columns, rows)),
        1 => (0_u64..3000).prop_map(Step::Later),
        2 => "[a-z`* \n|#-]{0,30}".prop_map(Step::Delta),
        1 => any::<u8>().prop_map(Step::Ask),
        1 => Just(Step::Turn),
    ]
}

proptest! {
    #[test]
    fn frames_fit_after_any_sequence_of_events(steps in proptest::collection::vec(steps(), 0..60)) {
        let mut stage = Stage::new(80, 24);
        stage.turn("go");
        stage.begins_text();
        for step in steps {
            match step {
                Step::Key(key) => stage.press(&[key]),
                Step::Paste(text) => stage.app.input(Input::Paste(text), stage.now),
                Step::Size(columns, rows) => stage.app.resize(columns, rows),
                Step::Later(by) => stage.later(by),
                Step::Delta(text) => stage.delta(&text),
                Step::Ask(number) => stage.edit(&format!("{number}")),
                Step::Turn => stage.begins_text(),
            }
            stage.look();
            let frame = stage.app.frame(stage.now);
            prop_assert!(frame.region.len() <= stage.app.rows.max(1));
            for row in &frame.region {
                prop_assert!(width::of(&row.text()) <= stage.app.columns.max(2), "{:?}", row.text());
            }
        }
    }
}
