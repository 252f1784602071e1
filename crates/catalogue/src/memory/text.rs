//! Parses the text of a memory file: front matter, comments and imports. Pure.

use serde_json::Value;

use crate::front_matter;

/// Returns the text after the front matter.
pub(super) fn without_front_matter(text: &str) -> &str {
    front_matter::cut(text).body
}

/// Returns the path patterns of a rule; empty if it applies to all files.
pub(super) fn paths(text: &str) -> Vec<String> {
    let (front, _) = front_matter::read(text);
    let each: Vec<String> = match front.get("paths") {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(line)) => split(line),
        _ => Vec::new(),
    };
    let named = each
        .iter()
        .map(|pattern| pattern.trim())
        .filter(|pattern| !pattern.is_empty());
    let named: Vec<String> = named.map(str::to_owned).collect();
    // A rule for all files is an ordinary rule.
    if named.iter().any(|pattern| pattern == "**" || pattern == "**/*") {
        return Vec::new();
    }
    named
}

/// Splits at commas outside braces.
fn split(line: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_u32);
    for letter in line.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

/// Removes comments (`<!-- … -->`), which are meant for people only, except in code blocks.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut fenced, mut hidden) = (false, false);
    for line in text.split_inclusive('\n') {
        if !hidden && line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            kept.push_str(line);
            continue;
        }
        let mut rest = line;
        loop {
            let (mark, length) = if hidden { ("-->", 3) } else { ("<!--", 4) };
            let Some(at) = rest.find(mark) else {
                if hidden {
                    kept.push_str(if rest.ends_with('\n') { "\n" } else { "" });
                } else {
                    kept.push_str(rest);
                }
                break;
            };
            if !hidden {
                kept.push_str(rest.get(..at).unwrap_or_default());
            }
            rest = rest.get(at + length..).unwrap_or_default();
            hidden = !hidden;
        }
    }
    // An unclosed comment is text.
    if hidden { text.to_owned() } else { kept }
}

/// Returns the paths that a text imports: words that begin with `@`, except in code.
pub(super) fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        // Every second part between backticks is code.
        for prose in line.split('`').step_by(2) {
            let words = prose.split_whitespace().filter_map(|word| word.strip_prefix('@'));
            found.extend(
                words
                    .map(|path| path.trim_end_matches([',', ';', ':', ')', '.']).to_owned())
                    .filter(|path| is_path(path)),
            );
        }
    }
    found
}

/// Whether the word is a path and not the name of a person.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.']) && !word.starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_removed_except_in_code() {
        assert_eq!(without_comments("a <!-- x --> b\n<!--\ny\n-->c"), "a  b\n\n\nc");
        assert_eq!(without_comments("```\n<!-- x -->\n```\n"), "```\n<!-- x -->\n```\n");
        assert_eq!(without_comments("a <!-- open"), "a <!-- open");
    }

    #[test]
    fn paths_can_be_a_list_or_a_line() {
        let of = |head: &str| paths(&format!("---\n{head}\n---\nx"));
        assert_eq!(of("paths:\n  - a/**\n  - b"), ["a/**", "b"]);
        assert_eq!(of("paths: \"src/**/*.{ts,tsx}, b\""), ["src/**/*.{ts,tsx}", "b"]);
        assert!(of("paths: \"**\"").is_empty());
        assert!(paths("no front matter").is_empty());
    }
}
