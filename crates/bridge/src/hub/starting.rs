//! Sessions: start, resume, fork, delete.

use std::path::Path;

use serde_json::{Value, json};
use sluice_host::sessions::{Fork, MessageKind, SessionMessage};
use sluice_store::{NewRecord, ReceiptRow, SessionRow};
use tokio::sync::oneshot;

use super::Hub;
use crate::api::{Code, Problem, Start};
use crate::session::Own;
use crate::session::records::kind;
use crate::session::{By, Command, info_of_row, now};

/// Modes the protocol knows.
pub(crate) const MODES: &[&str] = &[
    "default",
    "acceptEdits",
    "plan",
    "bypassPermissions",
    "dontAsk",
    "auto",
    "delegate",
];

/// How much of an old conversation is put into the store at once.
const CHUNK: usize = 512;

impl Hub {
    /// Starts or resumes a session. Gives its id.
    pub(crate) async fn start(&self, start: &Start, by: &By, receipt: Option<ReceiptRow>) -> Result<String, Problem> {
        if let Some(id) = &start.session_id {
            return self
                .resume(id, Some(&start.project_path), start.permission_mode.clone(), by)
                .await;
        }
        self.make_scratch(&start.project_path);
        let folder = self.shared.roots.resolve(&start.project_path)?;
        let mode = mode(start.permission_mode.as_deref())?;
        if start.continue_ {
            let newest = self.newest_in(&folder).await?;
            if let Some(id) = newest {
                return self.resume(&id, None, start.permission_mode.clone(), by).await;
            }
        }
        let agent = self.shared.agents.find(start.agent.as_deref())?;
        self.shared.agents.locate(&agent.program)?;
        let agent = agent.name.clone();
        let (folder, worktree) = match start.worktree {
            true => {
                let made = crate::worktree::make(&self.shared.agents, &folder).await?;
                (made.clone(), Some(made.to_string_lossy().into_owned()))
            }
            false => (folder, None),
        };
        let at = now();
        let id = uuid::Uuid::new_v4().to_string();
        let extra = json!({"effort": start.effort, "worktree": worktree});
        let row = SessionRow {
            id: id.clone(),
            folder: folder.to_string_lossy().into_owned(),
            title: start.title.clone(),
            title_by_person: start.title.is_some(),
            agent,
            model: start.model.clone(),
            permission_mode: mode.to_owned(),
            started_at: at,
            last_activity_at: at,
            status: "new".to_owned(),
            epoch: at / 1000,
            extra: extra.to_string(),
            ..SessionRow::default()
        };
        let receipt = receipt.map(|receipt| with_session(receipt, &id));
        self.shared.store.create_session(row.clone(), receipt).await?;
        self.shared.store.use_folder(&row.folder, at).await.ok();
        self.shared.list.publish(info_of_row(&row));
        self.audit(by, "start", Some(&id), &row.folder).await;
        self.ask(&id, |reply| Command::Resume { mode: None, reply }).await?;
        Ok(id)
    }

    /// The folder of a first visit is made when somebody goes there, with something in it to look at.
    fn make_scratch(&self, named: &str) {
        let scratch = self.shared.config.scratch();
        if self.shared.roots.expand(named.trim()) != scratch || scratch.exists() {
            return;
        }
        let files = [
            (
                "README.md",
                "# Scratch\n\nA folder to try the agent in. Nothing here matters; delete it when you like.\n",
            ),
            (
                "greet.py",
                "def greet(name):\n    print(\"hello\" + name)\n\n\ngreet(\"world\")\n",
            ),
        ];
        if std::fs::create_dir_all(&scratch).is_ok() {
            for (name, text) in files {
                std::fs::write(scratch.join(name), text).ok();
            }
        }
    }

    async fn newest_in(&self, folder: &Path) -> Result<Option<String>, Problem> {
        let here = folder.to_string_lossy();
        Ok(self
            .sessions()
            .into_iter()
            .find(|info| info.project_path == here && !info.archived)
            .map(|info| info.session_id))
    }

    /// Resumes a session, of the bridge or of another program.
    pub(crate) async fn resume(
        &self,
        id: &str,
        folder: Option<&str>,
        mode_wanted: Option<String>,
        by: &By,
    ) -> Result<String, Problem> {
        if let Some(wanted) = &mode_wanted {
            mode(Some(wanted))?;
        }
        let ours = match self.shared.store.session(id).await? {
            Some(row) => Some(row),
            None => self.shared.store.session_by_provider(id).await?,
        };
        let id = match ours {
            Some(row) => {
                self.shared.roots.resolve(&row.folder)?;
                row.id
            }
            None => self.import(id, folder, mode_wanted.as_deref(), by).await?,
        };
        self.ask(&id, |reply| Command::Resume {
            mode: mode_wanted.clone(),
            reply,
        })
        .await?;
        self.audit(by, "resume", Some(&id), "").await;
        Ok(id)
    }

    /// Imports a session of another program: its transcript becomes records.
    pub(super) async fn import(
        &self,
        provider: &str,
        folder: Option<&str>,
        wanted: Option<&str>,
        by: &By,
    ) -> Result<String, Problem> {
        let sessions = self.shared.external.sessions();
        let of = provider.to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let info = sessions.info(&of, None)?;
            let messages = sessions.messages(&of, None)?;
            Ok::<_, sluice_host::Error>((info, messages))
        });
        let missing = |error: sluice_host::Error| Problem::new(Code::Session, error.to_string());
        let (info, messages) = read.await.map_err(Problem::internal)?.map_err(missing)?;
        let info = info.ok_or_else(|| Problem::no_session(provider))?;
        let folder = folder
            .map(str::to_owned)
            .filter(|folder| !folder.is_empty())
            .or(info.cwd.clone());
        let folder = self.shared.roots.resolve(&folder.unwrap_or_default())?;
        let at = now();
        let agent = self.shared.agents.find(None)?.name.clone();
        let row = SessionRow {
            id: uuid::Uuid::new_v4().to_string(),
            folder: folder.to_string_lossy().into_owned(),
            title: Some(info.summary.clone()),
            agent,
            permission_mode: mode(wanted)?.to_owned(),
            started_at: info.created_at.and_then(|at| i64::try_from(at).ok()).unwrap_or(at),
            last_activity_at: at,
            status: "retired".to_owned(),
            epoch: at / 1000,
            provider_id: Some(provider.to_owned()),
            extra: json!({"imported": true}).to_string(),
            ..SessionRow::default()
        };
        let id = row.id.clone();
        self.shared.store.create_session(row.clone(), None).await?;
        self.shared.store.add_provider_id(&id, provider, at).await?;
        self.keep_history(&row, &messages).await?;
        self.shared.list.remove(provider);
        self.shared.list.publish(info_of_row(&row));
        self.audit(by, "import", Some(&id), provider).await;
        Ok(id)
    }

    pub(super) async fn keep_history(&self, row: &SessionRow, messages: &[SessionMessage]) -> Result<(), Problem> {
        let mut history = crate::history::of(messages, row.started_at);
        let text = "The conversation so far was read from the agent's own file.";
        let note = Own::Note {
            kind: "imported".to_owned(),
            text: text.to_owned(),
        };
        history.push(crate::history::Past {
            at: now(),
            kind: kind::OWN,
            turn: None,
            body: serde_json::to_string(&note).unwrap_or_default(),
            text: None,
            role: None,
            is_prompt: false,
        });
        let mut last_n = 0;
        let mut seq = 0;
        for chunk in history.chunks_mut(CHUNK) {
            let mut records = Vec::with_capacity(chunk.len());
            for past in chunk {
                seq += 1;
                past.store_bodies(&self.shared.store, &row.id).await?;
                records.push(NewRecord {
                    seq: Some(seq),
                    at: past.at,
                    kind: past.kind,
                    turn: past.turn,
                    body: std::mem::take(&mut past.body),
                    text: past.text.take(),
                    role: past.role.map(str::to_owned),
                });
            }
            last_n = self
                .shared
                .store
                .append_records(&row.id, row.epoch, last_n, records, None, None)
                .await?;
        }
        Ok(())
    }

    /// Copies a session, up to a prompt when one is named, and goes on in the copy.
    pub(crate) async fn fork(&self, id: &str, at: Option<&str>, by: &By) -> Result<String, Problem> {
        let row = self.row(id).await?;
        let provider = row.provider_id.clone().ok_or_else(|| {
            Problem::new(Code::Session, "this session has no conversation to copy yet").hint("send a prompt first")
        })?;
        let sessions = self.shared.external.sessions();
        let title = row.title.as_deref().map(|title| format!("{title} (fork)"));
        let cut = at.map(str::to_owned);
        let forked = tokio::task::spawn_blocking(move || {
            let messages = sessions.messages(&provider, None)?;
            let up_to = cut.and_then(|prompt| before(&messages, &prompt));
            let fork = Fork { up_to, title };
            sessions.fork(&provider, &fork, None)
        });
        let failed = |error: sluice_host::Error| {
            Problem::new(Code::Session, format!("the conversation cannot be copied: {error}"))
        };
        let provider = forked.await.map_err(Problem::internal)?.map_err(failed)?;
        let new = self
            .import(&provider, Some(&row.folder), Some(&row.permission_mode), by)
            .await?;
        self.audit(by, "fork", Some(&new), id).await;
        Ok(new)
    }

    pub(crate) async fn row(&self, id: &str) -> Result<SessionRow, Problem> {
        self.shared
            .store
            .session(id)
            .await?
            .ok_or_else(|| Problem::no_session(id))
    }

    /// Ends a session and forgets it, with what the agent kept of it.
    pub(crate) async fn delete(&self, id: &str, by: &By) -> Result<(), Problem> {
        let row = self.row(id).await?;
        self.stop(&row.id, by).await?.await.ok();
        let (reply, left) = oneshot::channel();
        self.tell(&row.id, Command::Leave { reply }).await;
        left.await.ok();
        let chain = self.shared.store.provider_ids(&row.id).await?;
        self.shared.store.delete_session(&row.id).await?;
        let sessions = self.shared.external.sessions();
        let gone = tokio::task::spawn_blocking(move || {
            for provider in chain {
                // One that was never written has no file.
                sessions.delete(&provider.provider_id, None).ok();
            }
        });
        gone.await.ok();
        let dir = self.shared.config.runner_dir(&row.id);
        tokio::task::spawn_blocking(move || {
            sluice_runner::registry::sweep(&dir);
            std::fs::remove_dir_all(&dir).ok();
        })
        .await
        .ok();
        self.shared.list.remove(&row.id);
        self.audit(by, "delete", Some(&row.id), row.title.as_deref().unwrap_or_default())
            .await;
        Ok(())
    }

    /// Begins to end the agent of a session. The reply comes when it has ended.
    pub(crate) async fn stop(&self, id: &str, by: &By) -> Result<oneshot::Receiver<Result<(), Problem>>, Problem> {
        let (reply, ended) = oneshot::channel();
        let by = by.clone();
        let handle = self.session(id).await?;
        let sent = handle.commands.send(Command::Stop { by, reply }).await;
        sent.map_err(|_| Problem::internal("the session does not answer"))?;
        Ok(ended)
    }

    /// Writes an audit entry.
    pub(crate) async fn audit(&self, by: &By, action: &str, session: Option<&str>, detail: &str) {
        let row = sluice_store::AuditRow {
            at: now(),
            device: Some(by.device.clone()),
            device_name: Some(by.name.clone()),
            action: action.to_owned(),
            session: session.map(str::to_owned),
            detail: crate::body::cut(detail, 500).to_owned(),
            ..sluice_store::AuditRow::default()
        };
        if let Err(error) = self.shared.store.audit(row).await {
            tracing::error!(%error, action, "an audit line could not be written");
        }
    }
}

fn with_session(mut receipt: ReceiptRow, id: &str) -> ReceiptRow {
    let mut body: Value = serde_json::from_str(&receipt.body).unwrap_or_default();
    if let Some(fields) = body.as_object_mut() {
        fields.insert("data".to_owned(), json!({"sessionId": id}));
    }
    receipt.body = body.to_string();
    receipt
}

/// A mode, when there is such a one.
pub(crate) fn mode(wanted: Option<&str>) -> Result<&'static str, Problem> {
    let wanted = wanted.unwrap_or("default");
    let known = MODES.iter().find(|mode| **mode == wanted).copied();
    known.ok_or_else(|| {
        Problem::new(Code::Field, format!("`{wanted}` is no permission mode"))
            .hint(format!("one of {}", MODES.join(", ")))
    })
}

/// The last message before a prompt.
fn before(messages: &[SessionMessage], prompt: &str) -> Option<String> {
    let at = messages
        .iter()
        .position(|message| message.uuid == prompt && message.kind == MessageKind::User)?;
    at.checked_sub(1)
        .and_then(|at| messages.get(at))
        .map(|message| message.uuid.clone())
}
