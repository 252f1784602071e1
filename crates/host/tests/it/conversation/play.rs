//! A conversation being played by hand, and the lines of an agent to play it with.

use serde_json::{Value, json};
use sluice_host::conversation::{
    AskAnswer, ConversationEvent, ConversationState, Effect, Effects, Exit, Line, OwnRequest, PromptState, Submit,
    TrackedPrompt, Turn, What, step,
};
use sluice_wire::control::RequestId;
use sluice_wire::stdin::User;

/// A conversation, its clock and its log.
pub(crate) struct Play {
    pub(crate) state: ConversationState,
    pub(crate) now: u64,
    pub(crate) log: Vec<ConversationEvent>,
    serial: u64,
}

impl Play {
    /// A process is up.
    pub(crate) fn new() -> Self {
        let mut play = Self::cold();
        play.happens(What::Starting { resumed: false });
        play.happens(What::Up);
        play
    }

    /// Nothing has happened.
    pub(crate) fn cold() -> Self {
        Self {
            state: ConversationState::default(),
            now: 1_000,
            log: Vec::new(),
            serial: 0,
        }
    }

    pub(crate) fn happens(&mut self, what: What) -> Effects {
        let event = ConversationEvent::new(self.now, what);
        self.log.push(event.clone());
        step(&mut self.state, event)
    }

    /// Time passes, in seconds.
    pub(crate) fn wait(&mut self, seconds: u64) -> Effects {
        self.now += seconds * 1_000;
        self.happens(What::Tick)
    }

    pub(crate) fn submit(&mut self, id: &str) -> Effects {
        self.happens(What::Submit(Submit::new(id, User::new(id))))
    }

    /// The agent writes a message; one without a uuid gets one.
    pub(crate) fn says(&mut self, mut message: Value) -> Effects {
        self.serial += 1;
        let control = message["type"].as_str().unwrap().starts_with("control");
        if message.get("uuid").is_none() && !control {
            message["uuid"] = json!(format!("said-{}", self.serial));
        }
        self.now += 1;
        self.log.push(ConversationEvent::line(self.now, &message.to_string()));
        step(&mut self.state, self.log.last().unwrap().clone())
    }

    pub(crate) fn init(&mut self) -> Effects {
        self.says(init(&[]))
    }

    /// A new agent takes up a prompt and announces the turn.
    pub(crate) fn takes_up(&mut self, id: &str) {
        self.says(lifecycle(id, "queued"));
        self.says(lifecycle(id, "started"));
        self.says(init(&[id]));
    }

    pub(crate) fn answer(&mut self, answer: AskAnswer) -> Effects {
        self.happens(What::Answer(answer))
    }

    pub(crate) fn interrupt(&mut self, id: &str) -> Effects {
        self.happens(What::Request(OwnRequest::interrupt(id)))
    }

    pub(crate) fn dies(&mut self) -> Effects {
        self.happens(What::Exited(Exit {
            code: Some(1),
            signal: None,
        }))
    }

    pub(crate) fn prompt(&self, id: &str) -> &TrackedPrompt {
        self.state.prompt(id).unwrap()
    }

    pub(crate) fn prompt_state(&self, id: &str) -> PromptState {
        self.prompt(id).state
    }

    pub(crate) fn last_turn(&self) -> &Turn {
        self.state.turns().last().unwrap()
    }

    /// The turn of a prompt.
    pub(crate) fn turn_of(&self, id: &str) -> &Turn {
        &self.state.turns()[self.prompt(id).turn.expect("a turn")]
    }
}

/// The lines to be written among the effects.
pub(crate) fn sent(effects: &Effects) -> Vec<Line> {
    let lines = effects.iter().filter_map(|effect| match effect {
        Effect::Send(line) => Some(line.clone()),
        _ => None,
    });
    lines.collect()
}

pub(crate) fn id(id: &str) -> RequestId {
    RequestId::from(id)
}

pub(crate) fn init(uuids: &[&str]) -> Value {
    let mut init = json!({
        "type": "system", "subtype": "init", "cwd": "/work", "session_id": "session", "tools": ["Bash", "Read"],
        "mcp_servers": [{"name": "db", "status": "connected"}], "model": "sonnet", "permissionMode": "default",
        "slash_commands": ["compact", "cost"], "apiKeySource": "none", "claude_code_version": "2.1.38",
        "output_style": "default",
    });
    if !uuids.is_empty() {
        init["user_message_uuids"] = json!(uuids);
        init["claude_code_version"] = json!("2.1.325");
    }
    init
}

pub(crate) fn lifecycle(prompt: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state, "session_id": "session"})
}

pub(crate) fn echo(prompt: &str) -> Value {
    json!({
        "type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": null,
        "uuid": prompt, "session_id": "session", "isReplay": true,
    })
}

pub(crate) fn text(message: &str, text: &str) -> Value {
    assistant(message, json!({"type": "text", "text": text}))
}

pub(crate) fn tool_use(call: &str, name: &str) -> Value {
    assistant(
        "m",
        json!({"type": "tool_use", "id": call, "name": name, "input": {"command": "ls"}}),
    )
}

pub(crate) fn assistant(message: &str, block: Value) -> Value {
    json!({
        "type": "assistant", "parent_tool_use_id": null, "session_id": "session",
        "message": {
            "id": message, "type": "message", "role": "assistant", "model": "sonnet", "content": [block],
            "stop_reason": null, "usage": {"input_tokens": 10, "output_tokens": 5},
        },
    })
}

pub(crate) fn tool_result(call: &str) -> Value {
    json!({
        "type": "user", "parent_tool_use_id": null, "session_id": "session",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "done"}]},
    })
}

pub(crate) fn ask(request: &str, call: &str) -> Value {
    json!({
        "type": "control_request", "request_id": request,
        "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "touch x"}, "tool_use_id": call,
        },
    })
}

pub(crate) fn result() -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "done", "session_id": "session", "total_cost_usd": 0.5,
        "usage": {"input_tokens": 10, "output_tokens": 5}, "modelUsage": {}, "permission_denials": [],
    })
}

pub(crate) fn result_of(uuids: &[&str]) -> Value {
    let mut result = result();
    result["user_message_uuids"] = json!(uuids);
    result
}

pub(crate) fn result_from(origin: &str) -> Value {
    let mut result = result();
    result["origin"] = json!({"kind": origin});
    result
}

pub(crate) fn stream(event: Value) -> Value {
    json!({"type": "stream_event", "event": event, "session_id": "session", "parent_tool_use_id": null})
}

pub(crate) fn message_start(message: &str) -> Value {
    stream(json!({"type": "message_start", "message": {"id": message, "model": "sonnet"}}))
}

pub(crate) fn block_start(index: u64) -> Value {
    stream(json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}))
}

pub(crate) fn delta(index: u64, text: &str) -> Value {
    stream(json!({
        "type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text},
    }))
}

pub(crate) fn system(subtype: &str, fields: Value) -> Value {
    let mut message = json!({"type": "system", "subtype": subtype, "session_id": "session"});
    for (name, value) in fields.as_object().unwrap() {
        message[name] = value.clone();
    }
    message
}

pub(crate) fn success(request: &str, response: Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request, "response": response},
    })
}
