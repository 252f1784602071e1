//! What tools may do.

use sluice_wire::mode::PermissionMode;

/// What a session is told about permissions.
#[derive(Debug, Clone, Default)]
pub struct PermissionOptions {
    /// Rules that allow.
    pub allowed: Vec<String>,
    /// Rules that deny.
    pub disallowed: Vec<String>,
    /// The mode to begin in; none is what the settings say.
    pub mode: Option<PermissionMode>,
    /// Whether `bypassPermissions` may be switched on.
    pub bypass_launched: bool,
    /// Nothing that runs programs unless the tools offered name it, and no file outside the working directories.
    pub restricted: bool,
    /// Who answers asks.
    pub asker: Asker,
}

/// Who answers asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Asker {
    /// Nobody: what would be asked is denied.
    #[default]
    Nobody,
    /// The host, by `can_use_tool`.
    Host,
    /// A tool of a server, by its full name.
    Tool(String),
    /// Nobody, and that is meant so: the model is told not to try again.
    Refuses,
}
