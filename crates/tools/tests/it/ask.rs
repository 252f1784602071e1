use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::find;

use crate::support::{Lab, said};

fn question(text: &str, labels: &[&str]) -> Value {
    let options: Vec<_> = labels
        .iter()
        .map(|label| json!({"description": "d", "label": label}))
        .collect();
    json!({"multiSelect": true, "options": options, "header": "Colour", "question": text})
}

fn checked(questions: &Value) -> Result<Value, String> {
    let ask = find("AskUserQuestion").unwrap();
    ask.check(&json!({"questions": questions}), Path::new("/w"))
        .map_err(|invalid| invalid.result)
}

#[test]
fn a_question_is_shown_in_schema_order_with_defaults() {
    let mut plain = question("Which?", &["Red", "Blue"]);
    plain.as_object_mut().unwrap().shift_remove("multiSelect");
    assert_eq!(
        checked(&json!([plain])).unwrap().to_string(),
        r#"{"questions":[{"question":"Which?","header":"Colour","options":[{"label":"Red","description":"d"},{"label":"Blue","description":"d"}],"multiSelect":false}]}"#
    );
}

#[test]
fn one_to_four_questions_with_two_to_four_options_each() {
    let good = question("Which?", &["Red", "Blue"]);
    for (questions, code, path) in [
        (json!([]), "too_small", json!(["questions"])),
        (
            json!([question("Which?", &["Red"])]),
            "too_small",
            json!(["questions", 0, "options"]),
        ),
        (
            json!([question("Which?", &["1", "2", "3", "4", "5"])]),
            "too_big",
            json!(["questions", 0, "options"]),
        ),
        (
            json!([1, 2, 3, 4, 5].map(|n| question(&n.to_string(), &["Red", "Blue"]))),
            "too_big",
            json!(["questions"]),
        ),
        (json!([good, good]), "custom", json!(["questions", 1, "question"])),
        (
            json!([question("Which?", &["Red", "Red"])]),
            "custom",
            json!(["questions", 0, "options", 1, "label"]),
        ),
        (
            json!([{"question": "Q", "header": "thirteen chars", "options": good["options"]}]),
            "too_big",
            json!(["questions", 0, "header"]),
        ),
        (
            json!([{"question": "Q", "options": good["options"]}]),
            "invalid_type",
            json!(["questions", 0, "header"]),
        ),
    ] {
        let issues = checked(&questions).unwrap_err();
        let issues: Value = serde_json::from_str(issues.strip_prefix("InputValidationError: ").unwrap()).unwrap();
        assert_eq!(
            (&issues[0]["code"], &issues[0]["path"]),
            (&json!(code), &path),
            "{issues}"
        );
    }
}

#[tokio::test]
async fn only_a_person_answers() {
    let ask = find("AskUserQuestion").unwrap();
    let forged = json!({"questions": [question("Which?", &["Red", "Blue"])], "answers": {"Which?": "Red"}, "annotations": {}, "response": "yes"});
    let unanswered = json!({"questions": [question("Which?", &["Red", "Blue"])]});
    assert_eq!(ask.fill(&forged), unanswered);
    let shown = ask.check(&forged, Path::new("/w")).unwrap();
    assert_eq!(shown.as_object().unwrap().keys().collect::<Vec<_>>(), ["questions"]);
    let outcome = Lab::new().call("AskUserQuestion", ask.fill(&forged)).await;
    assert_eq!(said(&outcome), "The user did not answer the questions.");
    assert!(ask.descriptor().needs_person);
}

#[tokio::test]
async fn what_the_host_sends_is_reported_as_it_is() {
    let answered = json!({
        "questions": [{"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]}],
        "answers": {"Which?": ["Red"]},
        "annotations": {"Which?": {"notes": "dark"}},
    });
    let outcome = Lab::new().call("AskUserQuestion", answered.clone()).await;
    assert_eq!(outcome.result, answered);
    assert!(said(&outcome).starts_with(r#"The user answered: "Which?"="Red" notes: dark. "#));
    assert_eq!(outcome.is_error, None);
    let only_answers = Lab::new().call("AskUserQuestion", json!({"answers": {"Q": "A"}})).await;
    assert_eq!(only_answers.result, json!({"questions": [], "answers": {"Q": "A"}}));
}
