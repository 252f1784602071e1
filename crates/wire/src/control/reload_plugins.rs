//! `reload_plugins`: reload the plugins.

use super::{AgentInfo, McpServerStatus, SlashCommand};
use crate::Raw;
use crate::record::wire_struct;
use crate::stdout::system::Plugin;

wire_struct! {
    /// Reloads the plugins.
    pub struct ReloadPlugins ["subtype" = "reload_plugins"] {
        hold_on_cache_impact: Option<bool>,
        add_plugins: Option<Raw>,
        refuse_if_busy: Option<bool>,
    }
}

wire_struct! {
    /// Changes that would invalidate the prompt cache.
    pub struct CacheImpact {
        mcp_servers_added: Vec<String>,
        mcp_servers_removed: Vec<String>,
        lsp_tool_change: Option<String> = null,
    }
}

wire_struct! {
    /// The plugins and their parts after the reload.
    pub struct ReloadPluginsResponse {
        commands: Vec<SlashCommand>,
        agents: Vec<AgentInfo>,
        plugins: Vec<Plugin>,
        mcp_servers: Vec<McpServerStatus> as "mcpServers",
        error_count: u64,
        held: Option<bool>,
        cache_impact: Option<CacheImpact>,
    }
}
