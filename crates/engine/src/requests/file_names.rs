//! File name suggestions for the text that a person has typed so far.
//!
//! Suggestions never wait for a slow disk: they are taken from the known names, and each request starts another search
//! concurrently. Only the first request, without any known names, searches the disk for a short time.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 20;
/// The maximum number of known names.
const MAX_NAMES: usize = 50_000;
/// The maximum duration of a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum duration of the search for the first request.
const FIRST_SEARCH_TIMEOUT: Duration = Duration::from_secs(1);
/// Names are not searched again within this time.
const MIN_SEARCH_INTERVAL: Duration = Duration::from_secs(1);

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Suggestion {
    /// Relative to the working folder. The path of a folder ends with a slash.
    pub(crate) path: String,
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
}

/// The known file names, shared with running searches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// The folder of the names.
    folder: PathBuf,
    names: Arc<Vec<String>>,
    /// The time of the last search.
    searched_at: Option<Instant>,
    /// Whether a search is running.
    is_searching: bool,
}

impl Names {
    /// Returns the known names below a folder, with a slash after names of folders, and starts another search unless
    /// the last one is recent. Returns `None` if no search has finished yet.
    pub(crate) fn names_below(&self, folder: &Path, quit: &CancellationToken) -> Option<Arc<Vec<String>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.folder != folder {
            *known = Known {
                folder: folder.to_owned(),
                is_searching: known.is_searching,
                ..Known::default()
            };
        }
        if !known.is_searching && known.searched_at.is_none_or(|at| at.elapsed() >= MIN_SEARCH_INTERVAL) {
            known.is_searching = true;
            let (all, folder, quit) = (self.clone(), folder.to_owned(), quit.clone());
            tokio::task::spawn_blocking(move || {
                let names = search(&folder, &quit, SEARCH_TIMEOUT);
                let mut known = all.known.lock().unwrap_or_else(PoisonError::into_inner);
                known.is_searching = false;
                if known.folder == folder {
                    known.names = Arc::new(names);
                    known.searched_at = Some(Instant::now());
                }
            });
        }
        known.searched_at.map(|_| known.names.clone())
    }
}

/// Searches names below a folder for a short time.
pub(crate) fn search_briefly(folder: &Path, quit: &CancellationToken) -> Vec<String> {
    search(folder, quit, FIRST_SEARCH_TIMEOUT)
}

/// Searches names below a folder, without hidden files and those that git ignores.
fn search(folder: &Path, quit: &CancellationToken, longest: Duration) -> Vec<String> {
    let until = Instant::now() + longest;
    let walk = WalkBuilder::new(folder).require_git(false).follow_links(false).build();
    let mut names = Vec::new();
    for entry in walk.flatten() {
        if names.len() == MAX_NAMES || quit.is_cancelled() || Instant::now() >= until {
            break;
        }
        let relative = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        if let Some(name) = relative.filter(|name| !name.is_empty()) {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            names.push(if is_folder { format!("{name}/") } else { name.to_owned() });
        }
    }
    names
}

/// Returns the best matches first, without files that rules hide.
pub(crate) fn suggest(names: &[String], folder: &Path, query: &str, hidden: &dyn Fn(&Path) -> bool) -> Vec<Suggestion> {
    let query: Vec<char> = query.trim().trim_start_matches("./").to_lowercase().chars().collect();
    let fits = names.iter().filter_map(|name| {
        let bare = name.trim_end_matches('/');
        Some((score(bare, &query)?, Reverse(bare.len()), name))
    });
    let mut fits: Vec<(i64, Reverse<usize>, &String)> = fits.collect();
    fits.sort_by(|(one, short, name), (two, shorter, other)| {
        (two, shorter).cmp(&(one, short)).then_with(|| name.cmp(other))
    });
    let shown = fits.into_iter().filter(|(_, _, name)| !hidden(&folder.join(name)));
    let suggestions = shown.map(|(_, _, name)| Suggestion {
        path: name.clone(),
        kind: if name.ends_with('/') { "directory" } else { "file" },
    });
    suggestions.take(MAX_SUGGESTIONS).collect()
}

/// Scores how well a path matches: it must contain the letters of the query in order. Consecutive letters, letters at
/// the start of a word and letters in the file name score higher.
fn score(path: &str, query: &[char]) -> Option<i64> {
    let name_at = path.rfind('/').map_or(0, |at| at + 1);
    let in_name = path
        .get(name_at..)
        .and_then(|name| score_subsequence(name, query))
        .map(|score| score + 10);
    in_name.or_else(|| score_subsequence(path, query))
}

fn score_subsequence(text: &str, query: &[char]) -> Option<i64> {
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
        let known = search(folder.path(), &CancellationToken::new(), SEARCH_TIMEOUT);
        let found = suggest(&known, folder.path(), query, &|path| path.ends_with("manual.md"));
        found.into_iter().map(|suggestion| suggestion.path).collect()
    }

    #[test]
    fn matches_in_file_names_are_suggested_first() {
        assert_eq!(names("main"), ["MAIN.txt", "src/main.rs", "src/domain.rs"]);
        assert_eq!(names("s/mrs"), ["src/main.rs", "src/domain.rs"]);
    }

    #[test]
    fn hidden_ignored_and_denied_files_are_not_suggested() {
        assert!(names("manual").is_empty());
        assert!(names("secret").is_empty());
        assert!(names("target").is_empty());
    }

    #[test]
    fn empty_query_suggests_the_top_level() {
        assert_eq!(names("").first().map(String::as_str), Some("src/"));
    }
}
