//! Context usage: an estimate by size for each part of the context, and the usage that the API reported last.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use sluice_model::compaction::Limits;
use sluice_model::cost::Tokens;
use sluice_model::measure::{block_tokens, kind, tokens};
use sluice_model::{Message, models};
use sluice_wire::control::{
    ContextMemoryFile, ContextPart, ContextSquare, ContextTool, ContextToolCalls, GetContextUsageResponse,
    MessageBreakdown, RequestId,
};
use sluice_wire::usage::Usage;
use sluice_wire::{Number, Raw};

use crate::commands::SkillUsage;
use crate::mcp_session::ServerUsage;
use crate::memory::{self, Memory};
use crate::messages;
use crate::session::Session;
use crate::subagents;

/// Size of the usage grid, in squares.
const ROWS: u64 = 10;
const COLUMNS: u64 = 20;

impl Session {
    /// Returns the current context usage.
    pub(crate) async fn context_usage_now(&mut self) -> GetContextUsageResponse {
        self.await_history().await;
        let agents = subagents::in_context(&self.load_roster());
        let request = self.request_of(self.conversation.history.all());
        let memories = self.with_notes(self.memories().known);
        let context = Context {
            model: &self.model.name,
            system: &request.system,
            tools: &request.tools,
            messages: &request.messages,
            last: self.account.last_usage(),
            limits: self.limits(),
            memories: &memories,
            own: &self.options.settings.places().config_dir,
            agents: &agents,
            servers: &self.server_usage(),
            skills: self.skill_usage(),
        };
        context.usage()
    }

    pub(super) async fn context_usage(&mut self, id: &RequestId, detail: Option<&str>) {
        if !matches!(detail, None | Some("summary" | "full")) {
            let text = "get_context_usage: detail must be 'summary' or 'full'";
            return self.emit(messages::error(id, text)).await;
        }
        let mut response = self.context_usage_now().await;
        if detail == Some("summary") {
            response.grid_rows = Vec::new();
            response.system_tools = None;
            response.message_breakdown = None;
        }
        self.emit(messages::success(id, &response)).await;
    }
}

/// The parts of a model request.
struct Context<'a> {
    model: &'a str,
    system: &'a [Value],
    tools: &'a [Value],
    messages: &'a [Message],
    last: Option<&'a Value>,
    limits: Limits,
    memories: &'a [Memory],
    /// The user's configuration folder.
    own: &'a Path,
    /// The custom agents, each with the tokens that its description takes.
    agents: &'a [(Value, u64)],
    servers: &'a ServerUsage,
    /// Skills and commands, which are listed within a message.
    skills: SkillUsage,
}

impl Context<'_> {
    fn usage(&self) -> GetContextUsageResponse {
        let window = self.limits.window;
        let raw_window = models::facts(self.model).window;
        // Memory files are sent within the first message but are counted separately.
        let remembered: u64 = memory::reminder(self.memories).map_or(0, |text| tokens(&Value::String(text)));
        let parts = breakdown(self.messages);
        let total_messages = message_tokens(&parts);
        let (shown, instructions) = (self.servers.of_tools(true), self.servers.of_instructions());
        let skills = self.skills.tokens();
        let listed = (remembered + instructions + skills).min(total_messages);
        let is_servers = |tool: &&Value| {
            let name = tool.get("name").and_then(Value::as_str);
            name.is_some_and(|name| self.servers.has(name))
        };
        // The list of agents is sent within the description of a tool.
        let tools: u64 = self.tools.iter().filter(|tool| !is_servers(tool)).map(tokens).sum();
        let kinds: u64 = self.agents.iter().map(|(_, tokens)| tokens).sum();
        let kinds = kinds.min(tools);
        let used = [
            (
                "system_prompt",
                "System prompt",
                "promptBorder",
                self.system.iter().map(tokens).sum(),
            ),
            ("system_tools", "System tools", "inactive", tools - kinds),
            ("mcp_tools", "MCP tools", "cyan_FOR_SUBAGENTS_ONLY", shown),
            (
                "mcp_instructions",
                "MCP server instructions",
                "green_FOR_SUBAGENTS_ONLY",
                instructions,
            ),
            ("custom_agents", "Custom agents", "permission", kinds),
            ("memory_files", "Memory files", "claude", remembered),
            ("skills", "Skills", "warning", skills),
            (
                "messages",
                "Messages",
                "purple_FOR_SUBAGENTS_ONLY",
                total_messages - listed,
            ),
        ];
        let total: u64 = used.iter().map(|(_, _, _, tokens)| tokens).sum();
        let buffer = self.limits.buffer();
        let free = window.saturating_sub(total + buffer);
        let mut categories: Vec<ContextPart> = used
            .into_iter()
            .filter(|(_, _, _, tokens)| *tokens > 0)
            .map(|(id, name, color, tokens)| part(id, name, color, tokens, "used"))
            .collect();
        self.add_unused(&mut categories, free);
        GetContextUsageResponse {
            grid_rows: grid(&categories, window),
            categories,
            total_tokens: total,
            max_tokens: window,
            raw_max_tokens: raw_window,
            autocompact_source: Some(self.limits.source.to_owned()),
            auto_compact_threshold: self.limits.auto.then_some(self.limits.threshold),
            is_auto_compact_enabled: self.limits.auto,
            memory_files: self
                .memories
                .iter()
                .map(|memory| memory_file(memory, self.own))
                .collect(),
            percentage: Number(percent(total, window)),
            model: self.model.to_owned(),
            mcp_tools: self.servers.tool_infos(),
            mcp_instructions: Some(self.servers.instruction_infos()),
            agents: self.agents.iter().map(|(listed, _)| Raw::of(listed)).collect(),
            system_tools: Some(self.tools.iter().filter(|tool| !is_servers(tool)).map(tool).collect()),
            slash_commands: Some(self.skills.commands.clone()),
            skills: Some(self.skills.skills.clone()),
            message_breakdown: Some(parts),
            api_usage: self.last.map(api_usage),
            ..GetContextUsageResponse::default()
        }
    }
}

impl Context<'_> {
    /// Adds the categories that are not sent: deferred tools, the buffer for compaction, and free space.
    fn add_unused(&self, categories: &mut Vec<ContextPart>, free: u64) {
        let buffer = self.limits.buffer();
        let unseen = self.servers.of_tools(false);
        if unseen > 0 {
            let mut deferred = part(
                "mcp_tools_deferred",
                "MCP tools (deferred)",
                "inactive",
                unseen,
                "deferred",
            );
            deferred.is_deferred = Some(true);
            categories.push(deferred);
        }
        if buffer > 0 {
            categories.push(part(
                "autocompact_buffer",
                "Autocompact buffer",
                "inactive",
                buffer,
                "buffer",
            ));
        }
        categories.push(part("free_space", "Free space", "promptBorder", free, "free"));
    }
}

fn message_tokens(parts: &MessageBreakdown) -> u64 {
    parts.tool_call_tokens
        + parts.tool_result_tokens
        + parts.attachment_tokens
        + parts.assistant_message_tokens
        + parts.user_message_tokens
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

fn memory_file(memory: &Memory, own: &Path) -> Raw {
    let kind = match memory.path.file_name().is_some_and(|name| name == "CLAUDE.local.md") {
        true => "Local",
        false if memory.path.starts_with(own) => "User",
        false => "Project",
    };
    Raw::of(&ContextMemoryFile {
        path: memory.path.display().to_string(),
        kind: kind.to_owned(),
        tokens: tokens(&Value::String(memory.text.clone())),
        ..ContextMemoryFile::default()
    })
}

fn tool(tool: &Value) -> Raw {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    Raw::of(&ContextTool {
        name: name.to_owned(),
        tokens: tokens(tool),
        ..ContextTool::default()
    })
}

/// Counts the tokens of the messages by kind of block.
fn breakdown(messages: &[Message]) -> MessageBreakdown {
    let mut parts = MessageBreakdown {
        redirected_context_tokens: Some(0),
        unattributed_tokens: Some(0),
        ..MessageBreakdown::default()
    };
    let mut by_tool: Vec<(String, u64, u64)> = Vec::new();
    let mut names: HashMap<String, String> = HashMap::new();
    let text = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for message in messages {
        let from_model = message.is_assistant();
        for block in &message.blocks() {
            let count = block_tokens(block);
            match kind(block) {
                "tool_use" => {
                    parts.tool_call_tokens += count;
                    let name = text(block, "name");
                    tally(&mut by_tool, &name).1 += count;
                    names.insert(text(block, "id"), name);
                }
                "tool_result" => {
                    parts.tool_result_tokens += count;
                    let name = names.get(&text(block, "tool_use_id")).map(String::as_str);
                    tally(&mut by_tool, name.unwrap_or_default()).2 += count;
                }
                "image" | "document" => parts.attachment_tokens += count,
                _ if from_model => parts.assistant_message_tokens += count,
                _ => parts.user_message_tokens += count,
            }
        }
    }
    parts.tool_calls_by_type = by_tool
        .into_iter()
        .map(|(name, call_tokens, result_tokens)| {
            Raw::of(&ContextToolCalls {
                name,
                call_tokens,
                result_tokens,
                ..ContextToolCalls::default()
            })
        })
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

/// The usage of the latest response, as reported by the API.
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

/// The rows of the usage grid. Every category in use has at least one square; the buffer comes last.
fn grid(parts: &[ContextPart], window: u64) -> Vec<Raw> {
    let all = usize::try_from(ROWS * COLUMNS).unwrap_or_default();
    let is = |part: &ContextPart, kind: &str| part.kind.as_deref() == Some(kind);
    let share = |part: &ContextPart| part.tokens as f64 * all as f64 / window.max(1) as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let kept: usize = parts
        .iter()
        .filter(|part| is(part, "buffer"))
        .map(|part| share(part).round() as usize)
        .sum();
    let used = parts.iter().filter(|part| is(part, "used"));
    let rest = parts
        .iter()
        .filter(|part| is(part, "free"))
        .chain(parts.iter().filter(|part| is(part, "buffer")));
    let mut squares = Vec::new();
    for part in used.chain(rest) {
        let left = all.saturating_sub(squares.len());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let count = match part.kind.as_deref() {
            Some("free") => left.saturating_sub(kept),
            Some("buffer") => left,
            _ => left.min(share(part).ceil() as usize),
        };
        for at in 0..count {
            let fullness = match is(part, "used") {
                true => (share(part) - at as f64).clamp(0.0, 1.0),
                false => 1.0,
            };
            squares.push(ContextSquare {
                color: part.color.clone(),
                is_filled: true,
                category_name: part.name.clone(),
                tokens: part.tokens,
                percentage: Number(percent(part.tokens, window)),
                square_fullness: Number(fullness),
                ..ContextSquare::default()
            });
        }
    }
    let columns = usize::try_from(COLUMNS).unwrap_or(1);
    squares.chunks(columns).map(|row| Raw::of(&row)).collect()
}

fn percent(tokens: u64, window: u64) -> f64 {
    (tokens as f64 * 100.0 / window.max(1) as f64).round()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use serde_json::json;

    use super::*;
    use sluice_model::compaction::Compaction;
    use sluice_model::measure::IMAGE_TOKENS;

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
            messages: &conversation().into_iter().map(Message::from).collect::<Vec<_>>(),
            last,
            limits: Limits::of(1_000_000, &Compaction::default(), None, None),
            memories: &[],
            own: Path::new("/home/me/.claude"),
            agents: &[],
            servers: &ServerUsage::default(),
            skills: SkillUsage::default(),
        }
        .usage()
    }

    #[test]
    fn parts_and_free_space_make_up_the_window() {
        let usage = usage(None);
        let sum: u64 = usage.categories.iter().map(|part| part.tokens).sum();
        assert_eq!(sum, usage.max_tokens);
        let unused: u64 = usage.categories.iter().rev().take(2).map(|part| part.tokens).sum();
        assert_eq!(usage.total_tokens, sum - unused);
        let ids: Vec<_> = usage
            .categories
            .iter()
            .map(|part| part.id.as_deref().unwrap())
            .collect();
        assert_eq!(
            ids,
            [
                "system_prompt",
                "system_tools",
                "messages",
                "autocompact_buffer",
                "free_space"
            ]
        );
    }

    #[test]
    fn tokens_are_counted_by_kind_of_block() {
        let parts = usage(None).message_breakdown.unwrap();
        assert_eq!((parts.user_message_tokens, parts.assistant_message_tokens), (100, 10));
        assert_eq!(
            (parts.tool_result_tokens, parts.attachment_tokens),
            (1000, IMAGE_TOKENS)
        );
        let tools: Vec<Value> = parts.tool_calls_by_type.iter().map(Raw::to_value).collect();
        assert_eq!(tools[0]["name"], "Read");
        assert_eq!(tools[0]["resultTokens"], 1000);
    }

    #[test]
    fn grid_has_all_squares_in_order() {
        let rows: Vec<Value> = usage(None).grid_rows.iter().map(Raw::to_value).collect();
        assert_eq!(rows.len(), 10);
        assert!(rows.iter().all(|row| row.as_array().unwrap().len() == 20));
        assert_eq!(rows[0][0]["categoryName"], "System prompt");
        assert_eq!(rows[9][19]["categoryName"], "Autocompact buffer");
        assert_eq!(rows[9][0]["categoryName"], "Free space");
    }

    #[test]
    fn api_usage_is_reported_unchanged() {
        assert_eq!(usage(None).api_usage, None);
        let last = json!({"input_tokens": 10, "output_tokens": 12, "cache_read_input_tokens": 7});
        let listed = usage(Some(&last)).api_usage.unwrap();
        assert_eq!(
            (
                listed.input_tokens,
                listed.output_tokens,
                listed.cache_read_input_tokens
            ),
            (10, 12, Some(7))
        );
    }
}
