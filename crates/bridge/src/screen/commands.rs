//! Commands that change something.

use base64::Engine as _;
use serde_json::{Value, json};
use sluice_store::{PromptRow, ReceiptRow};

use super::Connection;
use super::answers::{allow, deny};
use crate::api::{ClientMessage, Code, Image, Input, Problem, Scope, ServerMessage, Start};
use crate::session::{Command, Reply, TURNS, now};

/// The largest text of a prompt.
const TEXT: usize = 8 * 1024 * 1024;
/// How many images a prompt may hold.
const IMAGES: usize = 20;

/// Whether a command is a query.
pub(super) fn is_look(message: &ClientMessage) -> bool {
    use ClientMessage as M;
    matches!(
        message,
        M::ItemsBefore { .. }
            | M::ItemRaw { .. }
            | M::FindItem { .. }
            | M::ListRecentSessions { .. }
            | M::Export { .. }
            | M::Files { .. }
            | M::Folders { .. }
            | M::FolderTrust { .. }
            | M::Search { .. }
            | M::Usage { .. }
            | M::Highlight { .. }
            | M::Diff { .. }
            | M::Changes { .. }
            | M::WorkingTree { .. }
            | M::Folder { .. }
            | M::File { .. }
            | M::Templates {}
            | M::Drift { .. }
            | M::Timeline { .. }
            | M::Devices {}
            | M::Audit { .. }
            | M::Check { .. }
            | M::Status {}
    )
}

/// Whether a command becomes a control request to the agent.
pub(super) fn is_request(message: &ClientMessage) -> bool {
    use ClientMessage as M;
    matches!(
        message,
        M::McpStatus { .. }
            | M::McpReconnect { .. }
            | M::McpToggle { .. }
            | M::McpAuthenticate { .. }
            | M::StopTask { .. }
            | M::TaskOutput { .. }
            | M::Background { .. }
            | M::ContextUsage { .. }
            | M::Settings { .. }
            | M::SetSetting { .. }
            | M::Rules { .. }
            | M::ChangeRule { .. }
            | M::Hooks { .. }
            | M::SetModel { .. }
            | M::SetPermissionMode { .. }
            | M::SetThinking { .. }
            | M::SetEffort { .. }
            | M::Interrupt { .. }
    )
}

/// Whether a command that changes something takes long, so that others do not wait for it.
pub(super) fn is_slow(message: &ClientMessage) -> bool {
    matches!(message, ClientMessage::Git { .. })
}

impl Connection {
    /// The session a command is about.
    pub(super) async fn session(&self, named: Option<&str>) -> Result<String, Problem> {
        let named = named.or(self.joined.as_deref()).ok_or_else(Problem::none_joined)?;
        self.hub.known(named, &self.person.by).await
    }

    /// Does a command. `id` is that of its receipt.
    pub(super) async fn obey(&mut self, message: ClientMessage, id: Option<&str>) -> Result<Value, Problem> {
        use ClientMessage as M;
        let by = self.person.by.clone();
        match message {
            M::ListSessions {} => {
                let sessions = self.hub.sessions();
                self.say(&ServerMessage::SessionList { sessions });
                Ok(Value::Null)
            }
            M::Subscribe {
                session_id,
                revision,
                turns,
            } => {
                let turns = turns.map_or(TURNS, |turns| turns.clamp(1, 200) as usize);
                let id = self.subscribe(&session_id, revision, turns).await?;
                Ok(json!({"sessionId": id}))
            }
            M::FollowLines {
                session_id,
                after,
                turns,
            } => {
                let turns = turns.map_or(1, |turns| turns.clamp(1, 200) as usize);
                let id = self.follow_lines(&session_id, after, turns).await?;
                Ok(json!({"sessionId": id}))
            }
            M::Unsubscribe { session_id } => {
                self.unsubscribe(&session_id).await;
                Ok(Value::Null)
            }
            M::GetHistory { session_id, before } => {
                let id = self.hub.known(&session_id, &by).await?;
                self.send_history(&id, before).await;
                Ok(Value::Null)
            }
            M::GetHistoryDelta { .. } | M::ClientCapabilities {} => Err(Problem::new(
                Code::Type,
                "this is a command of level 0; `subscribe` gives items",
            )),
            M::Start(start) => self.start(start, id).await,
            M::ResumeSession {
                session_id,
                project_path,
                permission_mode,
            } => {
                let id = self
                    .hub
                    .resume(&session_id, project_path.as_deref(), permission_mode, &by)
                    .await?;
                Ok(json!({"sessionId": id}))
            }
            M::Input(input) => self.input(input, id).await,
            M::Edit { session_id, uuid, text } => {
                let edit = |reply| Command::EditPrompt {
                    uuid: uuid.clone(),
                    text: text.clone(),
                    reply,
                };
                self.change(session_id.as_deref(), edit).await
            }
            M::Reorder {
                session_id,
                uuid,
                before,
            } => {
                let reorder = |reply| Command::MovePrompt {
                    uuid: uuid.clone(),
                    before: before.clone(),
                    reply,
                };
                self.change(session_id.as_deref(), reorder).await
            }
            M::SendNow { session_id, uuid } => {
                let uuid = || uuid.clone();
                self.change(session_id.as_deref(), |reply| Command::SendNow { uuid: uuid(), reply })
                    .await
            }
            M::TakeBack { session_id, uuid } => {
                let uuid = || uuid.clone();
                self.change(session_id.as_deref(), |reply| Command::TakeBack { uuid: uuid(), reply })
                    .await
            }
            M::Approve { id, session_id } => self.decide(session_id, allow(&id)).await,
            M::ApproveAlways { id, session_id } => self.approve_always(session_id, &id).await,
            M::Reject {
                id,
                message,
                interrupt,
                session_id,
            } => self.decide(session_id, deny(&id, message, interrupt)).await,
            M::Answer {
                tool_use_id,
                result,
                session_id,
            } => self.answer_question(session_id, tool_use_id, result).await,
            M::AnswerAsk(answer) => self.decide(answer.session_id.clone(), answer).await,
            M::Fork { session_id, at } => {
                let session = self.hub.known(&session_id, &by).await?;
                let id = self.hub.fork(&session, at.as_deref(), &by).await?;
                Ok(json!({"sessionId": id}))
            }
            M::Rewind { .. } => self.rewind(message).await,
            M::Rename { session_id, title } => {
                let title = title.trim().to_owned();
                if title.is_empty() || title.len() > 500 {
                    return Err(Problem::new(Code::Field, "a title has 1 to 500 bytes"));
                }
                let rename = |reply| Command::Rename {
                    title: title.clone(),
                    by: by.clone(),
                    reply,
                };
                self.change(Some(&session_id), rename).await
            }
            M::Archive { session_id, archived } => {
                self.change(Some(&session_id), |reply| Command::Archive { archived, reply })
                    .await
            }
            M::Delete { session_id } => {
                let session = self.hub.known(&session_id, &by).await?;
                self.unsubscribe(&session).await;
                self.hub.delete(&session, &by).await?;
                Ok(Value::Null)
            }
            M::Revoke { device } => {
                self.hub.shared.doors.revoke(&device).await?;
                self.hub.audit(&by, "revoke", None, &device).await;
                Ok(Value::Null)
            }
            M::Pair { scope } => {
                let offer = self.hub.shared.doors.offer(scope.unwrap_or(Scope::Approve)).await?;
                serde_json::to_value(offer).map_err(Problem::internal)
            }
            M::TrustFolder { path } => self.folder_trust(&path, true).await,
            M::ReleaseQueue { session_id } => {
                self.change(session_id.as_deref(), |reply| Command::ReleaseQueue { reply })
                    .await
            }
            M::Git {
                session_id,
                step,
                dry_run,
            } => self.git(&session_id, step, dry_run).await,
            M::SaveTemplate { name, text, was } => self.save_template(&name, &text, was.as_deref()).await,
            M::DeleteTemplate { name } => self.delete_template(&name).await,
            // Greetings, looks and questions to the agent are answered elsewhere.
            _ => Err(Problem::new(Code::Type, "this is no command that changes anything")),
        }
    }

    /// Asks a session to change something of its own.
    async fn change(&self, session: Option<&str>, command: impl FnMut(Reply<()>) -> Command) -> Result<Value, Problem> {
        let session = self.session(session).await?;
        self.hub.ask(&session, command).await?;
        Ok(Value::Null)
    }

    async fn unsubscribe(&mut self, id: &str) {
        let found = self.listening.iter().find(|(_, of)| *of == id).map(|(s, _)| *s);
        if let Some(s) = found {
            self.listening.remove(&s);
            self.outbox.forget(s);
        }
        if let Some(handle) = self.hub.loaded(id) {
            handle.commands.send(Command::Unsubscribe { key: self.key }).await.ok();
        }
    }

    /// Begins a session, with a first prompt when there is one.
    async fn start(&mut self, start: Start, id: Option<&str>) -> Result<Value, Problem> {
        let by = self.person.by.clone();
        let receipt = id.map(|id| self.receipt_row(id));
        let session = self.hub.start(&start, &by, receipt).await?;
        self.joined = Some(session.clone());
        let text = start.text.unwrap_or_default();
        if !text.trim().is_empty() || !start.images.is_empty() {
            let input = Input {
                text,
                images: start.images,
                session_id: Some(session.clone()),
                ..Input::default()
            };
            self.input(input, None).await?;
        }
        Ok(json!({"sessionId": session}))
    }

    fn receipt_row(&self, id: &str) -> ReceiptRow {
        let receipt = super::receipt_of(id, Ok(Value::Null));
        ReceiptRow {
            device: self.person.by.device.clone(),
            id: id.to_owned(),
            at: now(),
            body: serde_json::to_string(&ServerMessage::Receipt(receipt)).unwrap_or_default(),
        }
    }

    /// A prompt: on disk before anybody is told that it was taken.
    pub(super) async fn input(&mut self, input: Input, id: Option<&str>) -> Result<Value, Problem> {
        let session = self.session(input.session_id.as_deref()).await?;
        if input.text.len() > TEXT {
            return Err(Problem::new(Code::Limit, "a prompt has at most 8 MiB of text"));
        }
        if input.text.trim().is_empty() && input.images.is_empty() {
            return Err(Problem::new(Code::Field, "a prompt needs text or an image"));
        }
        let level = self.level;
        self.hub
            .ask(&session, |reply| Command::MayPrompt { level, reply })
            .await?;
        let uuid = match &input.uuid {
            Some(uuid) => uuid::Uuid::parse_str(uuid)
                .map_err(|_| Problem::new(Code::Field, "uuid is no UUID"))?
                .to_string(),
            None => uuid::Uuid::new_v4().to_string(),
        };
        let images = self.keep_images(&session, &input.images).await?;
        let characters = input.text.chars().count();
        let at = now();
        let row = PromptRow {
            uuid: uuid.clone(),
            session: session.clone(),
            position: at as f64,
            at,
            by: self.person.by.device.clone(),
            by_name: self.person.by.name.clone(),
            state: "queued".to_owned(),
            content: if images.is_empty() {
                String::new()
            } else {
                Value::from(images).to_string()
            },
            text: input.text,
            since: at,
            ..PromptRow::default()
        };
        let receipt = id.map(|id| {
            let answer = json!({"sessionId": session, "uuid": uuid, "state": "queued"});
            let mut row = self.receipt_row(id);
            let receipt = super::receipt_of(id, Ok(answer));
            row.body = serde_json::to_string(&ServerMessage::Receipt(receipt)).unwrap_or_default();
            row
        });
        self.hub.shared.store.put_prompt(row.clone(), receipt).await?;
        let detail = format!("{uuid}, {characters} characters");
        let auditing = self.clone();
        let of = session.clone();
        // The receipt does not wait for it.
        tokio::spawn(async move { auditing.audit("prompt", Some(&of), &detail).await });
        let (steer, from) = (input.steer, self.key);
        let state = self
            .hub
            .ask(&session, |reply| Command::Prompt {
                row: Box::new(row.clone()),
                steer,
                from,
                reply,
            })
            .await?;
        Ok(json!({"sessionId": session, "uuid": uuid, "state": state}))
    }

    /// Images are kept aside; the prompt names them.
    async fn keep_images(&self, session: &str, images: &[Image]) -> Result<Vec<Value>, Problem> {
        if images.len() > IMAGES {
            return Err(Problem::new(
                Code::Limit,
                format!("a prompt holds at most {IMAGES} images"),
            ));
        }
        let mut kept = Vec::new();
        for image in images {
            let bytes = match (&image.hash, &image.data) {
                (Some(hash), _) => self.uploaded(hash).await?,
                (None, Some(data)) => {
                    let data = data.split_once("base64,").map_or(data.as_str(), |(_, data)| data);
                    let decoded = base64::engine::general_purpose::STANDARD.decode(data.trim());
                    decoded.map_err(|_| Problem::new(Code::Field, "an image is not base64"))?
                }
                (None, None) => return Err(Problem::new(Code::Field, "an image needs `hash` or `data`")),
            };
            let image = tokio::task::spawn_blocking(move || sluice_render::image::normalise(&bytes)).await;
            let image = image.map_err(Problem::internal)?;
            let image =
                image.map_err(|error| Problem::new(Code::Field, format!("an image cannot be used: {error}")))?;
            let bytes = image.bytes.len();
            let mime = image.mime.to_string();
            let hash = self
                .hub
                .shared
                .store
                .put_blob(session, image.bytes, &mime, now())
                .await?;
            kept.push(json!({"hash": hash, "mime": mime, "bytes": bytes}));
        }
        Ok(kept)
    }

    async fn uploaded(&self, hash: &str) -> Result<Vec<u8>, Problem> {
        let missing = || Problem::new(Code::Field, "there is no uploaded image with this hash").hint("upload it again");
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(missing());
        }
        let path = self.hub.shared.uploads.path(hash);
        let path = match path {
            Some(path) => path,
            None => self.hub.shared.store.blob(hash).await?.ok_or_else(missing)?.path,
        };
        tokio::fs::read(path).await.map_err(|_| missing())
    }
}
