#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;
use std::collections::HashSet;
use std::io::{Cursor, Seek, SeekFrom};

use super::super::branch::Extent;
use super::super::line::Line;
use super::super::load::{FieldSelection, load};
use super::super::scan;
use super::*;

fn text_of(lines: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    lines.concat().into_bytes()
}

fn message(kind: &str, uuid: &str, parent: Option<&str>) -> Value {
    json!({"parentUuid": parent, "type": kind, "uuid": uuid, "message": {"role": kind, "content": uuid}})
}

fn block(uuid: &str, parent: Option<&str>, message: &str, call: Option<&str>) -> Value {
    let content = match call {
        Some(id) => json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]),
        None => json!([{"type": "text", "text": uuid}]),
    };
    json!({"parentUuid": parent, "type": "assistant", "uuid": uuid, "message": {"id": message, "content": content}})
}

fn result(uuid: &str, source: &str, call: &str) -> Value {
    let content = json!([{"type": "tool_result", "tool_use_id": call, "content": "x"}]);
    json!({"parentUuid": source, "type": "user", "uuid": uuid, "sourceToolAssistantUUID": source,
        "message": {"role": "user", "content": content}})
}

/// A transcript in memory and its record.
struct ScannedText {
    text: Cursor<Vec<u8>>,
    record: Record,
}

fn parse(text: &[u8]) -> ScannedText {
    let mut text = Cursor::new(text.to_vec());
    let record = scan::stream(&mut text, scan::ScanScope::Whole).unwrap();
    ScannedText { text, record }
}

impl ScannedText {
    fn branch(&mut self, leaf: usize) -> Vec<Line> {
        let branch = self.record.branch(leaf, Extent::Whole, &mut self.text).unwrap();
        load(&self.record.places(&branch), FieldSelection::Resume, &mut self.text).unwrap()
    }

    fn lines(&mut self) -> Vec<Line> {
        self.record.leaf().map(|leaf| self.branch(leaf)).unwrap_or_default()
    }
}

fn conversation(mut read: ScannedText) -> Vec<String> {
    read.lines().into_iter().map(|line| line.uuid).collect()
}

#[test]
fn entries_on_abandoned_branches_are_left_out() {
    let record = parse(&text_of(&[
        message("user", "u1", None),
        message("assistant", "a1", Some("u1")),
        message("user", "dead", Some("a1")),
        message("assistant", "dead too", Some("dead")),
        message("user", "u2", Some("a1")),
        message("assistant", "a2", Some("u2")),
    ]));
    assert_eq!(conversation(record), ["u1", "a1", "u2", "a2"]);
}

#[test]
fn the_first_entry_with_a_uuid_counts() {
    let mut again = message("user", "u1", Some("a1"));
    again["message"]["content"] = json!("something else");
    let record = parse(&text_of(&[
        message("user", "u1", None),
        message("assistant", "a1", Some("u1")),
        again,
    ]));
    let mut record = record;
    assert_eq!(record.lines()[0].content(), "u1");
    assert_eq!(conversation(record), ["u1", "a1"]);
}

#[test]
fn invalid_and_unknown_lines_are_skipped() {
    let mut text = text_of(&[
        message("user", "u1", None),
        json!({"type": "from-the-future", "uuid": "f"}),
        json!([1]),
    ]);
    text.extend(b"not json\n\n\xff\xfe\n");
    text.extend(text_of(&[
        json!({"type": "user", "uuid": "s", "parentUuid": "u1", "isSidechain": true}),
    ]));
    text.extend(text_of(&[message("assistant", "a1", Some("u1"))]));
    text.extend(br#"{"type":"user","uuid":"torn","parentUuid":"a1","mess"#);
    assert_eq!(conversation(parse(&text)), ["u1", "a1"]);
}

#[test]
fn all_parallel_calls_and_their_results_are_included() {
    for order in [["r1", "r2"], ["r2", "r1"]] {
        let results = order.map(|uuid| match uuid {
            "r1" => result("r1", "a1", "t1"),
            _ => result("r2", "a2", "t2"),
        });
        let [first, last] = results;
        let record = parse(&text_of(&[
            message("user", "u1", None),
            block("a1", Some("u1"), "m1", Some("t1")),
            block("a2", Some("a1"), "m1", Some("t2")),
            first,
            last,
            block("a3", Some(order[1]), "m2", None),
        ]));
        assert_eq!(conversation(record), ["u1", "a1", "a2", order[0], order[1], "a3"]);
    }
}

/// The reference CLI may write the result of a call before the rest of its message: the next block follows the block
/// before, not the result.
#[test]
fn a_result_written_before_the_end_of_its_message_is_included() {
    let text = text_of(&[
        message("user", "u1", None),
        block("a1", Some("u1"), "m1", Some("t1")),
        result("r1", "a1", "t1"),
        block("a2", Some("a1"), "m1", Some("t2")),
    ]);
    assert_eq!(conversation(parse(&text)), ["u1", "a1", "a2", "r1"]);
    let mut read = parse(&text);
    let leaf = read.record.find("a2").unwrap();
    let cut = read.record.branch(leaf, Extent::Cut, &mut read.text).unwrap();
    assert_eq!(cut.len(), 3, "nothing after the cut is included");
}

#[test]
fn a_branch_cut_inside_a_message_excludes_the_rest_of_the_message() {
    let record = parse(&text_of(&[
        message("user", "u1", None),
        block("a1", Some("u1"), "m1", None),
        block("a2", Some("a1"), "m1", Some("t2")),
        result("r2", "a2", "t2"),
        message("user", "u2", Some("a1")),
    ]));
    assert_eq!(conversation(record), ["u1", "a1", "u2"]);
}

#[test]
fn messages_with_the_same_id_in_different_turns_are_separate() {
    let record = parse(&text_of(&[
        message("user", "u1", None),
        block("a1", Some("u1"), "m1", Some("t1")),
        result("r1", "a1", "t1"),
        message("user", "u2", Some("r1")),
        block("a2", Some("u2"), "m1", Some("t2")),
        result("r2", "a2", "t2"),
    ]));
    assert_eq!(conversation(record), ["u1", "a1", "r1", "u2", "a2", "r2"]);
}

#[test]
fn a_conversation_starts_at_the_compaction_with_the_preserved_messages() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
        "logicalParentUuid": "a1", "compactMetadata": {"trigger": "manual",
            "preservedMessages": {"anchorUuid": "sum", "uuids": ["a1"]}}});
    let record = parse(&text_of(&[
        message("user", "u1", None),
        message("assistant", "a1", Some("u1")),
        boundary,
        message("user", "sum", Some("b")),
        message("user", "u2", Some("sum")),
    ]));
    assert_eq!(conversation(record), ["b", "sum", "a1", "u2"]);
}

/// A reader that counts the bytes that are read.
struct Counted<'a> {
    text: Cursor<&'a [u8]>,
    read: usize,
}

impl std::io::Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.text.seek(to)
    }
}

#[test]
fn only_entries_of_the_conversation_are_read_a_second_time() {
    let mut lines = Vec::new();
    for part in 0..50 {
        let (boundary, summary) = (format!("b{part}"), format!("s{part}"));
        lines.push(json!({"type": "system", "subtype": "compact_boundary", "uuid": boundary, "parentUuid": null}));
        lines.push(message("user", &summary, Some(&boundary)));
        let mut parent = summary;
        for turn in 0..20 {
            let uuid = format!("u{part}-{turn}");
            let mut line = message("user", &uuid, Some(&parent));
            line["message"]["content"] = json!("x".repeat(500));
            lines.push(line);
            parent = uuid;
        }
    }
    let text = text_of(&lines);
    let live: usize = lines.iter().rev().take(22).map(|line| line.to_string().len()).sum();
    let mut source = Counted {
        text: Cursor::new(&text),
        read: 0,
    };
    let record = scan::stream(&mut source, scan::ScanScope::Whole).unwrap();
    assert_eq!(source.read, text.len(), "the scan reads the text once");
    source.read = 0;
    let branch = record
        .branch(record.leaf().unwrap(), Extent::Whole, &mut source)
        .unwrap();
    let places = record.places(&branch);
    assert_eq!(load(&places, FieldSelection::Resume, &mut source).unwrap().len(), 22);
    assert!(source.read <= live + 200, "{} of {live}", source.read);
}

#[test]
fn a_slot_is_small() {
    assert!(size_of::<Slot>() <= 48, "{}", size_of::<Slot>());
}

#[test]
fn an_entry_may_come_before_its_parent() {
    let record = parse(&text_of(&[
        message("assistant", "a1", Some("u1")),
        message("user", "u1", None),
        message("user", "u2", Some("a1")),
    ]));
    assert_eq!(conversation(record), ["u1", "a1", "u2"]);
}

#[test]
fn an_invalid_line_that_looks_complete_does_not_affect_others() {
    let mut text = text_of(&[message("user", "u1", None)]);
    text.extend(
        b"{\"type\":\"assistant\",\"uuid\":\"a1\",\"parentUuid\":\"u1\",\"message\":{\"content\":\"\0\0\0\"}}\n",
    );
    text.extend(text_of(&[message("user", "u2", Some("a1"))]));
    assert_eq!(conversation(parse(&text)), ["u1", "u2"]);
}

#[test]
fn a_cycle_of_parents_terminates() {
    let record = parse(&text_of(&[
        message("user", "u1", Some("a1")),
        message("assistant", "a1", Some("u1")),
    ]));
    let mut record = record;
    assert!(record.lines().is_empty());
    let at = record.record.find("a1").unwrap();
    assert_eq!(record.branch(at).len(), 2);
}

#[test]
fn the_last_name_and_cost_count() {
    let record = parse(&text_of(&[
        json!({"type": "custom-title", "customTitle": "one", "sessionId": "s"}),
        json!({"type": "tag", "tag": "red", "sessionId": "s"}),
        json!({"type": "custom-title", "customTitle": "two", "sessionId": "s"}),
        json!({"type": "cost-state", "totalCostUSD": 1}),
        json!({"type": "cost-state", "totalCostUSD": 2}),
        json!({"type": "tag", "tag": "", "sessionId": "s"}),
    ]));
    assert_eq!(record.record.names.title.as_deref(), Some("two"));
    assert_eq!(record.record.names.tag.as_deref(), Some(""));
    assert_eq!(record.record.cost.unwrap()["totalCostUSD"], 2);
}

proptest! {
    /// A truncated file gives the conversation up to its last complete line.
    #[test]
    fn a_truncated_file_gives_the_start_of_the_conversation(turns in 1_usize..8, cut in any::<prop::sample::Index>()) {
        let mut lines = Vec::new();
        let mut parent: Option<String> = None;
        for turn in 0..turns {
            for kind in ["user", "assistant"] {
                let uuid = format!("{kind}{turn}");
                lines.push(message(kind, &uuid, parent.as_deref()));
                parent = Some(uuid);
            }
        }
        let text = text_of(&lines);
        let at = cut.index(text.len() + 1);
        // A line is complete with its last brace, even without the line terminator.
        let whole = lines.iter().scan(0, |end, line| {
            let length = line.to_string().len();
            let closed = *end + length;
            *end = closed + 1;
            Some(closed)
        }).filter(|closed| *closed <= at).count();
        let record = parse(&text[..at]);
        let all: Vec<&str> = lines.iter().map(|line| line["uuid"].as_str().unwrap()).collect();
        prop_assert_eq!(conversation(record), &all[..whole]);
    }

    /// For any tree of entries, the branch is a path in the tree without duplicates.
    #[test]
    fn a_branch_is_a_path_without_repetition(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
        let lines: Vec<Value> = parents.iter().enumerate().map(|(at, parent)| {
            let parent = (at > 0).then(|| format!("n{}", parent.index(at)));
            message("user", &format!("n{at}"), parent.as_deref())
        }).collect();
        let mut record = parse(&text_of(&lines));
        let leaf = record.record.leaf().unwrap();
        prop_assert_eq!(leaf, lines.len() - 1, "the last entry is the end of a branch");
        let branch = record.branch(leaf);
        prop_assert_eq!(branch[0].text("parentUuid"), None);
        for pair in branch.windows(2) {
            prop_assert_eq!(pair[1].text("parentUuid"), Some(pair[0].uuid.as_str()));
        }
    }

    /// Arbitrary bytes are read without a panic.
    #[test]
    fn any_bytes_are_read_without_a_panic(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut record = parse(&text);
        prop_assert!(record.lines().len() <= text.len());
    }

    /// With truncated, reordered, repeated or overwritten lines nothing panics, and no entry occurs twice.
    #[test]
    fn a_damaged_transcript_gives_no_entry_twice(
        turns in 1_usize..6,
        harm in prop::collection::vec((0_u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..12),
    ) {
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let mut parent: Option<String> = None;
        for turn in 0..turns {
            let (user, call, result_of) = (format!("u{turn}"), format!("a{turn}"), format!("r{turn}"));
            pieces.push(text_of(&[message("user", &user, parent.as_deref())]));
            pieces.push(text_of(&[block(&call, Some(&user), &format!("m{turn}"), Some(&format!("t{turn}")))]));
            pieces.push(text_of(&[result(&result_of, &call, &format!("t{turn}"))]));
            if turn % 2 == 1 {
                let boundary = format!("b{turn}");
                pieces.push(text_of(&[json!({"type": "system", "subtype": "compact_boundary", "uuid": boundary,
                    "parentUuid": null, "compactMetadata": {"preservedMessages": {"anchorUuid": boundary,
                        "uuids": [call, result_of, call]}}})]));
                parent = Some(boundary);
            } else {
                parent = Some(result_of);
            }
        }
        for (kind, one, other, byte) in harm {
            let (one, other) = (one.index(pieces.len()), other.index(pieces.len()));
            match kind {
                0 => pieces.swap(one, other),
                1 => {
                    let copy = pieces[one].clone();
                    pieces.insert(other, copy);
                }
                2 => {
                    let half = pieces[one].len() / 2;
                    pieces[one].truncate(half);
                }
                3 => {
                    let at = usize::from(byte) % pieces[one].len().max(1);
                    if let Some(slot) = pieces[one].get_mut(at) {
                        *slot = byte;
                    }
                }
                _ => {
                    // Two concurrent writers: one line inside another.
                    let inner = pieces[other].clone();
                    let middle = pieces[one].len() / 2;
                    pieces[one].splice(middle..middle, inner);
                }
            }
        }
        let uuids = conversation(parse(&pieces.concat()));
        let distinct: HashSet<&String> = uuids.iter().collect();
        prop_assert_eq!(distinct.len(), uuids.len());
    }
}
