//! Further choices in permission requests: another rule, changed input, notes, URLs.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_host::conversation::{AskAnswer, Exit, OwnRequest, What};
use sluice_wire::control::RequestId;

use super::screens::{screen, seen};
use super::stage::Stage;
use crate::app::act::EditTarget;
use crate::app::{Act, ActOutcome};
use crate::input::Input;

fn asked(tool: &str, input: &serde_json::Value, suggestions: &serde_json::Value) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.later(1000);
    stage.ask("1", tool, input, suggestions);
    stage.region();
    stage.later(500);
    stage.acts();
    stage
}

#[test]
fn tab_edits_a_rule_and_it_is_saved_in_the_selected_file() {
    let rules = json!([{"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "cargo publish:*"}]}]);
    let mut stage = asked("Bash", &json!({"command": "cargo publish --dry-run"}), &rules);
    stage.press(&["down", "right", "tab"]);
    stage.press(&["backspace", "backspace"]);
    stage.write(" --dry-run:*");
    screen("ask-rule-80", &stage.region());
    stage.press(&["enter"]);
    let kept = &stage.answer()["updatedPermissions"][0];
    assert_eq!(kept["rules"][0]["ruleContent"], "cargo publish --dry-run:*");
    assert_eq!(kept["destination"], "projectSettings");
    // An empty rule would allow everything: it is rejected, and escape returns to the choices.
    let mut stage = asked("Bash", &json!({"command": "cargo publish --dry-run"}), &rules);
    stage.press(&["down", "tab", "ctrl+u", "enter"]);
    assert!(stage.acts().is_empty());
    stage.press(&["esc"]);
    assert!(stage.region().iter().any(|row| row.contains("`cargo publish *`")));
}

#[test]
fn an_edited_change_is_shown_as_a_new_diff_before_the_answer() {
    let mut stage = Stage::new(80, 24);
    stage.turn("fix it");
    stage.later(1000);
    stage.edit("1");
    stage.region();
    stage.later(500);
    stage.acts();
    stage.press(&["3"]);
    let acts = stage.acts();
    let [Act::Edit { text, what }] = acts.as_slice() else {
        panic!("{acts:?}")
    };
    assert_eq!(text, "a + b");
    let what = what.clone();
    stage.app.apply_outcome(
        ActOutcome::Edited {
            text: Some("a.wrapping_add(b)".to_owned()),
            what,
        },
        stage.now,
    );
    assert!(stage.acts().is_empty(), "it is not answered before it was read");
    let region = stage.region();
    assert!(
        region.iter().any(|row| row.ends_with("+     a.wrapping_add(b)")),
        "{region:#?}"
    );
    stage.press(&["enter"]);
    assert_eq!(stage.answer()["updatedInput"]["new_string"], "a.wrapping_add(b)");
}

#[test]
fn a_command_can_be_edited_in_the_external_editor() {
    let mut stage = asked("Bash", &json!({"command": "cargo publish"}), &json!([]));
    stage.press(&["e", "ctrl+g"]);
    let acts = stage.acts();
    assert!(
        matches!(acts.as_slice(), [Act::Edit { text, what: EditTarget::Input(_) }] if text == "cargo publish"),
        "{acts:?}"
    );
    let what = EditTarget::Input(stage.app.open_request.as_ref().unwrap().id.clone());
    stage.app.apply_outcome(
        ActOutcome::Edited {
            text: Some("cargo publish --dry-run\n".to_owned()),
            what,
        },
        stage.now,
    );
    assert!(stage.acts().is_empty(), "enter runs it, not the editor's end");
    stage.press(&["enter"]);
    assert_eq!(stage.answer()["updatedInput"]["command"], "cargo publish --dry-run");
}

#[test]
fn an_answer_includes_the_note() {
    let input = json!({"questions": [{"question": "How?", "options": [{"label": "Well", "description": ""}, {"label": "Fast", "description": ""}]}]});
    let mut stage = asked("AskUserQuestion", &input, &json!([]));
    stage.press(&["tab"]);
    stage.write("but not today");
    screen("question-note-80", &stage.region());
    stage.press(&["esc"]);
    assert!(stage.acts().is_empty(), "escape ends the note, nothing else");
    stage.press(&["down", "enter"]);
    let answered = &stage.answer()["updatedInput"];
    assert_eq!(answered["answers"], json!({"How?": "Fast"}));
    assert_eq!(answered["annotations"], json!({"How?": {"notes": "but not today"}}));
}

#[test]
fn a_url_is_opened_copied_or_declined() {
    for (keys, wanted, action) in [
        (["1"], Some(Act::Open("https://mcp.example/a".to_owned())), "accept"),
        (["2"], Some(Act::Copy("https://mcp.example/a".to_owned())), "accept"),
        (["3"], None, "decline"),
    ] {
        let mut stage = Stage::new(80, 24);
        stage.turn("go");
        stage.later(1000);
        stage.says(
            &json!({"type": "control_request", "request_id": "e", "request": {"subtype": "elicitation",
            "mcp_server_name": "tracker", "message": "Sign in first.", "mode": "url", "url": "https://mcp.example/a"}}),
        );
        stage.look();
        stage.region();
        stage.later(500);
        stage.acts();
        screen("elicit-page-80", &stage.region());
        stage.press(&keys);
        let acts = stage.acts();
        let Some(Act::Fill { response, .. }) = acts.last() else {
            panic!("{acts:?}")
        };
        assert_eq!(serde_json::to_value(response).unwrap()["action"], action);
        assert_eq!(
            acts.first().filter(|act| !matches!(act, Act::Fill { .. })),
            wanted.as_ref()
        );
    }
}

#[test]
fn keys_in_an_unfocused_window_do_not_answer() {
    let mut stage = asked("Bash", &json!({"command": "rm -rf target"}), &json!([]));
    stage.app.input(Input::Focus(false), stage.now);
    stage.later(60_000);
    stage.app.input(Input::Focus(true), stage.now);
    stage.press(&["1"]);
    assert!(stage.acts().is_empty());
    assert_eq!(stage.app.editor.text(), "1");
}

#[test]
fn choices_stay_visible_on_small_screens() {
    for rows in 6..14 {
        let mut stage = Stage::new(40, rows);
        stage.turn("fix it");
        stage.later(1000);
        stage.edit("1");
        let region = stage.region();
        for choice in ["› 1  Yes", "  3  Change it first", "  4  No"] {
            assert!(
                region.iter().any(|row| row == choice),
                "{choice} at {rows} rows: {region:#?}"
            );
        }
    }
}

/// Returns the notice about a request that is withdrawn by `after`.
fn withdrawn(after: impl FnOnce(&mut Stage)) -> String {
    let mut stage = asked("Bash", &json!({"command": "cargo publish"}), &json!([]));
    after(&mut stage);
    stage.look();
    let rows = seen(&mut stage);
    let row = rows.iter().find(|row| row.contains("withdrawn"));
    row.unwrap_or_else(|| panic!("{rows:?}")).clone()
}

#[test]
fn a_withdrawn_request_shows_the_reason() {
    let cancel = json!({"type": "control_cancel_request", "request_id": "1"});
    assert_eq!(
        withdrawn(|stage| stage.says(&cancel)),
        "? Bash    withdrawn: the agent cancelled it"
    );
    let row = withdrawn(|stage| {
        stage.happen(What::Request(OwnRequest::interrupt("i1")));
        stage.says(&cancel);
    });
    assert!(row.ends_with("  withdrawn: the turn was stopped"), "{row}");
    let row = withdrawn(|stage| {
        let mut answer = AskAnswer::allow(RequestId::new("1"));
        answer.by = Some("the phone".into());
        stage.happen(What::Answer(answer));
    });
    assert!(row.ends_with("  withdrawn: the phone allowed it"), "{row}");
    let row = withdrawn(|stage| {
        stage.says(
            &json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result",
            "tool_use_id": "t1", "content": "done"}]}, "parent_tool_use_id": null, "session_id": "s", "uuid": "u1"}),
        );
    });
    assert!(
        row.ends_with("  withdrawn: the agent continued without an answer"),
        "{row}"
    );
    let row = withdrawn(|stage| {
        stage.happen(What::Exited(Exit::default()));
        stage.happen(What::Closed);
    });
    assert!(row.ends_with("  withdrawn: the agent exited"), "{row}");
}

#[test]
fn denying_a_call_with_the_turn_marks_the_other_calls() {
    let mut stage = asked("Bash", &json!({"command": "cargo publish"}), &json!([]));
    stage.ask("2", "Bash", &json!({"command": "git push"}), &json!([]));
    stage.press(&["esc"]);
    stage.answer();
    stage.look();
    stage.says(&json!({"type": "control_cancel_request", "request_id": "2"}));
    stage.look();
    let rows = seen(&mut stage);
    let said = rows.iter().any(|row| row.ends_with("withdrawn: the turn was stopped"));
    assert!(said, "{rows:?}");
}

#[test]
fn a_withdrawn_form_is_reported() {
    let mut stage = Stage::new(80, 24);
    stage.turn("go");
    stage.says(
        &json!({"type": "control_request", "request_id": "e1", "request": {"subtype": "elicitation",
        "mcp_server_name": "tracker", "message": "Which project?", "mode": "form",
        "requested_schema": {"type": "object", "properties": {"project": {"type": "string"}}}}}),
    );
    stage.look();
    stage.region();
    stage.says(&json!({"type": "control_cancel_request", "request_id": "e1"}));
    stage.look();
    stage.region();
    let said = "? tracker asks  withdrawn: no longer needed";
    assert!(stage.committed.iter().any(|row| row == said), "{:?}", stage.committed);
}
