//! `list_permission_rules`: the rules that hold.

use crate::Raw;
use crate::permission_update::Behavior;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for the rules that hold.
    pub struct ListPermissionRules ["subtype" = "list_permission_rules"] {}
}

wire_struct! {
    /// A rule in words, its own part of them apart.
    pub struct RuleDescription {
        prefix: String,
        emphasis: String,
        suffix: Option<String>,
    }
}

wire_struct! {
    /// A rule and where it comes from.
    pub struct RuleEntry {
        behavior: Behavior,
        source: String,
        rule: String,
        /// A [`RuleDescription`].
        description: Option<Raw>,
        /// `persistent`, `session` or `readonly`.
        editability: Option<String>,
        not_in_effect: Option<bool> as "notInEffect",
    }
}

wire_struct! {
    /// A directory to work in.
    pub struct WorkspaceDirectory {
        path: String,
        source: String,
    }
}

wire_struct! {
    /// Rules and directories.
    pub struct PermissionRulesState {
        rules: Vec<RuleEntry>,
        workspace_directories: Vec<WorkspaceDirectory> as "workspaceDirectories",
        original_cwd: String as "originalCwd",
        managed_only: bool as "managedOnly",
        errors: Option<Vec<Raw>>,
        withheld: Option<bool>,
    }
}

wire_struct! {
    /// The rules that hold.
    pub struct ListPermissionRulesResponse {
        state: PermissionRulesState,
    }
}
