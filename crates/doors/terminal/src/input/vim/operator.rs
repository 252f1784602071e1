//! Operators: delete, change and copy over a motion or text object.

use super::motion::{ceil, first_letter, next, object, word_end};
use super::{KeyResult, Vim};
use crate::input::editor::Editor;

impl Vim {
    /// Applies an operator to a motion or text object.
    pub(super) fn operate(&mut self, editor: &mut Editor, operator: char, target: &str, times: usize) -> KeyResult {
        let digits = target.len() - target.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let digits = if target.starts_with('0') { 0 } else { digits };
        let inner = target
            .get(..digits)
            .and_then(|it| it.parse::<usize>().ok())
            .unwrap_or(1);
        let target = target.get(digits..).unwrap_or_default();
        let times = times.saturating_mul(inner).min(1000);
        let Some(first) = target.chars().next() else {
            return KeyResult::Handled;
        };
        let at = editor.cursor();
        let whole = match first {
            _ if first == operator => {
                let end = (1..times).fold(editor.line_end(at), |end, _| {
                    if end < editor.text().len() {
                        editor.line_end(end + 1)
                    } else {
                        end
                    }
                });
                Some((editor.line_start(at), end, true))
            }
            'i' | 'a' if target.chars().count() < 2 => return KeyResult::Handled,
            'i' | 'a' => object(editor, target).map(|(from, to)| (from, to, false)),
            'f' | 'F' | 't' | 'T' | 'g' if target.chars().count() < 2 => return KeyResult::Handled,
            'j' | 'k' => {
                let (from, to) = if first == 'j' {
                    let end = editor.line_end(at);
                    (
                        editor.line_start(at),
                        editor.line_end((end + 1).min(editor.text().len())),
                    )
                } else {
                    let start = editor.line_start(at);
                    (editor.line_start(start.saturating_sub(1)), editor.line_end(at))
                };
                Some((from, to, true))
            }
            // `cw` stops at the end of the word.
            'w' if operator == 'c' => {
                let to = (0..times).fold(at, |to, _| word_end(editor, to)) + 1;
                let to = to.min(editor.line_end(at)).max(at);
                Some((at, ceil(editor, to), false))
            }
            _ => self.motion(editor, target, times).map(|reach| {
                let (from, to) = (at.min(reach.to), at.max(reach.to));
                let to = if reach.inclusive { next(editor, to) } else { to };
                if reach.lines {
                    (editor.line_start(from), editor.line_end(to), true)
                } else {
                    (from, to, false)
                }
            }),
        };
        let Some((from, to, lines)) = whole else {
            return self.dropped();
        };
        match operator {
            'y' => {
                self.keep(editor, from, to, lines);
                editor.go(if lines { at } else { from });
                self.dropped()
            }
            'c' => {
                self.cut(editor, from, to, lines);
                self.insert();
                KeyResult::Handled
            }
            _ => {
                let text = editor.text().len();
                let (from, to) = match lines {
                    true if to < text => (from, to + 1),
                    true if from > 0 => (from - 1, to),
                    _ => (from, to),
                };
                self.cut(editor, from, to, lines);
                if lines {
                    editor.go(first_letter(editor, editor.line_start(editor.cursor())));
                }
                self.stay_inside(editor);
                self.changed()
            }
        }
    }
}
