//! A stand-in for an agent: it speaks stream-json, and its prompts say what to do.
//!
//! `stream COUNT MILLISECONDS` writes a text in that many deltas, so far apart; `flood COUNT` says that many short
//! messages as fast as it can; anything else is answered with one word.

use std::io::{self, BufRead as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::stamp;

pub(crate) fn run(args: &[String]) -> io::Result<()> {
    let session = named(args, &["--session-id", "--resume"]).unwrap_or_else(|| Uuid::new_v4().to_string());
    let mut agent = Agent {
        session,
        ids: Uuid::new_v4().as_u128(),
        out: io::BufWriter::new(io::stdout().lock()),
    };
    for line in io::stdin().lock().lines() {
        let said: Value = serde_json::from_str(&line?).unwrap_or_default();
        match said["type"].as_str() {
            Some("control_request") => agent.answer(&said)?,
            Some("user") => agent.turn(&said)?,
            _ => {}
        }
        agent.out.flush()?;
    }
    Ok(())
}

/// The value of the first of these flags, as `--flag value` or `--flag=value`.
fn named(args: &[String], flags: &[&str]) -> Option<String> {
    let mut words = args.iter();
    while let Some(word) = words.next() {
        for flag in flags {
            if word == flag {
                return words.next().cloned();
            }
            if let Some(value) = word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')) {
                return Some(value.to_owned());
            }
        }
    }
    None
}

struct Agent {
    session: String,
    ids: u128,
    out: io::BufWriter<io::StdoutLock<'static>>,
}

impl Agent {
    fn id(&mut self) -> Uuid {
        self.ids = self.ids.wrapping_add(1);
        Uuid::from_u128(self.ids)
    }

    fn say(&mut self, mut line: Value) -> io::Result<()> {
        line["session_id"] = self.session.clone().into();
        if line.get("uuid").is_none() {
            line["uuid"] = self.id().to_string().into();
        }
        writeln!(self.out, "{line}")
    }

    fn event(&mut self, event: &Value) -> io::Result<()> {
        self.say(json!({"type": "stream_event", "event": event, "parent_tool_use_id": null}))
    }

    fn answer(&mut self, request: &Value) -> io::Result<()> {
        let body = match request["request"]["subtype"].as_str() {
            Some("initialize") => json!({
                "commands": [], "agents": [], "output_style": "default", "available_output_styles": ["default"],
                "models": [], "account": {}
            }),
            _ => json!({}),
        };
        let response = json!({"subtype": "success", "request_id": request["request_id"], "response": body});
        writeln!(
            self.out,
            "{}",
            json!({"type": "control_response", "response": response})
        )
    }

    fn turn(&mut self, prompt: &Value) -> io::Result<()> {
        let began = Instant::now();
        self.say(json!({
            "type": "system", "subtype": "init", "cwd": ".", "tools": [], "mcp_servers": [], "model": "load",
            "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
            "claude_code_version": "2.1.325", "output_style": "default", "agents": [], "skills": [], "plugins": []
        }))?;
        let mut replay = prompt.clone();
        replay["isReplay"] = true.into();
        self.say(replay)?;
        let text = said(prompt);
        let mut words = text.split_whitespace();
        let verb = words.next().unwrap_or_default().to_owned();
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        match verb.as_str() {
            "stream" => self.stream(number(), Duration::from_millis(number()))?,
            "flood" => self.flood(number())?,
            _ => self.message("msg_word", "Yes.")?,
        }
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.say(json!({
            "type": "result", "subtype": "success", "is_error": false, "duration_ms": took, "duration_api_ms": took,
            "num_turns": 1, "result": "", "stop_reason": "end_turn", "total_cost_usd": 0.0,
            "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {}, "permission_denials": []
        }))
    }

    fn message(&mut self, id: &str, text: &str) -> io::Result<()> {
        self.say(json!({
            "type": "assistant", "parent_tool_use_id": null,
            "message": {
                "id": id, "type": "message", "role": "assistant", "model": "load", "stop_reason": null,
                "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1, "output_tokens": 1}
            }
        }))
    }

    fn stream(&mut self, count: u64, every: Duration) -> io::Result<()> {
        let id = format!("msg_{}", self.id().simple());
        self.event(&json!({"type": "message_start", "message": {
            "id": id, "type": "message", "role": "assistant", "model": "load", "content": [],
            "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}
        }}))?;
        let block = json!({"type": "text", "text": ""});
        self.event(&json!({"type": "content_block_start", "index": 0, "content_block": block}))?;
        self.out.flush()?;
        let mut whole = String::new();
        // Agents that begin together do not beat together.
        let phase = self.ids % every.as_micros().max(1);
        let began = Instant::now() + Duration::from_micros(u64::try_from(phase).unwrap_or(0));
        for number in 0..count {
            let due = began + every.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let text = stamp::write(number);
            whole.push_str(&text);
            // By hand: hundreds of agents share the machine with what is measured.
            let (session, uuid) = (self.session.clone(), self.id());
            writeln!(
                self.out,
                r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}},"session_id":"{session}","parent_tool_use_id":null,"uuid":"{uuid}"}}"#
            )?;
            self.out.flush()?;
        }
        self.event(&json!({"type": "content_block_stop", "index": 0}))?;
        self.message(&id, &whole)?;
        let usage = json!({"output_tokens": count});
        let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage});
        self.event(&end)?;
        self.event(&json!({"type": "message_stop"}))
    }

    fn flood(&mut self, count: u64) -> io::Result<()> {
        for number in 0..count {
            self.message(&format!("msg_flood_{number}"), &format!("short message {number}"))?;
        }
        Ok(())
    }
}

/// The text of a prompt: a string, or blocks.
fn said(prompt: &Value) -> String {
    let content = &prompt["message"]["content"];
    match content.as_str() {
        Some(text) => text.to_owned(),
        None => {
            let blocks = content.as_array().into_iter().flatten();
            blocks.filter_map(|block| block["text"].as_str()).collect()
        }
    }
}
