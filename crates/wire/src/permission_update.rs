//! Changes of permissions: suggested with a permission request, returned with its answer, or returned by hooks.

use crate::mode::PermissionMode;
use crate::open::open_enum;
use crate::record::wire_struct;
use crate::union::wire_union;

open_enum! {
    /// The effect of a rule. The default, `deny`, is the cautious one.
    pub enum Behavior {
        Deny = "deny",
        Ask = "ask",
        Allow = "allow",
    }
}

open_enum! {
    /// Where a change is stored. The default, `session`, ends with the process.
    pub enum Destination {
        Session = "session",
        UserSettings = "userSettings",
        ProjectSettings = "projectSettings",
        LocalSettings = "localSettings",
        CliArg = "cliArg",
    }
}

wire_struct! {
    /// A permission rule for a tool or for some calls of a tool.
    pub struct Rule {
        tool_name: String as "toolName",
        /// The calls that the rule matches. Absent for all calls of the tool; some hosts write `null` instead.
        rule_content: Option<String> as "ruleContent",
    }
}

wire_struct! {
    /// Adds rules.
    pub struct AddRules ["type" = "addRules"] {
        rules: Vec<Rule>,
        behavior: Behavior,
        destination: Destination,
    }
}

wire_struct! {
    /// Replaces the rules with the same behaviour and destination.
    pub struct ReplaceRules ["type" = "replaceRules"] {
        rules: Vec<Rule>,
        behavior: Behavior,
        destination: Destination,
    }
}

wire_struct! {
    /// Removes rules.
    pub struct RemoveRules ["type" = "removeRules"] {
        rules: Vec<Rule>,
        behavior: Behavior,
        destination: Destination,
    }
}

wire_struct! {
    /// Changes the permission mode.
    pub struct SetMode ["type" = "setMode"] {
        mode: PermissionMode,
        destination: Destination,
    }
}

wire_struct! {
    /// Adds working directories.
    pub struct AddDirectories ["type" = "addDirectories"] {
        directories: Vec<String>,
        destination: Destination,
    }
}

wire_struct! {
    /// Removes working directories.
    pub struct RemoveDirectories ["type" = "removeDirectories"] {
        directories: Vec<String>,
        destination: Destination,
    }
}

wire_union! {
    /// A change of permissions.
    pub enum PermissionUpdate by "type", else Unknown {
        AddRules(AddRules) = "addRules",
        ReplaceRules(ReplaceRules) = "replaceRules",
        RemoveRules(RemoveRules) = "removeRules",
        SetMode(SetMode) = "setMode",
        AddDirectories(AddDirectories) = "addDirectories",
        RemoveDirectories(RemoveDirectories) = "removeDirectories",
    }
}

impl PermissionUpdate {
    /// Changes where the change is stored. Has no effect on an unknown kind of change.
    pub fn set_destination(&mut self, to: Destination) {
        match self {
            Self::AddRules(it) => it.destination = to,
            Self::ReplaceRules(it) => it.destination = to,
            Self::RemoveRules(it) => it.destination = to,
            Self::SetMode(it) => it.destination = to,
            Self::AddDirectories(it) => it.destination = to,
            Self::RemoveDirectories(it) => it.destination = to,
            Self::Unknown(_) => {}
        }
    }

    /// Returns where the change is stored; `None` for an unknown kind of change.
    #[must_use]
    pub fn destination(&self) -> Option<&Destination> {
        match self {
            Self::AddRules(it) => Some(&it.destination),
            Self::ReplaceRules(it) => Some(&it.destination),
            Self::RemoveRules(it) => Some(&it.destination),
            Self::SetMode(it) => Some(&it.destination),
            Self::AddDirectories(it) => Some(&it.destination),
            Self::RemoveDirectories(it) => Some(&it.destination),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the rules that are added, replaced or removed.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        match self {
            Self::AddRules(it) => &it.rules,
            Self::ReplaceRules(it) => &it.rules,
            Self::RemoveRules(it) => &it.rules,
            Self::SetMode(_) | Self::AddDirectories(_) | Self::RemoveDirectories(_) | Self::Unknown(_) => &[],
        }
    }
}
