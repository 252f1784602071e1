//! Messages that another program added to the conversation while the agent of this session was not running.

use std::collections::HashSet;
use std::time::UNIX_EPOCH;

use serde::Deserialize;
use sluice_host::conversation::{ProcessStatus, What};
use sluice_host::sessions::SessionMessage;
use sluice_store::{Store, StoreError};

use super::actor::{Actor, millis, now, number};
use super::records::New;
use crate::history;
use crate::session::Own;

/// How much is read from the store at once.
const CHUNK: usize = 4 * 1024 * 1024;

impl Actor {
    /// Adds the messages of the transcript that were written after the agent ended. Costs one `stat` if there are none.
    pub(super) async fn catch_up_with_transcript(&mut self) {
        if self.state_is_up() || self.connecting.is_some() {
            return;
        }
        let Some(provider) = self.row.provider_id.clone() else {
            return;
        };
        let since = match self.state.process() {
            ProcessStatus::Exited { at, .. } => millis(at),
            _ if self.extra.imported => self.row.last_activity_at,
            _ => return,
        };
        let file = self.shared.external.sessions();
        let file = file.file(&provider, std::path::Path::new(&self.row.folder));
        let Some(written) = written_at(&file).filter(|at| *at > since.max(self.transcript_read_at)) else {
            return;
        };
        self.transcript_read_at = written;
        self.settle_records().await;
        let known = match known_messages(&self.shared.store, &self.id, self.row.epoch).await {
            Ok(known) => known,
            Err(error) => {
                tracing::error!(session = %self.id, %error, "the records cannot be compared with the transcript");
                return;
            }
        };
        let sessions = self.shared.external.sessions();
        let read = tokio::task::spawn_blocking(move || sessions.messages(&provider, None)).await;
        match read {
            Ok(Ok(messages)) => self.add_outside(&new_messages(messages, &known, since)).await,
            Ok(Err(error)) => tracing::warn!(session = %self.id, %error, "the transcript cannot be read"),
            Err(error) => tracing::error!(session = %self.id, %error, "reading the transcript failed"),
        }
    }

    async fn add_outside(&mut self, messages: &[SessionMessage]) {
        if messages.is_empty() {
            return;
        }
        for mut past in history::of(messages, now()) {
            if let Err(error) = past.store_bodies(&self.shared.store, &self.id).await {
                tracing::error!(session = %self.id, %error, "a body could not be stored");
            }
            let record = serde_json::from_str(&past.body).unwrap_or_default();
            for note in super::archive::notes(&record, &self.state) {
                self.step(past.at, What::Noted(note));
            }
            let turn = self.state.turns().len().checked_sub(1).map(number);
            self.keep(New {
                at: past.at,
                kind: past.kind,
                turn,
                body: past.body,
                shown: true,
                text: past.text,
                role: past.role,
            });
            self.row.last_activity_at = self.row.last_activity_at.max(past.at);
        }
        let note = Own::Note {
            kind: "imported".to_owned(),
            text: "The conversation was continued in another program. Its messages were read from the transcript."
                .to_owned(),
        };
        self.keep_own(now(), None, &note, None);
        self.dirty.row = true;
        self.dirty.state = true;
    }
}

/// When a file was last written, in milliseconds since 1970.
fn written_at(file: &std::path::Path) -> Option<i64> {
    let modified = std::fs::metadata(file).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// The ids of all messages and prompts in the records of a session.
async fn known_messages(store: &Store, session: &str, epoch: i64) -> Result<HashSet<String>, StoreError> {
    #[derive(Deserialize)]
    struct Identified {
        uuid: Option<String>,
    }
    let mut known = HashSet::new();
    let mut last = 0;
    loop {
        let page = store.all_records(session, epoch, last, CHUNK).await?;
        for record in &page.records {
            last = record.n;
            let identified: Option<Identified> = serde_json::from_str(&record.body).ok();
            known.extend(identified.and_then(|it| it.uuid));
        }
        if !page.more {
            return Ok(known);
        }
    }
}

/// The messages after the last known one that were written after `since`.
fn new_messages(mut messages: Vec<SessionMessage>, known: &HashSet<String>, since: i64) -> Vec<SessionMessage> {
    let first = messages
        .iter()
        .rposition(|message| known.contains(&message.uuid))
        .map_or(0, |at| at + 1);
    let mut messages = messages.split_off(first);
    messages.retain(|message| {
        let at = message.timestamp.and_then(|at| i64::try_from(at).ok());
        at.is_none_or(|at| at > since)
    });
    messages
}
