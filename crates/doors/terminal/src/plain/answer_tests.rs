#![allow(clippy::unwrap_used, clippy::panic)]
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn asked(wants: Wants) -> Asked {
    Asked {
        id: RequestId::new("r"),
        lines: vec!["ask 1 of 1: it".to_owned()],
        wants,
    }
}

fn call(tool: &str, input: &Value) -> CanUseTool {
    serde_json::from_value(json!({"subtype": "can_use_tool", "tool_name": tool, "input": input})).unwrap()
}

fn given(step: Step) -> (Value, String) {
    match step {
        Step::Answer(response, said) => (serde_json::to_value(*response).unwrap(), said),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_a_number_answers() {
    let call = call("Write", &json!({"file_path": "a", "content": "b"}));
    let mut asked = asked(Wants::Choice(call_choices(&call)));
    assert_eq!(given(asked.typed("1")).1, "1 yes");
    let (response, said) = given(asked.typed("2 use ls"));
    assert_eq!(said, "2 no: use ls");
    assert!(response["message"].as_str().unwrap().ends_with("use ls"));
    for unclear in ["", "yes", "y", "0", "3", "-1"] {
        assert!(matches!(asked.typed(unclear), Step::Say(_)), "{unclear}");
    }
    let (response, _) = given(asked.stop());
    assert_eq!(response["interrupt"], true);
}

#[test]
fn a_command_is_changed_by_writing_it_anew() {
    let call = call("Bash", &json!({"command": "cargo publish"}));
    let mut asked = asked(Wants::Choice(call_choices(&call)));
    assert!(matches!(asked.typed("2"), Step::Say(lines) if lines[0].starts_with("type the command")));
    assert!(
        matches!(asked.typed(""), Step::Say(lines) if lines == ["ask 1 of 1: it"]),
        "enter alone goes back"
    );
    asked.typed("2");
    let (response, _) = given(asked.typed("cargo publish --dry-run"));
    assert_eq!(response["updatedInput"]["command"], "cargo publish --dry-run");
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let input = json!({"questions": [
        {"question": "How?", "options": [{"label": "Well", "description": "slowly"}, {"label": "Fast", "description": ""}]},
        {"question": "Which?", "multiSelect": true, "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]}]});
    let mut asked = asked(Wants::Questions(Questions::read(&input).unwrap(), input));
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
fn a_form_is_filled_in_field_by_field_and_says_what_is_wrong() {
    let elicitation: Elicitation =
        serde_json::from_value(json!({"subtype": "elicitation", "mcp_server_name": "tracker",
        "message": "Which project?", "requested_schema": {"type": "object", "required": ["project"], "properties": {
            "project": {"type": "string", "minLength": 3}, "urgent": {"type": "boolean"}}}}))
        .unwrap();
    let mut asked = Asked::form(RequestId::new("r"), 1, elicitation);
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
fn a_change_is_told_by_what_lines_were_and_become() {
    let input = json!({"file_path": "add.rs", "old_string": "a - b", "new_string": "a + b"});
    let file = "fn add() {\n    a - b\n}\n";
    assert_eq!(
        details("Edit", &input, Some(file)),
        ["  line 2 was:     a - b", "  line 2 becomes: a + b"]
    );
    let input = json!({"file_path": "new.md", "content": "hello"});
    assert_eq!(details("Write", &input, None), ["  line 1 added: hello"]);
}
