//! `claim_session`: take over a process that was started in advance.

use crate::mode::PermissionMode;
use crate::record::wire_struct;
use crate::{Map, Raw};

wire_struct! {
    /// Takes over a process that was started in advance.
    pub struct ClaimSession ["subtype" = "claim_session"] {
        cwd: String,
        permission_mode: Option<PermissionMode>,
        env: Option<Map<String>>,
        additional_directories: Option<Vec<String>>,
        append_system_prompt: Option<String>,
        title: Option<String>,
        agents: Option<Map<Raw>>,
        sdk_mcp_servers: Option<Vec<String>>,
        include_initialize: Option<bool>,
    }
}
