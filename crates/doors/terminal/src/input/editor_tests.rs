use proptest::prelude::*;

use super::*;

fn written(text: &str) -> Editor {
    let mut editor = Editor::default();
    for letter in text.chars() {
        editor.insert(letter.encode_utf8(&mut [0; 4]));
    }
    editor
}

#[test]
fn consecutive_kills_are_yanked_together() {
    let mut editor = written("one two three");
    editor.kill_word_before();
    editor.kill_word_before();
    assert_eq!(editor.text(), "one ");
    editor.yank();
    assert_eq!(editor.text(), "one two three");
}

#[test]
fn undo_reverts_word_by_word() {
    let mut editor = written("one two");
    editor.undo();
    assert_eq!(editor.text(), "one ");
    editor.redo();
    assert_eq!(editor.text(), "one two");
}

#[test]
fn a_chip_is_one_character_and_sent_in_full() {
    let mut editor = written("see ");
    editor.attach(Chip::Paste("a\nb\nc".to_owned()));
    assert_eq!(editor.whole(), "see a\nb\nc");
    editor.backspace();
    assert_eq!(editor.whole(), "see ");
}

#[test]
fn up_and_down_keep_their_column() {
    let mut editor = Editor::default();
    editor.set("longer line\nab\nanother line");
    assert!(editor.up());
    assert!(editor.up());
    assert_eq!(editor.cursor(), 11);
    assert!(!editor.up());
}

proptest! {
    #[test]
    fn the_cursor_is_always_between_clusters(steps in proptest::collection::vec((0_u8..16, "[a日e\u{301}👩\n ]{0,3}"), 0..60)) {
        let mut editor = Editor::default();
        for (step, text) in steps {
            match step {
                0..=3 => editor.insert(&text),
                4 => editor.left(),
                5 => editor.right(),
                6 => editor.backspace(),
                7 => editor.delete(),
                8 => { editor.up(); }
                9 => { editor.down(); }
                10 => editor.kill_word_before(),
                11 => editor.yank(),
                12 => editor.undo(),
                13 => editor.kill_to_end(),
                14 => editor.yank_earlier(),
                _ => editor.word_left(),
            }
            prop_assert!(editor.text().is_char_boundary(editor.cursor()));
        }
    }
}
