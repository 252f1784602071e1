//! ToolSearch: finds deferred tools and loads them.

mod query;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::outcome::{Effect, Outcome};
use crate::tool::{Descriptor, Pending, Tool};
use crate::tool_search::query::Query;

/// Default number of results.
const DEFAULT_RESULTS: usize = 5;
/// Maximum number of results.
const MAX_RESULTS: usize = 50;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "ToolSearch".into(),
    description: "Loads tools that are known by name only, so that you can call them. Until a tool is loaded its parameters are unknown and a call of it fails.\n\n\
        `query` is one of:\n\
        - `select:Name,Other` — exactly these tools;\n\
        - words, such as `notebook cell` — the tools that fit best;\n\
        - words with a plus, such as `+slack send` — only tools that have `slack` in their name or description, ordered by the rest.\n\n\
        What is found can be called from your next message on.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "What to look for."},
            "max_results": {"type": "integer", "minimum": 1, "description": "How many tools at most; 5 where nothing is said."},
        },
        "required": ["query"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    of_conversation: true,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct ToolSearch;

#[derive(Debug, Deserialize)]
struct Input {
    query: String,
    max_results: Option<usize>,
}

impl Tool for ToolSearch {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let mut tools = cx.services.deferred();
            tools.retain(|tool| tool.name != DESCRIPTOR.name);
            let most = input.max_results.unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS);
            let found = Query::parse(&input.query).find(&tools, most);
            let result = json!({"matches": found, "query": input.query, "total_deferred_tools": tools.len()});
            if found.is_empty() {
                return Outcome::ok("No matching deferred tools found", result);
            }
            let blocks: Vec<Value> = found
                .iter()
                .map(|name| json!({"type": "tool_reference", "tool_name": name}))
                .collect();
            Outcome::ok(blocks, result).with(Effect::LoadTools(found))
        })
    }
}
