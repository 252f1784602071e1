#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::{Cursor, Write};

use proptest::prelude::*;
use serde_json::json;

use super::super::branch::Extent;
use super::super::load::{Much, load};
use super::*;

fn file_of(lines: &[Value]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    for line in lines {
        writeln!(file, "{line}").unwrap();
    }
    file
}

fn conversation(record: &Record, file: &mut File) -> Vec<String> {
    let Some(leaf) = record.leaf() else { return Vec::new() };
    let branch = record.branch(leaf, Extent::Whole, file).unwrap();
    let lines = load(&record.places(&branch), Much::Spoken, file).unwrap();
    lines.into_iter().map(|line| line.uuid).collect()
}

fn said(uuid: usize, parent: Option<usize>) -> Value {
    let kind = if uuid.is_multiple_of(2) { "user" } else { "assistant" };
    json!({"parentUuid": parent.map(|at| format!("u{at}")), "type": kind, "uuid": format!("u{uuid}"),
        "message": {"role": kind, "id": format!("m{uuid}"), "content": "x".repeat(uuid % 50)}})
}

fn boundary(uuid: usize, kept: &[usize], anchor: usize) -> Value {
    let kept: Vec<String> = kept.iter().map(|at| format!("u{at}")).collect();
    json!({"parentUuid": null, "type": "system", "subtype": "compact_boundary", "uuid": format!("u{uuid}"),
        "compactMetadata": {"trigger": "auto", "preservedMessages": {"anchorUuid": format!("u{anchor}"), "uuids": kept}}})
}

/// What follows what: mostly the last line, at times an earlier one, at times nothing but a summary.
fn transcript() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec((0_usize..12, any::<prop::sample::Index>(), 0_usize..4), 1..40).prop_map(|steps| {
        let mut lines: Vec<Value> = Vec::new();
        for (at, (kind, index, kept)) in steps.into_iter().enumerate() {
            let earlier = (at > 0).then(|| index.index(at));
            lines.push(match kind {
                0 => boundary(at, &(at.saturating_sub(kept)..at).collect::<Vec<_>>(), at + 1),
                1 => said(at, earlier),
                2 => said(earlier.unwrap_or(at), at.checked_sub(1)),
                _ => said(at, at.checked_sub(1)),
            });
        }
        lines
    })
}

proptest! {
    /// However it is looked at, the same conversation is found, or it is known that more has to be looked at.
    #[test]
    fn many_eyes_see_what_one_sees(lines in transcript(), piece in 1_u64..400, threads in 2_usize..5) {
        let mut file = file_of(&lines);
        let length = file.metadata().unwrap().len();
        for wanted in [Wanted::Live, Wanted::Whole] {
            let mut one = super::file(&file, wanted).unwrap();
            let mut many = in_pieces(&file, wanted, (length, piece), threads).unwrap();
            prop_assert_eq!(conversation(&one, &mut file), conversation(&many, &mut file));
            prop_assert_eq!(one.users(), many.users());
        }
    }

    #[test]
    fn what_was_forgotten_is_not_missed(lines in transcript()) {
        // A uuid that comes twice is judged anew after a compaction.
        let mut uuids: Vec<&str> = lines.iter().map(|line| line["uuid"].as_str().unwrap()).collect();
        uuids.sort_unstable();
        uuids.dedup();
        prop_assume!(uuids.len() == lines.len());
        let mut file = file_of(&lines);
        let mut live = super::file(&file, Wanted::Live).unwrap();
        let mut whole = super::file(&file, Wanted::Whole).unwrap();
        prop_assert_eq!(live.users(), whole.users());
        if live.leaf().is_some_and(|leaf| live.reaches(leaf)) {
            prop_assert_eq!(conversation(&live, &mut file), conversation(&whole, &mut file));
        }
    }
}

#[test]
fn a_compacted_conversation_needs_nothing_of_what_stands_before_it() {
    let mut lines: Vec<Value> = (0..6).map(|at| said(at, at.checked_sub(1))).collect();
    lines.extend([boundary(6, &[4, 5], 7), said(8, Some(7))]);
    lines.insert(
        7,
        json!({"parentUuid": "u6", "type": "user", "uuid": "u7", "isCompactSummary": true,
        "message": {"role": "user", "content": "summary"}}),
    );
    let mut file = file_of(&lines);
    let live = super::file(&file, Wanted::Live).unwrap();
    assert!(live.has_forgotten() && live.leaf().is_some_and(|leaf| live.reaches(leaf)));
    assert_eq!(conversation(&live, &mut file), ["u6", "u7", "u4", "u5", "u8"]);
    // Who goes back to what stands before it needs the rest after all.
    lines.push(said(9, Some(2)));
    let file = file_of(&lines);
    let live = super::file(&file, Wanted::Live).unwrap();
    assert!(!live.leaf().is_some_and(|leaf| live.reaches(leaf)));
}

#[test]
fn a_stream_is_looked_at_like_a_file() {
    let lines: Vec<Value> = (0..6).map(|at| said(at, at.checked_sub(1))).collect();
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let record = stream(&mut Cursor::new(text.concat()), Wanted::Whole).unwrap();
    assert_eq!(conversation(&record, &mut file_of(&lines)).len(), 6);
}
