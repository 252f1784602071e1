//! File search by a few letters of the name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use serde::Deserialize as _;
use serde_json::Value;

use crate::api::{PathInfo, Paths, Problem, ResourceInfo};

/// How many files of a folder are known.
const KNOWN: usize = 100_000;
/// How long a list of files is good.
const FRESH: Duration = Duration::from_secs(10);
/// How many folders are kept in mind.
const FOLDERS: usize = 8;

type Listed = Arc<Vec<(String, bool)>>;

/// The files of folders that were asked about.
#[derive(Debug, Default)]
pub(crate) struct Files {
    lists: Mutex<HashMap<PathBuf, (Instant, Listed)>>,
}

impl Files {
    /// Files and folders below `folder` that match, the best first.
    pub(crate) async fn search(&self, folder: PathBuf, query: String, limit: usize) -> Result<Paths, Problem> {
        let fresh = {
            let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            lists
                .get(&folder)
                .filter(|(at, _)| at.elapsed() < FRESH)
                .map(|(_, list)| Arc::clone(list))
        };
        let list = match fresh {
            Some(list) => list,
            None => {
                let of = folder.clone();
                let list = tokio::task::spawn_blocking(move || Arc::new(walk(&of))).await;
                let list = list.map_err(Problem::internal)?;
                self.keep(folder, &list);
                list
            }
        };
        let paths = tokio::task::spawn_blocking(move || best(&list, &query, limit)).await;
        Ok(Paths {
            paths: paths.map_err(Problem::internal)?,
            recent: Vec::new(),
        })
    }

    fn keep(&self, folder: PathBuf, list: &Listed) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() >= FOLDERS {
            let oldest = lists
                .iter()
                .min_by_key(|(_, (at, _))| *at)
                .map(|(path, _)| path.clone());
            if let Some(oldest) = oldest {
                lists.remove(&oldest);
            }
        }
        lists.insert(folder, (Instant::now(), Arc::clone(list)));
    }
}

/// The resources among an agent's suggestions; its files are known here already.
pub(crate) fn resources(answer: &Value) -> Vec<PathInfo> {
    let suggested = answer.get("suggestions").and_then(Value::as_array);
    let resources = suggested.into_iter().flatten().filter_map(|it| {
        if it.get("type")?.as_str()? != "resource" {
            return None;
        }
        Some(PathInfo {
            path: it.get("path")?.as_str()?.to_owned(),
            folder: false,
            matched: Vec::new(),
            git: false,
            used: None,
            resource: Some(ResourceInfo::deserialize(it).ok()?),
        })
    });
    resources.collect()
}

/// Everything below a folder that is not ignored, links not followed.
fn walk(folder: &Path) -> Vec<(String, bool)> {
    let walker = WalkBuilder::new(folder)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let entries = walker.flatten().skip(1).take(KNOWN);
    entries
        .filter_map(|entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let path = entry.path().strip_prefix(folder).ok()?.to_string_lossy().into_owned();
            Some((path, is_folder))
        })
        .collect()
}

fn best(list: &[(String, bool)], query: &str, limit: usize) -> Vec<PathInfo> {
    let shown = |path: &str, folder: bool, matched: Vec<u32>| PathInfo {
        path: path.to_owned(),
        folder,
        matched,
        git: false,
        used: None,
        resource: None,
    };
    if query.trim().is_empty() {
        let top = list.iter().filter(|(path, _)| !path.contains('/'));
        return top
            .take(limit)
            .map(|(path, folder)| shown(path, *folder, Vec::new()))
            .collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut letters = Vec::new();
    let mut found: Vec<(u32, usize)> = Vec::new();
    for (at, (path, _)) in list.iter().enumerate() {
        if let Some(score) = pattern.score(Utf32Str::new(path, &mut letters), &mut matcher) {
            found.push((score, at));
        }
    }
    let shorter = |at: usize| list.get(at).map_or(0, |(path, _)| path.len());
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| shorter(a.1).cmp(&shorter(b.1))));
    found
        .into_iter()
        .take(limit)
        .filter_map(|(_, at)| {
            let (path, folder) = list.get(at)?;
            let mut matched = Vec::new();
            pattern.indices(Utf32Str::new(path, &mut letters), &mut matcher, &mut matched);
            matched.sort_unstable();
            matched.dedup();
            Some(shown(path, *folder, matched))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{best, walk};

    #[test]
    fn files_are_found_by_a_few_letters_and_ignored_ones_are_not() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        for file in [
            "src/main.rs",
            "src/deep/machine.rs",
            "README.md",
            "target.log",
            ".git/config",
        ] {
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        let list = walk(root);
        let names: Vec<&str> = list.iter().map(|(path, _)| path.as_str()).collect();
        assert!(
            !names.contains(&"target.log") && !names.iter().any(|name| name.starts_with(".git/")),
            "{names:?}"
        );
        let found = best(&list, "main", 10);
        assert_eq!(found.first().map(|it| it.path.as_str()), Some("src/main.rs"));
        assert_eq!(found[0].matched, [4, 5, 6, 7]);
    }
}
