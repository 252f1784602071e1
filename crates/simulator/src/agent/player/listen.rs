//! How a player listens: it keeps what steps may wait for and answers the rest.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::super::answers;
use super::super::steps::ControlAnswer;
use super::{Heard, Patience, Player, kind};
use crate::error::Error;
use crate::pattern::matches;

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Player<'_, R, W> {
    /// Waits for the next line that `is_it`; the others stay for later waits.
    pub(super) async fn wait(
        &mut self,
        limit: Option<Duration>,
        is_it: impl Fn(&Value) -> bool + Send,
    ) -> Result<Heard, Error> {
        self.voice.let_go().await?;
        let patience = limit.map_or(Patience::Endless, |limit| Patience::Until(Instant::now() + limit));
        self.wait_until(patience, is_it).await
    }

    pub(super) async fn wait_until(
        &mut self,
        patience: Patience,
        is_it: impl Fn(&Value) -> bool + Send,
    ) -> Result<Heard, Error> {
        loop {
            if let Some(place) = self.inbox.iter().position(&is_it)
                && let Some(line) = self.inbox.remove(place)
            {
                self.in_turn |= kind(&line) == "user";
                return Ok(Heard::Line(line));
            }
            if self.interrupted {
                return Ok(Heard::Interrupt);
            }
            if self.ended {
                return Ok(Heard::End);
            }
            if !self.hear(patience).await? {
                return Ok(Heard::TimeOut);
            }
        }
    }

    /// Takes in what the host has said meanwhile, so that its requests need not wait for a pause of ours.
    /// True if it wants the turn to stop.
    pub(super) async fn look_up(&mut self) -> Result<bool, Error> {
        while !self.ended && self.hear(Patience::None).await? {}
        Ok(self.interrupted)
    }

    /// Reads one more line of the host, or the end, and takes it in. False if patience was not enough.
    pub(super) async fn hear(&mut self, patience: Patience) -> Result<bool, Error> {
        let reading = self.input.read_until(b'\n', &mut self.partial);
        let read = match patience {
            Patience::None => reading.now_or_never(),
            Patience::Until(deadline) => timeout_at(deadline, reading).await.ok(),
            Patience::Endless => Some(reading.await),
        };
        let Some(read) = read else { return Ok(false) };
        read?;
        let line = std::mem::take(&mut self.partial);
        self.ended = line.last() != Some(&b'\n');
        // What is no JSON is no message; agents pass over it.
        if let Ok(message) = serde_json::from_slice(&line) {
            self.take_in(message).await?;
        }
        Ok(true)
    }

    /// Answers a line that nobody scripted, or keeps it.
    pub(super) async fn take_in(&mut self, message: Value) -> Result<(), Error> {
        if kind(&message) != "control_request" || self.is_reserved(&message) || self.mute {
            self.inbox.push_back(message);
            return Ok(());
        }
        let request = message.get("request").unwrap_or(&Value::Null);
        let subtype = request.get("subtype").and_then(Value::as_str).unwrap_or("");
        let stops = subtype == "interrupt" && self.in_turn && self.script.on_interrupt.is_some();
        let answer = match self.script.answers.get(subtype) {
            Some(Value::Null) => None,
            Some(Value::Object(own)) if own.contains_key("$error") => {
                own.get("$error").map(|text| ControlAnswer::Error(text.clone()))
            }
            Some(own) => Some(ControlAnswer::Success(self.words.fill(own))),
            None => Some(ControlAnswer::Success(answers::usual(request))),
        };
        if stops && let Some(question) = self.asking.take() {
            self.say(&json!({"type": "control_cancel_request", "request_id": question}))
                .await?;
        }
        if let Some(answer) = answer {
            let id = message.get("request_id").cloned().unwrap_or(Value::Null);
            self.voice
                .line(answers::frame(&id, &answer).to_string().into_bytes())
                .await?;
        }
        self.interrupted |= stops;
        Ok(())
    }

    fn is_reserved(&mut self, message: &Value) -> bool {
        let wanted = self
            .reserved
            .iter_mut()
            .find(|(pattern, left)| *left != Some(0) && matches(pattern, message));
        match wanted {
            Some((_, Some(left))) => {
                *left -= 1;
                true
            }
            Some((_, None)) => true,
            None => false,
        }
    }
}
