//! Makes untrusted text (from a model, a project or another machine) safe to print: it cannot move the cursor,
//! change colours or reverse the reading direction.

use std::borrow::Cow;

/// Whether a character is printed as its code, because it controls the terminal, is invisible or reorders the text
/// around it.
///
/// The zero-width joiner of emoji sequences and spaces of any width are not hidden.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{200b}'..='\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the code to print for a hidden character, such as `\x1b` or `\u{202e}`.
#[must_use]
pub fn code(letter: char) -> String {
    match u32::from(letter) {
        number @ 0..=0xff => format!("\\x{number:02x}"),
        number => format!("\\u{{{number:x}}}"),
    }
}

/// Returns the text on one line. Line breaks and tabs become spaces, hidden characters their codes.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(' '),
            '\r' => {}
            letter if is_hidden(letter) => out.push_str(&code(letter)),
            letter => out.push(letter),
        }
    }
    out
}

/// Returns the text on one line like [`one_line`], truncated after `max_chars` characters.
#[must_use]
pub fn short_line(text: &str, max_chars: usize) -> String {
    let mut letters = text.chars();
    let first: String = letters.by_ref().take(max_chars).collect();
    let mut line = one_line(&first);
    if letters.next().is_some() {
        line.push('…');
    }
    line
}

/// Returns the text with its line breaks and tabs. Hidden characters become their codes.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_kept = |letter: char| matches!(letter, '\n' | '\t') || !is_hidden(letter);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // A Windows line ending becomes LF.
            '\r' if letters.peek() == Some(&'\n') => {}
            letter if is_kept(letter) => out.push(letter),
            letter => out.push_str(&code(letter)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_become_codes() {
        assert_eq!(one_line("a\x1b[2J\u{202e}b\r\nc\td"), "a\\x1b[2J\\u{202e}b c d");
        assert_eq!(lines("a\x1b[2J\r\n\tb\rc\u{9b}"), "a\\x1b[2J\n\tb\\x0dc\\x9b");
        assert_eq!(short_line("\x1babc", 2), "\\x1ba…");
        assert_eq!(short_line("ab", 2), "ab");
    }

    #[test]
    fn letters_of_all_languages_and_emoji_are_unchanged() {
        let text = "naïve\u{a0}: 日本　語, שלום, 👩\u{200d}💻 ❤\u{fe0f}";
        assert_eq!(lines(text), text);
        assert_eq!(one_line(text), text);
    }

    proptest! {
        #[test]
        fn printed_text_contains_no_hidden_characters(text in any::<String>()) {
            prop_assert!(!one_line(&text).chars().any(is_hidden));
            prop_assert!(lines(&text).chars().all(|letter| matches!(letter, '\n' | '\t') || !is_hidden(letter)));
        }
    }
}
