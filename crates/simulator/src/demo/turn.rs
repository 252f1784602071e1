//! Extracts the current turn from a request: the prompt, and the results of the calls so far.

use regex::Regex;
use serde_json::Value;

/// A turn from the prompt to the last result.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) prompt: String,
    pub(super) calls: Vec<Call>,
    pub(super) tools: Vec<String>,
    pub(super) folder: Option<String>,
    pub(super) thinks: bool,
    /// The prompts of earlier turns.
    pub(super) earlier: Vec<String>,
}

/// A tool call with its result.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) output: String,
    pub(super) is_error: bool,
}

impl Turn {
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }

    /// Returns the path for the tools: absolute if the folder is known.
    pub(super) fn path(&self, file: &str) -> String {
        match &self.folder {
            Some(folder) if !file.starts_with(['/', '~']) => {
                format!("{}/{}", folder.trim_end_matches('/'), file.trim_start_matches("./"))
            }
            _ => file.to_owned(),
        }
    }
}

/// Extracts the turn from a Messages API request.
pub(super) fn read(request: &Value) -> Turn {
    let tools = list(request.get("tools"))
        .iter()
        .map(|tool| text(tool, "name").to_owned());
    let thinking = request.get("thinking").map(|thinking| text(thinking, "type"));
    let mut turn = Turn {
        tools: tools.collect(),
        folder: folder(request),
        thinks: matches!(thinking, Some("enabled" | "adaptive")),
        ..Turn::default()
    };
    for message in list(request.get("messages")) {
        let content = message.get("content").unwrap_or(&Value::Null);
        match text(message, "role") {
            "assistant" => list(Some(content)).iter().for_each(|block| note_call(&mut turn, block)),
            "user" => note_user(&mut turn, content),
            // Newer agents also add `system` messages to the conversation, which are not from the user.
            _ => {}
        }
    }
    turn
}

fn note_call(turn: &mut Turn, block: &Value) {
    if text(block, "type") == "tool_use" {
        turn.calls.push(Call {
            id: text(block, "id").to_owned(),
            name: text(block, "name").to_owned(),
            output: String::new(),
            is_error: false,
        });
    }
}

fn note_user(turn: &mut Turn, content: &Value) {
    for block in list(Some(content)) {
        if text(block, "type") == "tool_result" {
            let id = text(block, "tool_use_id");
            if let Some(call) = turn.calls.iter_mut().rev().find(|call| call.id == id) {
                call.output = text_of(block.get("content").unwrap_or(&Value::Null));
                call.is_error = block.get("is_error") == Some(&Value::Bool(true));
            }
        }
    }
    // Text next to results is newer than the call: the call was interrupted, or a prompt joined the turn.
    let said = user_text(content);
    if !said.is_empty() {
        let before = std::mem::replace(&mut turn.prompt, said);
        if !before.is_empty() {
            turn.earlier.push(before);
        }
        turn.calls.clear();
    }
}

/// Returns the text of a message without the reminders and notices that the agent added.
fn user_text(content: &Value) -> String {
    let texts: Vec<&str> = match content {
        Value::String(words) => vec![words],
        blocks => list(Some(blocks))
            .iter()
            .filter(|block| text(block, "type") == "text")
            .map(|block| text(block, "text"))
            .collect(),
    };
    let is_user_text = |words: &&str| {
        let words = words.trim_start();
        let notice = words.starts_with('[') && words.trim_end().ends_with(']');
        !words.is_empty()
            && !notice
            && !words.starts_with("<system-reminder>")
            && !words.starts_with("<task-notification>")
    };
    let texts: Vec<&str> = texts.into_iter().filter(is_user_text).map(str::trim).collect();
    texts.join("\n")
}

/// Returns the text of a result, which is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(words) => words.clone(),
        blocks => {
            let texts = list(Some(blocks)).iter().map(|block| match text(block, "type") {
                "text" => text(block, "text").to_owned(),
                other => format!("({other})"),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

fn folder(request: &Value) -> Option<String> {
    let system = match request.get("system")? {
        Value::String(words) => words.clone(),
        blocks => text_of(blocks),
    };
    let line = Regex::new(r"(?im)^\W*(?:primary )?working directory:[ \t]*(\S.*?)[ \t]*$").ok()?;
    Some(line.captures(&system)?.get(1)?.as_str().to_owned())
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use serde_json::json;

    use super::read;

    #[test]
    fn a_turn_starts_with_the_last_prompt() {
        let turn = read(&json!({
            "system": [{"type": "text", "text": "Rules.\n- Working directory: /home/me/my work\n- Platform: linux"}],
            "tools": [{"name": "Bash"}],
            "thinking": {"type": "adaptive"},
            "messages": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "old", "name": "Read", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "old", "content": "x"}]},
                {"role": "user", "content": [
                    {"type": "text", "text": "<system-reminder>not me</system-reminder>"},
                    {"type": "text", "text": "[Request interrupted by user]"},
                    {"type": "text", "text": "list files"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "is_error": true,
                     "content": [{"type": "text", "text": "no"}, {"type": "image", "source": {}}]},
                    {"type": "text", "text": "[Background task b1 has ended.]"}]},
            ],
        }));
        assert_eq!(turn.prompt, "list files");
        assert_eq!(turn.earlier, ["hello"]);
        assert_eq!(turn.path("./a.txt"), "/home/me/my work/a.txt");
        assert_eq!(turn.path("/etc/hosts"), "/etc/hosts");
        assert!(turn.thinks && turn.offers("Bash") && !turn.offers("Read"));
        assert_eq!(turn.calls.len(), 1);
        assert_eq!(
            (turn.calls[0].output.as_str(), turn.calls[0].is_error),
            ("no\n(image)", true)
        );
    }

    #[test]
    fn text_next_to_a_result_starts_a_new_turn() {
        let turn = read(&json!({
            "messages": [
                {"role": "user", "content": "run sleep 30"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "stopped"},
                    {"type": "text", "text": "[Request interrupted by user for tool use]"},
                    {"type": "text", "text": "list files"}]},
            ],
        }));
        assert_eq!(turn.prompt, "list files");
        assert_eq!(turn.earlier, ["run sleep 30"]);
        assert!(turn.calls.is_empty());
    }
}
