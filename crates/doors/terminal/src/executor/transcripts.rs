//! Transcripts of this session and of others.

use std::sync::atomic::Ordering;

use sluice_host::items::{Item, of_messages};
use sluice_host::sessions::{SessionMessage, Sessions};
use sluice_wire::control::{RenameSession, RewindFiles, SideQuestion};
use tokio::task::spawn_blocking;

use super::{Executor, REPLY_TIMEOUT, error_text};
use crate::app::{Act, ActOutcome, Next};
use crate::facts::CopiedSession;

impl Executor {
    /// Carries out acts on transcripts.
    pub(super) async fn past(&self, act: Act) -> Result<Option<ActOutcome>, String> {
        let client = &self.client;
        Ok(Some(match act {
            Act::Sessions { everywhere } => {
                self.browse(everywhere).await?;
                return Ok(None);
            }
            Act::FindSessions { words, everywhere } => {
                self.find(words, everywhere).await?;
                return Ok(None);
            }
            Act::ReadSession { session, title } => ActOutcome::Transcript {
                items: self.read(session).await?,
                title: Some(title),
            },
            Act::RenameSession {
                session,
                title,
                everywhere,
            } => {
                let root = self.facts.config_dir.clone();
                let renamed = spawn_blocking(move || Sessions::under(root).rename(&session, &title, None)).await;
                renamed.map_err(error_text)?.map_err(error_text)?;
                self.browse(everywhere).await?;
                return Ok(None);
            }
            Act::Changes { uuid, title } => {
                let items = crate::view::earlier::changes(&self.messages().await?, &uuid);
                if items.is_empty() {
                    return Err("no file was changed since".to_owned());
                }
                ActOutcome::Transcript {
                    items,
                    title: Some(title),
                }
            }
            Act::Summarise {
                uuid,
                text,
                session,
                before,
            } => {
                let summary = self.summary(&uuid, &text).await?;
                ActOutcome::Summarised(Next::Rewind {
                    session,
                    before,
                    told: Some(summary),
                })
            }
            Act::Transcript => ActOutcome::Transcript {
                items: self.transcript().await?,
                title: None,
            },
            Act::Points => {
                self.points().await?;
                return Ok(None);
            }
            Act::RewindFiles { uuid, count, then } => {
                self.rewind(uuid, false).await?;
                ActOutcome::Rewound { count, then }
            }
            Act::Reprint(most) => {
                let mut items = self.transcript().await?;
                items.drain(..items.len().saturating_sub(most));
                ActOutcome::Reprint(items)
            }
            Act::Rename(title) => {
                let request = RenameSession {
                    title: title.clone(),
                    ..RenameSession::default()
                };
                client
                    .request_within(request, REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Notice(format!("title: {title}"))
            }
            Act::Export(path) => self.export(&path).await?,
            _ => return Ok(None),
        }))
    }

    /// Lists sessions and delivers them as they are read.
    async fn browse(&self, everywhere: bool) -> Result<(), String> {
        let (root, folder) = (self.facts.config_dir.clone(), self.facts.folder.clone());
        let told = self.outcomes.clone();
        let read = spawn_blocking(move || {
            let folder = (!everywhere).then_some(folder.as_path());
            let mut first = true;
            Sessions::under(root).browse(folder, |sessions| {
                let group = ActOutcome::Sessions {
                    sessions,
                    everywhere,
                    first: std::mem::take(&mut first),
                };
                told.send(group).is_ok()
            })
        });
        read.await.map_err(error_text)?.map_err(error_text)
    }

    /// Searches the conversations of all sessions. A newer search cancels an older one.
    async fn find(&self, words: String, everywhere: bool) -> Result<(), String> {
        let (root, folder) = (self.facts.config_dir.clone(), self.facts.folder.clone());
        let (told, searches) = (self.outcomes.clone(), std::sync::Arc::clone(&self.searches));
        let number = searches.fetch_add(1, Ordering::Relaxed) + 1;
        let read = spawn_blocking(move || {
            let folder = (!everywhere).then_some(folder.as_path());
            Sessions::under(root).search(&words, folder, |found| {
                if let Some(id) = found {
                    let found = ActOutcome::FoundSessions {
                        words: words.clone(),
                        ids: vec![id.to_owned()],
                    };
                    told.send(found).ok();
                }
                searches.load(Ordering::Relaxed) == number
            })
        });
        read.await.map_err(error_text)?.map_err(error_text)
    }

    /// Loads the messages of a session.
    async fn read(&self, session: String) -> Result<Vec<Item>, String> {
        let root = self.facts.config_dir.clone();
        let read = spawn_blocking(move || Sessions::under(root).messages(&session, None));
        let messages = read.await.map_err(error_text)?.map_err(error_text)?;
        Ok(of_messages(&messages))
    }

    /// Asks the model for a summary of the conversation from a prompt on.
    async fn summary(&self, uuid: &str, prompt: &str) -> Result<String, String> {
        let line = prompt.trim().lines().next().unwrap_or_default();
        let question = format!(
            "Summarise this conversation from my prompt \"{}\" on, up to now, for yourself: what was asked, what was found, \
             decided and changed (with paths), and what is still to be done. Leave out what came before it.",
            crate::text::width::head(line, 200)
        );
        let request = SideQuestion {
            question: Some(question),
            ..SideQuestion::default()
        };
        let answer = self.client.request(request).await.map_err(error_text)?;
        let text = answer.response.filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| format!("no summary was returned; nothing changed ({uuid})"))?;
        Ok(format!(
            "What was said after this point was taken out of the conversation. In short:\n\n{}",
            text.trim()
        ))
    }

    /// Loads the conversation of this session from disk, or from memory if sessions are not saved.
    async fn transcript(&self) -> Result<Vec<Item>, String> {
        let messages = self.messages().await?;
        if !messages.is_empty() {
            return Ok(of_messages(&messages));
        }
        let mut items = match &self.facts.copied {
            Some(copied) => of_messages(&self.messages_of_copied(copied.clone()).await?),
            None => Vec::new(),
        };
        let received: Vec<Item> = self
            .client
            .look(|state| state.items().collect())
            .await
            .map_err(error_text)?;
        items.extend(received);
        Ok(items)
    }

    async fn messages_of_copied(&self, copied: CopiedSession) -> Result<Vec<SessionMessage>, String> {
        let mut messages = self.messages_on_disk(copied.session).await?;
        let last = messages
            .iter()
            .position(|message| Some(&message.uuid) == copied.last.as_ref());
        messages.truncate(last.map_or(messages.len(), |last| last + 1));
        Ok(messages)
    }

    async fn messages(&self) -> Result<Vec<SessionMessage>, String> {
        let known = self.client.session_id().await.map_err(error_text)?;
        let Some(session) = known.or_else(|| self.facts.session.clone()) else {
            return Ok(Vec::new());
        };
        self.messages_on_disk(session).await
    }

    async fn messages_on_disk(&self, session: String) -> Result<Vec<SessionMessage>, String> {
        let (root, folder) = (self.facts.config_dir.clone(), self.facts.folder.clone());
        let read = spawn_blocking(move || Sessions::under(root).messages(&session, Some(&folder)));
        let read = read.await.map_err(|_| "the session cannot be read".to_owned())?;
        // A session that is not saved has no transcript.
        Ok(read.unwrap_or_default())
    }

    /// Lists the checkpoints immediately, then again with the changes that each would undo.
    async fn points(&self) -> Result<(), String> {
        const MAX_POINTS: usize = 40;
        let mut points = crate::view::earlier::points(&self.messages().await?);
        points.drain(..points.len().saturating_sub(MAX_POINTS));
        self.outcomes.send(ActOutcome::Points(points.clone())).ok();
        let mut known = false;
        for point in points.iter_mut().rev() {
            let Ok(answer) = self.rewind(point.uuid.clone(), true).await else {
                break;
            };
            if answer.can_rewind {
                known = true;
                point.files = Some(crate::app::Files {
                    names: answer.files_changed.unwrap_or_default(),
                    added: answer.insertions.unwrap_or_default(),
                    removed: answer.deletions.unwrap_or_default(),
                });
            }
        }
        if known {
            self.outcomes.send(ActOutcome::PointsAgain(points)).ok();
        }
        Ok(())
    }

    async fn rewind(
        &self,
        user_message_id: String,
        dry_run: bool,
    ) -> Result<sluice_wire::control::RewindFilesResponse, String> {
        let request = RewindFiles {
            user_message_id,
            dry_run: Some(dry_run),
            ..RewindFiles::default()
        };
        let answer = self
            .client
            .request_within(request, REPLY_TIMEOUT)
            .await
            .map_err(error_text)?;
        match answer.error.clone().filter(|_| !answer.can_rewind && !dry_run) {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }

    /// Exports the conversation as Markdown.
    async fn export(&self, path: &str) -> Result<ActOutcome, String> {
        let items = self.transcript().await?;
        let file = self.facts.folder.join(path);
        let text = crate::view::export::markdown(&items);
        sluice_host::private::write(&file, text).map_err(|error| format!("{path}: {error}"))?;
        Ok(ActOutcome::Notice(format!("written to {path}")))
    }
}
