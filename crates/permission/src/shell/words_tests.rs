use super::super::braces::braces;
use super::*;

fn text(raw: &str) -> Option<String> {
    decode(raw, &Values::new()).word.text
}

fn word(raw: &str) -> Word {
    decode(raw, &Values::new()).word
}

#[test]
fn known_values_are_put_in() {
    let values = Values::from([
        ("f".to_owned(), Word::plain("a.txt")),
        ("n".to_owned(), Word::plain("7")),
        ("s".to_owned(), Word::plain("a b")),
        (
            "g".to_owned(),
            Word {
                glob: true,
                ..Word::plain("src/*.rs")
            },
        ),
    ]);
    let text = |raw: &str| decode(raw, &values).word.text;
    assert_eq!(text("\"$f\"").as_deref(), Some("a.txt"));
    assert_eq!(text("\"x/$f\"").as_deref(), Some("x/a.txt"));
    assert_eq!(text("\"${f}.bak\"").as_deref(), Some("a.txt.bak"));
    assert_eq!(text("\"$s\"").as_deref(), Some("a b"));
    // Outside quotes it may fall apart, where something in it could.
    assert_eq!(text("$s"), None);
    assert_eq!(text("$f").as_deref(), Some("a.txt"));
    assert!(decode("$g", &values).word.split);
    let matched = decode("\"$g\"", &values).word;
    assert!(matched.glob && !matched.split);
    // A sum of known numbers is a number; anything else may evaluate a subscript.
    assert_eq!(decode("$((n+1))", &values).problem, None);
    assert_eq!(decode("$((s+1))", &values).problem, Some(Problem::Nested));
    assert_eq!(decode("$((a[1]))", &values).problem, Some(Problem::Nested));
}

#[test]
fn home_and_here_are_known() {
    assert!(word("\"$HOME/x\"").tilde && word("\"$HOME/x\"").text.as_deref() == Some("~/x"));
    assert!(word("\"$HOME\"").tilde);
    assert_eq!(word("$HOME/x").text, None);
    assert_eq!(word("$HOMEx").text, None);
    assert_eq!(word("x$HOME").text, None);
    assert_eq!(word("\"$PWD/a\"").text.as_deref(), Some("./a"));
}

#[test]
fn what_evaluates_is_a_problem() {
    for raw in [
        "${x@P}",
        "${!x}",
        "${x[y]}",
        "${x[$y]}",
        "${x:y}",
        "${x:=1}",
        "${x?y}",
        "${x:-$(y)}",
        "$[1]",
        "\"$[1]\"",
        "$((x))",
        "${x//$y/z}",
        "${x:-`y`}",
        "${#x[y]}",
        "${x/y/\\z}",
        "`a\\`b`",
    ] {
        assert!(decode(raw, &Values::new()).problem.is_some(), "{raw}");
    }
    let values = Values::from([("x".to_owned(), Word::plain("a"))]);
    for raw in [
        "${x}", "${x:-a}", "${x%.rs}", "${x##*/}", "${x[0]}", "${x[@]}", "${x:1:2}", "${x^^}",
    ] {
        assert_eq!(decode(&format!("\"{raw}\""), &values).problem, None, "{raw}");
        // Nobody knows what another has set.
        assert!(decode(&format!("\"{raw}\""), &Values::new()).problem.is_some(), "{raw}");
    }
}

#[test]
fn plain_braces_become_words() {
    assert_eq!(braces("a{b,c}d"), Some(vec!["abd".to_owned(), "acd".to_owned()]));
    assert_eq!(
        braces("{1..3}"),
        Some(vec!["1".to_owned(), "2".to_owned(), "3".to_owned()])
    );
    for raw in [
        "a",
        "{a}",
        "{a,{b,c}}",
        "{a,b}{c,d}",
        "'{a,b}'",
        "{a..c}",
        "{$x,b}",
        "{01..3}",
        "{3..1}",
    ] {
        assert_eq!(braces(raw), None, "{raw}");
    }
}

#[test]
fn quotes_go_away() {
    assert_eq!(text("z''ap").as_deref(), Some("zap"));
    assert_eq!(text("z\"a\"p").as_deref(), Some("zap"));
    assert_eq!(text("z\\ap").as_deref(), Some("zap"));
    assert_eq!(text("$'zap'").as_deref(), Some("zap"));
    assert_eq!(text("$'\\x7a\\141p'").as_deref(), Some("zap"));
    assert_eq!(text("\"a\\\"b\\x\"").as_deref(), Some("a\"b\\x"));
    assert_eq!(text("'$(x)`y`'").as_deref(), Some("$(x)`y`"));
    assert_eq!(text("a$").as_deref(), Some("a$"));
}

#[test]
fn what_is_only_known_later_has_no_text() {
    for raw in [
        "$x",
        "${x}",
        "\"$x\"",
        "\"a${x:-b}\"",
        "{a,b}",
        "{1..3}",
        "a{b,{c,d}}",
        "$\"x\"",
        "$[1]",
        "$?",
        "$'\\u007a'",
    ] {
        assert_eq!(text(raw), None, "{raw}");
    }
    for raw in ["\"$(x)\"", "\"`x`\""] {
        let found = decode(raw, &Values::new());
        assert_eq!(
            (found.soft, found.inner),
            (Some(Problem::Nested), vec!["x".to_owned()]),
            "{raw}"
        );
    }
    // Outside quotes it may become any number of words.
    for raw in ["$(x)", "`x`"] {
        let found = decode(raw, &Values::new());
        assert_eq!((found.problem, found.soft), (None, Some(Problem::Nested)), "{raw}");
        assert!(found.word.split && found.word.unknown(), "{raw}");
    }
}

#[test]
fn braces_without_comma_are_text() {
    for raw in ["{}", "HEAD@{1}", "a{b}c"] {
        assert_eq!(text(raw).as_deref(), Some(raw));
    }
}

#[test]
fn patterns_are_marked() {
    assert!(word("*.rs").glob);
    assert!(!word("'*.rs'").glob);
    assert!(!word("\\*").glob);
    assert!(word("~/x").tilde);
    assert!(!word("'~/x'").tilde);
}

#[test]
fn an_operator_in_a_word_is_refused() {
    for raw in ["a;b", "a|b", "a b", "a>b", "a(b"] {
        assert_eq!(decode(raw, &Values::new()).problem, Some(Problem::Unparsable), "{raw}");
    }
}
