//! Wishes, carried out: each in a task of its own, so that no key waits for an agent.

mod outside;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sluice_host::sessions::Sessions;
use sluice_host::{Answer, Client, Prompt};
use sluice_wire::content::{Base64Source, Block, Image};
use sluice_wire::control::{
    BackgroundTasks, Elicitation, ElicitationResponse, FileSuggestions, GetContextUsage, GetHooksListing, GetSettings,
    GetTaskOutput, GetUsage, ListModels, ListPermissionRules, McpReconnect, McpStatus, McpToggle, RenameSession,
    RewindFiles, SetMaxThinkingTokens, SetPermissionMode, SideQuestion, StopTask, UpdateSettings,
};
use sluice_wire::stdin::{Priority, User};
use tokio::sync::{mpsc, oneshot};

use crate::app::{Act, Told};
use crate::facts::Facts;
use crate::text::{Row, clean};
pub(crate) use outside::branch;
use outside::{clipboard, note};

/// An answer to a request of a dialog is waited for so long; then the dialog says so.
const PATIENCE: Duration = Duration::from_secs(5);

/// Forms that wait for a person, in the order they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forms(Arc<Mutex<Vec<Waiting>>>);

/// A form, and who waits for it.
type Waiting = (Elicitation, oneshot::Sender<ElicitationResponse>);

impl Forms {
    /// Waits until somebody fills it in.
    pub(crate) async fn ask(self, elicitation: Elicitation) -> ElicitationResponse {
        let (answer, answered) = oneshot::channel();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((elicitation, answer));
        answered.await.unwrap_or_default()
    }

    /// Answers the one that asks this. Those nobody waits for any more are dropped.
    fn answer(&self, elicitation: &Elicitation, response: ElicitationResponse) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, answer)| !answer.is_closed());
        if let Some(at) = waiting.iter().position(|(asked, _)| asked == elicitation) {
            let (_, answer) = waiting.remove(at);
            answer.send(response).ok();
        }
    }
}

/// What wishes are carried out with.
#[derive(Debug, Clone)]
pub(crate) struct Doer {
    pub(crate) client: Client,
    pub(crate) told: mpsc::UnboundedSender<Told>,
    pub(crate) forms: Forms,
    pub(crate) facts: Arc<Facts>,
}

impl Doer {
    /// Carries out what needs the agent or the disk; the rest is the loop's.
    pub(crate) fn begin(&self, act: Act) {
        let doer = self.clone();
        tokio::spawn(async move {
            if let Err(why) = doer.run(act).await {
                doer.told.send(Told::Notice(why)).ok();
            }
        });
    }

    async fn run(&self, act: Act) -> Result<(), String> {
        let client = &self.client;
        let told = match act {
            Act::Send {
                uuid,
                text,
                images,
                at_once,
            } => {
                let mut prompt = Prompt::from(prompt(&text, images)).uuid(uuid);
                if at_once {
                    prompt = prompt.priority(Priority::Now);
                }
                client.send(prompt).await.map_err(said)?;
                return Ok(());
            }
            Act::Withdraw(uuid) => return client.withdraw(uuid).await.map_err(said),
            Act::Interrupt { all } => {
                let stopped = if all {
                    client.interrupt_all().await
                } else {
                    client.interrupt().await
                };
                stopped.map_err(said)?;
                return Ok(());
            }
            Act::Answer { ask, response } => {
                return client
                    .answer(ask, Answer::from(response))
                    .await
                    .map_err(|_| "it was answered already".to_owned());
            }
            Act::Fill { ask, response } => {
                let line = client
                    .look(move |state| state.ask(&ask).and_then(|ask| ask.line.clone()))
                    .await
                    .map_err(said)?;
                let request = line.and_then(|line| line.to_host().ok());
                if let Some(sluice_wire::ToHost::ControlRequest(request)) = request
                    && let sluice_wire::control::Request::Elicitation(elicitation) = request.request
                {
                    self.forms.answer(&elicitation, response);
                }
                return Ok(());
            }
            Act::SetMode(mode) => {
                let request = SetPermissionMode {
                    mode,
                    ..SetPermissionMode::default()
                };
                client.request_within(request, PATIENCE).await.map_err(said)?;
                return Ok(());
            }
            Act::SetModel(model) => {
                client.set_model(model.as_deref()).await.map_err(said)?;
                Told::Notice(format!("model: {}", model.unwrap_or_else(|| "default".to_owned())))
            }
            Act::Models => match client.request_within(ListModels::default(), PATIENCE).await {
                Ok(answer) => Told::Models(answer.models),
                Err(_) => Told::Models(client.greeting().models.clone().unwrap_or_default()),
            },
            Act::Servers => {
                let answer = client
                    .request_within(McpStatus::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Servers(answer.mcp_servers)
            }
            Act::Reconnect(server_name) => {
                let request = McpReconnect {
                    server_name,
                    ..McpReconnect::default()
                };
                client.request(request).await.map_err(said)?;
                Told::Notice("connected".to_owned())
            }
            Act::Toggle(server_name, enabled) => {
                let request = McpToggle {
                    server_name,
                    enabled,
                    ..McpToggle::default()
                };
                client.request(request).await.map_err(said)?;
                Told::Notice(if enabled { "on" } else { "off" }.to_owned())
            }
            Act::Rules => {
                let answer = client
                    .request_within(ListPermissionRules::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Rules(Box::new(answer.state))
            }
            Act::Context => {
                let answer = client
                    .request_within(GetContextUsage::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Context(Box::new(answer))
            }
            Act::Cost => {
                let answer = client
                    .request_within(GetUsage::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Cost(Box::new(answer))
            }
            Act::Files(query) => {
                let request = FileSuggestions {
                    query: query.clone(),
                    ..FileSuggestions::default()
                };
                let mut answer = client.request_within(request.clone(), PATIENCE).await.map_err(said)?;
                // The first answer of an agent that only begins to look is an empty one.
                if answer.suggestions.is_empty() {
                    tokio::time::sleep(Duration::from_millis(150)).await;
                    answer = client.request_within(request, PATIENCE).await.map_err(said)?;
                }
                let found = answer
                    .suggestions
                    .iter()
                    .filter_map(|found| path_of(&found.to_value()))
                    .collect();
                Told::Files { query, found }
            }
            Act::Sessions => Told::Sessions(self.sessions().await?),
            Act::StopTask(task_id) => {
                let request = StopTask {
                    task_id: task_id.clone(),
                    ..StopTask::default()
                };
                client.request_within(request, PATIENCE).await.map_err(said)?;
                Told::Notice(format!("job {task_id} is stopped"))
            }
            Act::TaskOutput(task_id) => {
                let request = GetTaskOutput {
                    task_id: task_id.clone(),
                    ..GetTaskOutput::default()
                };
                let answer = client.request_within(request, PATIENCE).await.map_err(said)?;
                let mut rows = vec![Row::faint(&format!("& job {task_id}"))];
                let lines: Vec<&str> = answer.output.lines().collect();
                let from = lines.len().saturating_sub(40);
                rows.extend(
                    lines
                        .iter()
                        .skip(from)
                        .map(|line| Row::plain(&format!("    {}", clean::output_line(line)))),
                );
                Told::Rows(rows)
            }
            Act::Background => {
                let answer = client
                    .request_within(BackgroundTasks::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                if answer.backgrounded == Some(false) {
                    return Err("nothing can be moved to the background".to_owned());
                }
                return Ok(());
            }
            Act::Transcript => Told::Transcript(self.transcript().await?),
            Act::Points => {
                self.points().await?;
                return Ok(());
            }
            Act::RewindFiles { uuid, count, then } => {
                self.rewind(uuid, false).await?;
                Told::Rewound { count, then }
            }
            Act::Note { file, text } => note(&file, &text)?,
            Act::PasteImage => Told::Picture(clipboard().await),
            Act::StatusLine(facts) => match self.status_line(&facts).await {
                Some(text) => Told::StatusLine(text),
                None => return Ok(()),
            },
            Act::Settings => {
                let answer = client
                    .request_within(GetSettings::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Settings(answer.effective.to_value())
            }
            Act::Setting(settings) => {
                self.keep("userSettings", settings).await?;
                return Ok(());
            }
            Act::ChangeRule {
                behavior,
                rule,
                source,
                add,
                kind,
            } => {
                self.change_rule(&behavior, &rule, &source, add).await?;
                let answer = client
                    .request_within(ListPermissionRules::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::RulesOf(Box::new(answer.state), kind)
            }
            Act::Agents => Told::Agents(client.greeting().agents.clone().unwrap_or_default()),
            Act::Hooks => {
                let answer = client
                    .request_within(GetHooksListing::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                let mut rows = vec![Row::new().add("Hooks", crate::text::Style::TEXT.bold())];
                rows.extend(answer.hooks.iter().map(|hook| {
                    let matcher = if hook.matcher.is_empty() { "*" } else { &hook.matcher };
                    Row::plain(&format!("  {:<18} {matcher:<12} {}", hook.event, hook.display_text))
                        .add(&format!("  {}", hook.source_label), crate::text::Style::FAINT)
                }));
                if answer.hooks.is_empty() {
                    rows.push(Row::faint("  none"));
                }
                Told::Rows(rows)
            }
            Act::Aside(question) => {
                let request = SideQuestion {
                    question: Some(question.clone()),
                    ..SideQuestion::default()
                };
                self.told
                    .send(Told::Notice("asking beside the conversation".to_owned()))
                    .ok();
                let answer = client.request(request).await.map_err(said)?;
                let text = answer.response.unwrap_or_else(|| "there was no answer".to_owned());
                let mut rows = vec![Row::faint(&format!("~ beside the conversation: {question}"))];
                rows.extend(crate::view::markdown::rows(&text, 80));
                Told::Rows(rows)
            }
            Act::Thinking(most) => {
                let request = SetMaxThinkingTokens {
                    max_thinking_tokens: most.map(Into::into),
                    ..SetMaxThinkingTokens::default()
                };
                client.request_within(request, PATIENCE).await.map_err(said)?;
                return Ok(());
            }
            Act::Reprint(most) => {
                let mut entries = self.transcript().await?;
                entries.drain(..entries.len().saturating_sub(most));
                Told::Reprint(entries)
            }
            Act::Rename(title) => {
                let request = RenameSession {
                    title: title.clone(),
                    ..RenameSession::default()
                };
                client.request_within(request, PATIENCE).await.map_err(said)?;
                Told::Notice(format!("title: {title}"))
            }
            Act::Shell(command) => self.shell(command).await,
            Act::Export(path) => self.export(&path).await?,
            _ => return Ok(()),
        };
        self.told.send(told).ok();
        Ok(())
    }

    async fn sessions(&self) -> Result<Vec<sluice_host::sessions::SessionInfo>, String> {
        let (root, folder) = (self.facts.config_dir.clone(), self.facts.folder.clone());
        let listed = tokio::task::spawn_blocking(move || Sessions::under(root).list(Some(&folder)));
        listed
            .await
            .map_err(|_| "the sessions cannot be read".to_owned())?
            .map_err(said)
    }

    async fn keep(&self, source: &str, settings: serde_json::Value) -> Result<(), String> {
        let request = UpdateSettings {
            source: source.to_owned(),
            settings: settings.into(),
            ..UpdateSettings::default()
        };
        let kept = self.client.request_within(request, PATIENCE).await;
        kept.map(|_| ()).map_err(|why| format!("not kept: {why}"))
    }

    /// Writes the list of a kind anew, with the rule or without it.
    async fn change_rule(&self, behavior: &str, rule: &str, source: &str, add: bool) -> Result<(), String> {
        let answer = self
            .client
            .request_within(GetSettings::default(), PATIENCE)
            .await
            .map_err(said)?;
        let sources: Vec<serde_json::Value> = answer.sources.iter().map(sluice_wire::Raw::to_value).collect();
        let known = sources
            .iter()
            .find(|it| it.get("source").and_then(serde_json::Value::as_str) == Some(source))
            .and_then(|it| it.pointer(&format!("/settings/permissions/{behavior}")))
            .and_then(serde_json::Value::as_array)
            .cloned()
            .unwrap_or_default();
        let mut list: Vec<serde_json::Value> = known.into_iter().filter(|it| it.as_str() != Some(rule)).collect();
        if add {
            list.push(rule.into());
        }
        self.keep(source, serde_json::json!({"permissions": {behavior: list}}))
            .await
    }

    /// What the command that makes the status row says; nothing when it fails or takes too long.
    async fn status_line(&self, facts: &serde_json::Value) -> Option<String> {
        use tokio::io::AsyncWriteExt as _;
        const LONGEST: Duration = Duration::from_secs(2);
        let command = self.facts.settings.status_line.as_ref()?;
        let mut child = tokio::process::Command::new("/bin/sh")
            .arg("-c")
            .arg(command)
            .current_dir(&self.facts.folder)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let mut stdin = child.stdin.take()?;
        stdin.write_all(facts.to_string().as_bytes()).await.ok();
        drop(stdin);
        let output = tokio::time::timeout(LONGEST, child.wait_with_output())
            .await
            .ok()?
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What is on disk of this session; what was heard where nothing is kept.
    async fn transcript(&self) -> Result<Vec<sluice_host::conversation::Entry>, String> {
        let messages = self.messages().await?;
        if messages.is_empty() {
            return self.client.look(|state| state.entries().to_vec()).await.map_err(said);
        }
        Ok(crate::view::earlier::entries(&messages))
    }

    async fn messages(&self) -> Result<Vec<sluice_host::sessions::SessionMessage>, String> {
        let known = self.client.session_id().await.map_err(said)?;
        let Some(session) = known.or_else(|| self.facts.session.clone()) else {
            return Ok(Vec::new());
        };
        let (root, folder) = (self.facts.config_dir.clone(), self.facts.folder.clone());
        let read = tokio::task::spawn_blocking(move || Sessions::under(root).messages(&session, Some(&folder)));
        let read = read.await.map_err(|_| "the session cannot be read".to_owned())?;
        // One that was never written down has nothing on disk.
        Ok(read.unwrap_or_default())
    }

    /// What one can go back to: the list at once, then what each would put back.
    async fn points(&self) -> Result<(), String> {
        const MOST: usize = 40;
        let mut points = crate::view::earlier::points(&self.messages().await?);
        points.drain(..points.len().saturating_sub(MOST));
        self.told.send(Told::Points(points.clone())).ok();
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
            self.told.send(Told::PointsAgain(points)).ok();
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
        let answer = self.client.request_within(request, PATIENCE).await.map_err(said)?;
        match answer.error.clone().filter(|_| !answer.can_rewind && !dry_run) {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }

    /// Runs a command of the person's own; the model is told, and not asked.
    async fn shell(&self, command: String) -> Told {
        let mut child = tokio::process::Command::new(&self.facts.shell);
        child
            .arg("-c")
            .arg(&command)
            .current_dir(&self.facts.folder)
            .stdin(std::process::Stdio::null());
        let (output, code) = match child.output().await {
            Ok(output) => {
                let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
                text.push_str(&String::from_utf8_lossy(&output.stderr));
                (text, output.status.code())
            }
            Err(error) => (error.to_string(), Some(127)),
        };
        const MOST: usize = 30_000;
        let short = crate::text::width::tail(&output, MOST);
        let told = format!(
            "<bash-input>{command}</bash-input>\n<bash-stdout>{short}</bash-stdout><bash-stderr></bash-stderr>"
        );
        let mut user = User::new(told);
        user.should_query = Some(false);
        user.client_composed = Some(true);
        user.is_synthetic = Some(true);
        user.uuid = Some(uuid::Uuid::new_v4().to_string());
        let line = sluice_wire::ToAgent::from(user).to_line();
        self.client.write_line(&line).await.ok();
        Told::Shell { command, output, code }
    }

    /// The conversation as markdown.
    async fn export(&self, path: &str) -> Result<Told, String> {
        let entries = self.client.look(|state| state.entries().to_vec()).await.map_err(said)?;
        let file = self.facts.folder.join(path);
        let text = crate::view::export::markdown(&entries);
        tokio::fs::write(&file, text)
            .await
            .map_err(|error| format!("{path}: {error}"))?;
        Ok(Told::Notice(format!("written to {path}")))
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn path_of(value: &serde_json::Value) -> Option<String> {
    let path = value.as_str().or_else(|| {
        ["path", "displayText", "display_text", "text", "value"]
            .iter()
            .find_map(|name| value.get(name)?.as_str())
    });
    path.map(str::to_owned)
}

fn prompt(text: &str, images: Vec<(String, String)>) -> User {
    if images.is_empty() {
        return User::new(text);
    }
    let mut blocks = vec![Block::text(text)];
    blocks.extend(images.into_iter().map(|(media_type, data)| {
        let source = Base64Source {
            media_type,
            data,
            ..Base64Source::default()
        };
        Block::from(Image {
            source: source.into(),
            ..Image::default()
        })
    }));
    User::new(blocks)
}
