//! Changes of permissions: suggested with an ask, returned with its answer, written by hooks.

use crate::mode::PermissionMode;
use crate::open::open_enum;
use crate::record::wire_struct;
use crate::union::wire_union;

open_enum! {
    /// What a rule says. The default is the cautious one.
    pub enum Behavior {
        Deny = "deny",
        Ask = "ask",
        Allow = "allow",
    }
}

open_enum! {
    /// Where a change is kept. The default dies with the process.
    pub enum Destination {
        Session = "session",
        UserSettings = "userSettings",
        ProjectSettings = "projectSettings",
        LocalSettings = "localSettings",
        CliArg = "cliArg",
    }
}

wire_struct! {
    /// One rule: a tool, or what of it.
    pub struct Rule {
        tool_name: String as "toolName",
        /// Absent for the whole tool; some hosts write `null` there.
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
    /// Puts rules in the place of those of the same behaviour and destination.
    pub struct ReplaceRules ["type" = "replaceRules"] {
        rules: Vec<Rule>,
        behavior: Behavior,
        destination: Destination,
    }
}

wire_struct! {
    /// Takes rules away.
    pub struct RemoveRules ["type" = "removeRules"] {
        rules: Vec<Rule>,
        behavior: Behavior,
        destination: Destination,
    }
}

wire_struct! {
    /// Switches the mode.
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
    /// Takes working directories away.
    pub struct RemoveDirectories ["type" = "removeDirectories"] {
        directories: Vec<String>,
        destination: Destination,
    }
}

wire_union! {
    /// One change of permissions.
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
    /// Keeps the change elsewhere. A kind this version does not know stays as it is.
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

    /// Where the change is kept; `None` for a kind this version does not know.
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

    /// The rules it adds, replaces or takes away.
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
