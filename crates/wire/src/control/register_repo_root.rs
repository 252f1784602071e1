//! `register_repo_root`: add a working directory.

use crate::record::wire_struct;

wire_struct! {
    /// Adds a working directory to the session.
    pub struct RegisterRepoRoot ["subtype" = "register_repo_root"] {
        directory: String,
        reload_claude_md: Option<bool>,
        reload_plugins: Option<bool>,
        reload_skills: Option<bool>,
    }
}

wire_struct! {
    /// The path of the directory after links are resolved.
    pub struct RegisterRepoRootResponse {
        directory: String,
    }
}
