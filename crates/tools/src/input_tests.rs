#![allow(clippy::unwrap_used)]

use pretty_assertions::assert_eq;

use super::*;

fn tool() -> Descriptor {
    Descriptor {
        name: "Sample".into(),
        description: "".into(),
        schema: json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string"},
                "count": {"type": "integer", "minimum": 1},
                "all": {"type": "boolean", "default": false},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "list": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}},
            },
            "required": ["file_path"],
            "additionalProperties": false,
        }),
        touches: sluice_permission::Touches::Reads { path: "file_path" },
        ..Descriptor::default()
    }
}

fn refusal(input: &Value) -> Invalid {
    checked(&tool(), input, Path::new("/w")).unwrap_err()
}

#[test]
fn a_good_input_is_ordered_filled_and_absolute() {
    let input = json!({"count": "3", "file_path": "a/../b.txt"});
    let got = checked(&tool(), &input, Path::new("/w")).unwrap();
    assert_eq!(got.to_string(), r#"{"file_path":"/w/b.txt","count":3,"all":false}"#);
}

#[test]
fn filling_changes_nothing_else() {
    let input = json!({"file_path": "rel", "odd": 1});
    assert_eq!(
        fill(&tool().schema, &input),
        json!({"file_path": "rel", "odd": 1, "all": false})
    );
}

#[test]
fn a_missing_parameter_is_reported_in_the_form_hosts_expect() {
    let invalid = refusal(&json!({}));
    let list: Value = serde_json::from_str(invalid.result.strip_prefix("InputValidationError: ").unwrap()).unwrap();
    assert_eq!(
        list,
        json!([{"expected": "string", "code": "invalid_type", "path": ["file_path"], "message": "Invalid input: expected string, received undefined"}])
    );
    assert!(
        invalid
            .result
            .starts_with("InputValidationError: [\n  {\n    \"expected\": \"string\",\n    \"code\": \"inv")
    );
    assert!(
        invalid
            .content
            .starts_with("<tool_use_error>InputValidationError: Sample failed due to the following issue")
    );
}

#[test]
fn an_unknown_parameter_is_refused() {
    let invalid = refusal(&json!({"file_path": "x", "nonsense": 1}));
    assert!(
        invalid
            .result
            .starts_with("InputValidationError: [\n  {\n    \"code\": \"unrecognized_keys\",\n    \"keys\"")
    );
}

#[test]
fn wrong_values_are_refused_wherever_they_are() {
    for (input, path) in [
        (json!({"file_path": 5}), json!(["file_path"])),
        (json!({"file_path": "x", "count": 0}), json!(["count"])),
        (json!({"file_path": "x", "count": 1.5}), json!(["count"])),
        (json!({"file_path": "x", "kind": "c"}), json!(["kind"])),
        (json!({"file_path": "x", "list": []}), json!(["list"])),
        (
            json!({"file_path": "x", "list": [{"x": "y"}, {}]}),
            json!(["list", 1, "x"]),
        ),
        (json!("text"), json!([])),
    ] {
        let invalid = refusal(&input);
        let list: Value = serde_json::from_str(invalid.result.strip_prefix("InputValidationError: ").unwrap()).unwrap();
        assert_eq!(list.get(0).unwrap().get("path"), Some(&path), "{input}");
    }
}
