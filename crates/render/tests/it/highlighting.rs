//! Highlighting preserves any text and is fast.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use sluice_render::{Class, Run, highlight};

const LANGUAGES: &[&str] = &[
    "rust",
    "ts",
    "tsx",
    "js",
    "py",
    "go",
    "c",
    "cpp",
    "java",
    "cs",
    "kt",
    "swift",
    "sh",
    "ps1",
    "Dockerfile",
    "json",
    "toml",
    "ini",
    "yaml",
    "css",
    "scss",
    "sql",
    "ex",
    "nix",
    "cmake",
    "proto",
    "md",
    "html",
    "rb",
    "php",
    "none",
];

fn joined(lines: &[Vec<Run>]) -> Vec<String> {
    let text = |line: &Vec<Run>| line.iter().map(|run| run.text.as_str()).collect();
    lines.iter().map(text).collect()
}

fn expected(text: &str) -> Vec<String> {
    let line = |line: &str| line.strip_suffix('\n').unwrap_or(line).to_owned();
    text.split_inclusive('\n').map(line).collect()
}

fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        "[ \\t]{1,3}",
        "[\"'`/*#${}()<>=:;.,\\\\\\[\\]!@-]{1,3}",
        "[a-zA-Z_]{1,6}",
        "[0-9._ex]{1,4}",
        Just("r#\"".to_owned()),
        Just("<<EOF\n".to_owned()),
        Just("\"\"\"".to_owned()),
        "\\PC{1,2}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn joined_runs_are_the_text(text in code(), lang in prop::sample::select(LANGUAGES)) {
        let lines = highlight(lang, &text);
        prop_assert_eq!(joined(&lines), expected(&text));
        for line in &lines {
            prop_assert!(line.iter().all(|run| !run.text.is_empty()));
            prop_assert!(line.windows(2).all(|pair| pair[0].class != pair[1].class), "neighbours of one class");
        }
    }

    #[test]
    fn any_language_name_is_accepted(lang in "\\PC{0,20}", text in "\\PC{0,40}") {
        prop_assert_eq!(joined(&highlight(&lang, &text)), expected(&text));
    }
}

#[test]
fn classes_have_stable_names() {
    let all = [
        Class::Plain,
        Class::Key,
        Class::Type,
        Class::Fn,
        Class::Str,
        Class::Num,
        Class::Com,
    ];
    assert_eq!(all.map(Class::as_str), ["", "key", "type", "fn", "str", "num", "com"]);
}

#[test]
fn texts_and_lines_that_are_too_long_stay_plain() {
    let is_plain = |text: &str| {
        highlight("rust", text)
            .iter()
            .flatten()
            .all(|run| run.class == Class::Plain)
    };
    let line = "let a = 1;\n";
    assert!(!is_plain(line));
    assert!(!is_plain(&line.repeat(512 * 1024 / line.len())));
    assert!(is_plain(&line.repeat(512 * 1024 / line.len() + 1)));
    assert!(!is_plain(&"let ".repeat(1024)));
    assert!(is_plain(&format!("let a;\n{}", "let ".repeat(1025))));
}

/// The time limit for the slowest text on a busy machine; higher without optimisation.
const TIME_LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 8000 } else { 1000 });

#[test]
fn highlighting_is_fast_for_any_text() {
    let pieces = [
        "(", "[", "{", "<", "a", "\"", "'", "\\", "/", "*", "a(", "a<", "a.b", " ", "${", "`", "`${", "a=", "a:", "#",
        "\\'", "'\\", "\"\\", "/*", "*/", "r#\"", "<<a ", "é", "/[", "-", "_", "@", "\"\" ", "[a](", "<!--",
    ];
    for lang in [
        "rust", "ts", "py", "sh", "toml", "yaml", "css", "sql", "json", "md", "html", "rb", "php",
    ] {
        let mut slowest = (Duration::ZERO, "");
        for piece in pieces {
            let line = piece.repeat(4096 / piece.len());
            // the lexer's time is linear; a grammar is stopped by its time limit
            let short = piece.repeat(256 / piece.len());
            let text = format!("{line}\n").repeat(4) + &format!("{short}\n").repeat(8);
            let start = Instant::now();
            let lines = highlight(lang, &text);
            let took = start.elapsed();
            assert_eq!(lines.len(), 12);
            assert!(took < TIME_LIMIT, "{lang} {piece:?} took {took:?}");
            slowest = slowest.max((took, piece));
        }
        println!("{lang}: slowest {slowest:?}");
    }
}
