//! A small agent, as the old and the new reference agents behave, that knows what is true about itself.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

/// What kind of agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Tells lifecycles, names prompts, wakes by itself, merges prompts that wait.
    pub(crate) new: bool,
    /// Repeats prompts and answers.
    pub(crate) echoes: bool,
    /// Begins turns without a word.
    pub(crate) plain: bool,
}

pub(crate) struct Agent {
    pub(crate) kind: Kind,
    pub(crate) alive: bool,
    /// Lines of the host that were not read yet.
    pub(crate) inbox: VecDeque<String>,
    /// Lines that were written and not read by the host yet.
    pub(crate) out: VecDeque<String>,
    /// Background tasks that ended and were not spoken of yet.
    pub(crate) wakes: u32,
    queue: VecDeque<String>,
    /// What is in the transcript.
    pub(crate) taken_up: HashSet<String>,
    turn: Option<Turn>,
    serial: u32,
    /// The prompts that each result ended, by the result's uuid.
    pub(crate) results: HashMap<String, Vec<String>>,
}

struct Turn {
    prompts: Vec<String>,
    wake: bool,
    /// Old agents repeat the prompt just before they first speak.
    unechoed: Vec<String>,
    call: Option<String>,
    ask: Option<String>,
}

impl Agent {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            alive: true,
            inbox: VecDeque::new(),
            out: VecDeque::new(),
            wakes: 0,
            queue: VecDeque::new(),
            taken_up: HashSet::new(),
            turn: None,
            serial: 0,
            results: HashMap::new(),
        }
    }

    /// Whether there is nothing left for it to do.
    pub(crate) fn is_done(&self) -> bool {
        self.inbox.is_empty() && self.queue.is_empty() && self.wakes == 0 && self.turn.is_none()
    }

    /// The process dies. Only what is in the transcript survives.
    pub(crate) fn crash(&mut self) {
        self.alive = false;
        self.inbox.clear();
        self.queue.clear();
        self.turn = None;
        self.wakes = 0;
    }

    fn say(&mut self, line: &str) {
        self.serial += 1;
        let uuid = format!(r#","uuid":"u{}"}}"#, self.serial);
        self.out.push_back(line.strip_suffix('}').unwrap().to_owned() + &uuid);
    }

    fn lifecycle(&mut self, prompt: &str, state: &str) {
        if self.kind.new {
            self.say(&format!(
                r#"{{"type":"command_lifecycle","command_uuid":"{prompt}","state":"{state}"}}"#
            ));
        }
    }

    fn echo(&mut self, prompt: &str) {
        if self.kind.echoes {
            self.out.push_back(format!(
                r#"{{"type":"user","message":{{"role":"user","content":"{prompt}"}},"parent_tool_use_id":null,"uuid":"{prompt}","isReplay":true}}"#
            ));
        }
    }

    fn respond(&mut self, request: &str, response: &str) {
        self.out.push_back(format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{request}","response":{response}}}}}"#
        ));
    }

    fn named(&self, prompts: &[String]) -> String {
        if self.kind.new && !prompts.is_empty() {
            format!(r#","user_message_uuids":{}"#, serde_json::to_string(prompts).unwrap())
        } else {
            String::new()
        }
    }

    /// Reads one line of the host.
    pub(crate) fn read(&mut self) {
        let Some(line) = self.inbox.pop_front() else { return };
        let message: Value = serde_json::from_str(&line).unwrap();
        match message["type"].as_str().unwrap() {
            "user" => self.prompted(message["uuid"].as_str().unwrap()),
            "control_response" => {
                let id = message["response"]["request_id"].as_str().unwrap();
                if self.kind.echoes {
                    self.out.push_back(line);
                }
                if let Some(turn) = self.turn.as_mut().filter(|it| it.ask.as_deref() == Some(id)) {
                    turn.ask = None;
                }
            }
            "control_request" => {
                let id = message["request_id"].as_str().unwrap();
                match message["request"]["subtype"].as_str().unwrap() {
                    "interrupt" => self.interrupted(id),
                    "cancel_async_message" if self.kind.new => {
                        let prompt = message["request"]["message_uuid"].as_str().unwrap();
                        let waits = self.queue.iter().position(|it| it == prompt);
                        if let Some(at) = waits {
                            self.queue.remove(at);
                            self.lifecycle(prompt, "cancelled");
                        }
                        self.respond(id, &format!(r#"{{"cancelled":{}}}"#, waits.is_some()));
                    }
                    // Old agents say nothing to what they do not know.
                    _ if !self.kind.new => {}
                    _ => self.respond(id, "{}"),
                }
            }
            other => panic!("a host must not write {other}"),
        }
    }

    fn prompted(&mut self, prompt: &str) {
        if self.taken_up.contains(prompt) {
            self.echo(prompt);
            self.lifecycle(prompt, "completed");
        } else if !self.queue.iter().any(|it| it == prompt) {
            self.queue.push_back(prompt.to_owned());
            self.lifecycle(prompt, "queued");
        }
    }

    fn interrupted(&mut self, request: &str) {
        if let Some(ask) = self.turn.as_mut().and_then(|it| it.ask.take()) {
            self.out
                .push_back(format!(r#"{{"type":"control_cancel_request","request_id":"{ask}"}}"#));
        }
        self.respond(request, "{}");
        if self.turn.is_some() {
            self.call_ends();
            self.turn_ends("error_during_execution");
        }
    }

    /// Does the next bit of work; `choice` says which.
    pub(crate) fn work(&mut self, choice: u8) {
        if self.turn.is_none() {
            if self.wakes > 0 && (choice.is_multiple_of(2) || self.queue.is_empty()) {
                self.wakes -= 1;
                self.begin(Vec::new(), true);
            } else if !self.queue.is_empty() {
                let take = if self.kind.new && choice.is_multiple_of(3) {
                    self.queue.len()
                } else {
                    1
                };
                let prompts = self.queue.drain(..take).collect();
                self.begin(prompts, false);
            }
            return;
        }
        let (calling, asking) = self
            .turn
            .as_ref()
            .map(|it| (it.call.is_some(), it.ask.is_some()))
            .unwrap();
        match (calling, choice % 8) {
            _ if asking => {}
            (true, 0..=5) => {
                self.call_ends();
                self.fold();
            }
            (true, _) => self.say(r#"{"type":"tool_progress","tool_use_id":"x","tool_name":"Bash","parent_tool_use_id":null,"elapsed_time_seconds":30}"#),
            (false, 0 | 1) => self.calls(choice.is_multiple_of(2)),
            (false, 2) => self.streams(),
            (false, 3 | 4) => self.speaks(),
            (false, _) => {
                self.speaks();
                self.turn_ends("success");
            }
        }
    }

    fn begin(&mut self, prompts: Vec<String>, wake: bool) {
        for prompt in &prompts {
            self.taken_up.insert(prompt.clone());
            self.lifecycle(prompt, "started");
        }
        let named = self.named(&prompts);
        let capable = if self.kind.new {
            r#","capabilities":["msg_lifecycle_v1"]"#
        } else {
            ""
        };
        if !self.kind.plain {
            self.say(&format!(
            r#"{{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[],"slash_commands":[]{capable}{named}}}"#
        ));
        }
        let mut unechoed = prompts.clone();
        if self.kind.new {
            for prompt in std::mem::take(&mut unechoed) {
                self.echo(&prompt);
            }
        }
        self.turn = Some(Turn {
            prompts,
            wake,
            unechoed,
            call: None,
            ask: None,
        });
    }

    fn catch_up_echoes(&mut self) {
        let unechoed = self.turn.as_mut().map(|it| std::mem::take(&mut it.unechoed));
        for prompt in unechoed.unwrap_or_default() {
            self.echo(&prompt);
        }
    }

    fn block(&mut self, block: &str) {
        self.catch_up_echoes();
        let named = self.named(&self.turn.as_ref().unwrap().prompts);
        let message = format!("m{}", self.serial);
        self.say(&format!(
            r#"{{"type":"assistant","message":{{"id":"{message}","role":"assistant","model":"m","content":[{block}]}},"parent_tool_use_id":null{named}}}"#
        ));
    }

    fn speaks(&mut self) {
        self.block(r#"{"type":"text","text":"words"}"#);
    }

    fn streams(&mut self) {
        let message = format!("m{}", self.serial);
        self.say(&format!(r#"{{"type":"stream_event","event":{{"type":"message_start","message":{{"id":"{message}"}}}},"parent_tool_use_id":null}}"#));
        self.say(r#"{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}"#);
        self.say(r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"wor"}},"parent_tool_use_id":null}"#);
    }

    fn calls(&mut self, asks: bool) {
        let call = format!("c{}", self.serial);
        self.block(&format!(
            r#"{{"type":"tool_use","id":"{call}","name":"Bash","input":{{}}}}"#
        ));
        if asks {
            let ask = format!("a{}", self.serial);
            self.out.push_back(format!(
                r#"{{"type":"control_request","request_id":"{ask}","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{}},"tool_use_id":"{call}"}}}}"#
            ));
            self.turn.as_mut().unwrap().ask = Some(ask);
        }
        self.turn.as_mut().unwrap().call = Some(call);
    }

    fn call_ends(&mut self) {
        if let Some(call) = self.turn.as_mut().and_then(|it| it.call.take()) {
            self.say(&format!(
                r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}","content":"done"}}]}},"parent_tool_use_id":null}}"#
            ));
        }
    }

    /// Prompts that came during the call join the turn.
    fn fold(&mut self) {
        for prompt in std::mem::take(&mut self.queue) {
            self.taken_up.insert(prompt.clone());
            self.echo(&prompt);
            self.lifecycle(&prompt, "started");
            self.turn.as_mut().unwrap().prompts.push(prompt);
        }
    }

    fn turn_ends(&mut self, subtype: &str) {
        self.catch_up_echoes();
        let turn = self.turn.take().unwrap();
        let named = self.named(&turn.prompts);
        let origin = if turn.wake {
            r#","origin":{"kind":"task-notification"}"#
        } else {
            ""
        };
        self.say(&format!(
            r#"{{"type":"result","subtype":"{subtype}","is_error":false,"session_id":"s","total_cost_usd":0.1{named}{origin}}}"#
        ));
        self.results.insert(format!("u{}", self.serial), turn.prompts.clone());
        for prompt in &turn.prompts {
            self.lifecycle(prompt, "completed");
        }
    }

    /// A result that answers nothing of this host.
    pub(crate) fn strays(&mut self, choice: u8) {
        let what = match choice % 3 {
            0 => r#","origin":{"kind":"peer"}"#,
            1 => r#","user_message_uuids":["another-hosts"]"#,
            _ => "",
        };
        self.say(&format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"session_id":"s"{what}}}"#
        ));
        self.results.insert(format!("u{}", self.serial), Vec::new());
    }
}
