//! A difference says how to get from one text to the other, exactly.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use sluice_render::diff::{Diff, DiffLine, Kind, Part, PatchHunk, Tag};
use sluice_render::{Class, diff, from_patch};

fn text(line: &DiffLine) -> String {
    line.parts.iter().map(|part| part.text.as_str()).collect()
}

/// One side of a difference whose hunks hold the whole texts.
fn side(diff: &Diff, without: Tag) -> String {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let line = |line: &DiffLine| text(line) + if line.unended { "" } else { "\n" };
    lines.filter(|line| line.tag != without).map(line).collect()
}

/// `old` with the changes made that the difference says.
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
            // lines that were added without context lie where the new side has come to
            while out.matches('\n').count() + 1 < line.new.unwrap() as usize {
                out.push_str(rest.next().unwrap());
                at += 1;
            }
        }
        if line.tag != Tag::Removed {
            out += &text(line);
            out += if line.unended { "" } else { "\n" };
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
    fn both_sides_can_be_read_from_the_whole(old in texts(), new in texts()) {
        let diff = diff("a.rs", Some(&old), Some(&new), usize::MAX);
        if old == new {
            prop_assert_eq!(diff.hunks.len(), 0);
        } else {
            prop_assert_eq!(side(&diff, Tag::Added), old);
            prop_assert_eq!(side(&diff, Tag::Removed), new);
        }
    }

    #[test]
    fn the_changes_lead_from_old_to_new(old in texts(), new in texts(), context in 0usize..4) {
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
    fn a_patch_keeps_its_lines(lines in prop::collection::vec("[ +\\\\-]?\\PC{0,12}", 0..20), start in any::<u32>()) {
        let hunk = PatchHunk { old_start: start, old_lines: 1, new_start: start, new_lines: 1, lines: lines.clone() };
        let diff = from_patch("a.py", &[hunk]);
        let given: Vec<String> = lines
            .iter()
            .filter(|line| !line.starts_with('\\'))
            .map(|line| line.strip_prefix([' ', '+', '-']).unwrap_or(line).to_owned())
            .collect();
        let kept: Vec<String> = diff.hunks[0].lines.iter().map(text).collect();
        prop_assert_eq!(kept, given);
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
fn a_changed_word_is_marked_in_its_colours() {
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
fn files_that_come_and_go_are_told_apart() {
    let new = diff("a", None, Some("x\ny\n"), 3);
    assert_eq!((new.kind, new.added, new.removed), (Kind::New, 2, 0));
    assert_eq!((new.hunks[0].old_start, new.hunks[0].new_start), (0, 1));
    let gone = diff("a", Some("x\n"), None, 3);
    assert_eq!((gone.kind, gone.added, gone.removed), (Kind::Delete, 0, 1));
    assert_eq!((gone.hunks[0].old_start, gone.hunks[0].new_start), (1, 0));
    let empty = diff("a", None, Some(""), 3);
    assert_eq!((empty.kind, empty.hunks.len()), (Kind::New, 0));
}

#[test]
fn a_missing_line_feed_is_a_change() {
    let diff = diff("a", Some("x\ny"), Some("x\ny\n"), 3);
    assert_eq!((diff.added, diff.removed), (1, 1));
    let unended: Vec<bool> = diff.hunks[0].lines.iter().map(|line| line.unended).collect();
    assert_eq!(unended, [false, true, false]);
}

#[test]
fn changes_far_apart_are_hunks_of_their_own() {
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
fn colours_know_what_began_before_the_hunk() {
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
fn a_patch_is_counted_and_coloured() {
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
    assert_eq!((diff.kind, diff.added, diff.removed), (Kind::Edit, 1, 1));
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
    assert!(lines[3].unended);
    assert_eq!(lines[0].parts[0], part(Class::Key, "fn", false));
    assert_eq!(lines[2].parts[1], part(Class::Fn, "two", true));
}

#[test]
fn a_patch_of_a_new_file_is_new() {
    let hunk = |old_lines, new_lines, lines: &[&str]| PatchHunk {
        old_start: 1,
        old_lines,
        new_start: 1,
        new_lines,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(from_patch("a", &[hunk(0, 1, &["+a"])]).kind, Kind::New);
    assert_eq!(from_patch("a", &[hunk(1, 0, &["-a"])]).kind, Kind::Delete);
    assert_eq!(from_patch("a", &[hunk(1, 1, &["-a", "+b"])]).kind, Kind::Edit);
    assert_eq!(from_patch("a", &[]).kind, Kind::Edit);
}

#[test]
fn huge_texts_are_compared_in_time() {
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
        // debug builds on a busy machine; the deadline itself is a quarter of a second
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
