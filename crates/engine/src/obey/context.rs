//! What fills the model's context: an estimate by bytes, and what the last answer really used.

use serde_json::{Value, json};
use sluice_model::cost::Tokens;
use sluice_model::models;
use sluice_wire::control::{ContextPart, GetContextUsageResponse, MessageBreakdown, RequestId};
use sluice_wire::usage::Usage;
use sluice_wire::{Number, Raw};

use crate::say;
use crate::session::Session;

/// Squares of the picture, by row and column.
const ROWS: u64 = 10;
const COLUMNS: u64 = 20;
/// About what a picture or a document page takes, whatever its bytes.
const PICTURE: u64 = 1600;

impl Session {
    pub(super) async fn context_usage(&mut self, id: &RequestId, detail: Option<&str>) {
        let request = self.request_of(self.history.all());
        let context = Context {
            model: &self.model,
            system: &request.system,
            tools: &request.tools,
            messages: &request.messages,
            last: self.last_usage.as_ref(),
        };
        let mut response = context.usage();
        if detail == Some("summary") {
            response.grid_rows = Vec::new();
            response.system_tools = None;
            response.message_breakdown = None;
        }
        self.say(say::success(id, &response)).await;
    }
}

/// What a request holds.
struct Context<'a> {
    model: &'a str,
    system: &'a [Value],
    tools: &'a [Value],
    messages: &'a [Value],
    last: Option<&'a Value>,
}

impl Context<'_> {
    fn usage(&self) -> GetContextUsageResponse {
        let window = models::facts(self.model).window;
        let used = [
            (
                "system_prompt",
                "System prompt",
                "promptBorder",
                self.system.iter().map(tokens).sum(),
            ),
            (
                "system_tools",
                "System tools",
                "inactive",
                self.tools.iter().map(tokens).sum(),
            ),
            (
                "messages",
                "Messages",
                "claude",
                self.messages.iter().map(message_tokens).sum(),
            ),
        ];
        let total: u64 = used.iter().map(|(_, _, _, tokens)| tokens).sum();
        let free = window.saturating_sub(total);
        let mut categories: Vec<ContextPart> = used
            .into_iter()
            .filter(|(_, _, _, tokens)| *tokens > 0)
            .map(|(id, name, color, tokens)| part(id, name, color, tokens, "used"))
            .collect();
        categories.push(part("free_space", "Free space", "promptBorder", free, "free"));
        GetContextUsageResponse {
            grid_rows: grid(&categories, window),
            categories,
            total_tokens: total,
            max_tokens: window,
            raw_max_tokens: window,
            // Nothing is summarised here before the window is full.
            autocompact_source: Some("model-default".to_owned()),
            auto_compact_threshold: Some(window),
            percentage: Number(percent(total, window)),
            model: self.model.to_owned(),
            mcp_instructions: Some(Vec::new()),
            system_tools: Some(self.tools.iter().map(tool).collect()),
            message_breakdown: Some(breakdown(self.messages)),
            api_usage: self.last.map(api_usage),
            ..GetContextUsageResponse::default()
        }
    }
}

fn part(id: &str, name: &str, color: &str, tokens: u64, kind: &str) -> ContextPart {
    ContextPart {
        id: Some(id.to_owned()),
        name: name.to_owned(),
        tokens,
        color: Some(color.to_owned()),
        kind: Some(kind.to_owned()),
        ..ContextPart::default()
    }
}

/// Nobody counts tokens here: four bytes are about one.
fn tokens(value: &Value) -> u64 {
    let bytes = match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

fn message_tokens(message: &Value) -> u64 {
    blocks(message).map(block_tokens).sum()
}

fn block_tokens(block: &Value) -> u64 {
    match kind(block) {
        "image" | "document" => PICTURE,
        "text" => block.get("text").map(tokens).unwrap_or_default(),
        "tool_result" => match block.get("content") {
            Some(Value::Array(parts)) => parts.iter().map(block_tokens).sum(),
            other => other.map(tokens).unwrap_or_default(),
        },
        _ => tokens(block),
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn tool(tool: &Value) -> Raw {
    Raw::of(&json!({"name": tool.get("name"), "tokens": tokens(tool)}))
}

/// What the messages are made of.
fn breakdown(messages: &[Value]) -> MessageBreakdown {
    let mut parts = MessageBreakdown {
        redirected_context_tokens: Some(0),
        unattributed_tokens: Some(0),
        ..MessageBreakdown::default()
    };
    let mut by_tool: Vec<(String, u64, u64)> = Vec::new();
    let mut names: Vec<(&str, &str)> = Vec::new();
    let text = |block: &'_ Value, key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for message in messages {
        let from_model = message.get("role").and_then(Value::as_str) == Some("assistant");
        for block in blocks(message) {
            let count = block_tokens(block);
            match kind(block) {
                "tool_use" => {
                    parts.tool_call_tokens += count;
                    let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
                    names.push((field("id"), field("name")));
                    tally(&mut by_tool, field("name")).1 += count;
                }
                "tool_result" => {
                    parts.tool_result_tokens += count;
                    let id = text(block, "tool_use_id");
                    let name = names.iter().find(|(known, _)| *known == id).map(|(_, name)| *name);
                    tally(&mut by_tool, name.unwrap_or_default()).2 += count;
                }
                "image" | "document" => parts.attachment_tokens += count,
                _ if from_model => parts.assistant_message_tokens += count,
                _ => parts.user_message_tokens += count,
            }
        }
    }
    parts.tool_calls_by_type = by_tool
        .iter()
        .map(|(name, calls, results)| Raw::of(&json!({"name": name, "callTokens": calls, "resultTokens": results})))
        .collect();
    parts
}

fn tally<'a>(by_tool: &'a mut Vec<(String, u64, u64)>, name: &str) -> &'a mut (String, u64, u64) {
    let at = by_tool
        .iter()
        .position(|(known, _, _)| known == name)
        .unwrap_or(by_tool.len());
    if at == by_tool.len() {
        by_tool.push((name.to_owned(), 0, 0));
    }
    #[allow(clippy::indexing_slicing)] // it is there now
    &mut by_tool[at]
}

/// What the last answer used, as the API counted it.
fn api_usage(usage: &Value) -> Usage {
    let tokens = Tokens::read(usage);
    Usage {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cache_creation_input_tokens: Some(tokens.cache_write),
        cache_read_input_tokens: Some(tokens.cache_read),
        ..Usage::default()
    }
}

/// Rows of squares, for drawing: every part that is there has at least one.
fn grid(parts: &[ContextPart], window: u64) -> Vec<Raw> {
    let all = ROWS * COLUMNS;
    let mut squares = Vec::new();
    for part in parts {
        let share = part.tokens as f64 * all as f64 / window.max(1) as f64;
        let is_free = part.kind.as_deref() == Some("free");
        let left = usize::try_from(all).unwrap_or_default().saturating_sub(squares.len());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let count = if is_free { left } else { left.min(share.ceil() as usize) };
        for at in 0..count {
            let fullness = if is_free {
                1.0
            } else {
                (share - at as f64).clamp(0.0, 1.0)
            };
            squares.push(json!({
                "color": part.color, "isFilled": true, "categoryName": part.name, "tokens": part.tokens,
                "percentage": Number(percent(part.tokens, window)), "squareFullness": Number(fullness),
            }));
        }
    }
    let columns = usize::try_from(COLUMNS).unwrap_or(1);
    squares.chunks(columns).map(Raw::of).collect()
}

fn percent(tokens: u64, window: u64) -> f64 {
    (tokens as f64 * 100.0 / window.max(1) as f64).round()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn conversation() -> Vec<Value> {
        vec![
            json!({"role": "user", "content": [{"type": "text", "text": "x".repeat(400)}]}),
            json!({"role": "assistant", "content": [
                {"type": "text", "text": "y".repeat(40)},
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a"}}]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "z".repeat(4000)},
                {"type": "image", "source": {"data": "A".repeat(900_000)}}]}),
        ]
    }

    fn usage(last: Option<&Value>) -> GetContextUsageResponse {
        Context {
            model: "claude-opus-5-5",
            system: &[json!({"type": "text", "text": "s".repeat(4000)})],
            tools: &[json!({"name": "Read", "input_schema": {}})],
            messages: &conversation(),
            last,
        }
        .usage()
    }

    #[test]
    fn parts_and_free_space_make_up_the_window() {
        let usage = usage(None);
        let sum: u64 = usage.categories.iter().map(|part| part.tokens).sum();
        assert_eq!(sum, usage.max_tokens);
        assert_eq!(usage.total_tokens, sum - usage.categories.last().unwrap().tokens);
        let ids: Vec<_> = usage
            .categories
            .iter()
            .map(|part| part.id.as_deref().unwrap())
            .collect();
        assert_eq!(ids, ["system_prompt", "system_tools", "messages", "free_space"]);
    }

    #[test]
    fn messages_are_told_apart() {
        let parts = usage(None).message_breakdown.unwrap();
        assert_eq!((parts.user_message_tokens, parts.assistant_message_tokens), (100, 10));
        assert_eq!((parts.tool_result_tokens, parts.attachment_tokens), (1000, PICTURE));
        let tools: Vec<Value> = parts.tool_calls_by_type.iter().map(Raw::to_value).collect();
        assert_eq!(tools[0]["name"], "Read");
        assert_eq!(tools[0]["resultTokens"], 1000);
    }

    #[test]
    fn the_picture_has_all_its_squares() {
        let rows: Vec<Value> = usage(None).grid_rows.iter().map(Raw::to_value).collect();
        assert_eq!(rows.len(), 10);
        assert!(rows.iter().all(|row| row.as_array().unwrap().len() == 20));
        assert_eq!(rows[0][0]["categoryName"], "System prompt");
    }

    #[test]
    fn what_was_really_used_is_the_apis_word() {
        assert_eq!(usage(None).api_usage, None);
        let last = json!({"input_tokens": 10, "output_tokens": 12, "cache_read_input_tokens": 7});
        let told = usage(Some(&last)).api_usage.unwrap();
        assert_eq!(
            (told.input_tokens, told.output_tokens, told.cache_read_input_tokens),
            (10, 12, Some(7))
        );
    }
}
