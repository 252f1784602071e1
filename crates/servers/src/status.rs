//! `mcp_status`: the status of MCP servers, as hosts see it.

use sluice_wire::Raw;
use sluice_wire::control::{McpServerInfo, McpServerStatus, McpTool, McpToolAnnotations};
use sluice_wire::stdout::system::McpServer;

use super::link::{Link, Phase};

/// The wire's word for how a server stands.
pub fn word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Up(_) => "connected",
        Phase::Idle | Phase::Dialling | Phase::Unapproved => "pending",
        Phase::Lost(_) | Phase::Down(_) => "failed",
        Phase::NeedsAuth => "needs-auth",
        Phase::Off => "disabled",
    }
}

/// As `init` lists it.
pub fn short(link: &Link) -> McpServer {
    McpServer {
        name: link.name.clone(),
        status: word(&link.phase()).to_owned(),
        source: Some(link.source().to_owned()),
        ..McpServer::default()
    }
}

/// As `mcp_status` tells it.
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
            .map(|said| McpServerInfo {
                name: said.name,
                version: Some(said.version),
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

/// What is the matter with a server, in a sentence that says what to do; none if nothing is.
pub fn trouble(link: &Link) -> Option<String> {
    match link.phase() {
        Phase::Lost(why) => Some(format!("{why}; it is connected again when one of its tools is called")),
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
    let said = listed.annotations.clone().unwrap_or_default();
    let yes = |flag: Option<bool>| flag.filter(|flag| *flag);
    McpTool {
        name: listed.name.to_string(),
        annotations: Some(McpToolAnnotations {
            read_only: yes(said.read_only_hint),
            destructive: yes(said.destructive_hint),
            open_world: yes(said.open_world_hint),
            ..McpToolAnnotations::default()
        }),
        ..McpTool::default()
    }
}
