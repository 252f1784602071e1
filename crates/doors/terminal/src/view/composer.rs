//! The composer: the draft as rows.

use crate::input::Editor;
use crate::input::editor::{Chip, chip_number};
use crate::text::{Cell, Role, Row, Style};
use crate::view::amount;

/// Rows of the composer and the cursor position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composer {
    pub rows: Vec<Row>,
    pub cursor: (usize, usize),
}

/// Returns the label of a chip.
#[must_use]
pub fn label(number: usize, chip: &Chip) -> String {
    match chip {
        Chip::Paste(text) => {
            let lines = amount::count(text.lines().count() as u64, "line");
            format!("[paste {}: {lines}, {}]", number + 1, amount::bytes(text.len() as u64))
        }
        Chip::Image { label, .. } => label.clone(),
    }
}

/// Lays out the draft in at most `most` rows: `sign` before the first row, two spaces before the others.
#[must_use]
pub fn lay_out(editor: &Editor, sign: &str, columns: usize, most: usize, style: Style) -> Composer {
    let room = columns.saturating_sub(2).max(2);
    let mut rows: Vec<Row> = vec![Row::new()];
    let mut used = 0;
    let mut cursor = (0, 0);
    let mut at = 0;
    let mut line_start = true;
    for letter in clusters(editor.text()) {
        if at == editor.cursor() {
            cursor = (rows.len() - 1, used);
        }
        at += letter.len();
        if letter == "\n" {
            rows.push(Row::new());
            used = 0;
            line_start = true;
            continue;
        }
        let chip = letter.chars().next().and_then(chip_number);
        let mut piece = Row::new();
        match chip.and_then(|number| Some((number, editor.chips().get(number)?))) {
            Some((number, chip)) => piece.push(&label(number, chip), Role::Accent),
            None => piece.push(letter, style),
        }
        let cells: Vec<Cell<'_>> = piece.cells().collect();
        let wide: usize = cells.iter().map(|cell| cell.width).sum();
        if used + wide > room && !line_start && wide <= room {
            rows.push(Row::new());
            used = 0;
            if at - letter.len() == editor.cursor() {
                cursor = (rows.len() - 1, 0);
            }
        }
        for cell in cells {
            if used + cell.width > room {
                rows.push(Row::new());
                used = 0;
            }
            used += cell.width;
            if let Some(row) = rows.last_mut() {
                row.push(cell.text, cell.style);
            }
        }
        line_start = false;
    }
    if at == editor.cursor() {
        if used >= room {
            rows.push(Row::new());
            used = 0;
        }
        cursor = (rows.len() - 1, used);
    }
    // Scrolls so that the cursor stays visible.
    let most = most.max(1);
    let from = (cursor.0 + 1).saturating_sub(most);
    let shown = rows.into_iter().enumerate().skip(from).take(most);
    let rows = shown.map(|(number, row)| {
        let mut line = Row::new().add(if number == 0 { sign } else { "  " }, Role::Accent);
        line.append(&row);
        line
    });
    Composer {
        rows: rows.collect(),
        cursor: (cursor.0 - from, cursor.1 + 2),
    }
}

fn clusters(text: &str) -> impl Iterator<Item = &str> {
    use unicode_segmentation::UnicodeSegmentation as _;
    // CR LF does not occur: line ends of a paste are normalized.
    text.graphemes(true)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn laid(text: &str, columns: usize) -> (Vec<String>, (usize, usize)) {
        let mut editor = Editor::default();
        editor.set(text);
        let composer = lay_out(&editor, "› ", columns, 8, Style::TEXT);
        (composer.rows.iter().map(Row::text).collect(), composer.cursor)
    }

    #[test]
    fn lines_continue_at_two_spaces() {
        assert_eq!(laid("one\ntwo", 20), (vec!["› one".into(), "  two".into()], (1, 5)));
        assert_eq!(laid("abcdefgh", 6).0, ["› abcd", "  efgh", "  "]);
        assert_eq!(laid("日本語", 6), (vec!["› 日本".into(), "  語".into()], (1, 4)));
    }

    #[test]
    fn a_paste_is_one_chip() {
        let mut editor = Editor::default();
        editor.attach(Chip::Paste("a\n".repeat(148)));
        let composer = lay_out(&editor, "› ", 80, 8, Style::TEXT);
        assert_eq!(composer.rows.first().unwrap().text(), "› [paste 1: 148 lines, 296 B]");
    }

    proptest! {
        #[test]
        fn every_row_fits_and_the_cursor_is_on_the_screen(text in "[a-z日👩\n ]{0,80}", columns in 8_usize..40) {
            let (rows, (row, column)) = laid(&text, columns);
            prop_assert!(rows.iter().all(|row| crate::text::width::of(row) <= columns));
            prop_assert!(row < rows.len() && column < columns);
        }
    }
}
