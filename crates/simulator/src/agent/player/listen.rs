//! The input of a player: stores the lines that steps may wait for, and answers all other requests.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::super::answers;
use super::super::steps::ControlAnswer;
use super::{Player, ReadLimit, WaitResult, kind};
use crate::error::Error;
use crate::pattern::matches;

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Player<'_, R, W> {
    /// Waits for the next line that matches `is_it`. Other lines are stored for later waits.
    pub(super) async fn wait(
        &mut self,
        limit: Option<Duration>,
        is_it: impl Fn(&Value) -> bool + Send,
    ) -> Result<WaitResult, Error> {
        self.output.flush_held().await?;
        let limit_of_read = limit.map_or(ReadLimit::Endless, |limit| ReadLimit::Until(Instant::now() + limit));
        self.wait_until(limit_of_read, is_it).await
    }

    pub(super) async fn wait_until(
        &mut self,
        limit_of_read: ReadLimit,
        is_it: impl Fn(&Value) -> bool + Send,
    ) -> Result<WaitResult, Error> {
        loop {
            if let Some(place) = self.inbox.iter().position(&is_it)
                && let Some(line) = self.inbox.remove(place)
            {
                self.in_turn |= kind(&line) == "user";
                return Ok(WaitResult::Line(line));
            }
            if self.interrupted {
                return Ok(WaitResult::Interrupt);
            }
            if self.ended {
                return Ok(WaitResult::End);
            }
            if !self.read_line(limit_of_read).await? {
                return Ok(WaitResult::TimeOut);
            }
        }
    }

    /// Processes the lines that have already arrived, so that requests are answered without delay. Returns true if the
    /// host has interrupted the turn.
    pub(super) async fn process_pending(&mut self) -> Result<bool, Error> {
        while !self.ended && self.read_line(ReadLimit::None).await? {}
        Ok(self.interrupted)
    }

    /// Reads the next line, or the end of the input, and processes it. Returns false at the time limit.
    pub(super) async fn read_line(&mut self, limit_of_read: ReadLimit) -> Result<bool, Error> {
        let reading = self.input.read_until(b'\n', &mut self.partial);
        let read = match limit_of_read {
            ReadLimit::None => reading.now_or_never(),
            ReadLimit::Until(deadline) => timeout_at(deadline, reading).await.ok(),
            ReadLimit::Endless => Some(reading.await),
        };
        let Some(read) = read else { return Ok(false) };
        read?;
        let line = std::mem::take(&mut self.partial);
        self.ended = line.last() != Some(&b'\n');
        // Agents ignore lines that are not JSON.
        if let Ok(message) = serde_json::from_slice(&line) {
            self.handle(message).await?;
        }
        Ok(true)
    }

    /// Answers a control request that the script does not mention, or stores the line.
    pub(super) async fn handle(&mut self, message: Value) -> Result<(), Error> {
        if kind(&message) != "control_request" || self.is_reserved(&message) || self.mute {
            self.inbox.push_back(message);
            return Ok(());
        }
        let request = message.get("request").unwrap_or(&Value::Null);
        let subtype = request.get("subtype").and_then(Value::as_str).unwrap_or("");
        let interrupts_turn = subtype == "interrupt" && self.in_turn && self.script.on_interrupt.is_some();
        let answer = match self.script.answers.get(subtype) {
            Some(Value::Null) => None,
            Some(Value::Object(own)) if own.contains_key("$error") => {
                own.get("$error").map(|text| ControlAnswer::Error(text.clone()))
            }
            Some(own) => Some(ControlAnswer::Success(self.placeholders.fill(own))),
            None => Some(ControlAnswer::Success(answers::default_response(request))),
        };
        if interrupts_turn && let Some(question) = self.asking.take() {
            self.send(&json!({"type": "control_cancel_request", "request_id": question}))
                .await?;
        }
        if let Some(answer) = answer {
            let id = message.get("request_id").cloned().unwrap_or(Value::Null);
            self.output
                .line(answers::frame(&id, &answer).to_string().into_bytes())
                .await?;
        }
        self.interrupted |= interrupts_turn;
        Ok(())
    }

    fn is_reserved(&mut self, message: &Value) -> bool {
        let reservation = self
            .reserved
            .iter_mut()
            .find(|(pattern, left)| *left != Some(0) && matches(pattern, message));
        match reservation {
            Some((_, Some(left))) => {
                *left -= 1;
                true
            }
            Some((_, None)) => true,
            None => false,
        }
    }
}
