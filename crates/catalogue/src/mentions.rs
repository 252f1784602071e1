//! Files that a prompt mentions: `@src/main.rs`, `@"a b.txt"`, `@docs/`, `@log.txt#L10-20`.

use std::path::{Path, PathBuf};

/// Maximum number of files that a prompt can mention.
const MAX_MENTIONS: usize = 20;

/// A file that a prompt mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as it was typed.
    pub path: String,
    /// The requested lines, counted from one.
    pub lines: Option<(u64, u64)>,
}

impl Mention {
    /// Returns the absolute path.
    pub fn resolve(&self, cwd: &Path, home: &Path) -> PathBuf {
        match self.path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => cwd.join(&self.path),
        }
    }
}

/// Finds the mentions of a text, in order. Each has several readings: the text after the `@` up to the next space, then
/// the same without trailing punctuation. The first reading that exists as a file is the intended one.
pub fn find(text: &str) -> Vec<Vec<Mention>> {
    let mut found: Vec<Vec<Mention>> = Vec::new();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('@')) {
        let sign = at + next;
        at = sign + 1;
        let before = text.get(..sign).unwrap_or_default();
        let free = before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | ','));
        if !free {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let readings = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(path, _)| vec![mention(path)]),
            None => Some(unquoted_readings(rest)),
        };
        let readings = readings.unwrap_or_default();
        if !readings.is_empty() && !found.contains(&readings) {
            found.push(readings);
        }
        if found.len() == MAX_MENTIONS {
            break;
        }
    }
    found
}

/// Returns the readings of a mention without quotes.
fn unquoted_readings(rest: &str) -> Vec<Mention> {
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let mut word = rest.get(..end).unwrap_or_default();
    let mut readings = Vec::new();
    while !word.is_empty() {
        readings.push(mention(word));
        let shorter = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '"']);
        if shorter.len() == word.len() {
            break;
        }
        word = shorter;
    }
    readings
}

/// Parses a path with optional lines.
fn mention(word: &str) -> Mention {
    let lines = word
        .rsplit_once("#L")
        .and_then(|(path, lines)| Some((path, span(lines)?)));
    match lines {
        Some((path, lines)) => Mention {
            path: path.to_owned(),
            lines: Some(lines),
        },
        None => Mention {
            path: word.to_owned(),
            lines: None,
        },
    }
}

fn span(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.trim_start_matches('L').parse().ok()?);
    (first >= 1 && last >= first).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    /// Returns the first reading of each mention.
    fn paths(text: &str) -> Vec<String> {
        find(text)
            .into_iter()
            .filter_map(|readings| readings.into_iter().next())
            .map(|mention| mention.path)
            .collect()
    }

    #[test]
    fn a_mention_follows_a_space_or_a_bracket() {
        assert_eq!(paths("Look at @a.txt and @src/ (@b)"), ["a.txt", "src/", "b)"]);
        assert_eq!(paths("mail me@x.org, a@b, @"), Vec::<String>::new());
        assert_eq!(paths("@\"a b.txt\" @\"open"), ["a b.txt"]);
        assert_eq!(paths("@a @a"), ["a"]);
    }

    #[test]
    fn trailing_punctuation_gives_several_readings() {
        let readings = find("see @notes.txt).").remove(0);
        let paths: Vec<&str> = readings.iter().map(|mention| mention.path.as_str()).collect();
        assert_eq!(paths, ["notes.txt).", "notes.txt"]);
    }

    #[test]
    fn lines_can_be_requested() {
        let lines = |text: &str| find(text).remove(0).remove(0).lines;
        assert_eq!(lines("@a#L3"), Some((3, 3)));
        assert_eq!(lines("@a#L3-9"), Some((3, 9)));
        assert_eq!(lines("@a#L3-L9"), Some((3, 9)));
        assert_eq!(lines("@a#L9-3"), None);
        assert_eq!(lines("@a#b"), None);
    }

    #[test]
    fn paths_are_relative_to_the_working_or_home_folder() {
        let at = |path: &str| find(path).remove(0).remove(0).resolve(Path::new("/w"), Path::new("/h"));
        assert_eq!(at("@a/b"), Path::new("/w/a/b"));
        assert_eq!(at("@~/b"), Path::new("/h/b"));
        assert_eq!(at("@/etc/x"), Path::new("/etc/x"));
    }

    proptest! {
        #[test]
        fn any_text_is_handled_and_the_list_is_limited(text in "[@\"a-z#L0-9 .\\-é]{0,200}") {
            prop_assert!(find(&text).len() <= MAX_MENTIONS);
        }
    }
}
