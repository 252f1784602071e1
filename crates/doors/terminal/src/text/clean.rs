//! Sanitizes command output and untrusted text for display.

pub use sluice_wire::printable::{code, is_hidden, one_line};

/// Returns an output line as a terminal would display it: without colours, and with text overwritten after a carriage
/// return removed.
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
    fn output_colours_are_removed_and_cursor_movements_shown() {
        assert_eq!(output_line("\x1b[31mred\x1b[0m"), "red");
        assert_eq!(output_line("10%\r50%\r100%"), "100%");
        assert_eq!(output_line("a\x1b[2Jb"), "a\\x1b[2Jb");
    }
}
