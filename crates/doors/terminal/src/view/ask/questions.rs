//! `AskUserQuestion`: questions one by one, then a review of the answers before they are sent.

use serde_json::{Value, json};

use super::{Choice, hints};
use crate::input::Editor;
use crate::text::{Role, Row, Style, width, wrap};

/// A question.
#[derive(Debug, Clone)]
pub struct Question {
    pub text: String,
    pub options: Vec<(String, String)>,
    pub several: bool,
    pub marked: Vec<bool>,
    pub selected: usize,
    /// A typed answer instead of an option.
    pub own: Editor,
    /// A note added to the answer.
    pub note: Editor,
}

/// All questions of one request.
#[derive(Debug, Clone)]
pub struct Questions {
    pub list: Vec<Question>,
    /// Index of the current question; one past the end is the review.
    pub at: usize,
    pub sending: usize,
    /// True while a note is typed.
    pub notes: bool,
}

impl Questions {
    /// Parses the input of `AskUserQuestion`.
    #[must_use]
    pub fn read(input: &Value) -> Option<Self> {
        let list: Vec<Question> = input
            .get("questions")?
            .as_array()?
            .iter()
            .filter_map(Question::read)
            .collect();
        (!list.is_empty()).then_some(Self {
            list,
            at: 0,
            sending: 0,
            notes: false,
        })
    }

    /// Returns the tool input with the answers.
    #[must_use]
    pub fn answers(&self, input: &Value) -> Value {
        let answers: serde_json::Map<String, Value> = self
            .list
            .iter()
            .map(|question| (question.text.clone(), Value::String(question.answer())))
            .collect();
        let mut input = input.clone();
        if let Some(fields) = input.as_object_mut() {
            fields.insert("answers".to_owned(), json!(answers));
            let noted = self.list.iter().filter(|question| !question.note.is_empty());
            let notes: serde_json::Map<String, Value> = noted
                .map(|question| (question.text.clone(), json!({"notes": question.note.whole()})))
                .collect();
            if !notes.is_empty() {
                fields.insert("annotations".to_owned(), json!(notes));
            }
        }
        input
    }

    #[must_use]
    pub fn current(&mut self) -> Option<&mut Question> {
        self.list.get_mut(self.at)
    }

    /// True if the answers are being reviewed; the next step sends them.
    #[must_use]
    pub fn is_review(&self) -> bool {
        self.at >= self.list.len()
    }

    /// Returns the rows, and the cursor position while text is typed.
    #[must_use]
    pub fn rows(&self, columns: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let Some(question) = self.list.get(self.at) else {
            return (self.review(columns), None);
        };
        let mut title = Row::new().add("? ", Role::Ask).add(&question.text, Style::TEXT.bold());
        if self.list.len() > 1 {
            title.push(&format!("  ({} of {})", self.at + 1, self.list.len()), Role::Faint);
        }
        let mut rows = wrap::words(&title, columns, 2);
        let mut cursor = None;
        let widest = question
            .options
            .iter()
            .map(|(label, _)| width::of(label))
            .max()
            .unwrap_or(0);
        let count = question.options.len();
        for at in 0..=count {
            let mut row = Row::new().add(if at == question.selected { "› " } else { "  " }, Role::Accent);
            if question.several {
                let marked = if at == count {
                    !question.own.is_empty()
                } else {
                    question.marked.get(at) == Some(&true)
                };
                row.push(if marked { "[x] " } else { "[ ] " }, Style::TEXT);
            }
            row.push(&format!("{}  ", at + 1), Style::TEXT);
            match question.options.get(at) {
                Some((label, detail)) => {
                    row.push(label, Style::TEXT);
                    if !detail.is_empty() {
                        row.push(&" ".repeat(widest.saturating_sub(width::of(label)) + 4), Style::TEXT);
                        row.push(detail, Role::Faint);
                    }
                    let hang = if columns < 60 { 5 } else { row.width().min(8 + widest) };
                    rows.extend(wrap::words(&row, columns, hang.min(columns / 2)));
                }
                None => {
                    if question.own.is_empty() && question.selected != at {
                        row.push("in your own words", Style::TEXT);
                    } else if question.own.is_empty() {
                        cursor = Some((rows.len(), row.width()));
                        row.push("in your own words", Role::Faint);
                    } else {
                        row.push(question.own.text(), Style::TEXT);
                        if question.selected == at {
                            cursor = Some((rows.len(), row.width()));
                        }
                    }
                    rows.push(row.cut(columns));
                }
            }
        }
        if self.notes || !question.note.is_empty() {
            let row = Row::faint("  note  ").add(question.note.text(), Style::TEXT);
            let shown = wrap::whole(&row, columns, 8);
            if self.notes {
                let width = shown.last().map_or(0, Row::width);
                cursor = Some((rows.len() + shown.len() - 1, width.min(columns.saturating_sub(1))));
            }
            rows.extend(shown);
        }
        if self.notes {
            rows.push(hints(&["enter keeps the note", "esc back"], columns));
            return (rows, cursor);
        }
        let mut told = Vec::new();
        if question.several {
            told.push("space marks");
        }
        told.push(if self.list.len() > 1 {
            "enter next"
        } else {
            "enter answers"
        });
        if self.at > 0 {
            told.push("left back");
        }
        told.push("tab adds a note");
        told.push("esc no answer, stop");
        rows.push(hints(&told, columns));
        (rows, cursor)
    }

    fn review(&self, columns: usize) -> Vec<Row> {
        let mut rows = vec![Row::new().add("? ", Role::Ask).add("Your answers", Style::TEXT.bold())];
        for question in &self.list {
            let row = Row::faint(&format!("    {}  ", question.text)).add(&question.answer(), Style::TEXT);
            rows.extend(wrap::words(&row, columns, 6));
        }
        rows.push(Row::new());
        rows.extend(super::choices(
            &[Choice::new("Send"), Choice::new("Change")],
            self.sending,
            columns,
        ));
        rows.push(hints(&["enter chooses", "esc no answer, stop"], columns));
        rows
    }
}

impl Question {
    fn read(value: &Value) -> Option<Self> {
        let word = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let options: Vec<(String, String)> = value
            .get("options")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|option| (word(option, "label"), word(option, "description")))
            .collect();
        Some(Self {
            text: value.get("question")?.as_str()?.to_owned(),
            marked: vec![false; options.len()],
            several: value.get("multiSelect").and_then(Value::as_bool) == Some(true),
            options,
            selected: 0,
            own: Editor::default(),
            note: Editor::default(),
        })
    }

    /// True if the row for a typed answer is highlighted.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.selected == self.options.len()
    }

    /// Returns the answer to this question.
    #[must_use]
    pub fn answer(&self) -> String {
        if self.several {
            let marked = self.options.iter().zip(&self.marked).filter(|(_, marked)| **marked);
            let mut answers: Vec<String> = marked.map(|((label, _), _)| label.clone()).collect();
            answers.extend(Some(self.own.whole()).filter(|own| !own.is_empty()));
            return answers.join(", ");
        }
        match self.options.get(self.selected) {
            Some((label, _)) => label.clone(),
            None => self.own.whole(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn question_80() {
        let input = json!({"questions": [
            {"question": "How?", "options": [{"label": "Well", "description": ""}]},
            {"question": "Which stores?", "multiSelect": true, "options": [
                {"label": "SQLite", "description": "embedded, one file"},
                {"label": "Postgres", "description": "a server you run"}]}]});
        let mut questions = Questions::read(&input).unwrap();
        questions.at = 1;
        let question = questions.current().unwrap();
        question.marked[0] = true;
        question.selected = 1;
        let rows: Vec<String> = questions.rows(80).0.iter().map(Row::text).collect();
        assert_eq!(
            rows,
            [
                "? Which stores?  (2 of 2)",
                "  [x] 1  SQLite      embedded, one file",
                "› [ ] 2  Postgres    a server you run",
                "  [ ] 3  in your own words",
                "  space marks ∙ enter next ∙ left back ∙ tab adds a note ∙ esc no answer, stop",
            ]
        );
        let answers = questions.answers(&input);
        assert_eq!(answers["answers"], json!({"How?": "Well", "Which stores?": "SQLite"}));
    }
}
