//! The register: the text cut or copied last.

use super::Vim;
use super::motion::next;
use crate::input::editor::Editor;

impl Vim {
    pub(super) fn keep(&mut self, editor: &Editor, from: usize, to: usize, lines: bool) {
        self.register = editor
            .text()
            .get(from..to)
            .unwrap_or_default()
            .trim_matches('\n')
            .to_owned();
        if !lines {
            self.register = editor.text().get(from..to).unwrap_or_default().to_owned();
        }
        self.by_lines = lines;
    }

    pub(super) fn cut(&mut self, editor: &mut Editor, from: usize, to: usize, lines: bool) {
        self.keep(editor, from, to, lines);
        editor.cut(from, to);
    }

    pub(super) fn put(&mut self, editor: &mut Editor, after: bool, times: usize) {
        let text = self.register.repeat(times);
        let at = editor.cursor();
        if self.by_lines {
            let (place, text) = if after {
                (editor.line_end(at), format!("\n{}", self.register))
            } else {
                (editor.line_start(at), format!("{}\n", self.register))
            };
            editor.go(place);
            editor.insert(&text);
            editor.go(if after { place + 1 } else { place });
        } else {
            editor.go(if after && at < editor.line_end(at) {
                next(editor, at)
            } else {
                at
            });
            editor.insert(&text);
            editor.left();
        }
    }
}
