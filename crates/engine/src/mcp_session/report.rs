//! The status of MCP servers as text.

use sluice_servers::status::{trouble, word};
use sluice_servers::{Link, Phase};

use crate::session::Session;

impl Session {
    /// Lists the servers with their status and problems.
    pub(crate) fn describe_servers(&self) -> String {
        let links = self.tooling.servers().all();
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

    /// Describes the problems of servers, one sentence each.
    pub(crate) fn server_problems(&self) -> Vec<String> {
        let links = self.tooling.servers().all().iter();
        let describe = |link: &std::sync::Arc<Link>| Some(format!("MCP server {}: {}", link.name, trouble(link)?));
        links.filter_map(describe).collect()
    }
}
