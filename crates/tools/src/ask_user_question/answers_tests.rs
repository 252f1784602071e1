#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn sentence(answers: &Value, annotations: &Value) -> String {
    let input = json!({
        "questions": [
            {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]},
            {"question": "Which fruits?", "header": "Fruits", "multiSelect": true,
                "options": [{"label": "Apple"}, {"label": "Pear"}, {"label": "Apple, dried"}]},
        ],
        "answers": answers,
        "annotations": annotations,
    });
    Answers::of(&input).sentence()
}

#[test]
fn offered_labels_are_answers() {
    for (answers, told) in [
        (json!({"Which colour?": "Red"}), r#""Which colour?"="Red""#),
        (
            json!({"Which fruits?": "Apple,Pear"}),
            r#""Which fruits?"="Apple,Pear""#,
        ),
        (
            json!({"Which fruits?": "Pear, Apple, dried"}),
            r#""Which fruits?"="Pear, Apple, dried""#,
        ),
        (
            json!({"Which fruits?": ["Apple", "Pear"]}),
            r#""Which fruits?"="Apple,Pear""#,
        ),
        (
            json!({"Which colour?": "Blue", "Which fruits?": "Pear"}),
            r#""Which colour?"="Blue", "Which fruits?"="Pear""#,
        ),
    ] {
        assert_eq!(
            sentence(&answers, &Value::Null),
            format!("Your questions have been answered: {told}. You can now continue with these answers in mind.")
        );
    }
}

#[test]
fn anything_else_is_to_be_read_with_care() {
    for (answers, annotations, told) in [
        (
            json!({"Which colour?": "mauve"}),
            json!(null),
            r#""Which colour?"="mauve""#,
        ),
        (
            json!({"Which colour?": "Red,Blue"}),
            json!(null),
            r#""Which colour?"="Red,Blue""#,
        ),
        (
            json!({"Which fruits?": "Apple,Plum"}),
            json!(null),
            r#""Which fruits?"="Apple,Plum""#,
        ),
        (
            json!({"Which fruits?": "ApplePear"}),
            json!(null),
            r#""Which fruits?"="ApplePear""#,
        ),
        (
            json!({"Which fruits?": ["Apple", "Plum"]}),
            json!(null),
            r#""Which fruits?"="Apple,Plum""#,
        ),
        (json!({"Never asked": "Red"}), json!(null), r#""Never asked"="Red""#),
        (
            json!({"Which colour?": "Blue"}),
            json!({"Which colour?": {"notes": "deep blue"}}),
            r#""Which colour?"="Blue" notes: deep blue"#,
        ),
        (
            json!({}),
            json!({"Which colour?": {"notes": "neither"}}),
            r#""Which colour?" without a choice notes: neither"#,
        ),
    ] {
        let said = sentence(&answers, &annotations);
        assert!(
            said.starts_with(&format!("The user answered: {told}. Read the answers carefully — ")),
            "{said}"
        );
    }
}

#[test]
fn a_missing_answer_is_reported() {
    let none = "The user did not answer the questions.";
    assert_eq!(sentence(&json!({}), &json!({})), none);
    assert_eq!(sentence(&Value::Null, &Value::Null), none);
    assert_eq!(sentence(&json!({"Which colour?": " "}), &Value::Null), none);
    assert_eq!(
        sentence(&json!({}), &json!({"Which colour?": {"unanswered": "skipped"}})),
        none
    );
    let replied = Answers::of(&json!({"answers": {}, "response": "let us talk first"})).sentence();
    assert_eq!(replied, "The user did not choose, but replied: let us talk first");
}
