//! Hook handlers that need the session: agents and tools of MCP servers.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_hooks::agent::{GUIDE, Inspection};
use sluice_hooks::prompt::question;
use sluice_hooks::tool::{Prepared, filled};
use sluice_permission::{ToolFacts, Verdict};

use crate::session::Session;
use crate::subagents;

impl Session {
    /// Prepares the agent of a hook. It starts when the returned future is polled.
    pub(super) fn inspection(&mut self, prompt: &str, model: Option<&str>, input: &Arc<str>) -> Inspection {
        let names = self.model.client.names();
        let model = model.map_or_else(|| names.small().to_owned(), |name| names.resolve(Some(name)));
        let prompt = question(prompt, input);
        subagents::inspect(self.brief_inspector(), GUIDE, prompt, model)
    }

    /// Prepares the tool call of a hook. Deny rules apply to hooks too.
    pub(super) fn tool_of_hook(&self, server: &str, tool: &str, input: &Map<String, Value>, event: &str) -> Prepared {
        let event: Value = serde_json::from_str(event).unwrap_or_default();
        let input = filled(&Value::Object(input.clone()), &event);
        let call = self
            .tooling
            .servers()
            .call_of(server, tool, &self.options.folders.outputs)?;
        let decision = self.decide(ToolFacts::unknown(&call.full), &input);
        match decision.behavior {
            Verdict::Deny => Err(decision.message),
            Verdict::Allow | Verdict::Ask => Ok((call, input)),
        }
    }
}
