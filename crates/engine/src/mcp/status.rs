//! How servers stand, as hosts are told.

use sluice_wire::Raw;
use sluice_wire::control::{McpServerInfo, McpServerStatus, McpTool, McpToolAnnotations};
use sluice_wire::stdout::system::McpServer;

use super::link::{Link, Phase};
use crate::session::Session;

/// The wire's word for how a server stands.
fn word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Up(_) => "connected",
        Phase::Idle | Phase::Dialling | Phase::Unapproved => "pending",
        Phase::Lost(_) | Phase::Down(_) => "failed",
        Phase::NeedsAuth => "needs-auth",
        Phase::Off => "disabled",
    }
}

/// As `init` lists it.
pub(crate) fn short(link: &Link) -> McpServer {
    McpServer {
        name: link.name.clone(),
        status: word(&link.phase()).to_owned(),
        source: Some(link.source().to_owned()),
        ..McpServer::default()
    }
}

/// As `mcp_status` tells it.
pub(crate) fn full(link: &Link) -> McpServerStatus {
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
            Phase::Unapproved => Some("It waits until the project's servers are approved".to_owned()),
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
fn trouble(link: &Link) -> Option<String> {
    match link.phase() {
        Phase::Lost(why) => Some(format!("{why}; it is connected again when one of its tools is called")),
        Phase::Down(why) => Some(why),
        Phase::NeedsAuth => Some("it wants a sign-in: the host's mcp_authenticate begins one".to_owned()),
        Phase::Unapproved => Some(
            "the project names it and nobody has approved of it: open this folder in the terminal, or list it in \
             enabledMcpjsonServers"
                .to_owned(),
        ),
        Phase::Up(_) => link.offer().and_then(|offer| offer.note.clone()),
        Phase::Idle | Phase::Dialling | Phase::Off => None,
    }
}

impl Session {
    /// The servers, for a person: how many there are, and each with what is the matter with it.
    pub(crate) fn tell_servers(&self) -> String {
        let links = self.servers.all();
        if links.is_empty() {
            return "No MCP servers are configured.".to_owned();
        }
        let count = |wanted: fn(&Phase) -> bool| links.iter().filter(|link| wanted(&link.phase())).count();
        let up = count(|phase| matches!(phase, Phase::Up(_)));
        let off = count(|phase| matches!(phase, Phase::Off));
        let mut lines = vec![format!(
            "{} MCP server(s): {up} connected, {} not connected, {off} disabled.",
            links.len(),
            links.len() - up - off,
        )];
        for link in links {
            let mut line = format!("- {} ({}): {}", link.name, link.source(), word(&link.phase()));
            if let Some(offer) = link.offer() {
                line.push_str(&format!(", {} tools", offer.tools.len()));
            }
            for more in trouble(link).into_iter().chain(link.last_warning()) {
                line.push_str(" - ");
                line.push_str(&more);
            }
            lines.push(line);
        }
        lines.join("\n")
    }

    /// What is the matter with servers.
    pub(crate) fn server_problems(&self) -> Vec<String> {
        let links = self.servers.all().iter();
        let told = |link: &std::sync::Arc<Link>| Some(format!("MCP server {}: {}", link.name, trouble(link)?));
        links.filter_map(told).collect()
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
