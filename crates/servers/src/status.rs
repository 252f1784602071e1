//! `mcp_status`: the status of MCP servers, as hosts see it.

use sluice_wire::Raw;
use sluice_wire::control::{McpServerInfo, McpServerStatus, McpTool, McpToolAnnotations};
use sluice_wire::stdout::system::McpServer;

use super::link::{Link, Phase};

/// Returns the status of a phase as named on the wire.
pub fn word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Up(_) => "connected",
        Phase::Idle | Phase::Dialling | Phase::Unapproved => "pending",
        Phase::Lost(_) | Phase::Down(_) => "failed",
        Phase::NeedsAuth => "needs-auth",
        Phase::Off => "disabled",
    }
}

/// Returns the status for `system/init`.
pub fn short(link: &Link) -> McpServer {
    McpServer {
        name: link.name.clone(),
        status: word(&link.phase()).to_owned(),
        source: Some(link.source().to_owned()),
        ..McpServer::default()
    }
}

/// Returns the status for `mcp_status`.
pub fn full(link: &Link) -> McpServerStatus {
    let phase = link.phase();
    let info = match &phase {
        Phase::Up(connection) => connection.info(),
        _ => None,
    };
    let tools = match &phase {
        Phase::Up(_) => link.offer(),
        _ => None,
    };
    McpServerStatus {
        name: link.name.clone(),
        status: word(&phase).to_owned(),
        server_info: info
            .and_then(|info| info.server_info.clone())
            .map(|info| McpServerInfo {
                name: info.name,
                version: Some(info.version),
                ..McpServerInfo::default()
            }),
        error: match phase {
            Phase::Lost(why) | Phase::Down(why) => Some(why),
            Phase::Unapproved => Some("Pending approval of the project's MCP servers".to_owned()),
            Phase::Up(_) => tools.as_ref().and_then(|offer| offer.note.clone()),
            _ => None,
        },
        config: link.config.shown().map(|config| Raw::of(&config)),
        scope: Some(link.scope.as_str().to_owned()),
        source: Some(link.source().to_owned()),
        transport: Some(link.config.transport().to_owned()),
        tools: tools.map(|offer| offer.tools.iter().map(tool).collect()),
        ..McpServerStatus::default()
    }
}

/// Returns a problem of a server and how to fix it, if there is one.
pub fn trouble(link: &Link) -> Option<String> {
    match link.phase() {
        Phase::Lost(why) => Some(format!("{why}; the next call of one of its tools reconnects")),
        Phase::Down(why) => Some(why),
        Phase::NeedsAuth => Some("needs authentication: use /mcp, or the control request mcp_authenticate".to_owned()),
        Phase::Unapproved => {
            Some("pending approval: start sluice in this folder, or list it in enabledMcpjsonServers".to_owned())
        }
        Phase::Up(_) => link.offer().and_then(|offer| offer.note.clone()),
        Phase::Idle | Phase::Dialling | Phase::Off => None,
    }
}

fn tool(listed: &rmcp::model::Tool) -> McpTool {
    let info = listed.annotations.clone().unwrap_or_default();
    let yes = |flag: Option<bool>| flag.filter(|flag| *flag);
    McpTool {
        name: listed.name.to_string(),
        annotations: Some(McpToolAnnotations {
            read_only: yes(info.read_only_hint),
            destructive: yes(info.destructive_hint),
            open_world: yes(info.open_world_hint),
            ..McpToolAnnotations::default()
        }),
        ..McpTool::default()
    }
}
