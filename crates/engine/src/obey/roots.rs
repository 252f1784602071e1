//! Another directory to work in.

use std::path::PathBuf;

use sluice_wire::control::{RegisterRepoRoot, RequestId};

use crate::say;
use crate::session::Session;

impl Session {
    /// The host adds a directory to those the session works in, until it ends.
    pub(super) async fn register_root(&mut self, id: &RequestId, request: &RegisterRepoRoot) {
        let directory = PathBuf::from(&request.directory);
        if !directory.is_absolute() || !directory.is_dir() {
            let text = format!(
                "register_repo_root: {:?} is not the absolute path of a directory",
                request.directory
            );
            return self.say(say::error(id, text)).await;
        }
        if !self.policy.roots.contains(&directory) {
            self.policy.roots.push(directory.clone());
            self.options.add_dirs.push(directory.clone());
        }
        if request.reload_claude_md == Some(true) {
            self.reminded_of_memory = false;
        }
        if request.reload_skills == Some(true) || request.reload_plugins == Some(true) {
            self.reload_catalogue().await;
        }
        self.say(say::ok(id)).await;
        self.hook_directory_added(&directory, "register_repo_root").await;
    }
}
