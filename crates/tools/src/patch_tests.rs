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
fn a_missing_final_newline_is_said() {
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

proptest! {
    #[test]
    fn a_patch_leads_from_old_to_new(old in "([abc]{0,2}\n){0,30}[abc]{0,2}", new in "([abc]{0,2}\n){0,30}[abc]{0,2}") {
        prop_assert_eq!(applied(&old, &structured(&old, &new)), new);
    }
}
