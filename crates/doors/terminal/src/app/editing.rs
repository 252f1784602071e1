//! Editing keys, as in readline.

use crate::input::{Code, Editor, Key};

/// Applies an editing key to a text.
pub(crate) fn edit(editor: &mut Editor, key: Key) {
    match (key.code, key.ctrl, key.alt) {
        (Code::Char('a'), true, _) | (Code::Home, ..) => editor.home(),
        (Code::Char('e'), true, _) | (Code::End, ..) => editor.end(),
        (Code::Char('b'), true, _) => editor.left(),
        (Code::Char('f'), true, _) => editor.right(),
        (Code::Char('b'), _, true) | (Code::Left, true, _) | (Code::Left, _, true) => editor.word_left(),
        (Code::Char('f'), _, true) | (Code::Right, true, _) | (Code::Right, _, true) => editor.word_right(),
        (Code::Left, ..) => editor.left(),
        (Code::Right, ..) => editor.right(),
        (Code::Backspace, _, true) | (Code::Char('w'), true, _) | (Code::Backspace, true, _) => {
            editor.kill_word_before();
        }
        (Code::Backspace, ..) | (Code::Char('h'), true, _) => editor.backspace(),
        (Code::Delete, ..) | (Code::Char('d'), true, _) => editor.delete(),
        (Code::Char('d'), _, true) => editor.kill_word_after(),
        (Code::Char('k'), true, _) => editor.kill_to_end(),
        (Code::Char('u'), true, _) => editor.kill_to_start(),
        (Code::Char('y'), true, _) => editor.yank(),
        (Code::Char('_'), true, _) => editor.undo(),
        (Code::Char('j'), true, _) => editor.insert("\n"),
        (Code::Enter, ..) => editor.insert("\n"),
        (Code::Up, ..) => {
            editor.up();
        }
        (Code::Down, ..) => {
            editor.down();
        }
        (Code::Char(letter), false, false) => editor.insert(letter.encode_utf8(&mut [0; 4])),
        _ => {}
    }
}
