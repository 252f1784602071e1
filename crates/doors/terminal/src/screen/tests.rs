//! Tests of the writer with a `vt100` terminal emulator.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{Frame, Writer};
use crate::text::Row;
use crate::theme::{Glyphs, Theme};

struct Played {
    terminal: vt100::Parser,
    writer: Writer,
    written: String,
}

impl Played {
    fn new(columns: u16, rows: u16) -> Self {
        Self {
            terminal: vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 10_000),
            writer: Writer::new(Theme::Terminal, Glyphs::Full, columns.into(), rows.into()),
            written: String::new(),
        }
    }

    fn draw(&mut self, commit: &[String], region: &[String], cursor: (usize, usize)) -> usize {
        let rows = |texts: &[String]| texts.iter().map(|text| Row::plain(text)).collect();
        let bytes = self.writer.draw(Frame {
            marks: Vec::new(),
            commit: rows(commit),
            region: rows(region),
            cursor,
            shows_cursor: true,
        });
        self.terminal.process(bytes.as_bytes());
        self.written.push_str(&bytes);
        bytes.len()
    }

    /// Changes the height of the terminal; the writer does not know about it yet.
    fn set_height(&mut self, rows: u16) {
        let (_, columns) = self.terminal.screen().size();
        self.terminal.screen_mut().set_size(rows.try_into().unwrap(), columns);
    }

    fn screen(&self) -> Vec<String> {
        let (_, columns) = self.terminal.screen().size();
        let rows = self.terminal.screen().rows(0, columns.get());
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |at| at + 1);
        rows[..used].to_vec()
    }

    /// Returns the scrollback and the screen.
    fn everything(&mut self) -> Vec<String> {
        self.terminal.screen_mut().set_scrollback(usize::MAX);
        let above = self.terminal.screen().scrollback();
        let mut all = Vec::new();
        for offset in (1..=above).rev() {
            self.terminal.screen_mut().set_scrollback(offset);
            let (_, columns) = self.terminal.screen().size();
            let first = self.terminal.screen().rows(0, columns.get()).next();
            all.push(first.unwrap().trim_end().to_owned());
        }
        self.terminal.screen_mut().set_scrollback(0);
        all.extend(self.screen());
        all
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn committed_rows_scroll_up_and_occur_once() {
    let mut played = Played::new(20, 5);
    let mut expected = Vec::new();
    for number in 0..30 {
        let row = format!("row {number}");
        played.draw(std::slice::from_ref(&row), &texts(&["› draft", "  status"]), (0, 7));
        expected.push(row);
    }
    expected.extend(texts(&["› draft", "  status"]));
    assert_eq!(played.everything(), expected);
    assert_eq!(played.terminal.screen().cursor_position(), (3, 7));
}

#[test]
fn a_key_writes_few_bytes_and_a_spinner_fewer() {
    let mut played = Played::new(80, 24);
    played.draw(
        &[],
        &texts(&["⠋ writing ∙ 12s ∙ 840 tokens ∙ esc stops", "› abc", "  sonnet ∙ ask"]),
        (1, 5),
    );
    let key = played.draw(
        &[],
        &texts(&["⠋ writing ∙ 12s ∙ 840 tokens ∙ esc stops", "› abcd", "  sonnet ∙ ask"]),
        (1, 6),
    );
    assert!(key <= 4, "{key}");
    let step = played.draw(
        &[],
        &texts(&["⠙ writing ∙ 12s ∙ 840 tokens ∙ esc stops", "› abcd", "  sonnet ∙ ask"]),
        (1, 6),
    );
    assert!(step <= 40, "{step}");
    let nothing = played.draw(
        &[],
        &texts(&["⠙ writing ∙ 12s ∙ 840 tokens ∙ esc stops", "› abcd", "  sonnet ∙ ask"]),
        (1, 6),
    );
    assert_eq!(nothing, 0);
    assert_eq!(played.screen()[1], "› abcd");
}

#[test]
fn a_long_committed_row_is_wrapped_by_the_terminal_alone() {
    let mut played = Played::new(10, 6);
    played.draw(&texts(&["abcdefghijklmno"]), &texts(&["› "]), (0, 2));
    assert_eq!(played.screen(), texts(&["abcdefghij", "klmno", "›"]));
}

/// A terminal whose height shrinks drops the rows below the cursor first. Frames made before the process is notified
/// would then move the cursor to rows that no longer exist.
#[test]
fn frame_for_a_higher_terminal_erases_no_committed_row() {
    let mut played = Played::new(20, 6);
    let region = |count: usize| texts(&["tail", "› draft", &format!("  {count} tokens")]);
    played.draw(&texts(&["one", "two", "three"]), &region(1), (1, 7));
    played.set_height(5);
    played.draw(&[], &region(2), (1, 7));
    played.draw(&texts(&["four"]), &region(2), (1, 7));
    assert_eq!(
        played.everything(),
        texts(&["one", "two", "three", "four", "tail", "› draft", "  2 tokens"])
    );
}

/// Rows that a short terminal scrolled into its history return when it grows again before the next frame.
#[test]
fn region_is_drawn_once_after_a_terminal_was_lower_than_it() {
    let mut played = Played::new(20, 10);
    let region = texts(&["tail 1", "tail 2", "tail 3", "activity", "› draft", "  status"]);
    played.draw(&texts(&["one", "two", "three", "four", "five"]), &region, (4, 7));
    for rows in [3_u16, 10] {
        played.set_height(rows);
        played.writer.resize(20, rows.into());
    }
    played.draw(&[], &region, (4, 7));
    let expected = [texts(&["one", "two", "three", "four", "five"]), region].concat();
    assert_eq!(played.everything(), expected);
}

fn rows() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[a-z日é]{0,24}", 1..7)
}

proptest! {
    #[test]
    fn incremental_updates_equal_a_full_redraw(steps in proptest::collection::vec((rows(), proptest::option::of("[A-Z]{1,30}")), 1..12)) {
        let mut played = Played::new(24, 8);
        let mut committed = Vec::new();
        for (region, commit) in &steps {
            let commit: Vec<String> = commit.iter().cloned().collect();
            let last = region.len() - 1;
            played.draw(&commit, region, (last, 0));
            committed.extend(commit);
        }
        let mut fresh = Played::new(24, 8);
        fresh.draw(&committed, &steps.last().unwrap().0, (steps.last().unwrap().0.len() - 1, 0));
        let end = |rows: Vec<String>| rows.into_iter().rev().skip_while(String::is_empty).collect::<Vec<_>>();
        prop_assert_eq!(end(played.everything()), end(fresh.everything()));
        for forbidden in ["\x1b[2J", "\x1b[3J", "\x1b[H", "\x1bM", "\x1b[?1049"] {
            prop_assert!(!played.written.contains(forbidden));
        }
    }

    #[test]
    fn late_height_changes_keep_every_committed_row_once(
        steps in proptest::collection::vec((6_u16..30, any::<bool>(), 0_usize..4, 2_usize..6), 1..40),
    ) {
        let mut played = Played::new(40, 12);
        let mut expected = Vec::new();
        for (height, set_capabilities, commits, high) in steps {
            played.set_height(height);
            if set_capabilities {
                played.writer.resize(40, height.into());
            }
            let first = expected.len();
            let commit: Vec<String> = (first..first + commits).map(|number| format!("c{number}")).collect();
            expected.extend(commit.iter().cloned());
            let mut region: Vec<String> = (0..high - 1).map(|row| format!("tail {row} of {high} at {first}")).collect();
            region.push(format!("  status {first}"));
            played.draw(&commit, &region, (high - 2, 3));
        }
        played.set_height(20);
        played.writer.resize(40, 20);
        played.draw(&[], &texts(&["  status at the end"]), (0, 0));
        let all = played.everything();
        let seen: Vec<String> = all.iter().filter(|row| row.starts_with('c')).cloned().collect();
        prop_assert_eq!(seen, expected, "{:?}", all);
        prop_assert_eq!(all.iter().filter(|row| row.starts_with("  status")).count(), 1, "{:?}", all);
    }

    #[test]
    fn sizes_in_any_order_lose_no_committed_row(sizes in proptest::collection::vec((20_u16..60, 6_u16..16), 1..12)) {
        let mut played = Played::new(40, 10);
        played.writer.reflows(false);
        let mut expected = Vec::new();
        for (number, (columns, rows)) in sizes.into_iter().enumerate() {
            let row = format!("c{number}");
            played.draw(std::slice::from_ref(&row), &texts(&["tail", "› draft", "  status"]), (1, 2));
            expected.push(row);
            played.terminal.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
            played.writer.resize(columns.into(), rows.into());
            played.draw(&[], &texts(&["tail", "› draft", "  status"]), (1, 2));
        }
        let all = played.everything();
        let seen: Vec<String> = all.iter().filter(|row| row.starts_with('c')).cloned().collect();
        prop_assert!(expected.ends_with(&seen) || seen == expected, "{:?}", all);
    }
}

#[test]
fn cut_rows_also_fit_in_ascii() {
    let mut writer = Writer::new(Theme::None, Glyphs::Ascii, 20, 6);
    let mut terminal = vt100::Parser::new(6.try_into().unwrap(), 20.try_into().unwrap(), 0);
    let row = || Row::plain("a row that is longer than the screen").cut(20);
    let bytes = writer.draw(Frame {
        commit: vec![row()],
        region: vec![row()],
        shows_cursor: true,
        ..Frame::default()
    });
    terminal.process(bytes.as_bytes());
    let rows: Vec<String> = terminal.screen().rows(0, 20).take(3).collect();
    assert_eq!(rows, ["a row that is lon...", "a row that is lon...", ""]);
}
