//! Folders a session may start in: those used before, and those a path leads to.

use std::path::Path;

use sluice_store::FolderRow;

use crate::api::{PathInfo, Paths};
use crate::hub::Roots;

/// How many folders are offered.
const OFFERED: usize = 50;

/// Folders whose path begins with `prefix`.
pub(crate) fn complete(roots: &Roots, prefix: Option<&str>, recent: &[FolderRow]) -> Paths {
    let recent = recent
        .iter()
        .filter(|row| std::fs::canonicalize(&row.path).is_ok_and(|whole| roots.allows(&whole) && whole.is_dir()))
        .map(|row| PathInfo {
            used: Some(row.last_used_at),
            resource: None,
            ..info(Path::new(&row.path))
        });
    let recent: Vec<PathInfo> = recent.collect();
    // Somebody who is here for the first time is shown where to begin.
    let prefix = prefix.or(recent.is_empty().then_some("~/"));
    let paths = prefix.map(|prefix| below(roots, prefix)).unwrap_or_default();
    Paths { paths, recent }
}

fn below(roots: &Roots, prefix: &str) -> Vec<PathInfo> {
    let prefix = prefix.trim();
    let start = if prefix.is_empty() { "~/" } else { prefix };
    let path = roots.expand(start);
    let mut found = Vec::new();
    if let Ok(whole) = std::fs::canonicalize(&path)
        && roots.allows(&whole)
        && whole.is_dir()
    {
        found.push(info(&whole));
    }
    let (folder, begins) = if start.ends_with('/') {
        (path.as_path(), String::new())
    } else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        (path.parent().unwrap_or(&path), name.unwrap_or_default())
    };
    let Ok(folder) = std::fs::canonicalize(folder) else {
        return found;
    };
    // A folder above the roots may be passed through, but nothing beside them is shown.
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return found;
    };
    let mut names: Vec<_> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let hidden = name.starts_with('.') && !begins.starts_with('.');
            !hidden && name.to_lowercase().starts_with(&begins.to_lowercase())
        })
        .filter_map(|entry| std::fs::canonicalize(entry.path()).ok())
        .filter(|whole| whole.is_dir() && roots.allows(whole))
        .collect();
    names.sort();
    names.dedup();
    found.extend(names.iter().take(OFFERED).map(|whole| info(whole)));
    let mut seen = std::collections::HashSet::new();
    found.retain(|it| seen.insert(it.path.clone()));
    found
}

fn info(path: &Path) -> PathInfo {
    PathInfo {
        path: path.to_string_lossy().into_owned(),
        folder: true,
        matched: Vec::new(),
        git: path.join(".git").exists(),
        used: None,
        resource: None,
    }
}
