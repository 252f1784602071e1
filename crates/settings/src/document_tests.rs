#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::ffi::OsStr;
use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn parsed(text: &str) -> Value {
    match parse(Source::User, Path::new("s.json"), text) {
        Found::Read {
            value, problem: None, ..
        } => Value::Object(value),
        Found::Read { problem, .. } => panic!("{problem:?}"),
        Found::Broken(problem) => panic!("{problem}"),
        Found::Nothing => panic!("nothing"),
    }
}

fn broken(text: &str) -> Problem {
    match parse(Source::User, Path::new("s.json"), text) {
        Found::Broken(problem) => problem,
        _ => panic!("`{text}` was taken"),
    }
}

#[test]
fn marks_line_ends_and_nothing_at_all_are_fine() {
    assert_eq!(parsed(""), json!({}));
    assert_eq!(parsed(" \r\n\t"), json!({}));
    assert_eq!(parsed("\u{feff}"), json!({}));
    assert_eq!(
        parsed("\u{feff}{\r\n  \"model\": \"m\"\r\n}\r\n"),
        json!({"model": "m"})
    );
}

#[test]
fn what_is_wrong_is_named_by_line_and_character() {
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
        "s.json:3:1: there is a comma after the last entry; take it out; until then nothing in this file applies"
    );
}

#[test]
fn nesting_without_end_is_refused() {
    let text = format!("{{\"a\": {}", "[".repeat(100_000));
    assert_eq!(broken(&text).line, 1);
}

#[test]
fn a_key_that_stands_twice_loses_no_deny_rule() {
    let text = r#"{
  "permissions": { "deny": ["Bash(rm:*)"] },
  "permissions": { "deny": ["Read(.env)"], "allow": ["Bash(ls)"] }
}"#;
    let Found::Read { value, problem, .. } = parse(Source::User, Path::new("s.json"), text) else {
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
fn entries_are_found_in_the_text() {
    let text = "{\n  \"x\": \"deny\",\n  \"permissions\": {\n    \"deny\": [\"a\",\n      \"é\", \"b\"]\n  }\n}";
    assert_eq!(place(text, &["permissions", "deny"], Some(0)), Some((4, 14)));
    assert_eq!(place(text, &["permissions", "deny"], Some(2)), Some((5, 12)));
    assert_eq!(place(text, &["permissions", "deny"], None), Some((4, 13)));
    assert_eq!(place(text, &["permissions", "deny"], Some(3)), None);
    assert_eq!(place(text, &["nothing"], None), None);
}

#[test]
fn what_is_no_file_is_named_and_never_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert!(matches!(read(Source::User, &at("none")), Found::Nothing));
    std::fs::write(at("file"), "{}").unwrap();
    assert!(matches!(read(Source::User, &at("file/below")), Found::Nothing));
    symlink("gone", at("dangling")).unwrap();
    assert!(matches!(read(Source::User, &at("dangling")), Found::Nothing));

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
        let Found::Broken(problem) = read(Source::User, &at(name)) else {
            panic!("{name} was taken");
        };
        assert_eq!((problem.line, problem.path.file_name()), (0, Some(OsStr::new(name))));
    }
}
