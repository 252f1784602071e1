#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::{Cursor, Write};

use proptest::prelude::*;
use serde_json::json;

use super::super::branch::Extent;
use super::super::load::{FieldSelection, load};
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
    let lines = load(&record.places(&branch), FieldSelection::Resume, file).unwrap();
    lines.into_iter().map(|line| line.uuid).collect()
}

fn message(uuid: usize, parent: Option<usize>) -> Value {
    let kind = if uuid.is_multiple_of(2) { "user" } else { "assistant" };
    json!({"parentUuid": parent.map(|at| format!("u{at}")), "type": kind, "uuid": format!("u{uuid}"),
        "message": {"role": kind, "id": format!("m{uuid}"), "content": "x".repeat(uuid % 50)}})
}

fn boundary(uuid: usize, kept: &[usize], anchor: usize) -> Value {
    let kept: Vec<String> = kept.iter().map(|at| format!("u{at}")).collect();
    json!({"parentUuid": null, "type": "system", "subtype": "compact_boundary", "uuid": format!("u{uuid}"),
        "compactMetadata": {"trigger": "auto", "preservedMessages": {"anchorUuid": format!("u{anchor}"), "uuids": kept}}})
}

/// Generates transcripts: most lines follow the last one, some an earlier one, and some are compactions.
fn transcript() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec((0_usize..12, any::<prop::sample::Index>(), 0_usize..4), 1..40).prop_map(|steps| {
        let mut lines: Vec<Value> = Vec::new();
        for (at, (kind, index, kept)) in steps.into_iter().enumerate() {
            let earlier = (at > 0).then(|| index.index(at));
            lines.push(match kind {
                0 => boundary(at, &(at.saturating_sub(kept)..at).collect::<Vec<_>>(), at + 1),
                1 => message(at, earlier),
                2 => message(earlier.unwrap_or(at), at.checked_sub(1)),
                _ => message(at, at.checked_sub(1)),
            });
        }
        lines
    })
}

proptest! {
    /// A scan with several threads finds the same conversation as a scan with one.
    #[test]
    fn parallel_and_sequential_scans_give_the_same_result(lines in transcript(), piece in 1_u64..400, threads in 2_usize..5) {
        let mut file = file_of(&lines);
        let length = file.metadata().unwrap().len();
        for scope in [ScanScope::Live, ScanScope::Whole] {
            let mut one = super::file(&file, scope).unwrap();
            let mut many = scan_in_parallel(&file, scope, (length, piece), threads).unwrap();
            prop_assert_eq!(conversation(&one, &mut file), conversation(&many, &mut file));
            prop_assert_eq!(one.take_users(), many.take_users());
        }
    }

    #[test]
    fn a_partial_record_gives_the_same_conversation_as_a_complete_one(lines in transcript()) {
        // Which one of two equal uuids counts may change after a compaction.
        let mut uuids: Vec<&str> = lines.iter().map(|line| line["uuid"].as_str().unwrap()).collect();
        uuids.sort_unstable();
        uuids.dedup();
        prop_assume!(uuids.len() == lines.len());
        let mut file = file_of(&lines);
        let mut live = super::file(&file, ScanScope::Live).unwrap();
        let mut whole = super::file(&file, ScanScope::Whole).unwrap();
        prop_assert_eq!(live.take_users(), whole.take_users());
        if live.leaf().is_some_and(|leaf| live.is_complete_to(leaf)) {
            prop_assert_eq!(conversation(&live, &mut file), conversation(&whole, &mut file));
        }
    }
}

#[test]
fn a_compacted_conversation_does_not_need_the_part_before_the_compaction() {
    let mut lines: Vec<Value> = (0..6).map(|at| message(at, at.checked_sub(1))).collect();
    lines.extend([boundary(6, &[4, 5], 7), message(8, Some(7))]);
    lines.insert(
        7,
        json!({"parentUuid": "u6", "type": "user", "uuid": "u7", "isCompactSummary": true,
        "message": {"role": "user", "content": "summary"}}),
    );
    let mut file = file_of(&lines);
    let live = super::file(&file, ScanScope::Live).unwrap();
    assert!(live.is_partial() && live.leaf().is_some_and(|leaf| live.is_complete_to(leaf)));
    assert_eq!(conversation(&live, &mut file), ["u6", "u7", "u4", "u5", "u8"]);
    // A conversation that continues from before the compaction needs the dropped part.
    lines.push(message(9, Some(2)));
    let file = file_of(&lines);
    let live = super::file(&file, ScanScope::Live).unwrap();
    assert!(!live.leaf().is_some_and(|leaf| live.is_complete_to(leaf)));
}

#[test]
fn a_reader_is_scanned_like_a_file() {
    let lines: Vec<Value> = (0..6).map(|at| message(at, at.checked_sub(1))).collect();
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let record = stream(&mut Cursor::new(text.concat()), ScanScope::Whole).unwrap();
    assert_eq!(conversation(&record, &mut file_of(&lines)).len(), 6);
}
