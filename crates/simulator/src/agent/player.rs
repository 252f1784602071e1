//! Plays a script: one task that writes, reads, and answers requests that the script does not mention.

mod listen;

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::time::Instant;

use super::answers;
use super::fault::{BIG, Fault, Silence};
use super::output::Output;
use super::placeholders::Placeholders;
use super::steps::{AgentScript, ControlAnswer, Step};
use crate::error::Error;
use crate::pattern::matches;

/// How to continue after a step.
enum Flow {
    Next,
    /// The host interrupted the turn.
    Interrupted,
    /// The process exits with this code.
    Exit(i32),
}

/// How long to wait for a line.
#[derive(Clone, Copy)]
enum ReadLimit {
    None,
    Until(Instant),
    Endless,
}

/// The result of a wait.
enum WaitResult {
    Line(Value),
    Interrupt,
    TimeOut,
    End,
}

pub(super) struct Player<'a, R, W> {
    input: BufReader<R>,
    /// The line that is being read. It is stored here so that a cancelled wait loses nothing.
    partial: Vec<u8>,
    inbox: VecDeque<Value>,
    output: Output<W>,
    placeholders: Placeholders,
    script: &'a AgentScript,
    /// Patterns of control requests that the script handles itself, and how many times; `None` means always.
    reserved: Vec<(Value, Option<usize>)>,
    /// Ids of the recorded host, and the corresponding ids of the current host.
    ids: Vec<(String, String)>,
    in_turn: bool,
    interrupted: bool,
    mute: bool,
    ended: bool,
    /// The id of the open permission request.
    asking: Option<String>,
}

impl<'a, R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Player<'a, R, W> {
    pub(super) fn new(script: &'a AgentScript, input: R, output: W) -> Self {
        let mut reserved = Vec::new();
        collect_reserved(&script.steps, Some(1), &mut reserved);
        Self {
            input: BufReader::new(input),
            partial: Vec::new(),
            inbox: VecDeque::new(),
            output: Output::new(output, script.pace),
            placeholders: Placeholders::new(script.session_id.clone(), script.seed),
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

    /// Plays all steps, then waits until the host disconnects.
    pub(super) async fn run(mut self) -> Result<i32, Error> {
        match self.play_all().await {
            // The host has closed its end of the pipe.
            Err(Error::Pipe(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
            played => played,
        }
    }

    async fn play_all(&mut self) -> Result<i32, Error> {
        let script = self.script;
        let flow = match self.play(&script.steps).await? {
            Flow::Interrupted => self.play_interrupt_steps().await?,
            flow => flow,
        };
        if let Flow::Exit(code) = flow {
            return Ok(code);
        }
        self.output.flush_held().await?;
        self.reserved.clear();
        for line in std::mem::take(&mut self.inbox) {
            self.handle(line).await?;
        }
        while !self.ended {
            self.read_line(ReadLimit::Endless).await?;
        }
        Ok(0)
    }

    /// Plays the steps for an interrupted turn (`on_interrupt`).
    async fn play_interrupt_steps(&mut self) -> Result<Flow, Error> {
        self.interrupted = false;
        self.in_turn = false;
        let script = self.script;
        match &script.on_interrupt {
            Some(steps) => self.play(steps).await,
            None => Ok(Flow::Next),
        }
    }

    /// Plays steps. The future is boxed, because steps contain steps.
    fn play<'s>(&'s mut self, steps: &'s [Step]) -> Pin<Box<dyn Future<Output = Result<Flow, Error>> + Send + 's>> {
        Box::pin(async move {
            for step in steps {
                if self.process_pending().await? {
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
            Step::Say(frames) => self.send_all(frames).await,
            Step::Line(line) => {
                let line = self
                    .ids
                    .iter()
                    .fold(line.clone(), |line, (old, new)| line.replace(old, new));
                self.note_sent(&serde_json::from_str(&line).unwrap_or(Value::Null));
                self.output.line(line.into_bytes()).await?;
                Ok(Flow::Next)
            }
            Step::Raw(text) => {
                self.output.flush_held().await?;
                self.output.write(text.as_bytes()).await?;
                Ok(Flow::Next)
            }
            Step::Expect {
                pattern,
                name,
                timeout,
                at,
            } => {
                let pattern = self.placeholders.fill(pattern);
                self.expect(&pattern, name.as_deref(), *timeout, at).await
            }
            Step::AwaitRecorded(recorded) => self.await_recorded(recorded).await,
            Step::Ask { request, name } => self.ask(request, name.as_deref()).await,
            Step::ReplyTo { name, answer } => self.reply_to(name, answer).await,
            Step::When {
                of,
                pattern,
                then,
                otherwise,
            } => {
                let holds = self
                    .placeholders
                    .names
                    .get(of)
                    .is_some_and(|line| matches(pattern, line));
                self.play(if holds { then } else { otherwise }).await
            }
            Step::Repeat { times, steps } => self.repeat(*times, steps).await,
            Step::Sleep(time) => {
                let until = ReadLimit::Until(Instant::now() + *time);
                self.output.flush_held().await?;
                Ok(match self.wait_until(until, |_| false).await? {
                    WaitResult::Interrupt => Flow::Interrupted,
                    WaitResult::Line(_) | WaitResult::TimeOut | WaitResult::End => Flow::Next,
                })
            }
            Step::Fault(fault) => self.fault(fault).await,
            Step::Exit(code) => {
                self.output.flush_held().await?;
                Ok(Flow::Exit(*code))
            }
        }
    }

    /// Fills in and writes messages, unless the host interrupts the turn.
    async fn send_all(&mut self, frames: &[Value]) -> Result<Flow, Error> {
        self.placeholders.next_message();
        for frame in frames {
            if self.process_pending().await? {
                return Ok(Flow::Interrupted);
            }
            let frame = self.placeholders.fill(frame);
            self.send(&frame).await?;
        }
        Ok(Flow::Next)
    }

    /// Waits for a line of the host that matches a pattern, and captures it under `name`.
    async fn expect(
        &mut self,
        pattern: &Value,
        name: Option<&str>,
        timeout: Option<Duration>,
        at: &str,
    ) -> Result<Flow, Error> {
        match self.wait(timeout, |line| matches(pattern, line)).await? {
            WaitResult::Line(line) => {
                if let Some(name) = name {
                    self.placeholders.names.insert(name.to_owned(), line);
                }
                Ok(Flow::Next)
            }
            WaitResult::Interrupt => Ok(Flow::Interrupted),
            WaitResult::End => Ok(Flow::Exit(0)),
            WaitResult::TimeOut => Err(Error::Unmet {
                at: at.to_owned(),
                pattern: pattern.to_string(),
                seconds: timeout.unwrap_or_default().as_secs_f64(),
            }),
        }
    }

    /// Waits for a line of the host that is equivalent to a recorded one.
    async fn await_recorded(&mut self, recorded: &Value) -> Result<Flow, Error> {
        let pattern = equivalent_pattern(recorded);
        match self.wait(None, |line| matches(&pattern, line)).await? {
            WaitResult::Line(line) => {
                self.map_ids(recorded, &line);
                Ok(Flow::Next)
            }
            WaitResult::Interrupt => Ok(Flow::Interrupted),
            WaitResult::TimeOut | WaitResult::End => Ok(Flow::Exit(0)),
        }
    }

    /// Answers a captured control request.
    async fn reply_to(&mut self, name: &str, answer: &ControlAnswer) -> Result<Flow, Error> {
        let request = self.placeholders.names.get(name);
        let id = request.and_then(|line| line.get("request_id")).cloned();
        let answer = match answer {
            ControlAnswer::Success(payload) => ControlAnswer::Success(self.placeholders.fill(payload)),
            ControlAnswer::Error(text) => ControlAnswer::Error(self.placeholders.fill(text)),
        };
        self.send(&answers::frame(&id.unwrap_or(Value::Null), &answer)).await?;
        Ok(Flow::Next)
    }

    async fn repeat(&mut self, times: Option<usize>, steps: &[Step]) -> Result<Flow, Error> {
        let mut round = 0;
        while times.is_none_or(|times| round < times) {
            round += 1;
            let flow = match self.play(steps).await? {
                Flow::Interrupted => self.play_interrupt_steps().await?,
                flow => flow,
            };
            if let Flow::Exit(code) = flow {
                return Ok(Flow::Exit(code));
            }
        }
        Ok(Flow::Next)
    }

    /// Sends a permission request and waits for the answer. An interrupt withdraws the request.
    async fn ask(&mut self, request: &Value, name: Option<&str>) -> Result<Flow, Error> {
        let request = self.placeholders.fill(request);
        let id = self.placeholders.uuid();
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}))
            .await?;
        let answer = json!({"type": "control_response", "response": {"request_id": id}});
        self.asking = Some(id);
        let result = self.wait(None, |line| matches(&answer, line)).await?;
        self.asking = None;
        match result {
            WaitResult::Line(line) => {
                if let Some(name) = name {
                    self.placeholders.names.insert(name.to_owned(), line);
                }
                Ok(Flow::Next)
            }
            WaitResult::Interrupt => Ok(Flow::Interrupted),
            WaitResult::TimeOut | WaitResult::End => Ok(Flow::Exit(0)),
        }
    }

    async fn fault(&mut self, fault: &Fault) -> Result<Flow, Error> {
        match fault {
            Fault::Slow { delay, chunk } => {
                self.output.delay = *delay;
                self.output.chunk = *chunk;
            }
            Fault::Silent { until } => {
                self.mute = true;
                let ended = match until {
                    Silence::For(time) => {
                        self.wait_until(ReadLimit::Until(Instant::now() + *time), |_| false)
                            .await?
                    }
                    Silence::Until(pattern) => {
                        self.wait_until(ReadLimit::Endless, |line| matches(pattern, line))
                            .await?
                    }
                    Silence::UntilDisconnect => self.wait_until(ReadLimit::Endless, |_| false).await?,
                };
                self.mute = false;
                self.inbox.retain(|line| {
                    kind(line) != "control_request" || self.reserved.iter().any(|(it, _)| matches(it, line))
                });
                match ended {
                    WaitResult::End => return Ok(Flow::Exit(0)),
                    // The request that ends the silence is answered first.
                    WaitResult::Line(line) if kind(&line) == "control_request" => self.handle(line).await?,
                    WaitResult::Line(_) | WaitResult::TimeOut | WaitResult::Interrupt => {}
                }
            }
            Fault::Crash { code } => return Ok(Flow::Exit(*code)),
            Fault::Garbage { bytes } => self.output.line(bytes.clone()).await?,
            Fault::Duplicate => self.output.duplicate = true,
            Fault::OutOfOrder => self.output.swap_next(),
            Fault::Truncate { say, bytes, code } => {
                let line = self.placeholders.fill(say).to_string();
                let end = bytes.unwrap_or(line.len() / 2).min(line.len());
                self.output.flush_held().await?;
                self.output.write(line.as_bytes().get(..end).unwrap_or(&[])).await?;
                return Ok(Flow::Exit(*code));
            }
            Fault::Huge { say, bytes } => {
                let line = self
                    .placeholders
                    .fill(say)
                    .to_string()
                    .replacen(BIG, &"x".repeat(*bytes), 1);
                self.output.line(line.into_bytes()).await?;
            }
        }
        Ok(Flow::Next)
    }

    async fn send(&mut self, frame: &Value) -> Result<(), Error> {
        self.note_sent(frame);
        self.output.line(frame.to_string().into_bytes()).await?;
        Ok(())
    }

    fn note_sent(&mut self, frame: &Value) {
        if kind(frame) == "result" {
            self.in_turn = false;
        }
    }

    /// Records which id of the current host corresponds to an id of the recorded host.
    fn map_ids(&mut self, recorded: &Value, live: &Value) {
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

/// Returns the pattern of lines that are equivalent to a recorded one.
fn equivalent_pattern(recorded: &Value) -> Value {
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

/// Collects the patterns of control requests that steps wait for.
fn collect_reserved(steps: &[Step], times: Option<usize>, reserved: &mut Vec<(Value, Option<usize>)>) {
    for step in steps {
        match step {
            Step::Expect { pattern, .. } if kind(pattern) == "control_request" => {
                reserved.push((pattern.clone(), times));
            }
            Step::AwaitRecorded(line) if kind(line) == "control_request" => {
                reserved.push((equivalent_pattern(line), times));
            }
            Step::When { then, otherwise, .. } => {
                collect_reserved(then, times, reserved);
                collect_reserved(otherwise, times, reserved);
            }
            Step::Repeat { times: rounds, steps } => {
                let times = times.zip(*rounds).map(|(times, rounds)| times * rounds);
                collect_reserved(steps, times, reserved);
            }
            _ => {}
        }
    }
}
