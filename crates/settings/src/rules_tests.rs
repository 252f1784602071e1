#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn texts(value: &Value) -> Vec<String> {
    rules(value.as_object().unwrap(), Source::User, Path::new("/r"))
        .iter()
        .map(|rule| format!("{} {}", rule.behavior.as_str(), rule.text()))
        .collect()
}

fn problems_of(text: &str) -> Vec<(usize, usize, Effect, String)> {
    let value: Map<String, Value> = serde_json::from_str(text).unwrap();
    let layer = Layer::new(Source::User, None, "/r".into(), value);
    problems(&layer, Path::new("s.json"), Some(text))
        .into_iter()
        .map(|problem| (problem.line, problem.column, problem.effect, problem.message))
        .collect()
}

#[test]
fn rules_have_their_scope_and_root() {
    let value = json!({"permissions": {"deny": ["Read(/secret/**)"]}});
    let rules = rules(value.as_object().unwrap(), Source::Project, Path::new("/proj"));
    assert_eq!(
        rules,
        [Rule {
            behavior: Behavior::Deny,
            source: Source::Project,
            root: "/proj".into(),
            tool: "Read".into(),
            content: Some("/secret/**".into()),
        }]
    );
}

#[test]
fn an_invalid_deny_rule_denies_the_whole_tool() {
    for (entry, expected) in [
        ("Bash(rm:*", vec!["deny Bash", "deny Bash(rm:*)"]),
        // `Read` alone would not cover `cat .env`.
        ("Read(./.env", vec!["deny Read", "deny Read(./.env)"]),
        ("Bash)", vec!["deny Bash"]),
        (")Bash", vec!["deny Bash"]),
        ("Bash, Read(.env)", vec!["deny Bash", "deny Read(.env)"]),
        ("Bash (rm", vec!["deny Bash", "deny rm"]),
        ("", vec![]),
    ] {
        let value = json!({"permissions": {"deny": [entry]}});
        assert_eq!(texts(&value), expected, "{entry}");
    }
}

#[test]
fn an_invalid_allow_rule_allows_nothing() {
    let value = json!({"permissions": {"allow": ["Bash(ls", "Bash, Read", 7], "ask": ["Bash(rm"]}});
    assert_eq!(texts(&value), ["ask Bash", "ask Bash(rm)"]);
    assert_eq!(texts(&json!({"permissions": {"allow": "Bash"}})), [] as [&str; 0]);
}

#[test]
fn a_deny_rule_outside_a_list_still_denies() {
    assert_eq!(
        texts(&json!({"permissions": {"deny": "Bash(rm:*)"}})),
        ["deny Bash(rm:*)"]
    );
}

#[test]
fn invalid_entries_are_reported_with_their_position() {
    let text = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls\"],\n    \"deny\": [\n      \"Read(.env)\",\n      \"Bash(rm\",\n      3\n    ],\n    \"ask\": {}, \"defaultMode\": \"yolo\"\n  },\n  \"env\": { \"A\": [] }\n}";
    let problems = problems_of(text);
    let positions: Vec<_> = problems
        .iter()
        .map(|(line, column, effect, _)| (*line, *column, *effect))
        .collect();
    assert_eq!(
        positions,
        [
            (6, 7, Effect::Stricter),
            (7, 7, Effect::Ignored),
            (9, 12, Effect::Ignored),
            (3, 15, Effect::Ignored),
            (9, 31, Effect::Ignored),
            (11, 10, Effect::Ignored),
        ]
    );
    assert!(problems[0].3.contains("`Bash(rm`"), "{}", problems[0].3);
    assert!(problems[4].3.contains("\"yolo\" is not a mode"), "{}", problems[4].3);
}

#[test]
fn valid_files_have_no_problems() {
    let text = r#"{"permissions": {"deny": ["A"], "ask": null, "defaultMode": "manual", "additionalDirectories": ["x"]}, "env": {"A": "1", "B": 2}}"#;
    assert_eq!(problems_of(text), []);
    assert_eq!(problems_of("{}"), []);
}
