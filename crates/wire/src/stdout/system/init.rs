//! `init`: the configuration of the session, sent before every turn.

use super::super::FastModeState;
use crate::mode::PermissionMode;
use crate::open::open_enum;
use crate::record::wire_struct;

wire_struct! {
    /// An MCP server and its status.
    pub struct McpServer {
        name: String,
        status: String,
        source: Option<String>,
    }
}

wire_struct! {
    /// A loaded plugin.
    pub struct Plugin {
        name: String,
        path: String,
        source: Option<String>,
        version: Option<String>,
    }
}

wire_struct! {
    /// The managed settings that lock a plugin.
    pub struct ManagedLock {
        plugin_enabled: bool,
        name: String,
        marketplace: Option<String>,
    }
}

wire_struct! {
    /// A plugin that could not be loaded.
    pub struct PluginError {
        plugin: String,
        kind: String as "type",
        message: String,
        path: Option<String>,
        managed_lock: Option<ManagedLock>,
    }
}

wire_struct! {
    /// An MCP server that was skipped because its configuration is invalid.
    pub struct McpServerError {
        name: String,
        kind: McpServerErrorKind as "type",
        message: String,
    }
}

open_enum! {
    /// The error in the configuration of an MCP server.
    pub enum McpServerErrorKind {
        UnknownType = "unknown_type",
        InvalidConfig = "invalid_config",
    }
}

wire_struct! {
    /// The folders of memory files.
    pub struct MemoryPaths {
        auto: Option<String>,
    }
}

wire_struct! {
    /// The configuration of the session. Replaces the previous one.
    pub struct Init ["type" = "system", "subtype" = "init"] {
        cwd: String,
        session_id: String,
        tools: Vec<String>,
        mcp_servers: Vec<McpServer>,
        model: String,
        permission_mode: Option<PermissionMode> as "permissionMode",
        /// The names of the slash commands, without the slash.
        slash_commands: Vec<String>,
        terminal_slash_commands: Option<Vec<String>>,
        api_key_source: String as "apiKeySource",
        betas: Option<Vec<String>>,
        claude_code_version: String,
        output_style: String,
        agents: Option<Vec<String>>,
        skills: Option<Vec<String>>,
        plugins: Option<Vec<Plugin>>,
        plugin_errors: Option<Vec<PluginError>>,
        /// Names of features that the agent supports.
        capabilities: Option<Vec<String>>,
        /// MCP servers from the command line or from `initialize` that were skipped.
        mcp_server_errors: Option<Vec<McpServerError>>,
        analytics_disabled: Option<bool>,
        product_feedback_disabled: Option<bool>,
        uuid: String,
        memory_paths: Option<MemoryPaths>,
        original_cwd: Option<String>,
        additional_directories: Option<Vec<String>>,
        messaging_socket_path: Option<String>,
        fast_mode_state: Option<FastModeState>,
        fast_mode_disabled_reason: Option<String>,
        effort: Option<String>,
        per_turn_effort_active: Option<bool>,
        ultrathink_available: Option<bool>,
        ultrathink_typed_raises: Option<bool>,
        view_mode: Option<String>,
        user_message_uuids: Option<Vec<String>>,
    }
}
