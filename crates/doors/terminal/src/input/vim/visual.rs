//! Visual mode.

use super::motion::{before, next, object, turned};
use super::{KeyResult, Mode, Vim};
use crate::input::editor::Editor;

impl Vim {
    pub(super) fn visual(
        &mut self,
        editor: &mut Editor,
        rest: &str,
        times: usize,
        anchor: usize,
        lines: bool,
    ) -> KeyResult {
        let first = rest.chars().next().unwrap_or(' ');
        let at = editor.cursor();
        let (mut from, mut to) = (anchor.min(at), next(editor, anchor.max(at)));
        if lines {
            from = editor.line_start(from);
            to = editor.line_end(anchor.max(at));
        }
        match first {
            'd' | 'x' | 'c' | 'y' => {
                self.mode = Mode::Normal;
                if first == 'y' {
                    self.keep(editor, from, to, lines);
                    editor.go(from);
                    return self.dropped();
                }
                let to = if lines && first != 'c' {
                    (to + 1).min(editor.text().len())
                } else {
                    to
                };
                self.cut(editor, from, to, lines);
                if first == 'c' {
                    self.insert();
                    return KeyResult::Handled;
                }
                self.changed()
            }
            '~' => {
                let text: String = editor
                    .text()
                    .get(from..to)
                    .unwrap_or_default()
                    .chars()
                    .map(turned)
                    .collect();
                editor.replace(from, to, &text);
                editor.go(from);
                self.mode = Mode::Normal;
                self.changed()
            }
            'v' | 'V' => {
                self.mode = Mode::Normal;
                self.dropped()
            }
            'j' => {
                editor.down();
                self.dropped()
            }
            'k' => {
                editor.up();
                self.dropped()
            }
            'i' | 'a' if rest.chars().count() < 2 => KeyResult::Handled,
            'i' | 'a' => {
                if let Some((from, to)) = object(editor, rest) {
                    self.mode = Mode::Visual { anchor: from, lines };
                    editor.go(before(editor, to).max(from));
                }
                self.dropped()
            }
            'f' | 'F' | 't' | 'T' | 'g' if rest.chars().count() < 2 => KeyResult::Handled,
            _ => {
                if let Some(reach) = self.motion(editor, rest, times) {
                    editor.go(reach.to);
                }
                self.dropped()
            }
        }
    }
}
