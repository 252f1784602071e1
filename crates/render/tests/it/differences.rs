//! Diffs describe exactly how one text changes to the other.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use sluice_render::diff::{Diff, DiffKind, DiffLine, Part, PatchHunk, Tag};
use sluice_render::{Class, diff, from_patch};

fn text(line: &DiffLine) -> String {
    line.parts.iter().map(|part| part.text.as_str()).collect()
}

/// Returns one side of a diff whose hunks contain the complete texts.
fn side(diff: &Diff, without: Tag) -> String {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let line = |line: &DiffLine| text(line) + if line.missing_newline { "" } else { "\n" };
    lines.filter(|line| line.tag != without).map(line).collect()
}

/// Applies a diff to `old`.
fn applied(old: &str, diff: &Diff) -> String {
    let mut rest = old.split_inclusive('\n');
    let (mut out, mut at) = (String::new(), 1);
    for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
        if let Some(number) = line.old {
            while at < number {
                out.push_str(rest.next().unwrap());
                at += 1;
            }
            assert_eq!(rest.next().unwrap().trim_end_matches('\n'), text(line));
            at += 1;
        } else {
            // added lines without context are located where the new side has arrived
            while out.matches('\n').count() + 1 < line.new.unwrap() as usize {
                out.push_str(rest.next().unwrap());
                at += 1;
            }
        }
        if line.tag != Tag::Removed {
            out += &text(line);
            out += if line.missing_newline { "" } else { "\n" };
        }
    }
    out.extend(rest);
    out
}

fn texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[ab]{0,1}\n",
        "let [a-c] = [0-9]\\+x;\n",
        "  // [a-z ]{0,8}\r?\n",
        "[a-z]{1,4} \\PC{0,3}\n",
    ];
    (prop::collection::vec(line, 0..25), any::<bool>()).prop_map(|(lines, ended)| {
        let text = lines.concat();
        if ended {
            text
        } else {
            text.trim_end_matches('\n').to_owned()
        }
    })
}

proptest! {
    #[test]
    fn both_texts_can_be_reconstructed_from_a_full_diff(old in texts(), new in texts()) {
        let diff = diff("a.rs", Some(&old), Some(&new), usize::MAX);
        if old == new {
            prop_assert_eq!(diff.hunks.len(), 0);
        } else {
            prop_assert_eq!(side(&diff, Tag::Added), old);
            prop_assert_eq!(side(&diff, Tag::Removed), new);
        }
    }

    #[test]
    fn applying_a_diff_gives_the_new_text(old in texts(), new in texts(), context in 0usize..4) {
        let diff = diff("a.ts", Some(&old), Some(&new), context);
        prop_assert_eq!(applied(&old, &diff), new);
        let count = |tag| diff.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag == tag).count();
        prop_assert_eq!((diff.added, diff.removed), (count(Tag::Added), count(Tag::Removed)));
        for hunk in &diff.hunks {
            let first = |number: fn(&DiffLine) -> Option<u32>| hunk.lines.iter().find_map(number);
            prop_assert!(first(|line| line.old).is_none_or(|first| first == hunk.old_start));
            prop_assert!(first(|line| line.new).is_none_or(|first| first == hunk.new_start));
        }
    }

    #[test]
    fn patch_keeps_its_lines(lines in prop::collection::vec("[ +\\\\-]?\\PC{0,12}", 0..20), start in any::<u32>()) {
        let hunk = PatchHunk { old_start: start, old_lines: 1, new_start: start, new_lines: 1, lines: lines.clone() };
        let diff = from_patch("a.py", &[hunk]);
        let given: Vec<String> = lines
            .iter()
            .filter(|line| !line.starts_with('\\'))
            .map(|line| line.strip_prefix([' ', '+', '-']).unwrap_or(line).to_owned())
            .collect();
        let parsed: Vec<String> = diff.hunks[0].lines.iter().map(text).collect();
        prop_assert_eq!(parsed, given);
    }
}

fn part(class: Class, text: &str, changed: bool) -> Part {
    Part {
        class,
        text: text.to_owned(),
        changed,
    }
}

#[test]
fn changed_word_is_marked_and_highlighted() {
    let diff = diff("a.rs", Some("let a = 1;\n"), Some("let b = 1;\n"), 3);
    let expected = |name: &str| {
        vec![
            part(Class::Key, "let", false),
            part(Class::Plain, " ", false),
            part(Class::Plain, name, true),
            part(Class::Plain, " = ", false),
            part(Class::Num, "1", false),
            part(Class::Plain, ";", false),
        ]
    };
    let [hunk] = &diff.hunks[..] else { panic!("{diff:?}") };
    let [old, new] = &hunk.lines[..] else {
        panic!("{hunk:?}")
    };
    assert_eq!((old.tag, old.old, old.new), (Tag::Removed, Some(1), None));
    assert_eq!((new.tag, new.old, new.new), (Tag::Added, None, Some(1)));
    assert_eq!((&old.parts, &new.parts), (&expected("a"), &expected("b")));
}

#[test]
fn new_and_deleted_files_are_distinguished() {
    let new = diff("a", None, Some("x\ny\n"), 3);
    assert_eq!((new.kind, new.added, new.removed), (DiffKind::New, 2, 0));
    assert_eq!((new.hunks[0].old_start, new.hunks[0].new_start), (0, 1));
    let deleted = diff("a", Some("x\n"), None, 3);
    assert_eq!((deleted.kind, deleted.added, deleted.removed), (DiffKind::Delete, 0, 1));
    assert_eq!((deleted.hunks[0].old_start, deleted.hunks[0].new_start), (1, 0));
    let empty = diff("a", None, Some(""), 3);
    assert_eq!((empty.kind, empty.hunks.len()), (DiffKind::New, 0));
}

#[test]
fn missing_line_feed_is_a_change() {
    let diff = diff("a", Some("x\ny"), Some("x\ny\n"), 3);
    assert_eq!((diff.added, diff.removed), (1, 1));
    let missing_newline: Vec<bool> = diff.hunks[0].lines.iter().map(|line| line.missing_newline).collect();
    assert_eq!(missing_newline, [false, true, false]);
}

#[test]
fn distant_changes_are_separate_hunks() {
    let old: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 5\n", "line five\n").replace("line 30\n", "");
    let diff = diff("a.txt", Some(&old), Some(&new), 2);
    let starts: Vec<_> = diff
        .hunks
        .iter()
        .map(|hunk| (hunk.old_start, hunk.new_start, hunk.lines.len()))
        .collect();
    assert_eq!(starts, [(3, 3, 6), (28, 28, 5)]);
    assert_eq!(diff.hunks[1].lines[4].old, Some(32));
    assert_eq!(diff.hunks[1].lines[4].new, Some(31));
}

#[test]
fn highlighting_includes_constructs_started_before_the_hunk() {
    let old = format!("/*\n{}last\n*/\n", "inside\n".repeat(20));
    let new = old.replace("last", "other");
    let diff = diff("a.rs", Some(&old), Some(&new), 1);
    let classes = diff.hunks[0]
        .lines
        .iter()
        .flat_map(|line| &line.parts)
        .map(|part| part.class);
    assert!(classes.into_iter().all(|class| class == Class::Com));
}

#[test]
fn patch_is_numbered_and_highlighted() {
    let hunk = PatchHunk {
        old_start: 10,
        old_lines: 3,
        new_start: 12,
        new_lines: 3,
        lines: [
            " fn a() {",
            "-    one(1);",
            "+    two(1);",
            " }",
            "\\ No newline at end of file",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let diff = from_patch("src/a.rs", &[hunk]);
    assert_eq!((diff.kind, diff.added, diff.removed), (DiffKind::Edit, 1, 1));
    let lines = &diff.hunks[0].lines;
    let numbers: Vec<_> = lines.iter().map(|line| (line.old, line.new)).collect();
    assert_eq!(
        numbers,
        [
            (Some(10), Some(12)),
            (Some(11), None),
            (None, Some(13)),
            (Some(12), Some(14))
        ]
    );
    assert!(lines[3].missing_newline);
    assert_eq!(lines[0].parts[0], part(Class::Key, "fn", false));
    assert_eq!(lines[2].parts[1], part(Class::Fn, "two", true));
}

#[test]
fn patch_of_a_new_file_is_detected() {
    let hunk = |old_lines, new_lines, lines: &[&str]| PatchHunk {
        old_start: 1,
        old_lines,
        new_start: 1,
        new_lines,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(from_patch("a", &[hunk(0, 1, &["+a"])]).kind, DiffKind::New);
    assert_eq!(from_patch("a", &[hunk(1, 0, &["-a"])]).kind, DiffKind::Delete);
    assert_eq!(from_patch("a", &[hunk(1, 1, &["-a", "+b"])]).kind, DiffKind::Edit);
    assert_eq!(from_patch("a", &[]).kind, DiffKind::Edit);
}

#[test]
fn huge_texts_are_compared_within_the_time_limit() {
    let mut state = 7u32;
    let mut noise = move |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % most
    };
    let mut lines = |most: u32| -> String {
        let mut text = String::new();
        while text.len() < 5 << 20 {
            text += &format!("line of some length with number {}\n", noise(most));
        }
        text
    };
    let cases = [
        ("few kinds of lines", lines(5), lines(5)),
        ("all kinds of lines", lines(1 << 24), lines(1 << 24)),
        ("empty lines", "\n".repeat(5 << 20), "\n".repeat(4 << 20)),
        ("one line", "x".repeat(5 << 20), "y".repeat(5 << 20)),
    ];
    for (name, old, new) in cases {
        let start = Instant::now();
        let diff = diff("a.rs", Some(&old), Some(&new), 3);
        let took = start.elapsed();
        // for debug builds on a busy machine; the time limit of a diff is a quarter of a second
        assert!(took < Duration::from_secs(20), "{name} took {took:?}");
        println!("{name}: {took:?}, {} hunks", diff.hunks.len());
        let (added, removed) = (i64::try_from(diff.added).unwrap(), i64::try_from(diff.removed).unwrap());
        let count = |text: &str| i64::try_from(text.lines().count()).unwrap();
        assert_eq!(added - removed, count(&new) - count(&old), "{name}");
        assert!(
            diff.hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .all(|line| line.parts.len() <= 1 || diff.added < 10_000)
        );
    }
}
