//! Commands that run without the model.

use serde_json::{Map, Value, json};
use sluice_catalogue::builtin::{Builtin, Does, LISTED, Screen};
use sluice_model::{Names, models};
use sluice_settings::keys::{self, Key};
use sluice_wire::Raw;
use sluice_wire::stdout::{Assistant, ContextCategory, ContextUsage, LocalCommandRun};

use crate::catalogue::styles;
use crate::commands::Slash;
use crate::messages;
use crate::model_choice::{Answers, Switch};
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// The effort levels.
const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// The output of a local command.
#[derive(Debug, Default)]
pub(super) struct CommandOutput {
    text: String,
    outcome: Option<&'static str>,
    context: Option<ContextUsage>,
}

impl CommandOutput {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self {
            outcome: Some("failed"),
            ..Self::text(text)
        }
    }
}

impl Session {
    /// Sends the output of a local command. Empty output is only part of the result.
    pub(super) async fn emit_local_output(
        &mut self,
        prompt: &Prompt,
        named: &str,
        run: Option<(&str, &str)>,
        output: CommandOutput,
    ) -> Ending {
        if !output.text.is_empty() {
            let stream = if output.outcome == Some("failed") {
                "stderr"
            } else {
                "stdout"
            };
            let frame = Assistant {
                local_command_source: Some(format!(
                    "<local-command-{stream}>{}</local-command-{stream}>",
                    output.text
                )),
                local_command_run: run.map(|(command, args)| LocalCommandRun {
                    command: command.to_owned(),
                    args: args.to_owned(),
                    ..LocalCommandRun::default()
                }),
                local_command_outcome: output.outcome.map(|kind| Raw::of(&json!({"kind": kind}))),
                context_usage: output.context,
                ..messages::local(&output.text, &self.turn)
            };
            let (name, args) = run.unwrap_or((named, ""));
            let echo = messages::command_echo(name, args);
            // A session that only ran local commands is not saved.
            if self.conversation.transcript.begun() {
                self.keep_local(&prompt.id, &echo).await;
                self.emit_block(frame, None).await;
            } else {
                self.emit(frame).await;
            }
        }
        if let Some((name, args)) = run.filter(|_| self.options.host.replay && prompt.uuid.is_some()) {
            let echo = json!(messages::command_echo(name, args));
            self.emit(messages::replay(&prompt.id, &echo, Some(&messages::now())))
                .await;
        }
        Ending::Local {
            command: Some(named.replace('-', "_")).filter(|named| !named.is_empty()),
            text: output.text,
        }
    }

    /// The context usage as a table.
    async fn describe_context(&mut self) -> CommandOutput {
        let usage = self.context_usage_now().await;
        let mut text = format!(
            "## Context Usage\n\n**Model:** {}  \n**Tokens:** {} / {} ({}%)\n\n| Category | Tokens | Percentage |\n|---|---|---|\n",
            usage.model,
            short(usage.total_tokens),
            short(usage.raw_max_tokens),
            usage.percentage,
        );
        for part in &usage.categories {
            #[allow(clippy::cast_precision_loss)]
            let share = part.tokens as f64 * 100.0 / usage.raw_max_tokens.max(1) as f64;
            text.push_str(&format!("| {} | {} | {share:.1}% |\n", part.name, short(part.tokens)));
        }
        let context = ContextUsage {
            model: usage.model.clone(),
            total_tokens: usage.total_tokens,
            raw_max_tokens: usage.raw_max_tokens,
            percentage: usage.percentage,
            categories: usage
                .categories
                .iter()
                .map(|part| ContextCategory {
                    name: part.name.clone(),
                    tokens: part.tokens,
                    kind: part.kind.clone().unwrap_or_default(),
                    ..ContextCategory::default()
                })
                .collect(),
            ..ContextUsage::default()
        };
        CommandOutput {
            context: Some(context),
            ..CommandOutput::text(text)
        }
    }

    fn describe_model(&self) -> String {
        format!(
            "Model: `{}`. `/model <name>` takes another one for this session: {}, or any id.",
            models::name(&self.model.name),
            choices(self.model.client.names()).join(", "),
        )
    }

    fn choose_effort(&mut self, level: &str) -> CommandOutput {
        match level {
            "" => CommandOutput::text(format!("Usage: /effort <{}|auto>", EFFORTS.join("|"))),
            "auto" => {
                self.options.model.effort.clone_from(&self.model.launch_effort);
                CommandOutput::text("Effort reset to the model's default.")
            }
            level if EFFORTS.contains(&level) => {
                self.options.model.effort = Some(level.to_owned());
                CommandOutput::text(format!("Set effort to {level} for this session only."))
            }
            level => CommandOutput::text(format!(
                "Unknown effort {level:?}; use one of {} or auto.",
                EFFORTS.join(", ")
            )),
        }
    }

    fn choose_style(&mut self, name: &str) -> CommandOutput {
        let names = styles::names(&self.commands.catalogue().styles);
        if name.is_empty() {
            let current = self.style_name();
            let lines: Vec<String> = names
                .iter()
                .map(|name| {
                    let style = styles::find(&self.commands.catalogue().styles, name);
                    let mark = if *name == current { " (current)" } else { "" };
                    match style {
                        Some(style) => format!("- {name}{mark}: {}", style.description),
                        None => format!("- {name}{mark}"),
                    }
                })
                .collect();
            return CommandOutput::text(format!("Output style: {current}\n\n{}", lines.join("\n")));
        }
        match names.iter().find(|known| known.eq_ignore_ascii_case(name)) {
            Some(known) => {
                let known = known.clone();
                self.set_style(&known);
                CommandOutput::text(format!("Output style set to {known} for this session only"))
            }
            None => CommandOutput::text(format!(
                "There is no output style {name:?}. There are: {}",
                names.join(", ")
            )),
        }
    }

    async fn retitle(&mut self, title: &str) -> CommandOutput {
        if title.is_empty() {
            return CommandOutput::text("Usage: /rename <title>");
        }
        match self.rename(title, None).await {
            Ok(()) => CommandOutput::text(format!("Session renamed to: {title}")),
            Err(why) => CommandOutput::failed(why),
        }
    }

    /// The output of a command that needs a screen, for hosts without one.
    fn without_screen(&self, name: &str, screen: Screen) -> CommandOutput {
        let more = match screen {
            Screen::Nothing => None,
            Screen::Help => {
                let lines: Vec<String> = LISTED
                    .iter()
                    .map(|command| format!("- /{}: {}", command.name, command.description))
                    .chain(
                        self.commands
                            .catalogue()
                            .entries
                            .iter()
                            .map(|entry| format!("- /{}: {}", entry.name, entry.told())),
                    )
                    .collect();
                Some(format!("These commands are:\n{}", lines.join("\n")))
            }
            Screen::Memory => {
                let files = self.with_notes(self.memories().known);
                let lines: Vec<String> = files.iter().map(|file| format!("- {}", file.path.display())).collect();
                (!lines.is_empty()).then(|| format!("Memory files in use:\n{}", lines.join("\n")))
            }
            Screen::Permissions => {
                let rules = self.policy.rules.iter();
                let line = |rule: &sluice_permission::Rule| {
                    format!(
                        "- {} {} ({})",
                        rule.behavior.as_str(),
                        rule.text(),
                        rule.source.as_str()
                    )
                };
                let lines: Vec<String> = rules.map(line).collect();
                Some(
                    format!("Mode: {}\n{}", self.policy.mode.as_str(), lines.join("\n"))
                        .trim_end()
                        .to_owned(),
                )
            }
            Screen::Status => Some(format!(
                "Version: {}\nSession: {}\nModel: {}\nKey: {}\nFolder: {}",
                messages::PROTOCOL_VERSION,
                self.options.session.id,
                self.model.name,
                self.options.model.key_source.as_str(),
                self.tooling.cwd().get().display(),
            )),
        };
        let mut text = format!("/{name} isn't available in this environment.");
        if let Some(more) = more {
            text.push_str("\n\n");
            text.push_str(&more);
        }
        CommandOutput {
            outcome: Some("unavailable_headless"),
            ..CommandOutput::text(text)
        }
    }
}

impl SessionLoop {
    /// Runs a local command.
    pub(super) async fn answer_locally(&mut self, command: Builtin, slash: &Slash, prompt: &Prompt) -> Ending {
        let args = slash.args.as_str();
        // All further messages, including `init`, belong to the new conversation.
        if command.does == Does::Clear {
            self.clear(&prompt.id, Some(args).filter(|name| !name.is_empty())).await;
        }
        if command.does == Does::Model && !args.is_empty() {
            // `init` contains the model with which the turn started.
            self.session.announce().await;
            let output = self.choose_model(args).await;
            return self
                .session
                .emit_local_output(prompt, &slash.name, Some((command.name, args)), output)
                .await;
        }
        let output = match command.does {
            Does::Agents => CommandOutput::text(
                "Subagents are files in .claude/agents (this project) and ~/.claude/agents (all projects). Ask the model to \
                 write one, or write it yourself.",
            ),
            Does::Clear | Does::Compact | Does::Goal | Does::Prompt(_) => CommandOutput::default(),
            Does::Config => self.configure(args).await,
            Does::Context => self.session.describe_context().await,
            Does::Doctor => CommandOutput::text(self.session.diagnose()),
            Does::Effort => self.session.choose_effort(args),
            Does::Mcp => CommandOutput::text(self.session.describe_servers()),
            Does::Model => CommandOutput::text(self.session.describe_model()),
            Does::OutputStyle => self.session.choose_style(args),
            Does::ReloadPlugins | Does::ReloadSkills => CommandOutput::text(self.session.reload_now().await),
            Does::Rename => self.session.retitle(args).await,
            Does::Usage => CommandOutput::text(self.session.cost_text()),
            Does::Say(text) => CommandOutput::text(text),
            Does::Screen(screen) => self.session.without_screen(&slash.name, screen),
        };
        self.session.announce().await;
        if let Does::Screen(_) = command.does {
            return self.session.emit_local_output(prompt, "", None, output).await;
        }
        self.session
            .emit_local_output(prompt, &slash.name, Some((command.name, args)), output)
            .await
    }

    /// Changes the model for the rest of the session. Any name is accepted, because only the API knows all names.
    async fn choose_model(&mut self, name: &str) -> CommandOutput {
        let switch = Switch {
            to: self.session.model.resolve(Some(name).filter(|name| *name != "default")),
            requested: Some(name.to_owned()),
            source: "command",
            answers: Answers::default(),
        };
        if let Err(why) = self.hook_switch(&switch).await {
            return CommandOutput::failed(why);
        }
        let from = self.session.change_model(&switch);
        self.session.hook_switched(from, switch).await;
        CommandOutput::text(format!(
            "Set model to `{}` for this session only",
            models::name(&self.session.model.name)
        ))
    }

    /// Overrides settings for this session.
    async fn configure(&mut self, args: &str) -> CommandOutput {
        if args.is_empty() {
            let listed = |key: &Key| {
                let (name, values) = (key.name, key.configurable?);
                Some(match self.session.options.settings.get(key) {
                    Some(value) => format!("  {name}={values} (now {value})"),
                    None => format!("  {name}={values}"),
                })
            };
            let mut lines: Vec<String> = keys::TABLE.iter().filter_map(listed).collect();
            lines.sort();
            return CommandOutput::text(format!(
                "Usage: /config key=value …, for this session\n{}",
                lines.join("\n")
            ));
        }
        let mut changes = Map::new();
        for word in args.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return CommandOutput::text(format!("Expected key=value, got {word:?}. /config lists the settings."));
            };
            let Some((known, values)) = keys::find(key).and_then(|known| Some((known, known.configurable?))) else {
                return CommandOutput::text(format!("{key} cannot be set with /config. /config lists what can."));
            };
            let Some(value) = known.shape.read(value) else {
                return CommandOutput::text(format!("{key} has to be {values}, not {value:?}."));
            };
            changes.insert(key.to_owned(), value);
        }
        self.session.override_settings(&changes);
        if let Some(name) = changes.get(keys::MODEL.name).and_then(Value::as_str) {
            let refused = self.choose_model(name).await;
            if refused.outcome.is_some() {
                return refused;
            }
        }
        let set: Vec<String> = changes.iter().map(|(key, value)| format!("{key} to {value}")).collect();
        CommandOutput::text(format!("Set {} for this session only", set.join(", ")))
    }
}

/// The model names that a person can choose from.
fn choices(names: &Names) -> Vec<String> {
    let picker = names.picker();
    let values = picker.iter().filter_map(|model| model.get("value")?.as_str());
    values.map(str::to_owned).collect()
}

/// Formats a number of tokens for people.
#[allow(clippy::cast_precision_loss)]
fn short(tokens: u64) -> String {
    let rounded = |value: f64, unit: &str| {
        let text = format!("{value:.1}");
        format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match tokens {
        0..=999 => tokens.to_string(),
        1000..=999_949 => rounded(tokens as f64 / 1e3, "k"),
        _ => rounded(tokens as f64 / 1e6, "m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_counts_are_rounded() {
        let output = [0, 999, 1000, 2964, 64_000, 1_000_000].map(short);
        assert_eq!(output, ["0", "999", "1k", "3k", "64k", "1m"]);
    }
}
