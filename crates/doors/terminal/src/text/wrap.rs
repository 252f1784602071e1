//! Wraps long rows.

use super::row::{Cell, Row};

/// Wraps a row between words to `width` cells; longer words are not split. Continuation rows are indented by `hang`
/// spaces.
#[must_use]
pub fn words(row: &Row, width: usize, hang: usize) -> Vec<Row> {
    let cells: Vec<Cell<'_>> = row.cells().collect();
    let breaks = word_breaks(&cells, width, hang);
    parts(&cells, &breaks, hang)
}

/// Returns the cell indices at which continuation rows start.
#[must_use]
pub fn word_breaks(cells: &[Cell<'_>], width: usize, hang: usize) -> Vec<usize> {
    let mut breaks = Vec::new();
    let mut used = 0;
    // True if the row contains more than spaces; a blank row is never emitted.
    let mut seen = false;
    // The last possible break, and the width used after it.
    let mut chance: Option<(usize, usize)> = None;
    for (at, cell) in cells.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| cells.get(before));
        let may_break = before.is_some_and(|before| {
            (before.text == " " && cell.text != " ") || (cell.width == 2 && before.text != " ") || before.width == 2
        });
        if may_break && seen {
            chance = Some((at, 0));
        }
        used += cell.width;
        seen |= cell.text != " ";
        if let Some((_, after)) = &mut chance {
            *after += cell.width;
        }
        // Trailing spaces may exceed the width.
        if used > width
            && cell.text != " "
            && let Some((from, after)) = chance.take()
        {
            breaks.push(from);
            used = hang + after;
        }
    }
    breaks
}

/// Returns the rows between the breaks, without trailing spaces.
#[must_use]
pub fn parts(cells: &[Cell<'_>], breaks: &[usize], hang: usize) -> Vec<Row> {
    let mut rows = Vec::with_capacity(breaks.len() + 1);
    let ends = breaks.iter().copied().chain([cells.len()]);
    let mut from = 0;
    for end in ends {
        let part = cells.get(from..end).unwrap_or_default();
        let kept = if end == cells.len() {
            part.len()
        } else {
            part.iter().rposition(|cell| cell.text != " ").map_or(0, |at| at + 1)
        };
        let mut row = Row::new();
        if from > 0 && hang > 0 {
            row.push(&" ".repeat(hang), super::style::Style::TEXT);
        }
        for cell in part.get(..kept).unwrap_or_default() {
            row.put_cell(*cell);
        }
        rows.push(row);
        from = end;
    }
    rows
}

/// Splits a row after exactly `width` cells, as the terminal would.
#[must_use]
pub fn hard(row: &Row, width: usize, hang: usize) -> Vec<Row> {
    let width = width.max(2);
    let hang = if hang + 2 > width { 0 } else { hang };
    let mut rows = Vec::new();
    let mut part = Row::new();
    let mut used = 0;
    for cell in row.cells() {
        if used + cell.width > width {
            rows.push(std::mem::take(&mut part));
            part.push(&" ".repeat(hang), super::style::Style::TEXT);
            used = hang;
        }
        used += cell.width;
        part.put_cell(cell);
    }
    rows.push(part);
    rows
}

/// Wraps between words and splits words that are longer than a row, so that nothing is lost or too wide.
#[must_use]
pub fn whole(row: &Row, width: usize, hang: usize) -> Vec<Row> {
    let parts = words(row, width, hang);
    parts.iter().flat_map(|part| hard(part, width, hang)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn texts(rows: &[Row]) -> Vec<String> {
        rows.iter().map(Row::text).collect()
    }

    #[test]
    fn rows_end_between_words() {
        let rows = words(&Row::plain("the quick brown fox"), 9, 0);
        assert_eq!(texts(&rows), ["the quick", "brown fox"]);
        let rows = words(&Row::plain("1. the quick brown"), 9, 3);
        assert_eq!(texts(&rows), ["1. the", "   quick", "   brown"]);
    }

    #[test]
    fn a_long_word_stays_whole() {
        let rows = words(&Row::plain("see https://example.org/long/path now"), 10, 0);
        assert_eq!(texts(&rows), ["see", "https://example.org/long/path", "now"]);
    }

    #[test]
    fn text_without_spaces_wraps_between_letters() {
        assert_eq!(texts(&words(&Row::plain("日本語です"), 4, 0)), ["日本", "語で", "す"]);
    }

    proptest! {
        #[test]
        fn nothing_but_spaces_is_lost(text in "[a-z日é ]{0,60}", width in 1_usize..30) {
            let row = Row::plain(&text);
            let joined: String = words(&row, width, 0).iter().map(Row::text).collect();
            let letters = |text: &str| text.replace(' ', "");
            prop_assert_eq!(letters(&joined), letters(&text));
        }

        #[test]
        fn hard_rows_fit_and_lose_nothing(text in "[a-z日👩 ]{0,60}", width in 2_usize..30) {
            let rows = hard(&Row::plain(&text), width, 0);
            prop_assert!(rows.iter().all(|row| row.width() <= width));
            let joined: String = rows.iter().map(Row::text).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
