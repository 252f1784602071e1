#![allow(clippy::unwrap_used)]
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

const ANSWER: &str = "The loop in `retry.rs` makes its counter anew on every attempt, so the limit is never reached. \
    Two things follow:\n\n1. `attempt` has to live outside the loop.\n2. The delay must be taken from the\n";

#[test]
fn the_streaming_screen() {
    let mut markdown = Markdown::default();
    let mut rows = markdown.push(ANSWER, 80);
    rows.extend(markdown.tail(80));
    assert_eq!(
        texts(&rows),
        [
            "The loop in `retry.rs` makes its counter anew on every attempt, so the limit is",
            "never reached. Two things follow:",
            "",
            "1. `attempt` has to live outside the loop.",
            "2. The delay must be taken from the",
        ]
    );
}

#[test]
fn a_row_of_prose_is_final_once_the_next_has_started() {
    let mut markdown = Markdown::default();
    assert!(markdown.push("one two three", 8).is_empty());
    assert_eq!(texts(&markdown.push(" ", 8)), ["one two"]);
    assert_eq!(texts(&markdown.tail(8)), ["three"]);
    let mut open = Markdown::default();
    assert!(open.push("one **two three", 8).is_empty());
    assert!(open.push(" four**", 8).is_empty());
    assert_eq!(texts(&open.finish(8)), ["one two", "three", "four"]);
}

#[test]
fn a_line_of_code_is_final_at_its_end_and_never_wrapped() {
    let mut markdown = Markdown::default();
    let rows = markdown.push("```rust\nlet a_long_line = 1;\n  inde", 10);
    assert_eq!(texts(&rows), ["```rust", "let a_long_line = 1;"]);
    assert_eq!(texts(&markdown.push("nted\n```\nafter\n", 10)), ["  indented", "```"]);
    assert_eq!(texts(&markdown.finish(10)), ["after"]);
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_same_rows(
        lines in proptest::collection::vec("(# |- |1\\. |> |```|\\| |  )?[a-z*` |]{0,40}", 0..8),
        cuts in proptest::collection::vec(1_usize..9, 1..60),
        width in 12_usize..60,
    ) {
        let text = lines.join("\n");
        let whole = rows(&text, width);
        let mut markdown = Markdown::default();
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        let mut cuts = cuts.iter().cycle();
        while !rest.is_empty() {
            let cut = (*cuts.next().unwrap()).min(rest.len());
            let (piece, after) = rest.split_at(cut);
            pieces.extend(markdown.push(piece, width));
            rest = after;
        }
        pieces.extend(markdown.finish(width));
        prop_assert_eq!(texts(&pieces), texts(&whole));
    }
}
