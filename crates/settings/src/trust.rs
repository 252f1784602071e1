//! Folder trust: `projects[path].hasTrustDialogAccepted` in `~/.claude.json`, and `trustedFolders` in the settings of
//! the user or the administrator.
//!
//! A folder is identified by its resolved path. Inside a git repository it is identified by the root of the repository,
//! as documented for the reference CLI, and in a git worktree by the main repository. Trust in an outer folder does not
//! extend to the folders inside it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::document::{read_bytes, without_bom};
use super::repository::{main_repository, repository};
use super::write::{Target, WriteError, edit_file};

const PROJECTS: &str = "projects";
const ACCEPTED: &str = "hasTrustDialogAccepted";

/// Returns the folder by which trust in `folder` is stored, which is also the folder to show when asking for trust.
#[must_use]
pub fn key(folder: &Path) -> PathBuf {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = repository(&folder).unwrap_or(folder);
    main_repository(&root).unwrap_or(root)
}

/// Whether the user trusts `folder` or its repository. If the file cannot be read, no folder is trusted.
#[must_use]
pub fn is_trusted(global: &Path, folder: &Path) -> bool {
    text(global).is_some_and(|text| records_trust(&text, folder))
}

/// Returns the text of the global file.
pub(super) fn text(global: &Path) -> Option<String> {
    let text = String::from_utf8(read_bytes(global).ok()?).ok()?;
    Some(without_bom(&text).to_owned())
}

/// Whether the text of the global file records `folder` as trusted.
pub(super) fn records_trust(global: &str, folder: &Path) -> bool {
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

/// Whether an entry of `trustedFolders` matches `folder` or its repository. An entry is an absolute path or starts
/// with `~/`; with the suffix `/**` it also matches all folders below.
pub(super) fn entry_matches(entry: &str, home: &Path, folder: &Path) -> bool {
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

/// Saves that the user trusts `folder`. Returns the path under which the trust is stored.
///
/// # Errors
/// If the folder does not exist, or the file cannot be read or written. The file is unchanged then.
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

/// Returns the object under `key`, which is created if it does not exist; `None` if the value is not an object.
pub fn child<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    object
        .entry(key)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
