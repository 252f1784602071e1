//! Plays a script: one task that speaks, listens, and answers what nobody scripted.

mod listen;

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::time::Instant;

use super::answers;
use super::fault::{BIG, Fault, Silence};
use super::fill::Words;
use super::steps::{AgentScript, ControlAnswer, Step};
use super::voice::Voice;
use crate::error::Error;
use crate::pattern::matches;

/// What follows a step.
enum Flow {
    Next,
    /// The host interrupted the turn.
    Interrupted,
    /// The process ends with this code.
    Exit(i32),
}

/// How long to listen.
#[derive(Clone, Copy)]
enum Patience {
    None,
    Until(Instant),
    Endless,
}

/// What a wait brought.
enum Heard {
    Line(Value),
    Interrupt,
    TimeOut,
    End,
}

pub(super) struct Player<'a, R, W> {
    input: BufReader<R>,
    /// The line being read; kept here so that a wait that is given up loses nothing.
    partial: Vec<u8>,
    inbox: VecDeque<Value>,
    voice: Voice<W>,
    words: Words,
    script: &'a AgentScript,
    /// Control requests the script wants to see itself, and how often; `None` is always.
    reserved: Vec<(Value, Option<usize>)>,
    /// Ids of a recorded host, and those of the host that listens now.
    ids: Vec<(String, String)>,
    in_turn: bool,
    interrupted: bool,
    mute: bool,
    ended: bool,
    /// The question that waits for its answer.
    asking: Option<String>,
}

impl<'a, R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Player<'a, R, W> {
    pub(super) fn new(script: &'a AgentScript, input: R, output: W) -> Self {
        let mut reserved = Vec::new();
        reserve(&script.steps, Some(1), &mut reserved);
        Self {
            input: BufReader::new(input),
            partial: Vec::new(),
            inbox: VecDeque::new(),
            voice: Voice::new(output, script.pace),
            words: Words::new(script.session_id.clone(), script.seed),
            script,
            reserved,
            ids: Vec::new(),
            in_turn: false,
            interrupted: false,
            mute: false,
            ended: false,
            asking: None,
        }
    }

    /// Plays all steps, then stays until the host leaves.
    pub(super) async fn run(mut self) -> Result<i32, Error> {
        match self.play_all().await {
            // A host that stopped listening has left.
            Err(Error::Pipe(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
            played => played,
        }
    }

    async fn play_all(&mut self) -> Result<i32, Error> {
        let script = self.script;
        let flow = match self.play(&script.steps).await? {
            Flow::Interrupted => self.wind_up().await?,
            flow => flow,
        };
        if let Flow::Exit(code) = flow {
            return Ok(code);
        }
        self.voice.let_go().await?;
        self.reserved.clear();
        for line in std::mem::take(&mut self.inbox) {
            self.take_in(line).await?;
        }
        while !self.ended {
            self.hear(Patience::Endless).await?;
        }
        Ok(0)
    }

    /// Plays the steps for an interrupted turn.
    async fn wind_up(&mut self) -> Result<Flow, Error> {
        self.interrupted = false;
        self.in_turn = false;
        let script = self.script;
        match &script.on_interrupt {
            Some(steps) => self.play(steps).await,
            None => Ok(Flow::Next),
        }
    }

    /// Boxed, for steps hold steps.
    fn play<'s>(&'s mut self, steps: &'s [Step]) -> Pin<Box<dyn Future<Output = Result<Flow, Error>> + Send + 's>> {
        Box::pin(async move {
            for step in steps {
                if self.look_up().await? {
                    return Ok(Flow::Interrupted);
                }
                match self.step(step).await? {
                    Flow::Next => {}
                    other => return Ok(other),
                }
            }
            Ok(Flow::Next)
        })
    }

    async fn step(&mut self, step: &Step) -> Result<Flow, Error> {
        match step {
            Step::Say(frames) => {
                self.words.next_message();
                for frame in frames {
                    if self.look_up().await? {
                        return Ok(Flow::Interrupted);
                    }
                    let frame = self.words.fill(frame);
                    self.say(&frame).await?;
                }
                Ok(Flow::Next)
            }
            Step::Line(line) => {
                let line = self
                    .ids
                    .iter()
                    .fold(line.clone(), |line, (old, new)| line.replace(old, new));
                self.note_said(&serde_json::from_str(&line).unwrap_or(Value::Null));
                self.voice.line(line.into_bytes()).await?;
                Ok(Flow::Next)
            }
            Step::Raw(text) => {
                self.voice.let_go().await?;
                self.voice.put(text.as_bytes()).await?;
                Ok(Flow::Next)
            }
            Step::Expect {
                pattern,
                name,
                timeout,
                at,
            } => {
                let pattern = self.words.fill(pattern);
                let line = match self.wait(*timeout, |line| matches(&pattern, line)).await? {
                    Heard::Line(line) => line,
                    Heard::Interrupt => return Ok(Flow::Interrupted),
                    Heard::End => return Ok(Flow::Exit(0)),
                    Heard::TimeOut => {
                        let seconds = timeout.unwrap_or_default().as_secs_f64();
                        return Err(Error::Unmet {
                            at: at.clone(),
                            pattern: pattern.to_string(),
                            seconds,
                        });
                    }
                };
                if let Some(name) = name {
                    self.words.names.insert(name.clone(), line);
                }
                Ok(Flow::Next)
            }
            Step::Heard(recorded) => {
                let pattern = likeness(recorded);
                match self.wait(None, |line| matches(&pattern, line)).await? {
                    Heard::Line(line) => {
                        self.learn_ids(recorded, &line);
                        Ok(Flow::Next)
                    }
                    Heard::Interrupt => Ok(Flow::Interrupted),
                    Heard::TimeOut | Heard::End => Ok(Flow::Exit(0)),
                }
            }
            Step::Ask { request, name } => self.ask(request, name.as_deref()).await,
            Step::ReplyTo { name, answer } => {
                let id = self
                    .words
                    .names
                    .get(name)
                    .and_then(|line| line.get("request_id"))
                    .cloned();
                let answer = match answer {
                    ControlAnswer::Success(payload) => ControlAnswer::Success(self.words.fill(payload)),
                    ControlAnswer::Error(text) => ControlAnswer::Error(self.words.fill(text)),
                };
                self.say(&answers::frame(&id.unwrap_or(Value::Null), &answer)).await?;
                Ok(Flow::Next)
            }
            Step::When {
                of,
                pattern,
                then,
                otherwise,
            } => {
                let holds = self.words.names.get(of).is_some_and(|line| matches(pattern, line));
                self.play(if holds { then } else { otherwise }).await
            }
            Step::Repeat { times, steps } => self.repeat(*times, steps).await,
            Step::Sleep(time) => {
                let until = Patience::Until(Instant::now() + *time);
                self.voice.let_go().await?;
                Ok(match self.wait_until(until, |_| false).await? {
                    Heard::Interrupt => Flow::Interrupted,
                    Heard::Line(_) | Heard::TimeOut | Heard::End => Flow::Next,
                })
            }
            Step::Fault(fault) => self.fault(fault).await,
            Step::Exit(code) => {
                self.voice.let_go().await?;
                Ok(Flow::Exit(*code))
            }
        }
    }

    async fn repeat(&mut self, times: Option<usize>, steps: &[Step]) -> Result<Flow, Error> {
        let mut round = 0;
        while times.is_none_or(|times| round < times) {
            round += 1;
            let flow = match self.play(steps).await? {
                Flow::Interrupted => self.wind_up().await?,
                flow => flow,
            };
            if let Flow::Exit(code) = flow {
                return Ok(Flow::Exit(code));
            }
        }
        Ok(Flow::Next)
    }

    /// Asks whether a tool may run and waits for the answer; an interrupt withdraws the question first.
    async fn ask(&mut self, request: &Value, name: Option<&str>) -> Result<Flow, Error> {
        let request = self.words.fill(request);
        let id = self.words.uuid();
        self.say(&json!({"type": "control_request", "request_id": id, "request": request}))
            .await?;
        let answer = json!({"type": "control_response", "response": {"request_id": id}});
        self.asking = Some(id);
        let heard = self.wait(None, |line| matches(&answer, line)).await?;
        self.asking = None;
        match heard {
            Heard::Line(line) => {
                if let Some(name) = name {
                    self.words.names.insert(name.to_owned(), line);
                }
                Ok(Flow::Next)
            }
            Heard::Interrupt => Ok(Flow::Interrupted),
            Heard::TimeOut | Heard::End => Ok(Flow::Exit(0)),
        }
    }

    async fn fault(&mut self, fault: &Fault) -> Result<Flow, Error> {
        match fault {
            Fault::Slow { delay, chunk } => {
                self.voice.delay = *delay;
                self.voice.chunk = *chunk;
            }
            Fault::Silent { until } => {
                self.mute = true;
                let ended = match until {
                    Silence::For(time) => {
                        self.wait_until(Patience::Until(Instant::now() + *time), |_| false)
                            .await?
                    }
                    Silence::Until(pattern) => {
                        self.wait_until(Patience::Endless, |line| matches(pattern, line))
                            .await?
                    }
                    Silence::TheEnd => self.wait_until(Patience::Endless, |_| false).await?,
                };
                self.mute = false;
                self.inbox.retain(|line| {
                    kind(line) != "control_request" || self.reserved.iter().any(|(it, _)| matches(it, line))
                });
                match ended {
                    Heard::End => return Ok(Flow::Exit(0)),
                    // What ends the silence is the first thing answered after it.
                    Heard::Line(line) if kind(&line) == "control_request" => self.take_in(line).await?,
                    Heard::Line(_) | Heard::TimeOut | Heard::Interrupt => {}
                }
            }
            Fault::Crash { code } => return Ok(Flow::Exit(*code)),
            Fault::Garbage { bytes } => self.voice.line(bytes.clone()).await?,
            Fault::Duplicate => self.voice.duplicate = true,
            Fault::OutOfOrder => self.voice.swap_next(),
            Fault::Truncate { say, bytes, code } => {
                let line = self.words.fill(say).to_string();
                let end = bytes.unwrap_or(line.len() / 2).min(line.len());
                self.voice.let_go().await?;
                self.voice.put(line.as_bytes().get(..end).unwrap_or(&[])).await?;
                return Ok(Flow::Exit(*code));
            }
            Fault::Huge { say, bytes } => {
                let line = self.words.fill(say).to_string().replacen(BIG, &"x".repeat(*bytes), 1);
                self.voice.line(line.into_bytes()).await?;
            }
        }
        Ok(Flow::Next)
    }

    async fn say(&mut self, frame: &Value) -> Result<(), Error> {
        self.note_said(frame);
        self.voice.line(frame.to_string().into_bytes()).await?;
        Ok(())
    }

    fn note_said(&mut self, frame: &Value) {
        if kind(frame) == "result" {
            self.in_turn = false;
        }
    }

    /// Remembers which ids of the recorded host are which of the one that listens.
    fn learn_ids(&mut self, recorded: &Value, live: &Value) {
        for key in ["request_id", "uuid"] {
            let id = |line: &Value| line.get(key).and_then(Value::as_str).map(|id| format!("\"{id}\""));
            if let (Some(old), Some(new)) = (id(recorded), id(live))
                && old != new
            {
                self.ids.push((old, new));
            }
        }
    }
}

fn kind(message: &Value) -> &str {
    message.get("type").and_then(Value::as_str).unwrap_or("")
}

/// The pattern of lines that mean the same as a recorded one.
fn likeness(recorded: &Value) -> Value {
    match kind(recorded) {
        "control_request" => {
            let subtype = recorded.get("request").and_then(|request| request.get("subtype"));
            let subtype = subtype.cloned().unwrap_or_else(|| json!({"$absent": true}));
            json!({"type": "control_request", "request": {"subtype": subtype}})
        }
        "control_response" => {
            let id = recorded.get("response").and_then(|response| response.get("request_id"));
            json!({"type": "control_response", "response": {"request_id": id}})
        }
        other => json!({"type": other}),
    }
}

/// Collects the control requests that steps wait for themselves.
fn reserve(steps: &[Step], times: Option<usize>, reserved: &mut Vec<(Value, Option<usize>)>) {
    for step in steps {
        match step {
            Step::Expect { pattern, .. } if kind(pattern) == "control_request" => {
                reserved.push((pattern.clone(), times));
            }
            Step::Heard(line) if kind(line) == "control_request" => reserved.push((likeness(line), times)),
            Step::When { then, otherwise, .. } => {
                reserve(then, times, reserved);
                reserve(otherwise, times, reserved);
            }
            Step::Repeat { times: rounds, steps } => {
                let times = times.zip(*rounds).map(|(times, rounds)| times * rounds);
                reserve(steps, times, reserved);
            }
            _ => {}
        }
    }
}
