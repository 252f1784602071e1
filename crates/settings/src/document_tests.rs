#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::ffi::OsStr;
use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn parsed(text: &str) -> Value {
    match parse(Source::User, Path::new("s.json"), text) {
        ReadOutcome::Parsed {
            value, problem: None, ..
        } => Value::Object(value),
        ReadOutcome::Parsed { problem, .. } => panic!("{problem:?}"),
        ReadOutcome::Invalid(problem) => panic!("{problem}"),
        ReadOutcome::Missing => panic!("nothing"),
    }
}

fn broken(text: &str) -> Problem {
    match parse(Source::User, Path::new("s.json"), text) {
        ReadOutcome::Invalid(problem) => problem,
        _ => panic!("`{text}` was accepted"),
    }
}

#[test]
fn blank_text_bom_and_crlf_are_accepted() {
    assert_eq!(parsed(""), json!({}));
    assert_eq!(parsed(" \r\n\t"), json!({}));
    assert_eq!(parsed("\u{feff}"), json!({}));
    assert_eq!(
        parsed("\u{feff}{\r\n  \"model\": \"m\"\r\n}\r\n"),
        json!({"model": "m"})
    );
}

#[test]
fn syntax_errors_have_line_and_character() {
    let cases = [
        ("{\n  // no\n}", 2, 3, "comments"),
        ("{\n  \"a\": 1, # no\n}", 2, 11, "comments"),
        ("{\n  \"a\": [1,\n  ]\n}", 3, 3, "comma"),
        ("{\n  \"é\": 1\n  \"b\": 2\n}", 3, 3, "not JSON"),
        ("{ \"é\" 1 }", 1, 7, "not JSON"),
        ("{\n  \"a\": ", 2, 8, "ends too early"),
        ("{\n} x", 2, 3, "not JSON"),
        ("[]", 1, 1, "one JSON object"),
        ("\0\0\0\0", 1, 1, "not JSON"),
    ];
    for (text, line, column, about) in cases {
        let problem = broken(text);
        assert_eq!((problem.line, problem.column), (line, column), "{text}: {problem}");
        assert!(problem.message.contains(about), "{text}: {problem}");
        assert_eq!(problem.effect, Effect::LeftOut);
    }
}

#[test]
fn a_problem_is_one_sentence() {
    assert_eq!(
        broken("{\n  \"a\": 1,\n}").to_string(),
        "s.json:3:1: there is a comma after the last entry; remove it; until then nothing in this file applies"
    );
}

#[test]
fn excessive_nesting_is_rejected() {
    let text = format!("{{\"a\": {}", "[".repeat(100_000));
    assert_eq!(broken(&text).line, 1);
}

#[test]
fn a_duplicate_key_loses_no_deny_rule() {
    let text = r#"{
  "permissions": { "deny": ["Bash(rm:*)"] },
  "permissions": { "deny": ["Read(.env)"], "allow": ["Bash(ls)"] }
}"#;
    let ReadOutcome::Parsed { value, problem, .. } = parse(Source::User, Path::new("s.json"), text) else {
        panic!("refused");
    };
    assert_eq!(
        Value::Object(value),
        json!({"permissions": {"deny": ["Bash(rm:*)", "Read(.env)"], "allow": ["Bash(ls)"]}})
    );
    let problem = problem.unwrap();
    assert_eq!((problem.line, problem.effect), (3, Effect::Together));
    assert!(problem.message.contains("`permissions` appears twice"), "{problem}");
}

#[test]
fn positions_of_entries_are_found() {
    let text = "{\n  \"x\": \"deny\",\n  \"permissions\": {\n    \"deny\": [\"a\",\n      \"é\", \"b\"]\n  }\n}";
    assert_eq!(position_of(text, &["permissions", "deny"], Some(0)), Some((4, 14)));
    assert_eq!(position_of(text, &["permissions", "deny"], Some(2)), Some((5, 12)));
    assert_eq!(position_of(text, &["permissions", "deny"], None), Some((4, 13)));
    assert_eq!(position_of(text, &["permissions", "deny"], Some(3)), None);
    assert_eq!(position_of(text, &["nothing"], None), None);
}

#[test]
fn special_files_are_reported_without_blocking() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert!(matches!(read(Source::User, &at("none")), ReadOutcome::Missing));
    std::fs::write(at("file"), "{}").unwrap();
    assert!(matches!(read(Source::User, &at("file/below")), ReadOutcome::Missing));
    symlink("gone", at("dangling")).unwrap();
    assert!(matches!(read(Source::User, &at("dangling")), ReadOutcome::Missing));

    std::fs::create_dir(at("folder")).unwrap();
    symlink("loop", at("loop")).unwrap();
    std::fs::write(at("latin"), b"{\"a\": \"\xe9\"}").unwrap();
    let pipe = rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    );
    pipe.unwrap();
    for name in ["folder", "loop", "latin", "pipe"] {
        let ReadOutcome::Invalid(problem) = read(Source::User, &at(name)) else {
            panic!("{name} was accepted");
        };
        assert_eq!((problem.line, problem.path.file_name()), (0, Some(OsStr::new(name))));
    }
}
