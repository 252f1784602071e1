//! `register_repo_root`: another directory to work in.

use crate::record::wire_struct;

wire_struct! {
    /// Adds a directory to work in.
    pub struct RegisterRepoRoot ["subtype" = "register_repo_root"] {
        directory: String,
        reload_claude_md: Option<bool>,
        reload_plugins: Option<bool>,
        reload_skills: Option<bool>,
    }
}

wire_struct! {
    /// Where the directory really is.
    pub struct RegisterRepoRootResponse {
        directory: String,
    }
}
