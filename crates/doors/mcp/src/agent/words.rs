//! Tool definitions of the agent: names, descriptions and schemas.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

pub(super) const ABOUT: &str = "A coding agent that works in the folder this server was started in. `run` gives it a \
    task and waits for the outcome; `reply` goes on with the same conversation; `cancel` stops work in progress. Several \
    agents may work at once. What the permission rules do not decide is put to you by elicitation; without that \
    capability it is denied.";

const RUN: &str = "Starts a new agent on a task and waits until it is done. The agent reads and changes files and runs \
    commands in its folder, so give it a goal and what it needs to know rather than single steps. The answer carries the \
    session_id for `reply`. With a progress token, the first progress message names the session and later ones say what \
    it is doing.";

const REPLY: &str = "Goes on with an agent's conversation: answers its question, corrects it or gives it the next task. \
    It remembers everything said before, also when it was started by an earlier run of this server.";

const CANCEL: &str = "Stops what an agent is doing; its conversation can be gone on with. Without a session_id, every \
    agent that is working is stopped.";

pub(super) fn tools() -> Vec<Tool> {
    let run = json!({
        "type": "object",
        "properties": {
            "prompt": {"type": "string", "description": "The task, in plain words"},
            "cwd": {
                "type": "string",
                "description": "Folder to work in; it has to lie inside the folders of this server. Relative paths start there"
            },
            "model": {"type": "string", "description": "Model to use: an alias such as sonnet, or a full id"},
            "permission_mode": {
                "type": "string",
                "enum": ["default", "plan", "dontAsk", "acceptEdits", "bypassPermissions"],
                "description": "What happens to calls no rule decides. It can be stricter than what the server was started with, never looser"
            },
            "max_turns": {"type": "integer", "minimum": 1, "description": "Stop after so many rounds with the model"}
        },
        "required": ["prompt"],
        "additionalProperties": false
    });
    let reply = json!({
        "type": "object",
        "properties": {
            "session_id": {"type": "string", "description": "As an earlier answer named it"},
            "prompt": {"type": "string", "description": "What to say"}
        },
        "required": ["session_id", "prompt"],
        "additionalProperties": false
    });
    let cancel = json!({
        "type": "object",
        "properties": {"session_id": {"type": "string", "description": "Which one; all that work when left out"}},
        "additionalProperties": false
    });
    let cancelled = json!({
        "type": "object",
        "properties": {"cancelled": {"type": "array", "items": {"type": "string"}}},
        "required": ["cancelled"]
    });
    vec![
        tool("run", RUN, run, outcome(), agent_annotations()),
        tool("reply", REPLY, reply, outcome(), agent_annotations()),
        tool(
            "cancel",
            CANCEL,
            cancel,
            cancelled,
            ToolAnnotations::new().destructive(false).idempotent(true),
        ),
    ]
}

fn agent_annotations() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .open_world(true)
}

/// The output schema of a turn.
fn outcome() -> Value {
    json!({
        "type": "object",
        "properties": {
            "session_id": {"type": "string"},
            "result": {"type": "string", "description": "The agent's last words, or what went wrong"},
            "subtype": {"type": "string"},
            "is_error": {"type": "boolean"},
            "num_turns": {"type": "integer"},
            "duration_ms": {"type": "integer"},
            "total_cost_usd": {"type": "number", "description": "Of the whole session so far"},
            "permission_denials": {
                "type": "array",
                "items": {"type": "object", "properties": {"tool_name": {"type": "string"}, "tool_input": {}}}
            }
        },
        "required": ["session_id", "result", "is_error"]
    })
}

fn tool(name: &'static str, about: &'static str, input: Value, output: Value, annotations: ToolAnnotations) -> Tool {
    let mut tool = Tool::new(name, about, object(input));
    tool.output_schema = Some(Arc::new(object(output)));
    tool.annotations = Some(annotations);
    tool
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
