//! Words of others: what they hold must not move a cursor, change a colour or turn the reading direction.

/// Whether a letter is shown by its code instead of itself.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{200b}'..='\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// How such a letter is written.
#[must_use]
pub fn code(letter: char) -> String {
    match u32::from(letter) {
        number @ 0..=0xff => format!("\\x{number:02x}"),
        number => format!("\\u{{{number:x}}}"),
    }
}

/// The text with every such letter by its code; line ends and tabs too become spaces.
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

/// What a terminal would leave of an output line: colours are dropped, and of text that a carriage return
/// wrote over, the last counts.
#[must_use]
pub fn output_line(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.peek() == Some(&'[') {
            letters.next();
            let mut sequence = String::new();
            let mut end = None;
            for next in letters.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&next) {
                    end = Some(next);
                    break;
                }
                sequence.push(next);
            }
            match end {
                Some('m' | 'K') => {}
                Some(end) => out.push_str(&format!("\\x1b[{sequence}{end}")),
                None => out.push_str(&format!("\\x1b[{sequence}")),
            }
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_letters_are_shown_by_their_codes() {
        assert_eq!(one_line("a\x1b[2J\u{202e}b\r\nc\td"), "a\\x1b[2J\\u{202e}b c d");
    }

    #[test]
    fn colours_of_an_output_are_dropped_and_movements_shown() {
        assert_eq!(output_line("\x1b[31mred\x1b[0m"), "red");
        assert_eq!(output_line("10%\r50%\r100%"), "100%");
        assert_eq!(output_line("a\x1b[2Jb"), "a\\x1b[2Jb");
    }
}
