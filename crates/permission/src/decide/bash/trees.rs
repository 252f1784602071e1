//! The files that glob patterns match and that folders contain, as far as a decision needs them.

use std::path::{Path, PathBuf};

use crate::matching::path::segment_matches;
use crate::path::{Found, Located, Paths};
use crate::policy::Policy;

/// The most files a pattern may match to be followed one by one.
const MOST_MATCHES: usize = 1_000;
/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 3_000;

/// The files that `pattern` matches beneath `directory`, which contains no pattern; `None` if they are not known.
pub(super) fn matches(directory: &Path, pattern: &Path, paths: &dyn Paths) -> Option<Vec<PathBuf>> {
    let segments = pattern.strip_prefix(directory).ok()?;
    let mut found = vec![directory.to_path_buf()];
    for segment in segments {
        let segment = segment.to_str()?;
        if !segment.contains(['*', '?', '[']) {
            for path in &mut found {
                path.push(segment);
            }
            continue;
        }
        // Classes by name, and what is quoted in a class, are bash's alone.
        if segment.contains("[:") || segment.contains("[.") || segment.contains("[=") || segment.contains('\\') {
            return None;
        }
        let mut next = Vec::new();
        for path in &found {
            let names = match paths.names(path) {
                Found::Nothing => continue,
                Found::Unknown => return None,
                Found::This(names) => names,
            };
            // The shell's locale decides whether `?` matches a character or a byte.
            if segment.contains(['?', '[']) && !names.iter().all(|name| name.is_ascii()) {
                return None;
            }
            let dotted = segment.starts_with('.');
            next.extend(
                names
                    .iter()
                    .filter(|name| (dotted || !name.starts_with('.')) && segment_matches(segment, name))
                    .map(|name| path.join(name)),
            );
            if next.len() > MOST_MATCHES {
                return None;
            }
        }
        found = next;
    }
    Some(found)
}

/// Whether nothing in the tree at `directory` leads out of the roots, and every name in it is one plain word.
pub(super) fn is_plain(policy: &Policy, directory: &Path, paths: &dyn Paths) -> bool {
    let mut open = vec![directory.to_path_buf()];
    let mut seen = 0;
    while let Some(at) = open.pop() {
        let names = match paths.names(&at) {
            Found::Nothing => continue,
            Found::Unknown => return false,
            Found::This(names) => names,
        };
        for name in names {
            seen += 1;
            if seen > MOST_ENTRIES || !is_plain_name(&name) {
                return false;
            }
            let path = at.join(&name);
            if paths.is_link(&path) {
                if !Located::new(&path, paths).inside(&policy.roots, paths) {
                    return false;
                }
            } else if paths.is_dir(&path) {
                open.push(path);
            }
        }
    }
    true
}

/// Whether a name that is printed is read again as that name: one word, and no option.
pub(super) fn is_plain_name(name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\');
    !name.starts_with('-') && !name.contains(odd)
}

/// Whether something in the tree at `directory` is what is looked for, or there is too much of it to say.
pub(super) fn holds(directory: &Path, paths: &dyn Paths, sought: &dyn Fn(&Path) -> bool) -> bool {
    // Without a listing nothing is known about the tree.
    let mut open = vec![directory.to_path_buf()];
    let mut seen = 0;
    while let Some(at) = open.pop() {
        let names = match paths.names(&at) {
            Found::Nothing if seen == 0 => return true,
            Found::Nothing => continue,
            Found::Unknown => return true,
            Found::This(names) => names,
        };
        for name in names {
            seen += 1;
            let path = at.join(&name);
            if seen > MOST_ENTRIES || sought(&path) {
                return true;
            }
            if paths.is_dir(&path) && !paths.is_link(&path) {
                open.push(path);
            }
        }
    }
    false
}
