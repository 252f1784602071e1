//! The `ListAgents` tool, which lists the running subagents.

use std::sync::Arc;

use serde_json::{Value, json};
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::message::tag;
use crate::agents::BriefSlot;
use crate::agents::names;
use crate::agents::shared::Member;

const ABOUT: &str =
    "Lists the subagents that work at the moment, with the ids and names by which SendMessage reaches them.";

/// The `ListAgents` tool.
#[derive(Debug)]
pub(crate) struct ListAgents {
    descriptor: Descriptor,
    brief_slot: Arc<BriefSlot>,
}

impl ListAgents {
    pub(crate) fn new(brief_slot: Arc<BriefSlot>) -> Self {
        Self {
            descriptor: Descriptor {
                name: names::LIST_AGENTS.into(),
                description: ABOUT.into(),
                schema: json!({"type": "object", "properties": {}}),
                aliases: &["ListPeers"],
                touches: Touches::Nothing,
                ..Descriptor::default()
            },
            brief_slot,
        }
    }
}

impl Tool for ListAgents {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, _input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let running = self.brief_slot.brief().map(|brief| brief.family.shared.running());
            let (listing, sections) = listed(&running.unwrap_or_default());
            let result = json!({"listing": listing, "sections": sections, "notes": []});
            Outcome::ok(listing, result)
        })
    }
}

/// Formats the list for the model and for hosts.
fn listed(running: &[Member]) -> (String, Value) {
    if running.is_empty() {
        return ("No subagent works at the moment.".to_owned(), json!([]));
    }
    let lines = running.iter().map(|member| {
        let called = match &member.name {
            Some(name) => format!("{name} [{}]", tag(&member.id)),
            None => member.id.clone(),
        };
        let since = member.started.elapsed().as_secs();
        format!("  {called}  ·  {}  ·  running  ·  started {since}s ago", member.kind)
    });
    let lines: Vec<String> = lines.collect();
    let rows = running.iter().map(|member| {
        let mut row = json!({"id": member.id, "type": member.kind, "status": "running"});
        if let (Some(row), Some(name)) = (row.as_object_mut(), &member.name) {
            row.insert("name".to_owned(), json!(name));
            row.insert("ref".to_owned(), json!(tag(&member.id)));
        }
        row
    });
    let rows: Vec<Value> = rows.collect();
    let sections = json!([{"kind": "subagents", "total": running.len(), "rows": rows}]);
    (
        format!("Subagents ({}):\n{}", running.len(), lines.join("\n")),
        sections,
    )
}
