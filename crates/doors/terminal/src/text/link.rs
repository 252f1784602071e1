//! Finds URLs in a text and turns them into hyperlinks.

use std::sync::Arc;

use super::row::{Row, Span};

/// Adds hyperlinks to all URLs in the row.
#[must_use]
pub fn addresses(row: Row) -> Row {
    if !row.0.iter().any(|span| span.text.contains("://")) {
        return row;
    }
    let text = row.text();
    let found = find(&text);
    if found.is_empty() {
        return row;
    }
    let mut linked = Vec::with_capacity(row.0.len() + found.len() * 2);
    let mut at = 0;
    for span in row.0 {
        let end = at + span.text.len();
        let mut from = at;
        // A URL may span several pieces, and a piece may contain several URLs.
        for (start, stop, target) in &found {
            let (start, stop) = ((*start).max(from), (*stop).min(end));
            if start >= stop {
                continue;
            }
            piece(&mut linked, &text, (from, start), &span, None);
            piece(&mut linked, &text, (start, stop), &span, Some(target));
            from = stop;
        }
        piece(&mut linked, &text, (from, end), &span, None);
        at = end;
    }
    Row(linked)
}

fn piece(out: &mut Vec<Span>, text: &str, (from, to): (usize, usize), span: &Span, link: Option<&Arc<str>>) {
    if let Some(text) = text.get(from..to).filter(|text| !text.is_empty()) {
        out.push(Span {
            text: text.to_owned(),
            style: span.style,
            link: link.cloned().or_else(|| span.link.clone()),
        });
    }
}

/// Returns start, end and target of each URL.
fn find(text: &str) -> Vec<(usize, usize, Arc<str>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")).map(|at| at + from) {
        let before = text.get(..at).unwrap_or_default();
        let scheme = before.len() - before.trim_end_matches(|it: char| it.is_ascii_alphabetic()).len();
        let start = at - scheme;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest
            .find(|it: char| it.is_whitespace() || it.is_control() || matches!(it, '<' | '>' | '"' | '`' | '|' | '\\'))
            .unwrap_or(rest.len());
        let mut address = rest.get(..length).unwrap_or_default();
        // Trailing punctuation is not part of the URL, nor is a closing bracket that was opened before it.
        loop {
            let shorter = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
            let closes = shorter.ends_with(')') && shorter.matches(')').count() > shorter.matches('(').count()
                || shorter.ends_with(']') && !shorter.contains('[')
                || shorter.ends_with('}') && !shorter.contains('{');
            let shorter = if closes {
                shorter.get(..shorter.len() - 1).unwrap_or_default()
            } else {
                shorter
            };
            if shorter.len() == address.len() {
                break;
            }
            address = shorter;
        }
        let known = matches!(before.get(start..), Some("http" | "https" | "file"));
        if known && address.len() > scheme + 3 && address.is_ascii() {
            found.push((start, start + address.len(), address.into()));
        }
        from = (start + address.len()).max(at + 3);
    }
    found
}

/// Returns the `file:` URL of a path.
#[must_use]
pub fn of_file(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.contains('\n') {
        return None;
    }
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", folder.trim_end_matches('/'))
    };
    let mut address = String::from("file://");
    for byte in whole.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Role, Style};

    fn links(text: &str) -> Vec<(String, Option<String>)> {
        let row = addresses(Row::plain(text));
        let spans = row.0.iter();
        spans
            .map(|span| (span.text.clone(), span.link.as_deref().map(str::to_owned)))
            .collect()
    }

    #[test]
    fn a_url_excludes_trailing_punctuation() {
        let linked = |text: &str| links(text).into_iter().filter_map(|(_, link)| link).collect::<Vec<_>>();
        assert_eq!(
            linked("see https://example.org/a(b). And (http://x.y/z), too"),
            ["https://example.org/a(b)", "http://x.y/z"]
        );
        assert_eq!(linked("`https://a.b`"), ["https://a.b"]);
        assert_eq!(linked("no://scheme https:// javascript://x"), Vec::<String>::new());
    }

    #[test]
    fn adding_links_keeps_the_text() {
        let row = Row::plain("go to http").add("s://a.b/c now", Style::of(Role::Accent));
        let linked = addresses(row.clone());
        assert_eq!(linked.text(), row.text());
        let target: Vec<_> = linked.0.iter().filter(|span| span.link.is_some()).collect();
        assert_eq!(target.len(), 2, "both pieces lead there: {linked:?}");
        assert!(target.iter().all(|span| span.link.as_deref() == Some("https://a.b/c")));
    }

    #[test]
    fn a_file_path_has_a_file_url() {
        assert_eq!(
            of_file("/w/x", "src/a b.rs").as_deref(),
            Some("file:///w/x/src/a%20b.rs")
        );
        assert_eq!(of_file("/w", "/etc/hosts").as_deref(), Some("file:///etc/hosts"));
    }
}
