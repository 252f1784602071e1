#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn a_name_alone_is_the_whole_tool() {
    for text in ["Bash", "Bash()", "Bash(*)", " Bash "] {
        assert_eq!(parse_rule(text), Ok(("Bash".into(), None)), "{text}");
    }
}

#[test]
fn the_parenthesis_may_hold_anything() {
    let content = |text| parse_rule(text).unwrap().1.unwrap();
    assert_eq!(content("Bash(npm run:*)"), "npm run:*");
    assert_eq!(content("Bash(echo (a, b))"), "echo (a, b)");
    assert_eq!(content("Bash(python3 -c 'print(1)')"), "python3 -c 'print(1)'");
}

#[test]
fn what_is_no_rule_is_refused() {
    assert_eq!(parse_rule("  "), Err(RuleError::Empty));
    assert!(matches!(parse_rule("Bash(ls"), Err(RuleError::Unclosed(_))));
    assert!(matches!(parse_rule("(ls)"), Err(RuleError::BadName(_))));
    assert!(matches!(parse_rule("Ba sh"), Err(RuleError::BadName(_))));
}

#[test]
fn printing_is_the_inverse_of_parsing() {
    for text in [
        "Bash",
        "Bash(a b)",
        "Read(//etc/**)",
        "mcp__a__b",
        "WebFetch(domain:x.y)",
    ] {
        let (tool, content) = parse_rule(text).unwrap();
        assert_eq!(print_rule(&tool, content.as_deref()), text);
    }
}

#[test]
fn lists_split_outside_parentheses_only() {
    assert_eq!(
        split_rules("Bash(git log:*), Edit Read(a b),Bash(echo (x) y)"),
        ["Bash(git log:*)", "Edit", "Read(a b)", "Bash(echo (x) y)"]
    );
    assert_eq!(split_rules(" , "), Vec::<String>::new());
    assert_eq!(split_rules("Bash(echo \")\" x) Edit"), ["Bash(echo \")\" x)", "Edit"]);
}

/// Changelog 2.1.98: names that are properties of every JavaScript object.
#[test]
fn changelog_2_1_98_rule_names_like_to_string() {
    for name in ["toString", "constructor", "__proto__"] {
        assert_eq!(parse_rule(name), Ok((name.to_owned(), None)));
    }
}
