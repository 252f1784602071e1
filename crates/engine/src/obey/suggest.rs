//! Files whose name fits what a person has typed so far.

use std::cmp::Reverse;
use std::path::Path;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use serde::Serialize;

/// Most names given.
const MOST: usize = 20;
/// Most entries looked at.
const MOST_ENTRIES: usize = 50_000;
/// A person is waiting: what was found by then is given.
const LONGEST: Duration = Duration::from_millis(1500);

/// A name that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Suggestion {
    /// Relative to the working directory.
    pub(super) path: String,
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

/// What fits best first. What git ignores, what is hidden, and what rules hide is left out.
pub(super) fn suggest(cwd: &Path, query: &str, hidden: &dyn Fn(&Path) -> bool) -> Vec<Suggestion> {
    let until = Instant::now() + LONGEST;
    let query: Vec<char> = query.trim().trim_start_matches("./").to_lowercase().chars().collect();
    let walk = WalkBuilder::new(cwd).require_git(false).follow_links(false).build();
    let mut found: Vec<(i64, Reverse<usize>, Suggestion)> = Vec::new();
    for entry in walk.flatten().take(MOST_ENTRIES) {
        if Instant::now() >= until {
            break;
        }
        let Ok(relative) = entry.path().strip_prefix(cwd) else {
            continue;
        };
        let Some(path) = relative.to_str().filter(|path| !path.is_empty()) else {
            continue;
        };
        let Some(score) = score(path, &query) else { continue };
        if hidden(entry.path()) {
            continue;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let suggestion = Suggestion {
            path: path.to_owned(),
            kind: if is_folder { "directory" } else { "file" },
        };
        found.push((score, Reverse(path.len()), suggestion));
    }
    found.sort_by(|one, two| {
        let key = |(score, length, _): &(i64, Reverse<usize>, Suggestion)| (*score, *length);
        key(two).cmp(&key(one)).then_with(|| one.2.path.cmp(&two.2.path))
    });
    found.truncate(MOST);
    found.into_iter().map(|(_, _, suggestion)| suggestion).collect()
}

/// How well a path fits: its letters have to contain those of the query in order. Letters in a row, at the
/// beginning of a word, and in the file's own name count for more.
fn score(path: &str, query: &[char]) -> Option<i64> {
    let name_at = path.rfind('/').map_or(0, |at| at + 1);
    let in_name = path
        .get(name_at..)
        .and_then(|name| follow(name, query))
        .map(|score| score + 10);
    in_name.or_else(|| follow(path, query))
}

fn follow(text: &str, query: &[char]) -> Option<i64> {
    let mut wanted = query.iter().peekable();
    let (mut score, mut row, mut starts) = (0, 0, true);
    for letter in text.chars() {
        let Some(next) = wanted.peek() else { break };
        if letter.to_lowercase().next() == Some(**next) {
            row += 1;
            score += row + i64::from(starts) * 3;
            wanted.next();
        } else {
            row = 0;
        }
        starts = !letter.is_alphanumeric();
    }
    wanted.peek().is_none().then_some(score)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn names(query: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "src/main.rs",
            "src/domain.rs",
            "docs/manual.md",
            "target/main.o",
            ".secret/main",
            "MAIN.txt",
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(folder.path().join(".gitignore"), "target\n").unwrap();
        let found = suggest(folder.path(), query, &|path| path.ends_with("manual.md"));
        found.into_iter().map(|suggestion| suggestion.path).collect()
    }

    #[test]
    fn names_that_begin_so_come_first_and_letters_need_only_be_in_order() {
        assert_eq!(names("main"), ["MAIN.txt", "src/main.rs", "src/domain.rs"]);
        assert_eq!(names("s/mrs"), ["src/main.rs", "src/domain.rs"]);
    }

    #[test]
    fn hidden_ignored_and_forbidden_files_are_not_named() {
        assert!(names("manual").is_empty());
        assert!(names("secret").is_empty());
        assert!(names("target").is_empty());
    }

    #[test]
    fn nothing_typed_shows_what_is_near() {
        assert_eq!(names("").first().map(String::as_str), Some("src"));
    }
}
