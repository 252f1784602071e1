//! Hooks on the session: start and end, settings, files and directories.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sluice_hooks::event::{Event, LAST, LAST_MOST};
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_settings::keys;
use sluice_wire::Map;
use sluice_wire::control::HookMatcher;
use sluice_wire::hook::HookSpecificOutput;
use sluice_wire::stdin::User;

use super::input::{hook_input, reminder};
use crate::hooks::{HookOutcome, Purpose, WatchedFiles};
use crate::messages;
use crate::note::{self, Note};
use crate::options::Setup;
use crate::session::Session;
use crate::session_loop::SessionLoop;

impl Session {
    /// Loads the hooks of the settings files.
    pub(crate) fn load_hooks(&mut self) {
        let options = &self.options;
        let list = self.hooks.list_mut();
        let problems = list.lay_out(&options.settings, &options.cwd, &options.folders.home);
        self.hooks.set_problems(problems);
        self.publish_settings();
    }

    /// Registers callbacks of the host, replacing earlier ones. Returns whether they are active, or `None` if there are
    /// none.
    pub(crate) async fn register_hooks(&mut self, hooks: Option<&Map<Vec<HookMatcher>>>) -> Option<bool> {
        let hooks = hooks?;
        if self.options.settings.policy(&keys::DISABLE_ALL_HOOKS) == Some(&Value::Bool(true)) {
            return Some(false);
        }
        let events = hooks.iter().map(|(name, groups)| (name.as_str(), groups.as_slice()));
        for problem in self.hooks.list_mut().register(events) {
            self.emit(messages::informational(&problem, "warning")).await;
        }
        self.watch_files(Vec::new());
        Some(true)
    }

    /// Runs `SessionEnd` hooks, with a short time limit.
    pub(crate) async fn hook_session_end(&mut self, reason: &str) {
        if self.options.session.parked || !self.hooks.await_any(&[Event::SessionEnd]) {
            return;
        }
        let input = hook_input!(self, Bare, SessionEnd(SessionEndInput) { reason: reason.to_owned() });
        let ends = self.hooks.list().iter().filter(|hook| hook.event == Event::SessionEnd);
        let most = ends.filter_map(|hook| hook.timeout).max().unwrap_or(LAST);
        let Some(work) = self.begin_hooks(input).await else {
            return;
        };
        tokio::time::timeout(most.clamp(Duration::from_millis(1), LAST_MOST), work)
            .await
            .ok();
    }

    /// Applies the result of hooks that ran concurrently.
    pub(crate) async fn on_hook_outcome(&mut self, hooked: HookOutcome) {
        let HookOutcome { event, purpose, merged } = hooked;
        match purpose {
            Purpose::Before(id) => {
                self.report_hooks(event, &merged, Some(&id)).await;
                self.continue_after_hooks(&id, merged).await;
            }
            Purpose::After(id) => {
                self.report_hooks(event, &merged, Some(&id)).await;
                self.finish_after_hooks(event, &id, merged).await;
            }
            Purpose::Task(id) => {
                self.report_hooks(event, &merged, Some(&id)).await;
                self.apply_task_hooks(event, &id, merged).await;
            }
            Purpose::Asked(request_id) => {
                self.report_hooks(event, &merged, None).await;
                self.apply_hook_answer(&request_id, merged).await;
            }
            Purpose::Settings(settings) => {
                self.report_hooks(event, &merged, None).await;
                match merged.block {
                    Some(block) => {
                        let text = format!("A hook keeps the settings as they were: {}", block.shown);
                        self.emit(messages::informational(&text, "warning")).await;
                    }
                    None => self.apply_settings_change(*settings).await,
                }
            }
            Purpose::Late { rewakes } => {
                let output = merged.block.as_ref().map(|block| block.reason.clone());
                let output = output.or_else(|| merged.verdict.as_ref().map(|verdict| verdict.reason.clone()));
                self.report_hooks(event, &merged, None).await;
                if let Some(text) = output.filter(|_| rewakes) {
                    self.background.queue(Note {
                        text: reminder(event.as_str(), &text),
                        origin: note::origin(),
                        timestamp: messages::now(),
                        alone: false,
                        asks: true,
                        source: None,
                    });
                }
            }
            Purpose::Switch(asked) => {
                let (id, switch) = *asked;
                self.report_hooks(event, &merged, None).await;
                self.apply_switch_after_hooks(&id, switch, &merged).await;
            }
            Purpose::Consult(consultation) => self.consult(*consultation).await,
            Purpose::Consulted(reply) => {
                self.report_hooks(event, &merged, None).await;
                // The receiver may be gone.
                reply.send(merged).ok();
            }
            Purpose::Unanswered(id, message) => self.ask_waits(&id, &message).await,
            Purpose::Files(changed) => self.hook_files(changed).await,
            Purpose::ReportOnly => self.report_hooks(event, &merged, None).await,
        }
    }

    /// Handles changed settings files. `ConfigChange` hooks may reject the change; otherwise it applies when they are
    /// done.
    pub(crate) async fn settings_reloaded(&mut self, settings: Settings) {
        let changed = changed_sources(&self.options.settings, &settings);
        let source = changed.iter().find_map(|source| source_word(*source));
        if let Some(source) = source.filter(|_| self.hooks.await_any(&[Event::ConfigChange])) {
            let file = changed.first().and_then(|source| settings.places().file(*source));
            let input = hook_input!(self, Bare, ConfigChange(ConfigChangeInput) {
                source: source.to_owned(),
                file_path: file.map(|file| file.display().to_string()),
            });
            // Hooks cannot reject managed settings.
            let managed = changed.contains(&Source::Policy);
            let purpose = if managed {
                Purpose::ReportOnly
            } else {
                Purpose::Settings(Box::new(settings.clone()))
            };
            if self.spawn_hooks(input, purpose).await && !managed {
                return;
            }
        }
        self.apply_settings_change(settings).await;
    }

    /// Raises `InstructionsLoaded` for memory files read since the last call.
    pub(super) async fn hook_instructions(&mut self) {
        for read in self.hooks.take_instructions() {
            let kind = memory_type(&read.path, self.options.settings.places());
            let shown = |path: PathBuf| path.display().to_string();
            let input = hook_input!(self, Bare, InstructionsLoaded(InstructionsLoadedInput) {
                memory_type: kind.to_owned(),
                load_reason: read.reason.to_owned(),
                globs: read.globs,
                trigger_file_path: read.trigger.map(shown),
                parent_file_path: read.parent.map(shown),
                file_path: shown(read.path),
            });
            self.spawn_hooks(input, Purpose::ReportOnly).await;
        }
    }

    /// Raises `CwdChanged` if the working directory has changed.
    pub(crate) async fn hook_cwd(&mut self) {
        if !self.hooks.await_any(&[Event::CwdChanged]) {
            return;
        }
        let now = self.tooling.cwd().get();
        let before = self.hooks.replace_cwd(now.clone());
        if let Some(before) = before.filter(|before| *before != now) {
            let input = hook_input!(self, Bare, CwdChanged(CwdChangedInput) {
                old_cwd: before.display().to_string(),
                new_cwd: now.display().to_string(),
            });
            self.spawn_hooks(input, Purpose::ReportOnly).await;
        }
    }

    /// Raises `DirectoryAdded`.
    pub(crate) async fn hook_directory_added(&mut self, directory: &Path, source: &str) {
        if self.hooks.await_any(&[Event::DirectoryAdded]) {
            let input = hook_input!(self, Bare, DirectoryAdded(DirectoryAddedInput) {
                directory: directory.display().to_string(),
                source: source.to_owned(),
            });
            self.spawn_hooks(input, Purpose::ReportOnly).await;
        }
    }

    /// Raises `Notification`.
    pub(crate) async fn hook_notification(&mut self, message: &str, title: Option<&str>, kind: &str) {
        if self.hooks.await_any(&[Event::Notification]) {
            let input = hook_input!(self, Bare, Notification(NotificationInput) {
                message: message.to_owned(),
                title: title.map(str::to_owned),
                notification_type: Some(kind.to_owned()),
            });
            self.spawn_hooks(input, Purpose::ReportOnly).await;
        }
    }
}

impl SessionLoop {
    /// Runs the hooks at the start of the session.
    pub(crate) async fn hook_begin(&mut self) {
        self.session.load_hooks();
        self.session.hooks.replace_cwd(self.session.tooling.cwd().get());
        if self.session.options.session.parked {
            return;
        }
        let source = match self.session.hooks.resumed() {
            Some(true) => "fork",
            Some(false) => "resume",
            None => "startup",
        };
        if let Some(setup) = self.session.options.session.setup {
            self.hook_setup(setup.as_str()).await;
        }
        self.hook_session_start(source).await;
        if self.session.options.session.setup == Some(Setup::InitOnly) {
            self.session.line.begin_leaving();
        }
        self.session.watch_files(Vec::new());
    }

    /// Runs `SessionStart` hooks for a new or continued conversation.
    pub(crate) async fn hook_session_start(&mut self, source: &str) {
        if !self.session.hooks.await_any(&[Event::SessionStart]) {
            return;
        }
        let input = hook_input!(self.session, Bare, SessionStart(SessionStartInput) {
            source: source.to_owned(),
            model: Some(self.session.model.name.clone()),
            session_title: self.session.conversation.transcript.title().map(str::to_owned),
        });
        let Some(merged) = self.ask_hooks(input).await else {
            return;
        };
        self.session.take_env_file().await;
        for specific in merged.specific {
            let HookSpecificOutput::SessionStart(it) = specific else {
                continue;
            };
            if let Some(title) = it
                .session_title
                .filter(|title| self.session.conversation.transcript.title() != Some(title.trim()))
            {
                self.session.rename(&title, None).await.ok();
            }
            self.session.watch_files(it.watch_paths.unwrap_or_default());
            if let Some(text) = it.initial_user_message.filter(|text| !text.trim().is_empty()) {
                // It gets its own turn, separate from prompts of the host.
                let mut prompt = messages::prompt(User::new(text));
                prompt.alone = true;
                self.session.queue.push(prompt);
            }
        }
    }

    /// Runs `Setup` hooks; `trigger` is `init` or `maintenance`.
    pub(crate) async fn hook_setup(&mut self, trigger: &str) {
        if self.session.hooks.await_any(&[Event::Setup]) {
            let input = hook_input!(self.session, Bare, Setup(SetupInput) { trigger: trigger.to_owned() });
            self.ask_hooks(input).await;
            self.session.take_env_file().await;
        }
    }
}

impl Session {
    /// Watches the files that hooks name and those of their matchers, in addition to the files watched already.
    pub(super) fn watch_files(&mut self, named: Vec<String>) {
        if !self.hooks.await_any(&[Event::FileChanged]) {
            return;
        }
        let cwd = self.tooling.cwd().get();
        let watched = self.hooks.watched().take();
        let mut paths = watched.map(|watched| watched.paths).unwrap_or_default();
        let waiting = self.hooks.list().iter().filter(|hook| hook.event == Event::FileChanged);
        let of_matchers = waiting.flat_map(|hook| hook.matcher.names().to_vec());
        for name in of_matchers.chain(named) {
            let path = cwd.join(name);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        if !paths.is_empty() {
            *self.hooks.watched() = Some(WatchedFiles::new(paths));
        }
    }

    /// Raises `FileChanged` for changed files.
    pub(super) async fn hook_files(&mut self, changed: Vec<(PathBuf, &'static str)>) {
        for (path, what) in changed {
            let input = hook_input!(self, Bare, FileChanged(FileChangedInput) {
                file_path: path.display().to_string(),
                event: what.to_owned(),
            });
            self.spawn_hooks(input, Purpose::ReportOnly).await;
        }
    }
}

/// Returns the scopes whose settings have changed.
fn changed_sources(before: &Settings, after: &Settings) -> Vec<Source> {
    let layers_of = |settings: &Settings, source: Source| {
        let layers = settings.layers().iter().filter(|layer| layer.source == source);
        layers.map(|layer| layer.value.clone()).collect::<Vec<_>>()
    };
    [Source::User, Source::Project, Source::Local, Source::Policy]
        .into_iter()
        .filter(|source| layers_of(before, *source) != layers_of(after, *source))
        .collect()
}

fn source_word(source: Source) -> Option<&'static str> {
    match source {
        Source::User => Some("user_settings"),
        Source::Project => Some("project_settings"),
        Source::Local => Some("local_settings"),
        Source::Policy => Some("policy_settings"),
        Source::Flag | Source::CliArg | Source::Session | Source::Command | Source::Server => None,
    }
}

fn memory_type(path: &Path, places: &sluice_settings::Places) -> &'static str {
    if path.file_name().is_some_and(|name| name == "CLAUDE.local.md") {
        "Local"
    } else if path.starts_with(&places.config_dir) {
        "User"
    } else {
        "Project"
    }
}
