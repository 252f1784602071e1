//! Files that a prompt mentions: `@src/main.rs`, `@"a b.txt"`, `@docs/`, `@log.txt#L10-20`.

use std::path::{Path, PathBuf};

/// How many files one prompt may bring.
const MOST: usize = 20;

/// Something a prompt mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as it was typed.
    pub path: String,
    /// The lines that were asked for, counted from one.
    pub lines: Option<(u64, u64)>,
}

impl Mention {
    /// Where it leads.
    pub fn resolve(&self, cwd: &Path, home: &Path) -> PathBuf {
        match self.path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => cwd.join(&self.path),
        }
    }
}

/// Every reading of every mention of a text, in order: what follows an `@` up to the next space, then the same without
/// the marks that end a sentence. The first one of a list that is there is the one that is meant.
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
            None => Some(bare(rest)),
        };
        let readings = readings.unwrap_or_default();
        if !readings.is_empty() && !found.contains(&readings) {
            found.push(readings);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The readings of a mention without quotes.
fn bare(rest: &str) -> Vec<Mention> {
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

/// A path, and the lines behind it.
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

    /// The first reading of each.
    fn paths(text: &str) -> Vec<String> {
        find(text)
            .into_iter()
            .filter_map(|readings| readings.into_iter().next())
            .map(|mention| mention.path)
            .collect()
    }

    #[test]
    fn mentions_stand_by_themselves() {
        assert_eq!(paths("Look at @a.txt and @src/ (@b)"), ["a.txt", "src/", "b)"]);
        assert_eq!(paths("mail me@x.org, a@b, @"), Vec::<String>::new());
        assert_eq!(paths("@\"a b.txt\" @\"open"), ["a b.txt"]);
        assert_eq!(paths("@a @a"), ["a"]);
    }

    #[test]
    fn the_end_of_a_sentence_may_be_part_of_a_name_or_not() {
        let readings = find("see @notes.txt).").remove(0);
        let paths: Vec<&str> = readings.iter().map(|mention| mention.path.as_str()).collect();
        assert_eq!(paths, ["notes.txt).", "notes.txt"]);
    }

    #[test]
    fn lines_can_be_asked_for() {
        let lines = |text: &str| find(text).remove(0).remove(0).lines;
        assert_eq!(lines("@a#L3"), Some((3, 3)));
        assert_eq!(lines("@a#L3-9"), Some((3, 9)));
        assert_eq!(lines("@a#L3-L9"), Some((3, 9)));
        assert_eq!(lines("@a#L9-3"), None);
        assert_eq!(lines("@a#b"), None);
    }

    #[test]
    fn a_path_leads_from_where_the_session_works_or_from_home() {
        let at = |path: &str| find(path).remove(0).remove(0).resolve(Path::new("/w"), Path::new("/h"));
        assert_eq!(at("@a/b"), Path::new("/w/a/b"));
        assert_eq!(at("@~/b"), Path::new("/h/b"));
        assert_eq!(at("@/etc/x"), Path::new("/etc/x"));
    }

    proptest! {
        #[test]
        fn nothing_typed_is_a_panic_and_the_list_is_short(text in "[@\"a-z#L0-9 .\\-é]{0,200}") {
            prop_assert!(find(&text).len() <= MOST);
        }
    }
}
