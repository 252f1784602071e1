//! `list_permission_rules`: list the effective permission rules.

use crate::Raw;
use crate::permission_update::Behavior;
use crate::record::wire_struct;

wire_struct! {
    /// Requests the effective permission rules.
    pub struct ListPermissionRules ["subtype" = "list_permission_rules"] {}
}

wire_struct! {
    /// A description of a rule for display. `emphasis` is the part to highlight.
    pub struct RuleDescription {
        prefix: String,
        emphasis: String,
        suffix: Option<String>,
    }
}

wire_struct! {
    /// A permission rule and its source.
    pub struct RuleEntry {
        behavior: Behavior,
        source: String,
        rule: String,
        /// The description, a [`RuleDescription`].
        description: Option<Raw>,
        /// `persistent`, `session` or `readonly`.
        editability: Option<String>,
        not_in_effect: Option<bool> as "notInEffect",
    }
}

wire_struct! {
    /// A directory that the session may work in.
    pub struct WorkspaceDirectory {
        path: String,
        source: String,
    }
}

wire_struct! {
    /// The permission rules and working directories of a session.
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
    /// The effective permission rules.
    pub struct ListPermissionRulesResponse {
        state: PermissionRulesState,
    }
}
