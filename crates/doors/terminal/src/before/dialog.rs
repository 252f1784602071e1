//! Renders a start question and handles its keys.

use super::StartQuestion;
use crate::input::{Code, Editor, Key};
use crate::screen::Frame;
use crate::text::{Role, Row, Style, width, wrap};
use crate::view::ask::{Choice, choices, hints};
use crate::view::composer;

/// Result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DialogStep {
    Not,
    /// Show the full text.
    Whole,
    Chose(usize),
    Left,
}

/// An open question.
#[derive(Debug)]
pub(super) struct Dialog<'a> {
    question: &'a StartQuestion,
    selected: usize,
    shown: bool,
}

impl<'a> Dialog<'a> {
    pub(super) fn new(question: &'a StartQuestion) -> Self {
        Self {
            question,
            selected: question.selected,
            shown: false,
        }
    }

    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        let last = self.question.choices.len().saturating_sub(1);
        match (key.code, key.ctrl) {
            (Code::Escape, _) | (Code::Char('c' | 'd'), true) => return DialogStep::Left,
            (Code::Up, _) | (Code::Char('p'), true) | (Code::Char('k'), false) => {
                self.selected = self.selected.saturating_sub(1);
            }
            (Code::Down, _) | (Code::Char('n'), true) | (Code::Char('j'), false) => {
                self.selected = (self.selected + 1).min(last);
            }
            (Code::Home, _) => self.selected = 0,
            (Code::End, _) => self.selected = last,
            (Code::Enter, _) => return DialogStep::Chose(self.selected),
            (Code::Char('v'), false) if !self.question.whole.is_empty() && !self.shown => {
                self.shown = true;
                return DialogStep::Whole;
            }
            (Code::Char(digit @ '1'..='9'), false) => {
                let at = digit as usize - '1' as usize;
                if at <= last {
                    return DialogStep::Chose(at);
                }
            }
            _ => {}
        }
        DialogStep::Not
    }

    pub(super) fn frame(&self, (columns, rows): (usize, usize)) -> Frame {
        let (word, of) = &self.question.title;
        let title = Row::new()
            .add("? ", Role::Ask)
            .add(word, Style::TEXT.bold())
            .add("  ", Style::TEXT)
            .add(of, Style::TEXT);
        let mut region = wrap::words(&title, columns, 2);
        for line in &self.question.body {
            let depth = line.len() - line.trim_start().len();
            region.extend(wrap::words(&Row::plain(line), columns, depth + 2));
        }
        let answers = &self.question.choices;
        let widest = |pick: fn(&(String, String)) -> &String| answers.iter().map(|it| width::of(pick(it))).max();
        let (labels, abouts) = (widest(|it| &it.0).unwrap_or(0), widest(|it| &it.1).unwrap_or(0));
        // Descriptions are aligned if there is room.
        let labels = if 5 + labels + 2 + abouts <= columns { labels } else { 0 };
        let padded = |label: &str| format!("{label}{}", " ".repeat(labels.saturating_sub(width::of(label))));
        let offered: Vec<Choice> = answers
            .iter()
            .map(|(label, about)| match about.is_empty() {
                true => Choice::with(label, about),
                false => Choice::with(&padded(label), about),
            })
            .collect();
        let mut chosen = choices(&offered, self.selected, columns);
        let said: &[&str] = if self.question.whole.is_empty() || self.shown {
            &["enter chooses", "esc leaves"]
        } else {
            &["enter chooses", "v shows all of them", "esc leaves"]
        };
        chosen.push(hints(said, columns));
        // The choices always stay visible.
        let room = rows.saturating_sub(chosen.len() + 1);
        if region.len() > room {
            region.truncate(room.saturating_sub(1));
            region.push(Row::faint("    ⋯"));
        }
        region.push(Row::new());
        region.extend(chosen);
        Frame {
            cursor: (region.len().saturating_sub(1), 0),
            region,
            ..Frame::default()
        }
    }
}

/// A line being typed.
#[derive(Debug)]
pub(super) struct LineInput {
    title: String,
    about: String,
    secret: bool,
    editor: Editor,
}

impl LineInput {
    pub(super) fn new(title: &str, about: &str, secret: bool) -> Self {
        Self {
            title: title.to_owned(),
            about: about.to_owned(),
            secret,
            editor: Editor::default(),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.editor.text()
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.editor.insert(text.lines().next().unwrap_or_default().trim());
    }

    pub(super) fn key(&mut self, key: Key) {
        if key != Key::ctrl('j') {
            crate::app::edit(&mut self.editor, key);
        }
    }

    pub(super) fn frame(&self, (columns, rows): (usize, usize)) -> Frame {
        let mut dots = Editor::default();
        let shown = if self.secret {
            dots.set(&"*".repeat(self.editor.text().chars().count()));
            let before = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
            dots.go(before.chars().count());
            &dots
        } else {
            &self.editor
        };
        let title = Row::new()
            .add("? ", Role::Ask)
            .add(&self.title, Style::TEXT.bold())
            .add("  ", Style::TEXT)
            .add(&self.about, Role::Faint);
        let mut region = wrap::words(&title, columns, 2);
        let above = region.len();
        let laid = composer::lay_out(shown, "› ", columns, (rows / 3).max(1), Style::TEXT);
        region.extend(laid.rows);
        region.push(hints(&["enter takes it", "esc back"], columns));
        Frame {
            cursor: (laid.cursor.0 + above, laid.cursor.1),
            shows_cursor: true,
            region,
            ..Frame::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust() -> StartQuestion {
        StartQuestion {
            title: ("New folder".to_owned(), "~/code/shop".to_owned()),
            body: vec![
                "  Nothing in it runs automatically until you trust it. It contains".to_owned(),
                "    2 hooks         .claude/settings.json   PreToolUse, Stop".to_owned(),
            ],
            choices: vec![
                (
                    "Work here without them".to_owned(),
                    "its deny and ask rules still apply".to_owned(),
                ),
                ("Trust this folder".to_owned(), "now and later".to_owned()),
                ("Leave".to_owned(), String::new()),
            ],
            selected: 0,
            whole: vec!["{}".to_owned()],
        }
    }

    #[test]
    fn trust_80() {
        let question = trust();
        let rows: Vec<String> = Dialog::new(&question)
            .frame((80, 24))
            .region
            .iter()
            .map(Row::text)
            .collect();
        assert_eq!(
            rows,
            [
                "? New folder  ~/code/shop",
                "  Nothing in it runs automatically until you trust it. It contains",
                "    2 hooks         .claude/settings.json   PreToolUse, Stop",
                "",
                "› 1  Work here without them  its deny and ask rules still apply",
                "  2  Trust this folder       now and later",
                "  3  Leave",
                "  enter chooses ∙ v shows all of them ∙ esc leaves",
            ]
        );
    }

    #[test]
    fn no_row_is_wider_than_the_screen_and_the_choices_stay() {
        let question = trust();
        for size in [(20, 10), (40, 12), (80, 6)] {
            let region = Dialog::new(&question).frame(size).region;
            assert!(region.iter().all(|row| row.width() <= size.0), "{size:?}");
            assert!(region.iter().any(|row| row.text().contains("3  Leave")), "{size:?}");
        }
    }

    #[test]
    fn a_digit_chooses_and_escape_leaves() {
        let question = trust();
        let mut dialog = Dialog::new(&question);
        assert_eq!(dialog.key(Key::of(Code::Enter)), DialogStep::Chose(0));
        assert_eq!(dialog.key(Key::char('2')), DialogStep::Chose(1));
        assert_eq!(dialog.key(Key::char('9')), DialogStep::Not);
        assert_eq!(dialog.key(Key::char('v')), DialogStep::Whole);
        assert_eq!(dialog.key(Key::of(Code::Escape)), DialogStep::Left);
    }

    #[test]
    fn a_secret_is_masked() {
        let mut line = LineInput::new("A key", "", true);
        line.insert("sk-ant-1\nmore");
        assert_eq!(line.text(), "sk-ant-1");
        let rows: Vec<String> = line.frame((40, 24)).region.iter().map(Row::text).collect();
        assert!(rows.contains(&"› ********".to_owned()), "{rows:?}");
    }
}
