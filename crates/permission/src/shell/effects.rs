//! The paths that the words of a command lead to.

use std::path::{Path, PathBuf};

use super::{Simple, Word};
use crate::path::absolute;

/// A path a word may expand to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path, links and all; for a pattern the directory it is matched in.
    pub path: PathBuf,
    /// It was a pattern: anything in there.
    pub pattern: bool,
    /// That pattern, from the root.
    pub whole: PathBuf,
}

/// All the places `word` may refer to where `command` may run, most likely first; `None` when
/// that is not known.
#[must_use]
pub fn places(command: &Simple, word: &Word, cwd: &Path, home: &Path) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for chain in command.chains.iter() {
        let mut base = cwd.to_path_buf();
        for step in chain.iter() {
            let step = spelled(step, home)?;
            // `cd` follows the path as written, not the links in it.
            base = absolute(&base, &step);
        }
        let text = spelled(word, home)?;
        let place = if word.glob {
            let fixed = text.split(['*', '?', '[']).next().unwrap_or_default();
            let directory = fixed.rsplit_once('/').map_or("", |(directory, _)| directory);
            let directory = if fixed.starts_with('/') && directory.is_empty() {
                "/"
            } else {
                directory
            };
            Place {
                path: base.join(directory),
                pattern: true,
                whole: base.join(&text),
            }
        } else {
            Place {
                path: base.join(&text),
                pattern: false,
                whole: PathBuf::new(),
            }
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Some(places)
}

/// The word with its tilde gone.
fn spelled(word: &Word, home: &Path) -> Option<String> {
    let text = word.text.as_deref()?;
    if !word.tilde {
        return Some(text.to_owned());
    }
    let rest = match text.strip_prefix('~')? {
        "" => "",
        rest => rest.strip_prefix('/')?,
    };
    Some(home.join(rest).to_string_lossy().into_owned())
}
