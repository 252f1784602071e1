//! Frames of the runner: lines of the agent become steps of the conversation, records and deltas.

use std::sync::Arc;

use sluice_host::conversation::{EntryKind, Exit, Line, What};
use sluice_host::wire::stdout::SystemSubtype;
use sluice_host::wire::{Frame, MessageType, ToAgent};
use sluice_runner::{AgentStatus, FromRunner, Kind, Record, ToRunner};
use tokio::time::Instant;

use super::actor::{Actor, Greeting, is_greeting, now, number};
use super::archive::Own;
use super::records::{New, Position, kind};
use super::search_text;
use crate::api::Retry;
use crate::body;

/// Lines of stderr that are kept.
const STDERR: usize = 20;

/// Kinds of `system` that come by the thousand and only say that something goes on.
const SIGNS: &[SystemSubtype] = &[
    SystemSubtype::ThinkingTokens,
    SystemSubtype::HookProgress,
    SystemSubtype::ControlRequestProgress,
];

impl Actor {
    pub(super) async fn take_frames(&mut self, frames: Vec<FromRunner>) {
        for frame in frames {
            match frame {
                FromRunner::Welcome { agent, next, .. } => self.welcomed(agent, next),
                FromRunner::Record(record) => self.take_record(record).await,
                FromRunner::CaughtUp { .. } => self.caught_up(),
                FromRunner::Wrote { id, .. } => self.written(id),
                FromRunner::NotWritten { id, reason } => self.not_written(id, &reason),
                FromRunner::Refused { term } | FromRunner::Overtaken { term } => self.overtaken(term),
            }
        }
    }

    fn welcomed(&mut self, agent: AgentStatus, next: u64) {
        let last = i64::try_from(next).unwrap_or(i64::MAX) - 1;
        if last < self.records.position().committed {
            // The machine lost power, and the log's end with it: its numbers are given again.
            tracing::warn!(session = %self.id, last, "a runner's log is shorter than it was");
            self.records.read_up_to(Position {
                committed: last,
                safe: last,
            });
        }
        self.running = match agent {
            AgentStatus::Running { pid, .. } => {
                tracing::debug!(session = %self.id, pid, "a runner is reached");
                Some(pid)
            }
            _ => None,
        };
    }

    /// Another bridge has this runner now. This one lets go of the session.
    fn overtaken(&mut self, term: u64) {
        tracing::warn!(session = %self.id, term, "another bridge took this session over");
        self.link = None;
        self.lost_since = Some(now());
        self.step(now(), What::Lost);
    }

    /// All old lines were read: from here on it is known what waits.
    fn caught_up(&mut self) {
        self.caught_up = true;
        let at = now();
        // Lines that were handed over when the way was lost, and did not arrive.
        let lost: Vec<Arc<str>> = self.unwritten.drain(..).map(|(_, line)| line).collect();
        if let Some(pid) = self.running.take().filter(|_| !self.state_is_up()) {
            // Neither the log nor the records contain the start of the process.
            self.started(at, Some(pid));
        }
        self.step(at, What::Connected);
        for line in lost {
            self.send(line);
        }
        self.answer_again();
        self.greet();
        self.release_held();
        self.dirty.state = true;
    }

    pub(super) async fn take_record(&mut self, record: Record) {
        let number = i64::try_from(record.number).unwrap_or(i64::MAX);
        let position = self.records.position();
        let at = i64::try_from(record.at / 1000).unwrap_or(i64::MAX);
        if number <= position.committed {
            // Known already; only what is being written is not kept.
            if record.kind == Kind::Said {
                let text = String::from_utf8_lossy(&record.body);
                if let Ok(frame) = Frame::parse(&text)
                    && frame.message_type() == MessageType::StreamEvent
                {
                    self.streamed(at, frame);
                }
            }
            return;
        }
        match record.kind {
            Kind::Said => self.said(at, &String::from_utf8_lossy(&record.body)).await,
            Kind::Wrote => self.wrote(at, &String::from_utf8_lossy(&record.body)).await,
            Kind::Stderr => self.wrote_aside(&String::from_utf8_lossy(&record.body)),
            Kind::Started => {
                let pid = serde_json::from_slice::<serde_json::Value>(&record.body).ok();
                let pid = pid
                    .and_then(|it| it.get("pid")?.as_u64())
                    .and_then(|pid| u32::try_from(pid).ok());
                self.started(at, pid);
            }
            Kind::Exited => {
                let exit: Exit = serde_json::from_slice(&record.body).unwrap_or_default();
                self.exited(at, exit, None);
            }
            Kind::Note => self.noted(at, &String::from_utf8_lossy(&record.body)),
        }
        let safe = if self.state.drafts().is_empty() {
            number
        } else {
            self.records.position().safe
        };
        self.records.read_up_to(Position {
            committed: number,
            safe,
        });
    }

    async fn said(&mut self, at: i64, text: &str) {
        let Ok(frame) = Frame::parse(text) else {
            self.sign(at);
            self.garbled(at, text);
            return;
        };
        let kind_of = frame.message_type();
        // An answer to a question of the bridge says nothing about the turn.
        if kind_of != MessageType::ControlResponse {
            self.sign(at);
        }
        match kind_of {
            MessageType::StreamEvent => {
                self.streamed(at, frame);
                return;
            }
            MessageType::KeepAlive | MessageType::ToolProgress | MessageType::TranscriptMirror => {
                self.step(at, What::Said(frame));
                return;
            }
            MessageType::System if frame.system_subtype().is_some_and(|it| SIGNS.contains(&it)) => {
                self.step(at, What::Said(frame));
                return;
            }
            _ => {}
        }
        let frame = self.lightened(frame).await;
        self.note_retry(at, &frame);
        self.new_entries.clear();
        self.step(at, What::Said(frame.clone()));
        let entries = std::mem::take(&mut self.new_entries);
        let mut shown = None;
        for entry in entries {
            let Some(it) = self.state.entries().get(entry) else {
                continue;
            };
            let turn = it.turn.map(|turn| number(turn as usize));
            match it.kind {
                EntryKind::Prompt(prompt) => self.prompt_taken_up(at, prompt as usize, turn),
                _ => shown = Some(turn),
            }
        }
        if kind_of == MessageType::RateLimitEvent {
            shown = Some(self.open_turn_number());
        }
        let found = shown.is_some().then(|| search_text::of(frame.readable())).flatten();
        let (role, text) = found.unzip();
        if let (Some("assistant"), Some(text)) = (role, &text) {
            self.row.preview = Some(body::cut(text, 200).to_owned());
        }
        let new = New {
            at,
            kind: kind::SAID,
            turn: shown.flatten().or_else(|| self.open_turn_number()),
            body: frame.readable().to_owned(),
            shown: shown.is_some(),
            text,
            role,
        };
        self.keep(new);
        self.tell_zero_said(&frame);
        if kind_of == MessageType::Result {
            self.row.last_activity_at = at;
            self.dirty.row = true;
            self.idle_since = Instant::now();
        }
    }

    fn sign(&mut self, at: i64) {
        self.flow.count(at);
        self.last_sign = Some(at);
    }

    fn garbled(&mut self, at: i64, text: &str) {
        let text = body::cut(text, body::HEAVY);
        self.step(at, What::Garbled(Line::from(text)));
        self.new_entries.clear();
        let own = Own::Garbled { line: text.to_owned() };
        let body = serde_json::to_string(&own).unwrap_or_default();
        self.keep(New {
            at,
            kind: kind::GARBLED,
            turn: self.open_turn_number(),
            body,
            shown: true,
            ..New::default()
        });
    }

    /// A line to the agent that is in the runner's log.
    async fn wrote(&mut self, at: i64, text: &str) {
        let Ok(frame) = Frame::parse(text) else { return };
        // In order with what was handed over, so the oldest is looked at first.
        let ours = self.unwritten.iter().position(|(_, line)| **line == *text);
        match ours {
            Some(place) => {
                self.unwritten.remove(place);
            }
            None if !self.caught_up => {
                if is_greeting(&frame) {
                    self.greeting = Greeting::Sent(frame.request_id());
                }
                self.new_entries.clear();
                self.was_handed_over(&frame);
                self.step(at, What::Wrote(frame.clone()));
            }
            // The runner's word came before that it was written; the machine knows.
            None => {}
        }
        let frame = self.lightened(frame).await;
        self.answer_written(&frame);
        self.keep(New {
            at,
            kind: kind::WROTE,
            body: frame.readable().to_owned(),
            ..New::default()
        });
    }

    fn wrote_aside(&mut self, line: &str) {
        if self.stderr.len() >= STDERR {
            self.stderr.pop_front();
        }
        self.stderr.push_back(body::cut(line, 2000).to_owned());
    }

    fn noted(&mut self, at: i64, text: &str) {
        let note: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let what = note.get("what").and_then(|it| it.as_str()).unwrap_or("note").to_owned();
        let words = match what.as_str() {
            "too_long" => "A line of the agent was too long and was left out.",
            "disk_full" => "The disk is full. The agent waits until there is room again; nothing is lost.",
            "disk_ok" => "There is room on the disk again. The agent goes on.",
            "log_full" => "The agent writes faster than its output can be stored. It waits until that is done.",
            "tail_cut" => "The last line of the log is incomplete after a crash and was left out.",
            other => other,
        };
        tracing::warn!(session = %self.id, %what, "a runner notes something");
        let own = Own::Note {
            kind: what.clone(),
            text: words.to_owned(),
        };
        self.keep_own(at, None, &own, None);
    }

    /// The line without its heavy bodies, which are stored first.
    async fn lightened(&mut self, frame: Frame) -> Frame {
        let Some(light) = body::lighten(frame.readable()) else {
            return frame;
        };
        for body in light.bodies {
            let stored = self
                .shared
                .store
                .put_blob(&self.id, body.bytes, &body.mime, now())
                .await;
            if let Err(error) = stored {
                // What cannot be kept aside travels as it is.
                tracing::error!(session = %self.id, %error, "a body could not be stored");
                return frame;
            }
        }
        Frame::parse(&light.text).unwrap_or(frame)
    }

    fn streamed(&mut self, at: i64, frame: Frame) {
        self.push_line(frame.readable());
        self.step(at, What::Said(frame));
        self.retry = None;
    }

    fn note_retry(&mut self, at: i64, frame: &Frame) {
        match (frame.message_type(), frame.system_subtype()) {
            (_, Some(SystemSubtype::ApiRetry)) => {
                let value: serde_json::Value = serde_json::from_str(frame.readable()).unwrap_or_default();
                let number = |key: &str| value.get(key).and_then(serde_json::Value::as_f64);
                let small = |key: &str| number(key).map(|it| it as u32);
                let text = |key: &str| value.get(key).and_then(|it| it.as_str()).map(str::to_owned);
                self.retry = Some(Retry {
                    attempt: small("attempt").unwrap_or(1),
                    max: small("max_retries"),
                    until: at + number("retry_delay_ms").unwrap_or(0.0) as i64,
                    error: text("error").or_else(|| text("error_message")),
                    status: small("error_status"),
                });
            }
            (MessageType::Assistant | MessageType::Result, _) => self.retry = None,
            _ => {}
        }
    }

    // Lines to the agent.

    /// Hands a line to the runner.
    pub(super) fn send(&mut self, line: Arc<str>) {
        self.next_write += 1;
        let id = self.next_write;
        let frame = ToRunner::Write {
            id,
            line: line.as_bytes().to_vec(),
        };
        self.unwritten.push_back((id, line));
        let said = self.link.as_ref().is_some_and(|link| link.say(frame));
        if !said && self.link.is_some() {
            tracing::warn!(session = %self.id, "a runner does not take lines; it is reached anew");
            self.lose_link();
        }
    }

    fn written(&mut self, _: u64) {
        // The record itself says so too, and in order.
    }

    fn not_written(&mut self, id: u64, reason: &str) {
        let Some(at) = self.unwritten.iter().position(|(of, _)| *of == id) else {
            return;
        };
        tracing::warn!(session = %self.id, %reason, "a line did not reach the agent");
        if let Some((_, line)) = self.unwritten.remove(at)
            && self.state_is_up()
        {
            self.refused.push_back(line);
        }
    }

    /// The process has ended, and its log is read: lines that are not in the log did not reach it. Prompts among them
    /// wait for the next process.
    pub(super) fn lines_did_not_arrive(&mut self, at: i64) {
        let unwritten = self.unwritten.drain(..).map(|(_, line)| line);
        let lines: Vec<Arc<str>> = unwritten.chain(self.refused.drain(..)).collect();
        for line in lines {
            let Ok(frame) = Frame::parse(&line) else { continue };
            if let Ok(ToAgent::User(user)) = frame.to_agent()
                && let Some(uuid) = user.uuid
            {
                self.step(at, What::NotWritten(uuid.as_str().into()));
            }
        }
    }

    /// Tries again what the runner could not take: its disk may have room now.
    pub(super) fn write_refused(&mut self) {
        if self.link.is_none() || !self.state_is_up() {
            return;
        }
        for line in std::mem::take(&mut self.refused) {
            self.send(line);
        }
    }
}
