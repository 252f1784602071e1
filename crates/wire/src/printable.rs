//! Text from elsewhere (a model, a project, another machine), made safe to print: it cannot move the cursor, change
//! colours or reverse the reading direction.

use std::borrow::Cow;

/// Whether a character is printed as its code: it controls a terminal, is invisible, or reorders what stands around it.
///
/// The joiner of emoji sequences and spaces of any width are not among them.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{200b}'..='\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The code that is printed for a hidden character: `\x1b`, `\u{202e}`.
#[must_use]
pub fn code(letter: char) -> String {
    match u32::from(letter) {
        number @ 0..=0xff => format!("\\x{number:02x}"),
        number => format!("\\u{{{number:x}}}"),
    }
}

/// The text on one line: line ends and tabs become spaces, hidden characters their codes.
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

/// The text on one line as [`one_line`] prints it, cut after `most` characters.
#[must_use]
pub fn short_line(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let first: String = letters.by_ref().take(most).collect();
    let mut line = one_line(&first);
    if letters.next().is_some() {
        line.push('…');
    }
    line
}

/// The text with its lines and tabs; hidden characters become their codes.
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
            // The end of a line in files of other systems.
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
    fn letters_of_all_languages_and_emoji_stay() {
        let text = "naïve\u{a0}: 日本　語, שלום, 👩\u{200d}💻 ❤\u{fe0f}";
        assert_eq!(lines(text), text);
        assert_eq!(one_line(text), text);
    }

    proptest! {
        #[test]
        fn what_is_printed_has_nothing_hidden(text in any::<String>()) {
            prop_assert!(!one_line(&text).chars().any(is_hidden));
            prop_assert!(lines(&text).chars().all(|letter| matches!(letter, '\n' | '\t') || !is_hidden(letter)));
        }
    }
}
