//! Folder trust: `projects[path].hasTrustDialogAccepted` in `~/.claude.json`, and `trustedFolders` in the settings of
//! the person or the administrator.
//!
//! A folder is identified by its resolved path; inside a git repository by the root of the repository, as the official
//! documentation says, and in a git worktree by the repository it belongs to. Trust in an outer folder does not extend
//! to the folders inside it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::document::{read_bytes, without_mark};
use super::repository::{made_from, repository};
use super::write::{Target, WriteError, edit_file};

const PROJECTS: &str = "projects";
const ACCEPTED: &str = "hasTrustDialogAccepted";

/// The folder that is trusted when `folder` is: what to show a person who is asked.
#[must_use]
pub fn key(folder: &Path) -> PathBuf {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = repository(&folder).unwrap_or(folder);
    made_from(&root).unwrap_or(root)
}

/// Whether a person has trusted `folder`, or the repository it belongs to. A file that cannot be read trusts no
/// folder.
#[must_use]
pub fn is_trusted(global: &Path, folder: &Path) -> bool {
    text(global).is_some_and(|text| says_trusted(&text, folder))
}

/// The text of the person's file.
pub(super) fn text(global: &Path) -> Option<String> {
    let text = String::from_utf8(read_bytes(global).ok()?).ok()?;
    Some(without_mark(&text).to_owned())
}

/// Whether a person's file says that `folder` is trusted.
pub(super) fn says_trusted(global: &str, folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Global {
        #[serde(default)]
        projects: HashMap<String, Value>,
    }
    let Ok(resolved) = folder.canonicalize() else {
        return false;
    };
    let Ok(global) = serde_json::from_str::<Global>(global) else {
        return false;
    };
    let accepted = |path: &Path| {
        let project = path.to_str().and_then(|path| global.projects.get(path));
        project.and_then(|project| project.get(ACCEPTED)) == Some(&Value::Bool(true))
    };
    accepted(&resolved) || accepted(&key(&resolved))
}

/// Whether an entry of `trustedFolders` names `folder` or the repository it lies in: an absolute path or one that begins
/// with `~/`, and behind `/**` all that lies below.
pub(super) fn names(entry: &str, home: &Path, folder: &Path) -> bool {
    let (entry, below) = match entry.strip_suffix("/**") {
        Some(entry) => (entry, true),
        None => (entry, false),
    };
    let named = match entry.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if entry == "~" => home.to_owned(),
        None => PathBuf::from(entry),
    };
    let (Ok(resolved), true) = (folder.canonicalize(), named.is_absolute()) else {
        return false;
    };
    let Ok(named) = named.canonicalize() else {
        return false;
    };
    let key = key(&resolved);
    resolved == named || key == named || (below && resolved.starts_with(&named) && key.starts_with(&named))
}

/// Saves that a person trusts `folder`, and returns the path it is saved under.
///
/// # Errors
/// When the folder is not there, or the file cannot be read or written; then it is as it was.
pub fn trust(global: &Path, folder: &Path) -> Result<PathBuf, WriteError> {
    let resolved = folder.canonicalize().map_err(|error| WriteError::io(folder, error))?;
    let key = key(&resolved);
    let name = key.to_str().ok_or_else(|| WriteError::NotText(key.clone()))?.to_owned();
    let target = Target::following_links(global)?;
    edit_file(&target, &mut |document| {
        let project = child(document, PROJECTS).and_then(|projects| child(projects, &name));
        let project = project.ok_or(WriteError::Shape {
            path: global.to_owned(),
            key: PROJECTS.to_owned(),
        })?;
        project.insert(ACCEPTED.to_owned(), Value::Bool(true));
        Ok(())
    })?;
    Ok(key)
}

/// The object under `key`, made where there is none; nothing where something else stands there.
pub fn child<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    object
        .entry(key)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
