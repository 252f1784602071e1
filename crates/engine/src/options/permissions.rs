//! Options of permissions.

use sluice_wire::mode::PermissionMode;

/// Options of permissions.
#[derive(Debug, Clone, Default)]
pub struct PermissionOptions {
    /// Allow rules.
    pub allowed: Vec<String>,
    /// Deny rules.
    pub disallowed: Vec<String>,
    /// The initial permission mode. `None`: the mode of the settings.
    pub mode: Option<PermissionMode>,
    /// Whether the mode `bypassPermissions` may be selected.
    pub bypass_launched: bool,
    /// Disable tools that run programs, unless they are offered by name, and files outside the working folders.
    pub restricted: bool,
    /// Who answers permission requests.
    pub asker: Asker,
}

/// Who answers permission requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Asker {
    /// Nobody. Calls that need permission are denied.
    #[default]
    Nobody,
    /// The host, with `can_use_tool` requests.
    Host,
    /// A tool of an MCP server, by its full name.
    Tool(String),
    /// Requests are denied by an explicit setting. The denial instructs the model not to retry.
    Refuses,
}
