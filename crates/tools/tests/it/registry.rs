use std::path::Path;

use serde_json::json;
use sluice_tools::{Outcome, find, registry};

#[test]
fn every_tool_is_found_by_its_name_and_describes_itself() {
    for tool in registry() {
        let descriptor = tool.descriptor();
        assert_eq!(find(&descriptor.name).unwrap().descriptor().name, descriptor.name);
        assert!(descriptor.description.len() > 80, "{}", descriptor.name);
        assert_eq!(descriptor.schema["type"], "object");
        for required in descriptor.schema["required"].as_array().unwrap() {
            assert!(
                descriptor.schema["properties"]
                    .get(required.as_str().unwrap())
                    .is_some()
            );
        }
    }
    assert!(find("Nonsense").is_none());
}

#[test]
fn a_question_shows_absolute_paths_and_an_assistant_frame_the_given_ones() {
    let edit = find("Edit").unwrap();
    let input = json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"});
    let asked = edit.check(&input, Path::new("/w")).unwrap();
    assert_eq!(
        asked.to_string(),
        r#"{"file_path":"/w/a.txt","old_string":"x","new_string":"y","replace_all":false}"#
    );
    assert_eq!(
        edit.fill(&input),
        json!({"file_path": "a.txt", "old_string": "x", "new_string": "y", "replace_all": false})
    );
    let bash = find("Bash").unwrap();
    let input = json!({"command": "ls", "description": "run", "timeout": 5});
    assert_eq!(
        bash.check(&input, Path::new("/w")).unwrap().to_string(),
        r#"{"command":"ls","timeout":5,"description":"run"}"#
    );
}

#[test]
fn only_reads_run_in_parallel() {
    let safe = |tool: &str, input: serde_json::Value| find(tool).unwrap().concurrency_safe(&input);
    assert!(safe("Read", json!({"file_path": "/a"})));
    assert!(safe("Bash", json!({"command": "cat a | wc -l"})));
    assert!(!safe("Bash", json!({"command": "touch a"})));
    assert!(!safe("Bash", json!({"command": "ls", "run_in_background": true})));
    assert!(!safe("Write", json!({"file_path": "/a", "content": ""})));
    assert!(!safe("Edit", json!({})));
}

#[test]
fn calls_that_never_ran_are_answered() {
    let unknown = Outcome::unknown_tool("Nonsense");
    assert_eq!(
        unknown.content,
        "<tool_use_error>Error: No such tool available: Nonsense</tool_use_error>"
    );
    assert_eq!(unknown.result, "Error: No such tool available: Nonsense");
    let unparsed = Outcome::unparsed_input("Bash", "{\"command\": \"echo");
    assert!(
        unparsed
            .content
            .as_str()
            .unwrap()
            .starts_with("<tool_use_error>InputValidationError: Bash was called with input that")
    );
    assert_eq!(unparsed.result, "InputValidationError: JSON parse failed (17 bytes)");
    let invalid = find("Read")
        .unwrap()
        .check(&json!({"file_path": 5}), Path::new("/"))
        .unwrap_err();
    let outcome = Outcome::from(invalid);
    assert_eq!(outcome.is_error, Some(true));
    assert!(
        outcome
            .content
            .as_str()
            .unwrap()
            .starts_with("<tool_use_error>InputValidationError: Read failed due to the following")
    );
}
