//! Expands the body of a command or skill into the text for the model.

use std::path::Path;
use std::pin::pin;

use serde_json::{Value, json};
use sluice_catalogue::arguments::Arguments;
use sluice_catalogue::body::{Part, first_command, parts};
use sluice_catalogue::mentions;
use sluice_permission::{Behavior, Rule, Source, Verdict};
use sluice_settings::keys;
use sluice_tools::{Context, Outcome, Pin, Pins, Tool};

use super::listing;
use crate::catalogue::entry::{Entry, Origin};
use crate::commands::{Attached, Failure, Mentioned};
use crate::messages;
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

impl SessionLoop {
    /// Returns the body with arguments, output of its shell commands, and the base folder.
    pub(crate) async fn expand(&mut self, entry: &Entry, args: &str) -> Result<String, Failure> {
        let body = entry
            .body()
            .map_err(|error| Failure::Failed(format!("/{} cannot be read: {error}", entry.name)))?;
        let body = self.session.fill_variables(body);
        let untrusted = entry.origin == Origin::Project && !self.session.options.settings.runs_projects();
        let text = match untrusted.then(|| first_command(&body)).flatten() {
            Some(written) => {
                return Err(Failure::Failed(format!(
                    "Shell command permission check failed for pattern \"{written}\": this folder is not trusted, so \
                     nothing its files name is run"
                )));
            }
            None => self.fill(&body, args, &entry.arguments).await?,
        };
        Ok(match entry.folder() {
            Some(folder) => format!("Base directory for this skill: {}\n\n{text}", folder.display()),
            None => text,
        })
    }

    /// Replaces arguments in a body and runs its shell commands.
    pub(super) async fn fill(&mut self, body: &str, args: &str, names: &[String]) -> Result<String, Failure> {
        let silent = self.session.options.settings.bool(&keys::DISABLE_SKILL_SHELL_EXECUTION) == Some(true);
        let mut text = String::new();
        for part in parts(body, &Arguments::new(args, names), args) {
            match part {
                Part::Text(part) => text.push_str(&part),
                Part::Run { written, .. } if silent => {
                    text.push_str(&format!(
                        "[{written} was not run: shell commands in skills are disabled in the settings]"
                    ));
                }
                Part::Run { command, written } => text.push_str(&self.run_part(&command, &written).await?),
            }
        }
        Ok(text)
    }

    /// Runs a shell command of a body, with the usual permission decision. Commands that need permission fail: there is
    /// no permission request.
    async fn run_part(&mut self, command: &str, written: &str) -> Result<String, Failure> {
        let Some(bash) = sluice_tools::find("Bash") else {
            return Err(Failure::Failed("no shell found".to_owned()));
        };
        let input = json!({"command": command, "description": "Run a command of a skill"});
        let input = bash
            .check(&input, &self.session.tooling.cwd().get())
            .map_err(|invalid| Failure::Failed(invalid.content))?;
        let decision = self.session.decide(bash.descriptor().facts(), &input);
        if decision.behavior != Verdict::Allow {
            let why = match decision.behavior {
                Verdict::Deny => decision.message,
                _ => "This command requires approval".to_owned(),
            };
            let text = format!("Shell command permission check failed for pattern \"{written}\": {why}");
            return Err(Failure::Failed(text));
        }
        let context = self.session.context(&messages::fresh_id());
        let mut running = Box::pin(async move { bash.run(input, &context).await });
        match self.wait_for(Some(running.as_mut())).await {
            WaitOutcome::Ready(outcome) => output(&outcome, written),
            WaitOutcome::Stopped | WaitOutcome::CallsDone => Err(Failure::Stopped),
        }
    }

    /// Attaches the files that a prompt mentions. Prompts of other agents or programs do not count as written by a
    /// person.
    pub(crate) async fn attach_prompt(&mut self, prompt: &Prompt) {
        let by_person = self.session.agents.id().is_none() && !prompt.synthetic;
        let mentioned = if by_person {
            Mentioned::ByPerson
        } else {
            Mentioned::InFile
        };
        self.attach(&prompt.content, mentioned).await;
    }

    /// Attaches the files that content mentions: stores them and adds them to the conversation.
    pub(crate) async fn attach(&mut self, content: &Value, mentioned: Mentioned) {
        let texts: Vec<&str> = match content {
            Value::String(text) => vec![text],
            Value::Array(blocks) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
            _ => Vec::new(),
        };
        for text in texts {
            for attached in self.attach_text(text, mentioned).await {
                self.session.keep_attachment(&attached).await;
                self.session.conversation.history.user(attached.blocks);
            }
        }
    }

    /// Reads the files that a text mentions.
    pub(super) async fn attach_text(&mut self, text: &str, mentioned: Mentioned) -> Vec<Attached> {
        let mut attached = Vec::new();
        if !text.contains('@') {
            return attached;
        }
        let cwd = self.session.tooling.cwd().get();
        for readings in mentions::find(text) {
            let place = |mention: &mentions::Mention| mention.resolve(&cwd, &self.session.options.folders.home);
            let Some((mention, path)) = readings
                .iter()
                .map(|mention| (mention, place(mention)))
                .find(|(_, path)| path.exists())
            else {
                if mentioned == Mentioned::ByPerson {
                    let readings: Vec<&str> = readings.iter().map(|mention| mention.path.as_str()).collect();
                    attached.extend(self.attach_resource(&readings).await);
                }
                continue;
            };
            attached.extend(self.show(&path, mention.lines, mentioned).await);
        }
        attached
    }

    /// Reads a mentioned file or folder, unless that is not permitted.
    async fn show(&mut self, path: &Path, lines: Option<(u64, u64)>, mentioned: Mentioned) -> Option<Attached> {
        let (read, input, pins) = self.session.readable(path, lines, mentioned)?;
        let near = path
            .strip_prefix(self.session.tooling.cwd().get())
            .unwrap_or(path)
            .display()
            .to_string();
        let pin = pins.first().cloned()?;
        if pin.place().is_dir() {
            return self.show_folder(path, pin, near).await;
        }
        let context = Context {
            pins: Some(pins),
            ..self.session.context(&messages::fresh_id())
        };
        let WaitOutcome::Ready(outcome) = self.wait_for(Some(pin!(read.run(input, &context)))).await else {
            return None;
        };
        self.session.touched(path);
        Some(Attached {
            what: json!({"type": "file", "filename": path, "content": outcome.result, "displayPath": near}),
            blocks: shown(path, &outcome),
        })
    }

    async fn show_folder(&mut self, path: &Path, pin: Pin, near: String) -> Option<Attached> {
        let (folder, hidden) = (path.to_owned(), self.session.hidden());
        let mut listing = tokio::task::spawn_blocking(move || listing::folder(&folder, &pin, &hidden));
        let WaitOutcome::Ready(Ok(listed)) = self.wait_for(Some(std::pin::Pin::new(&mut listing))).await else {
            return None;
        };
        Some(Attached {
            what: json!({"type": "directory", "path": path, "content": listed, "displayPath": near}),
            blocks: vec![text_block(&listed)],
        })
    }
}

impl Session {
    /// Replaces the session variables in the body of a command or skill.
    fn fill_variables(&self, body: String) -> String {
        if !body.contains("${CLAUDE_") {
            return body;
        }
        let project = self.options.settings.project(&self.options.cwd).display().to_string();
        let session = &self.options.session.id;
        let body = body
            .replace("${CLAUDE_SESSION_ID}", session)
            .replace("${CLAUDE_PROJECT_DIR}", &project);
        match &self.options.model.effort {
            Some(effort) => body.replace("${CLAUDE_EFFORT}", effort),
            None => body,
        }
    }

    /// Applies the overrides in the front matter of a command for its turn. A command of an untrusted project gets no
    /// rules and no hooks, even if a person typed it: the person may not have read the file.
    pub(super) fn apply_overrides(&mut self, entry: &Entry) {
        let settings = &self.options.settings;
        let untrusted = entry.origin == Origin::Project && !settings.trusted();
        if !untrusted {
            let rules = entry
                .allowed_tools
                .iter()
                .filter_map(|text| Rule::parse(Behavior::Allow, Source::Command, &self.options.cwd, text).ok());
            let rules: Vec<Rule> = rules.collect();
            self.change_policy(|policy| policy.rules.extend(rules));
        }
        if let Some(hooks) = &entry.hooks {
            let root = entry.path.parent().unwrap_or(&self.options.cwd).to_owned();
            let origin = sluice_hooks::Origin::Skill {
                name: entry.name.clone(),
                root,
            };
            self.add_hooks(&origin, hooks, !untrusted);
            self.commands.overrides().hooks.push(origin);
        }
        if entry.fork {
            // The model and effort apply to the subagent that runs it.
            return;
        }
        if let Some(model) = &entry.model {
            let model = self.model.resolve(Some(model));
            let before = std::mem::replace(&mut self.model.name, model.clone());
            let before = self
                .commands
                .overrides()
                .model
                .take()
                .map_or(before, |(before, _)| before);
            self.commands.overrides().model = Some((before, model));
        }
        if let Some(effort) = &entry.effort {
            let before = self.options.model.effort.replace(effort.clone());
            self.commands.overrides().effort.get_or_insert(before);
        }
    }

    /// Returns the read tool, its input and the resolved path for a mention, or `None` if it may not be read.
    fn readable(
        &self,
        path: &Path,
        lines: Option<(u64, u64)>,
        mentioned: Mentioned,
    ) -> Option<(&'static dyn Tool, Value, Pins)> {
        let read = sluice_tools::find("Read")?;
        let mut input = json!({"file_path": path});
        if let (Some((first, last)), Some(map)) = (lines, input.as_object_mut()) {
            map.insert("offset".to_owned(), first.into());
            map.insert("limit".to_owned(), (last - first + 1).into());
        }
        let input = read.check(&input, &self.tooling.cwd().get()).ok()?;
        let reading = read.descriptor().facts();
        let pins = Pins::of(reading.touches, &input, &self.tooling.cwd().get());
        let verdict = self.decide_pinned(reading, &input, &pins).behavior;
        let may = match mentioned {
            Mentioned::ByPerson => verdict != Verdict::Deny,
            Mentioned::InFile => verdict == Verdict::Allow,
        };
        may.then_some((read, input, pins))
    }
}

/// Returns the output of a shell command, or its error.
fn output(outcome: &Outcome, written: &str) -> Result<String, Failure> {
    let text = outcome.content.as_str().unwrap_or_default().trim_end();
    if outcome.is_error == Some(true) || outcome.interrupted {
        return Err(Failure::Failed(format!(
            "Shell command failed for pattern \"{written}\": {text}"
        )));
    }
    Ok(text.to_owned())
}

/// Converts a file to content blocks for the model.
fn shown(path: &Path, outcome: &Outcome) -> Vec<Value> {
    let name = path.display();
    if outcome.is_error == Some(true) {
        let why = outcome.content.as_str().unwrap_or_default();
        return vec![text_block(&format!(
            "<system-reminder>\n{name} was mentioned and could not be shown: {why}\n</system-reminder>"
        ))];
    }
    match &outcome.content {
        Value::Array(blocks) => {
            let mut all = vec![text_block(&format!(
                "<system-reminder>\n{name}, as mentioned:\n</system-reminder>"
            ))];
            all.extend(blocks.iter().cloned());
            all
        }
        content => vec![text_block(&format!(
            "<system-reminder>\n{name}, as mentioned (read just now with the Read tool):\n{}\n</system-reminder>",
            content.as_str().unwrap_or_default()
        ))],
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
