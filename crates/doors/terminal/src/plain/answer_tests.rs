#![allow(clippy::unwrap_used, clippy::panic)]
use pretty_assertions::assert_eq;
use serde_json::json;

use super::super::change::details;
use super::*;

fn asked(wants: ExpectedAnswer) -> PendingRequest {
    PendingRequest {
        id: RequestId::new("r"),
        lines: vec!["ask 1 of 1: it".to_owned()],
        wants,
    }
}

fn about(tool: &str, input: &Value) -> PendingRequest {
    let call = json!({"subtype": "can_use_tool", "tool_name": tool, "input": input});
    let call = serde_json::from_value(call).unwrap();
    let called = CallRequest::new(call, "/nowhere".as_ref(), "ask", 1);
    PendingRequest::about(RequestId::new("r"), called)
}

fn given(step: Step) -> (Value, String) {
    match step {
        Step::Answer(response, said) => (serde_json::to_value(*response).unwrap(), said),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_a_number_answers() {
    let mut asked = about("Write", &json!({"file_path": "a", "content": "b"}));
    assert_eq!(given(asked.typed("1")).1, "1 yes");
    let (response, said) = given(asked.typed("3 use ls"));
    assert_eq!(said, "3 no: use ls");
    assert!(response["message"].as_str().unwrap().ends_with("use ls"));
    for unclear in ["", "yes", "y", "0", "4", "-1"] {
        assert!(matches!(asked.typed(unclear), Step::Say(_)), "{unclear}");
    }
    let (response, _) = given(asked.stop());
    assert_eq!(response["interrupt"], true);
}

#[test]
fn a_command_is_replaced_by_a_new_one() {
    let mut asked = about("Bash", &json!({"command": "cargo publish"}));
    assert!(matches!(asked.typed("2"), Step::Say(lines) if lines[0].starts_with("type the command")));
    let all = asked.lines.clone();
    assert!(
        matches!(asked.typed(""), Step::Say(lines) if lines == all),
        "enter alone goes back"
    );
    asked.typed("2");
    let (response, _) = given(asked.typed("cargo publish --dry-run"));
    assert_eq!(response["updatedInput"]["command"], "cargo publish --dry-run");
}

#[test]
fn file_content_edited_in_the_editor_is_shown_again() {
    let mut asked = about("Write", &json!({"file_path": "notes.md", "content": "hello"}));
    assert!(matches!(asked.typed("2"), Step::Edit(text) if text == "hello"));
    assert_eq!(asked.edited("hello")[0], "notice: nothing was changed");
    assert_eq!(given(asked.typed("1")).0.get("updatedInput"), None);
    let lines = asked.edited("good day");
    assert_eq!(lines[..2], ["ask 1 of 1: Write notes.md", "  line 1 added: good day"]);
    let (response, _) = given(asked.typed("1"));
    assert_eq!(
        response["updatedInput"],
        json!({"file_path": "notes.md", "content": "good day"})
    );
    assert!(
        matches!(asked.typed("2"), Step::Edit(text) if text == "good day"),
        "once more"
    );
}

#[test]
fn a_plan_is_edited_or_carried_out_in_a_new_session() {
    let mut asked = about("ExitPlanMode", &json!({"plan": "1. Read"}));
    assert_eq!(
        asked.lines,
        [
            "ask 1 of 1: ExitPlanMode",
            "  1. Read",
            "  1 yes, and ask before each change",
            "  2 yes, and edits without asking",
            "  3 yes, in a fresh context",
            "  4 change it first",
            "  5 keep planning",
            "answer 1 to 5, then Enter; no with words: 5 and the words; stop: Escape, Enter",
        ]
    );
    assert!(matches!(asked.typed("4"), Step::Edit(text) if text == "1. Read"));
    asked.edited("1. Write");
    let (response, _) = given(asked.typed("2"));
    assert_eq!(response["updatedInput"], json!({"plan": "1. Write"}));
    assert_eq!(response["updatedPermissions"][0]["mode"], "acceptEdits");
    match asked.typed("3 but gently") {
        Step::NewSession { refusal, prompt, said } => {
            assert_eq!(prompt, "Carry out this plan:\n\n1. Write\n\nbut gently");
            assert_eq!(said, "3 yes, in a fresh context");
            assert_eq!(serde_json::to_value(*refusal).unwrap()["interrupt"], true);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let input = json!({"questions": [
        {"question": "How?", "options": [{"label": "Well", "description": "slowly"}, {"label": "Fast", "description": ""}]},
        {"question": "Which?", "multiSelect": true, "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]}]});
    let mut asked = asked(ExpectedAnswer::Questions(Questions::read(&input).unwrap(), input));
    assert!(matches!(asked.typed("7"), Step::Say(_)), "there is no seventh");
    let Step::Say(lines) = asked.typed("2") else { panic!() };
    assert_eq!(lines[..2], ["you answered: Fast", "ask: Which? (question 2 of 2)"]);
    let (response, said) = given(asked.typed("1, 2"));
    assert_eq!(said, "A, B");
    assert_eq!(
        response["updatedInput"]["answers"],
        json!({"How?": "Fast", "Which?": "A, B"})
    );
}

#[test]
fn a_form_is_filled_in_field_by_field_and_reports_errors() {
    let elicitation: Elicitation =
        serde_json::from_value(json!({"subtype": "elicitation", "mcp_server_name": "tracker",
        "message": "Which project?", "requested_schema": {"type": "object", "required": ["project"], "properties": {
            "project": {"type": "string", "minLength": 3}, "urgent": {"type": "boolean"}}}}))
        .unwrap();
    let mut asked = PendingRequest::form(RequestId::new("r"), 1, elicitation);
    assert_eq!(asked.lines[0], "ask 1 of 1: tracker asks: Which project?");
    assert!(
        asked.lines[1].starts_with("field 1 of 2: project, "),
        "{:?}",
        asked.lines
    );
    assert!(matches!(asked.typed("ab"), Step::Say(_)));
    let Step::Say(lines) = asked.typed("yes") else { panic!() };
    assert!(
        lines[0].starts_with("error: ") && lines[1].starts_with("field 1 of 2"),
        "{lines:?}"
    );
    asked.typed("shop");
    match asked.typed("yes") {
        Step::Fill(_, response, _) => {
            assert_eq!(
                serde_json::to_value(response).unwrap()["content"],
                json!({"project": "shop", "urgent": true})
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_change_is_described_by_old_and_new_lines() {
    let input = json!({"file_path": "add.rs", "old_string": "a - b", "new_string": "a + b"});
    let file = "fn add() {\n    a - b\n}\n";
    assert_eq!(
        details(&Card::of_input("Edit", &input), &input, Some(file)),
        ["  line 2 was:     a - b", "  line 2 becomes: a + b"]
    );
    let input = json!({"file_path": "new.md", "content": "hello"});
    assert_eq!(
        details(&Card::of_input("Write", &input), &input, None),
        ["  line 1 added: hello"]
    );
}
