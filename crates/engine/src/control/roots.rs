//! Registers subfolders of the session's folders as additional working folders.

use std::path::{Path, PathBuf};

use sluice_wire::control::{RegisterRepoRoot, RegisterRepoRootResponse, RequestId};

use crate::messages;
use crate::session::Session;

impl Session {
    /// Adds a folder. Reloads commands, skills and plugins on request.
    pub(super) async fn register_root(&mut self, id: &RequestId, request: &RegisterRepoRoot) {
        let launched = std::iter::once(&self.options.cwd).chain(&self.options.folders.added);
        let launched: Vec<PathBuf> = launched.map(|folder| canonical(folder)).collect();
        let known: Vec<PathBuf> = self.policy.roots.iter().map(|root| canonical(root)).collect();
        let folder = self.options.cwd.join(&request.directory);
        let folder = match validate_root(&folder, &launched, &known) {
            Ok(folder) => folder,
            Err(why) => {
                let text = format!("register_repo_root: {} {why}", request.directory);
                return self.emit(messages::error(id, text)).await;
            }
        };
        let path = folder.display().to_string();
        self.change_policy(|policy| policy.roots.push(folder.clone()));
        if request.reload_skills == Some(true) || request.reload_plugins == Some(true) {
            self.reload_catalogue().await;
        }
        if request.reload_claude_md == Some(true) {
            // Memory files are read and sent again with the next prompt.
            self.conversation.set_knows_memory(false);
        }
        let response = RegisterRepoRootResponse {
            directory: path,
            ..RegisterRepoRootResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
        self.hook_directory_added(&folder, "register_repo_root").await;
    }
}

/// The canonical path of a folder, or the path itself if it does not exist.
fn canonical(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Returns the canonical folder, or why it cannot be registered. Only folders that were accessible already are
/// accepted.
fn validate_root(folder: &Path, launched: &[PathBuf], known: &[PathBuf]) -> Result<PathBuf, &'static str> {
    let folder = folder.canonicalize().map_err(|_| "cannot be found")?;
    if !folder.is_dir() {
        return Err("is not a folder");
    }
    if launched.first() == Some(&folder) {
        return Err("is already the session's working directory");
    }
    if known.contains(&folder) {
        return Err("is registered already");
    }
    if !launched.iter().any(|root| folder.starts_with(root)) {
        return Err("is neither in the session's working directory nor in one that was added at the launch");
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_folders_below_the_launch_folders_are_registered() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().canonicalize().unwrap().join("work");
        let (below, beside) = (cwd.join("sub"), cwd.with_file_name("beside"));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir_all(&beside).unwrap();
        std::fs::write(cwd.join("file"), "").unwrap();
        let launched = [cwd.clone()];
        let tried = |folder: &Path, known: &[PathBuf]| validate_root(folder, &launched, known);
        assert_eq!(tried(&below, &[]), Ok(below.clone()));
        assert_eq!(tried(&cwd.join("sub/../sub"), &[]), Ok(below.clone()));
        for (folder, known, why) in [
            (cwd.clone(), vec![], "already"),
            (below.clone(), vec![below], "already"),
            (beside, vec![], "neither"),
            (cwd.join("sub/../../beside"), vec![], "neither"),
            (cwd.join("file"), vec![], "not a folder"),
            (cwd.join("nothing"), vec![], "found"),
        ] {
            let refused = tried(&folder, &known).unwrap_err();
            assert!(refused.contains(why), "{}: {refused}", folder.display());
        }
    }
}
