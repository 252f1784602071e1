#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn hunks_are_as_recorded() {
    assert_eq!(
        structured("alpha\nbeta\ngamma\n", "alpha\nnew\n"),
        json!([{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 2, "lines": [" alpha", "-beta", "-gamma", "+new"]}])
    );
    assert_eq!(
        structured("alpha\nBETA\ngamma\n", "xlphx\nBETA\ngxmmx\n"),
        json!([{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": ["-alpha", "+xlphx", " BETA", "-gamma", "+gxmmx"]}])
    );
    assert_eq!(
        structured("", "made\n"),
        json!([{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+made"]}])
    );
    assert_eq!(structured("third\n", "third\n"), json!([]));
}

#[test]
fn a_missing_final_newline_is_marked() {
    assert_eq!(
        structured("a\nb", "a\nb\n")[0]["lines"],
        json!([" a", "-b", "\\ No newline at end of file", "+b"])
    );
}

#[test]
fn far_changes_are_hunks_of_their_own() {
    let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
    let new = old.replace("2\n3\n", "two\n3\n").replace("18\n", "eighteen\n");
    let hunks = structured(&old, &new);
    assert_eq!(hunks.as_array().unwrap().len(), 2);
    assert_eq!((&hunks[0]["oldStart"], &hunks[0]["oldLines"]), (&json!(1), &json!(5)));
    assert_eq!((&hunks[1]["oldStart"], &hunks[1]["oldLines"]), (&json!(15), &json!(6)));
}

/// Applies hunks to `old`.
fn applied(old: &str, hunks: &Value) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    for hunk in hunks.as_array().unwrap() {
        let start = usize::try_from(hunk["oldStart"].as_u64().unwrap()).unwrap() - 1;
        out.extend(lines[at..start].iter().copied());
        at = start + usize::try_from(hunk["oldLines"].as_u64().unwrap()).unwrap();
        let texts: Vec<&str> = hunk["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line.as_str().unwrap())
            .collect();
        for (index, line) in texts.iter().enumerate() {
            if line.starts_with([' ', '+']) {
                out.push_str(&line[1..]);
                if texts.get(index + 1) != Some(&"\\ No newline at end of file") {
                    out.push('\n');
                }
            }
        }
    }
    out.extend(lines[at..].iter().copied());
    out
}

#[test]
fn many_lines_that_change_in_place_are_compared_in_place() {
    let old: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("999\n", "nine\n");
    let hunks = structured(&old, &new);
    assert_eq!(hunks.as_array().unwrap().len(), 20);
    assert_eq!(
        hunks[1],
        json!({"oldStart": 1997, "oldLines": 7, "newStart": 1997, "newLines": 7, "lines":
            [" line 1996", " line 1997", " line 1998", "-line 1999", "+line 1nine", " line 2000", " line 2001", " line 2002"]})
    );
    assert_eq!(applied(&old, &hunks), new);
}

#[test]
fn a_change_in_a_long_text_has_correct_line_numbers() {
    let old: String = (1..=50_000).map(|n| format!("{n}\n")).collect();
    let new = old.replace("\n40000\n", "\nnew\nlines\n");
    assert_eq!(
        structured(&old, &new),
        json!([{"oldStart": 39997, "oldLines": 7, "newStart": 39997, "newLines": 8, "lines":
            [" 39997", " 39998", " 39999", "-40000", "+new", "+lines", " 40001", " 40002", " 40003"]}])
    );
}

proptest! {
    #[test]
    fn the_ends_that_are_put_aside_change_nothing(lines in prop::collection::vec("[ab]{0,1}", 0..40), at in 0usize..40, new in "[ab\n]{0,6}", last in any::<bool>()) {
        let mut old = lines.join("\n");
        if last { old.push('\n'); }
        let at = at.min(old.len());
        let new = format!("{}{new}{}", &old[..at], &old[at..]);
        prop_assert_eq!(applied(&old, &structured(&old, &new)), new.as_str());
        prop_assert_eq!(applied(&new, &structured(&new, &old)), old);
    }

    #[test]
    fn a_patch_leads_from_old_to_new(old in "([abc]{0,2}\n){0,30}[abc]{0,2}", new in "([abc]{0,2}\n){0,30}[abc]{0,2}") {
        prop_assert_eq!(applied(&old, &structured(&old, &new)), new);
    }
}
