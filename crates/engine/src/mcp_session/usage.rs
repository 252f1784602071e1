//! How much of the model's context MCP servers take.

use serde_json::json;
use sluice_model::measure::tokens;
use sluice_servers::names;
use sluice_wire::Raw;

use crate::messages;
use crate::session::Session;

/// Estimated tokens of the tools and instructions of all servers.
#[derive(Debug, Default)]
pub(crate) struct ServerUsage {
    pub(crate) tools: Vec<ServerToolUsage>,
    /// The instructions of each server, with their tokens.
    pub(crate) instructions: Vec<(String, u64)>,
}

/// Estimated tokens of a tool, whether or not the model has loaded it.
#[derive(Debug)]
pub(crate) struct ServerToolUsage {
    pub(crate) name: String,
    pub(crate) tokens: u64,
    pub(crate) loaded: bool,
}

impl ServerUsage {
    /// Tokens of the tools that the model has loaded, or of those that it has not.
    pub(crate) fn of_tools(&self, loaded: bool) -> u64 {
        let tools = self.tools.iter().filter(|tool| tool.loaded == loaded);
        tools.map(|tool| tool.tokens).sum()
    }

    /// Tokens of all instructions.
    pub(crate) fn of_instructions(&self) -> u64 {
        self.instructions.iter().map(|(_, tokens)| tokens).sum()
    }

    /// True if the tool belongs to a server.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// The tools as listed for hosts.
    pub(crate) fn tool_infos(&self) -> Vec<Raw> {
        let info = |tool: &ServerToolUsage| {
            let server = names::split(&tool.name).map(|(server, _)| server);
            let (tokens, loaded) = (tool.tokens, tool.loaded);
            Raw::of(&json!({"name": tool.name, "serverName": server, "tokens": tokens, "isLoaded": loaded}))
        };
        self.tools.iter().map(info).collect()
    }

    /// The instructions as listed for hosts.
    pub(crate) fn instruction_infos(&self) -> Vec<Raw> {
        let info = |(server, tokens): &(String, u64)| Raw::of(&json!({"serverName": server, "tokens": tokens}));
        self.instructions.iter().map(info).collect()
    }
}

impl Session {
    /// Estimates how much of the context servers take now.
    pub(crate) fn server_usage(&self) -> ServerUsage {
        if self.tooling.servers().all().is_empty() {
            return ServerUsage::default();
        }
        let tools = self.offered().filter(|tool| tool.provenance().is_some());
        ServerUsage {
            tools: tools
                .map(|tool| ServerToolUsage {
                    name: tool.descriptor().name.to_string(),
                    tokens: tokens(&messages::tool(&tool)),
                    loaded: !self.defers(&tool),
                })
                .collect(),
            instructions: self
                .tooling
                .servers()
                .instructions()
                .into_iter()
                .map(|(server, text)| (server, tokens(&text.into())))
                .collect(),
        }
    }
}
