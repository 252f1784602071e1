//! Sessions found again after the database was lost.
//!
//! Beside each runner's log lies a note of what the session is: no secrets, nothing that was said. Where the store does
//! not know a session that has such a note, its row is made anew, and its records come from the log as on any other
//! start. What the log no longer holds comes from the agent's own transcript.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use sluice_host::sessions::SessionMessage;
use sluice_runner::{LogReader, registry};
use sluice_store::SessionRow;

use super::Hub;
use crate::api::Problem;
use crate::session::now;

/// The file, in the runner's folder.
const FILE: &str = "session.json";

/// The note of a session, for a bridge whose database was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    id: String,
    folder: String,
    title: Option<String>,
    title_by_person: bool,
    agent: String,
    model: Option<String>,
    permission_mode: String,
    started_at: i64,
    archived: bool,
    provider_id: Option<String>,
    extra: String,
}

impl Note {
    pub(crate) fn of(row: &SessionRow) -> Self {
        Self {
            id: row.id.clone(),
            folder: row.folder.clone(),
            title: row.title.clone(),
            title_by_person: row.title_by_person,
            agent: row.agent.clone(),
            model: row.model.clone(),
            permission_mode: row.permission_mode.clone(),
            started_at: row.started_at,
            archived: row.archived,
            provider_id: row.provider_id.clone(),
            extra: row.extra.clone(),
        }
    }

    /// Writes it beside the log, whole or not at all.
    pub(crate) fn write(&self, dir: &Path) -> std::io::Result<()> {
        let fresh = dir.join("session.json.new");
        sluice_server::private::write(&fresh, &serde_json::to_vec(self)?)?;
        std::fs::rename(fresh, dir.join(FILE))
    }

    fn read(dir: &Path) -> Option<Self> {
        let bytes = std::fs::read(dir.join(FILE)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn row(self) -> SessionRow {
        SessionRow {
            id: self.id,
            folder: self.folder,
            title: self.title,
            title_by_person: self.title_by_person,
            agent: self.agent,
            model: self.model,
            permission_mode: self.permission_mode,
            started_at: self.started_at,
            last_activity_at: self.started_at,
            archived: self.archived,
            provider_id: self.provider_id,
            extra: self.extra,
            // Its runner may live; whoever loads it looks.
            status: "starting".to_owned(),
            epoch: now() / 1000,
            ..SessionRow::default()
        }
    }
}

impl Hub {
    /// Makes rows for sessions that have a runner's folder and are not in the store, and records for those whose records
    /// were incomplete.
    pub(super) async fn rebuild(&self, incomplete: &[String]) -> Result<(), Problem> {
        let runners = self.shared.config.state.join("runners");
        let found = tokio::task::spawn_blocking(move || (notes(&runners), last_term(&runners))).await;
        let (notes, last_term) = found.map_err(Problem::internal)?;
        // A store that was made anew counts from the start; runners know better.
        self.shared.terms.fetch_max(last_term + 1, Ordering::Relaxed);
        for (dir, note) in notes {
            if self.shared.store.session(&note.id).await?.is_some() {
                continue;
            }
            let row = note.row();
            tracing::warn!(session = %row.id, "a session the database does not know is rebuilt from its log");
            self.shared.store.create_session(row.clone(), None).await?;
            if let Some(provider) = &row.provider_id {
                self.shared.store.add_provider_id(&row.id, provider, now()).await?;
            }
            self.restore_history(&row, &dir).await?;
        }
        for id in incomplete {
            if let Some(row) = self.shared.store.session(id).await? {
                tracing::warn!(session = %id, "the records of a session were damaged; they are rebuilt");
                let dir = self.shared.config.runner_dir(id);
                self.restore_history(&row, &dir).await?;
            }
        }
        Ok(())
    }

    /// Stores what the agent's transcript has and the log does not.
    async fn restore_history(&self, row: &SessionRow, dir: &Path) -> Result<(), Problem> {
        let Some(provider) = &row.provider_id else {
            return Ok(());
        };
        let before = self.said_before(dir, provider).await;
        if !before.is_empty() {
            self.keep_history(row, &before).await?;
        }
        Ok(())
    }

    /// What the agent wrote down before the first line the log still holds.
    async fn said_before(&self, dir: &Path, provider: &str) -> Vec<SessionMessage> {
        let sessions = self.shared.external.sessions();
        let (dir, provider) = (dir.to_owned(), provider.to_owned());
        let read = tokio::task::spawn_blocking(move || {
            // Without a log the transcript is all there is.
            let log = LogReader::open(&dir).and_then(|reader| Ok((reader.first()?, reader)));
            let cut = match log {
                Ok((..=1, _)) => return None,
                Ok((first, reader)) => reader.read_from(first).next().map(|record| record.at / 1000),
                Err(_) => None,
            };
            let mut messages = sessions.messages(&provider, None).ok()?;
            messages.retain(|message| match (message.timestamp, cut) {
                (Some(at), Some(cut)) => at < cut,
                _ => true,
            });
            Some(messages)
        });
        read.await.ok().flatten().unwrap_or_default()
    }
}

/// The highest term a runner was ever reached with.
fn last_term(runners: &Path) -> u64 {
    let folders = std::fs::read_dir(runners).into_iter().flatten();
    let registered = folders.filter_map(|folder| registry::read(&folder.ok()?.path()));
    registered.map(|runner| runner.term).max().unwrap_or(0)
}

fn notes(runners: &Path) -> Vec<(PathBuf, Note)> {
    let Ok(folders) = std::fs::read_dir(runners) else {
        return Vec::new();
    };
    let dirs = folders.filter_map(|folder| Some(folder.ok()?.path()));
    let mut notes: Vec<(PathBuf, Note)> = dirs
        .filter_map(|dir| {
            let note = Note::read(&dir)?;
            // A copied folder is not the session it was copied from.
            (dir.file_name()?.to_str()? == note.id).then_some((dir, note))
        })
        .collect();
    notes.sort_by(|a, b| a.1.id.cmp(&b.1.id));
    notes
}

#[cfg(test)]
mod tests {
    use sluice_store::SessionRow;

    use super::{Note, notes};

    #[test]
    fn a_note_comes_back_as_it_was_written() {
        let runners = tempfile::tempdir().unwrap();
        let dir = runners.path().join("one");
        let row = SessionRow {
            id: "one".to_owned(),
            folder: "/home/someone/project".to_owned(),
            title: Some("a title".to_owned()),
            agent: "sluice".to_owned(),
            permission_mode: "plan".to_owned(),
            provider_id: Some("p".to_owned()),
            ..SessionRow::default()
        };
        let note = Note::of(&row);
        std::fs::create_dir(&dir).unwrap();
        note.write(&dir).unwrap();
        note.write(&dir).unwrap();
        assert_eq!(notes(runners.path()), [(dir.clone(), note)]);
        std::fs::rename(&dir, runners.path().join("two")).unwrap();
        assert!(notes(runners.path()).is_empty(), "a copy is not taken for the session");
        std::fs::write(runners.path().join("two/session.json"), "{").unwrap();
        assert!(notes(runners.path()).is_empty(), "a torn note is passed over");
    }
}
