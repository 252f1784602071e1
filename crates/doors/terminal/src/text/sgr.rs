//! Parses a line with escape sequences: keeps colours, attributes and links, and removes all other sequences.

use super::{Role, Row, Style};

/// Parses a line.
#[must_use]
pub fn read(line: &str) -> Row {
    let mut row = Row::new();
    let mut style = Style::TEXT;
    let mut link: Option<String> = None;
    let mut rest = line;
    let put = |row: &mut Row, text: &str, style: Style, link: &Option<String>| {
        if !text.is_empty() {
            row.append(&Row::new().add(text, style).leading_to(link.clone()));
        }
    };
    while let Some(at) = rest.find('\x1b') {
        put(&mut row, rest.get(..at).unwrap_or_default(), style, &link);
        let sequence = rest.get(at + 1..).unwrap_or_default();
        let after = match sequence.chars().next() {
            Some('[') => {
                let body = sequence.get(1..).unwrap_or_default();
                match body.find(|letter: char| ('@'..='~').contains(&letter)) {
                    Some(end) => {
                        if body.get(end..=end) == Some("m") {
                            style = changed(style, body.get(..end).unwrap_or_default());
                        }
                        body.get(end + 1..)
                    }
                    None => None,
                }
            }
            // Terminated by the bell character or by ESC and a backslash.
            Some(']') => sequence.find(['\x07', '\x1b']).and_then(|end| {
                let target = sequence.get(1..end).and_then(|body| body.strip_prefix("8;"));
                if let Some((_, target)) = target.and_then(|target| target.split_once(';')) {
                    let plain = !target.is_empty() && target.chars().all(|it| it.is_ascii_graphic());
                    link = plain.then(|| target.to_owned());
                }
                let end = sequence.get(end..)?;
                let after = end.strip_prefix("\x1b\\").or_else(|| end.strip_prefix('\x07'));
                Some(after.unwrap_or(end))
            }),
            Some(letter) => sequence.get(letter.len_utf8()..),
            None => None,
        };
        rest = after.unwrap_or_default();
    }
    put(&mut row, rest, style, &link);
    row
}

fn changed(mut style: Style, numbers: &str) -> Style {
    let mut numbers = numbers
        .split([';', ':'])
        .map(|number| number.parse::<u8>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        match number {
            0 => style = Style::TEXT,
            1 => style.bold = true,
            2 => style.role = Role::Faint,
            3 => style.italic = true,
            7 => style.reverse = true,
            9 => style.struck = true,
            22 => {
                style.bold = false;
                if style.role == Role::Faint {
                    style.role = Role::Text;
                }
            }
            23 => style.italic = false,
            27 => style.reverse = false,
            29 => style.struck = false,
            30..=37 => style.role = Role::Index(number - 30),
            90..=97 => style.role = Role::Index(number - 90 + 8),
            39 => style.role = Role::Text,
            38 | 48 => {
                let role = match numbers.next() {
                    Some(5) => numbers.next().map(Role::Index),
                    Some(2) => {
                        let mut part = || numbers.next().unwrap_or(0);
                        Some(Role::Rgb(part(), part(), part()))
                    }
                    _ => None,
                };
                // Background colours are ignored.
                if number == 38 {
                    style.role = role.unwrap_or(style.role);
                }
            }
            _ => {}
        }
    }
    style
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_colours_are_kept() {
        let row = read(
            "\x1b[1;32mshop\x1b[0m on \x1b[38;5;208mmain\x1b[m\x1b[2J\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b[38;2;1;2;3mx",
        );
        assert_eq!(row.text(), "shop on mainlink x");
        assert_eq!(row.0.first().unwrap().style.role, Role::Index(2));
        assert!(row.0.first().unwrap().style.bold);
        assert!(row.0.iter().any(|span| span.style.role == Role::Index(208)));
        assert_eq!(row.0.last().unwrap().style.role, Role::Rgb(1, 2, 3));
        let linked: Vec<&str> = row
            .0
            .iter()
            .filter(|span| span.link.is_some())
            .map(|span| span.text.as_str())
            .collect();
        assert_eq!(linked, ["link"], "what leads somewhere does so, and ends where it ends");
    }

    #[test]
    fn incomplete_sequences_are_dropped() {
        assert_eq!(read("a\x1b[1").text(), "a");
        assert_eq!(read("a\x1b").text(), "a");
        assert_eq!(read("a\x1b]0;title").text(), "a");
    }
}
