//! Control requests to the agent, by the commands that lead to them.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize as _;
use serde_json::{Value, json};
use sluice_host::wire::Raw;
use sluice_host::wire::control::{
    ApplyFlagSettings, BackgroundTasks, GetContextUsage, GetHooksListing, GetSettings, GetSettingsResponse,
    GetTaskOutput, ListPermissionRules, McpAuthenticate, McpReconnect, McpStatus, McpToggle, Request, RewindFiles,
    RewindFilesResponse, SetMaxThinkingTokens, SetModel, SetPermissionMode, SettingsSource, StopTask, UpdateSettings,
};

use super::Connection;
use crate::api::{ClientMessage, Code, Problem, Rewound};
use crate::hub::mode;
use crate::rules;
use crate::session::{Command, add_rule};

/// How often it is asked whether an agent has read a settings file again, and how long between.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

impl Connection {
    /// A command that becomes a control request.
    pub(super) async fn ask_agent(&mut self, message: ClientMessage) -> Result<Value, Problem> {
        use ClientMessage as M;
        match message {
            M::McpStatus { session_id } => self.request(session_id, McpStatus::default()).await,
            M::McpReconnect { session_id, server } => {
                let request = McpReconnect {
                    server_name: server,
                    ..McpReconnect::default()
                };
                self.request(session_id, request).await
            }
            M::McpToggle {
                session_id,
                server,
                enabled,
            } => {
                let request = McpToggle {
                    server_name: server,
                    enabled,
                    ..McpToggle::default()
                };
                self.request(session_id, request).await
            }
            M::McpAuthenticate { session_id, server } => {
                let request = McpAuthenticate {
                    server_name: server,
                    ..McpAuthenticate::default()
                };
                self.request(session_id, request).await
            }
            M::StopTask { session_id, task } => {
                let request = StopTask {
                    task_id: task,
                    ..StopTask::default()
                };
                self.request(session_id, request).await
            }
            M::TaskOutput { session_id, task } => {
                let request = GetTaskOutput {
                    task_id: task,
                    ..GetTaskOutput::default()
                };
                self.request(session_id, request).await
            }
            M::Background {
                session_id,
                tool_use_id,
            } => {
                let request = BackgroundTasks {
                    tool_use_id,
                    ..BackgroundTasks::default()
                };
                self.request(session_id, request).await
            }
            M::ContextUsage { session_id } => self.request(session_id, GetContextUsage::default()).await,
            M::Settings { session_id } => self.request(session_id, GetSettings::default()).await,
            M::SetSetting {
                session_id,
                source,
                settings,
            } => {
                let request = match source.as_str() {
                    "flagSettings" | "session" => flag_settings(&settings).into(),
                    _ => Request::from(UpdateSettings {
                        source,
                        settings: Raw::of(&settings),
                        ..UpdateSettings::default()
                    }),
                };
                let done = self.request(session_id, request).await?;
                self.hub
                    .audit(
                        &self.person.by,
                        "setting",
                        self.joined.as_deref(),
                        &settings.to_string(),
                    )
                    .await;
                Ok(done)
            }
            M::Rules { session_id } => self.request(session_id, ListPermissionRules::default()).await,
            M::ChangeRule {
                session_id,
                op,
                behavior,
                rule,
                destination,
            } => self.change_rule(session_id, &op, &behavior, &rule, &destination).await,
            M::Hooks { session_id } => self.request(session_id, GetHooksListing::default()).await,
            M::SetModel { session_id, model } => {
                let session = self.session(session_id.as_deref()).await?;
                let mut request = SetModel {
                    model: model.clone(),
                    ..SetModel::default()
                };
                // As the official SDKs say it.
                request.extra.write_null("model");
                let running = self.request_of(&session, request).await;
                self.unless_stopped(
                    &session,
                    running,
                    |model_of| Command::Remember {
                        model: Some(model_of),
                        effort: None,
                        thinking: None,
                        mode: None,
                    },
                    model,
                )
                .await
            }
            M::SetPermissionMode {
                session_id,
                mode: wanted,
            } => {
                let wanted = mode(Some(&wanted))?.to_owned();
                let session = self.session(session_id.as_deref()).await?;
                let request = SetPermissionMode {
                    mode: wanted.as_str().into(),
                    ..SetPermissionMode::default()
                };
                let running = self.request_of(&session, request).await;
                let done = self
                    .unless_stopped(
                        &session,
                        running,
                        |mode| Command::Remember {
                            model: None,
                            effort: None,
                            thinking: None,
                            mode: Some(mode),
                        },
                        wanted.clone(),
                    )
                    .await?;
                self.hub.audit(&self.person.by, "mode", Some(&session), &wanted).await;
                Ok(done)
            }
            M::SetThinking { session_id, tokens } => {
                let session = self.session(session_id.as_deref()).await?;
                let mut request = SetMaxThinkingTokens {
                    max_thinking_tokens: tokens.map(Into::into),
                    ..SetMaxThinkingTokens::default()
                };
                request.extra.write_null("max_thinking_tokens");
                let running = self.request_of(&session, request).await;
                self.unless_stopped(
                    &session,
                    running,
                    |tokens| Command::Remember {
                        model: None,
                        effort: None,
                        thinking: Some(tokens),
                        mode: None,
                    },
                    tokens,
                )
                .await
            }
            M::SetEffort { session_id, effort } => {
                let session = self.session(session_id.as_deref()).await?;
                let request = flag_settings(&json!({"effortLevel": effort}));
                let running = self.request_of(&session, request).await;
                self.unless_stopped(
                    &session,
                    running,
                    |effort| Command::Remember {
                        model: None,
                        effort: Some(effort),
                        thinking: None,
                        mode: None,
                    },
                    effort,
                )
                .await
            }
            M::Interrupt { session_id, all, hold } => {
                let session = self.session(session_id.as_deref()).await?;
                self.hub
                    .ask(&session, |reply| Command::Interrupt { all, hold, reply })
                    .await?;
                self.hub.audit(&self.person.by, "interrupt", Some(&session), "").await;
                Ok(Value::Null)
            }
            other => Err(Problem::new(
                Code::Type,
                format!("`{other:?}` is not a request to the agent"),
            )),
        }
    }

    async fn request(&self, session: Option<String>, request: impl Into<Request>) -> Result<Value, Problem> {
        let session = self.session(session.as_deref()).await?;
        self.request_of(&session, request).await
    }

    async fn request_of(&self, session: &str, request: impl Into<Request>) -> Result<Value, Problem> {
        let request = Box::new(request.into());
        self.hub
            .ask(session, |reply| Command::Request {
                request: request.clone(),
                reply,
            })
            .await
    }

    /// What was set counts for the next agent too, also when none runs now.
    async fn unless_stopped<T>(
        &self,
        session: &str,
        answer: Result<Value, Problem>,
        remember: impl FnOnce(T) -> Command,
        value: T,
    ) -> Result<Value, Problem> {
        let answer = match answer {
            Err(problem) if problem.code == Code::Stopped => Ok(Value::Null),
            other => other,
        }?;
        self.hub.tell(session, remember(value)).await;
        Ok(answer)
    }

    /// Adds or removes a rule: in a settings file, which the agent watches, or in the session through the agent.
    async fn change_rule(
        &mut self,
        session: Option<String>,
        op: &str,
        behavior: &str,
        rule: &str,
        destination: &str,
    ) -> Result<Value, Problem> {
        if !matches!(behavior, "allow" | "ask" | "deny") {
            return Err(Problem::new(Code::Field, "behavior is allow, ask or deny"));
        }
        let add = match op {
            "add" => true,
            "remove" => false,
            _ => return Err(Problem::new(Code::Field, "op is add or remove")),
        };
        add_rule(rule, behavior, destination, add)?;
        let session = self.session(session.as_deref()).await?;
        let row = self.hub.row(&session).await?;
        let folder = PathBuf::from(&row.folder);
        let done = match rules::file(destination, &folder, &self.hub.shared.agents.config_dir) {
            Some(file) => {
                // A project's files may have been prepared by somebody else; a person's own may lie anywhere.
                let within = (destination != "userSettings").then_some(folder);
                let (of, what) = (behavior.to_owned(), rule.to_owned());
                let changed =
                    tokio::task::spawn_blocking(move || rules::change(&file, within.as_deref(), &of, &what, add));
                changed.await.map_err(Problem::internal)??;
                self.rule_is_known(&session, destination, behavior, rule, add).await;
                Value::Null
            }
            None => {
                let settings = self.request_of(&session, GetSettings::default()).await?;
                let mut rules = rules_of(&settings, "flagSettings", behavior);
                let held = rules.iter().any(|it| it == rule);
                if !add && !held {
                    return Err(self.not_removed(&session, behavior, rule).await);
                }
                rules.retain(|it| it != rule);
                if add {
                    rules.push(rule.to_owned());
                }
                let change = json!({"permissions": { behavior: rules }});
                self.request_of(&session, flag_settings(&change)).await?
            }
        };
        let detail = format!("{op} {behavior} {rule} in {destination}");
        self.hub.audit(&self.person.by, "rule", Some(&session), &detail).await;
        Ok(done)
    }

    /// Why a rule of the session cannot be removed: no request to the agent removes a rule that was given with an answer.
    async fn not_removed(&self, session: &str, behavior: &str, rule: &str) -> Problem {
        let listed = self.request_of(session, ListPermissionRules::default()).await;
        let entries = listed
            .as_ref()
            .ok()
            .and_then(|it| it.pointer("/state/rules")?.as_array());
        let is_it = |entry: &Value| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            text("behavior") == Some(behavior) && text("rule") == Some(rule)
        };
        match entries.into_iter().flatten().any(is_it) {
            true => Problem::new(
                Code::Refused,
                format!("the rule `{rule}` cannot be removed from the session"),
            )
            .hint("it holds until the agent ends: stop the session and resume it, or remove the rule from its file"),
            false => Problem::new(Code::Refused, format!("the session has no {behavior} rule `{rule}`")),
        }
    }

    /// Waits a moment until the agent has read its file again, so that who asks for the rules next sees the change. An
    /// agent that does not run reads the file when it starts.
    async fn rule_is_known(&self, session: &str, source: &str, behavior: &str, rule: &str, add: bool) {
        for _ in 0..LOOKS {
            let Ok(settings) = self.request_of(session, GetSettings::default()).await else {
                return;
            };
            if rules_of(&settings, source, behavior).iter().any(|it| it == rule) == add {
                return;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// `rewind`: restores files, forks from an earlier prompt, or both.
    pub(super) async fn rewind(&mut self, message: ClientMessage) -> Result<Value, Problem> {
        let ClientMessage::Rewind {
            session_id,
            prompt,
            dry_run,
            files,
            conversation,
        } = message
        else {
            return Ok(Value::Null);
        };
        let by = self.person.by.clone();
        let session = self.hub.known(&session_id, &by).await?;
        let mut rewound = Rewound {
            can_rewind: true,
            files: Vec::new(),
            insertions: None,
            deletions: None,
            error: None,
            session_id: None,
        };
        if files {
            let request = RewindFiles {
                user_message_id: prompt.clone(),
                dry_run: Some(dry_run),
                ..RewindFiles::default()
            };
            let answer = self.request_of(&session, request).await;
            match answer {
                Ok(answer) => fill(&mut rewound, &answer),
                Err(problem) => {
                    rewound.can_rewind = false;
                    rewound.error = Some(problem.message);
                }
            }
        }
        if conversation && !dry_run && (rewound.can_rewind || !files) {
            rewound.session_id = Some(self.hub.fork(&session, Some(&prompt), &by).await?);
        }
        if !dry_run {
            self.hub.audit(&by, "rewind", Some(&session), &prompt).await;
        }
        serde_json::to_value(rewound).map_err(Problem::internal)
    }
}

/// `apply_flag_settings`: settings that hold for this session only.
fn flag_settings(settings: &Value) -> ApplyFlagSettings {
    ApplyFlagSettings {
        settings: Raw::of(settings),
        ..ApplyFlagSettings::default()
    }
}

fn fill(rewound: &mut Rewound, answer: &Value) {
    // Old agents answer without a word.
    let Ok(answer) = RewindFilesResponse::deserialize(answer) else {
        return;
    };
    rewound.can_rewind = answer.can_rewind;
    rewound.error = answer.error;
    rewound.files = answer.files_changed.unwrap_or_default();
    rewound.insertions = answer.insertions;
    rewound.deletions = answer.deletions;
}

/// The rules of one file, as `get_settings` tells them.
fn rules_of(settings: &Value, source: &str, behavior: &str) -> Vec<String> {
    let sources = GetSettingsResponse::deserialize(settings).map(|it| it.sources);
    let mut sources = sources
        .iter()
        .flatten()
        .filter_map(|it| it.parse::<SettingsSource>().ok());
    let found = sources.find(|it| it.source == source).map(|it| it.settings.to_value());
    let rules = found
        .as_ref()
        .and_then(|it| it.pointer(&format!("/permissions/{behavior}")));
    let rules = rules
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    rules.map(str::to_owned).collect()
}
