#![allow(clippy::unwrap_used)]
use super::*;
use crate::linked::Linked;
use crate::path::Lexical;
use crate::rule::Source;

fn check(behavior: Behavior, content: &str, path: &str) -> bool {
    check_in(behavior, content, path, &Lexical)
}

fn check_in(behavior: Behavior, content: &str, path: &str, world: &dyn Paths) -> bool {
    let policy = Policy::new("/w", "/home/u");
    let rule = Rule {
        behavior,
        source: Source::Project,
        root: PathBuf::from("/w/root"),
        tool: "Read".into(),
        content: Some(content.into()),
    };
    let (located, cwd) = (Located::new(Path::new(path), world), Path::new("/w"));
    let covered = covers(&policy, &rule, &located, cwd, world);
    if behavior == Behavior::Deny {
        // What a sandbox compares with many paths covers the same ones.
        let pattern = DeniedPattern::new(&policy, &rule, cwd, world);
        let by_pattern = pattern.is_some_and(|pattern| located.forms().any(|form| pattern.covers(form)));
        assert_eq!(by_pattern, covered, "{content} {path}");
    }
    covered
}

#[test]
fn a_denied_pattern_is_looked_for_where_it_may_match() {
    let reach = |content: &str| {
        let policy = Policy::new("/w", "/home/u");
        let rule = Rule::parse(Behavior::Deny, Source::Project, "/w", &format!("Read({content})")).unwrap();
        let mut reach = DeniedPattern::new(&policy, &rule, Path::new("/w"), &Lexical)
            .unwrap()
            .reach();
        reach.dedup();
        reach
    };
    for (content, expected) in [
        ("./.env", Reach::Itself("/w/.env".into())),
        ("/locked/**", Reach::Itself("/w/locked".into())),
        ("~/.ssh/id_*", Reach::Beneath("/home/u/.ssh".into())),
        ("//etc/*.key", Reach::Beneath("/etc".into())),
        ("a/b", Reach::Beneath("/w".into())),
        ("*.pem", Reach::Anywhere),
        ("**/.env", Reach::Anywhere),
    ] {
        assert_eq!(reach(content), [expected], "{content}");
    }
}

#[test]
fn anchors() {
    use Behavior::Allow;
    assert!(check(Allow, "//etc/**", "/etc/passwd"));
    assert!(!check(Allow, "//etc/**", "/etcx/passwd"));
    assert!(check(Allow, "~/out/**", "/home/u/out/o.txt"));
    assert!(check(Allow, "/top/**", "/w/root/top/n"));
    assert!(!check(Allow, "/top/**", "/w/top/n"));
    assert!(check(Allow, "./x", "/w/x"));
    assert!(!check(Allow, "./x", "/w/d/x"));
    assert!(check(Allow, "src/**", "/w/src/deep/n"));
    assert!(check(Allow, "*.lock", "/w/lib/n.lock"));
    assert!(!check(Allow, "*.lock", "/elsewhere/n.lock"));
    assert!(check(Allow, "**/gen/*.rs", "/w/a/b/gen/x.rs"));
    assert!(check(Allow, "../other/**", "/other/x"));
    assert!(!check(Allow, "src/../**", "/w/x"));
}

/// Changelog 2.1.214: an allow with a slash begins at the working directory, a deny anywhere.
#[test]
fn changelog_2_1_214_allow_is_anchored_deny_is_not() {
    assert!(!check(Behavior::Allow, "src/**", "/w/lib/src/n"));
    assert!(check(Behavior::Deny, "src/**", "/w/lib/src/n"));
    assert!(check(Behavior::Deny, ".env", "/elsewhere/.env"));
    assert!(check(Behavior::Deny, "**/.env", "/w/.env"));
}

#[test]
fn a_directory_covers_what_is_in_it() {
    assert!(check(Behavior::Deny, "secret", "/w/secret/k"));
    assert!(check(Behavior::Deny, "secret/", "/w/secret/k"));
    assert!(check(Behavior::Deny, "./src/**", "/w/src"), "listing it is denied too");
    assert!(!check(Behavior::Allow, "./src/**", "/w/src"));
}

#[test]
fn segments() {
    for (pattern, text, want) in [
        ("a*c", "abbc", true),
        ("a*c", "abb", false),
        ("a?c", "abc", true),
        ("[a-c]x", "bx", true),
        ("[!a]x", "ax", false),
        ("\\*", "*", true),
        ("*", ".x", true),
        ("[", "[", true),
        ("a[", "a[", true),
    ] {
        assert_eq!(segment_matches(pattern, text), want, "{pattern} {text}");
    }
}

/// CVE-2025-59829, CVE-2026-25724: a link in the way of a deny.
#[test]
fn cve_2025_59829_deny_sees_through_links() {
    let world = Linked::new([("/w/link", "/w/secret")]);
    assert!(check_in(Behavior::Deny, "./secret/**", "/w/link/k", &world));
    let named = Linked::new([("/w/secret", "/data/s")]);
    assert!(check_in(Behavior::Deny, "./secret/**", "/w/secret/k", &named));
}

/// Changelog 2.1.89: an allow looks at where the path leads.
#[test]
fn changelog_2_1_89_allow_needs_both_forms() {
    let world = Linked::new([("/w/src/link", "/etc")]);
    assert!(!check_in(Behavior::Allow, "src/**", "/w/src/link/passwd", &world));
    assert!(check_in(Behavior::Allow, "src/**", "/w/src/a", &world));
    let moved = Linked::new([("/w", "/private/w")]);
    assert!(
        check_in(Behavior::Allow, "src/**", "/w/src/a", &moved),
        "a root that is a link"
    );
}

#[test]
fn what_may_lie_beneath() {
    let policy = Policy::new("/w", "/home/u");
    let rule = |content: &str| Rule::parse(Behavior::Deny, Source::User, "/w", &format!("Read({content})")).unwrap();
    let below = |content: &str, dir: &str| {
        reaches_beneath(
            &policy,
            &rule(content),
            &Located::new(Path::new(dir), &Lexical),
            Path::new("/w"),
            &Lexical,
        )
    };
    assert!(below("**/.env", "/w"));
    assert!(below("//w/secret/**", "/w"));
    assert!(!below("//w/secret/**", "/w/src"));
    assert!(!below("~/private/**", "/w"));
}
