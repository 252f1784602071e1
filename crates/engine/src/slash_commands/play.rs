//! The turn of a slash command.

use serde_json::Value;
use sluice_catalogue::builtin::{self, Builtin, Does};
use sluice_servers::prompts::ServerPrompt;
use sluice_wire::stdout::Assistant;

use super::local::CommandOutput;
use crate::catalogue::entry::{Entry, Origin};
use crate::commands::Slash;
use crate::commands::{Failure, Mentioned, SkillVersion};
use crate::goals::GoalCommand;
use crate::messages;
use crate::queue::{Batch, Prompt};
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// A known command.
#[derive(Debug)]
pub(crate) enum FoundCommand {
    Builtin(Builtin),
    Entry(Box<Entry>),
    /// A prompt of an MCP server, recognized by its name. It is looked up once the server is connected.
    McpPrompt,
}

/// The text that replaces a command for the model.
struct Body {
    blocks: Vec<Value>,
    /// The text comes from an MCP server.
    from_server: bool,
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self {
            blocks: vec![serde_json::json!({"type": "text", "text": text})],
            from_server: false,
        }
    }
}

impl Body {
    fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| block.get("text")?.as_str());
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl FoundCommand {
    /// True if the command becomes a prompt for the model.
    fn asks_model(&self) -> bool {
        match self {
            Self::Builtin(command) => matches!(command.does, Does::Prompt(_) | Does::Goal),
            Self::Entry(entry) => entry.user_invocable,
            Self::McpPrompt => true,
        }
    }

    /// The origin of the command, for hooks.
    fn source(&self) -> &'static str {
        match self {
            Self::Builtin(_) => "builtin",
            Self::McpPrompt => "mcp",
            Self::Entry(entry) => match entry.origin {
                Origin::User => "userSettings",
                Origin::Project => "projectSettings",
                Origin::Plugin { .. } => "plugin",
            },
        }
    }
}

impl SessionLoop {
    /// Runs the turn of a command.
    pub(crate) async fn play_command(&mut self, slash: Slash, known: FoundCommand, prompt: Prompt) -> Ending {
        if let FoundCommand::Builtin(Builtin {
            does: Does::Compact, ..
        }) = known
        {
            return self.play_compact(&prompt, &slash.args).await;
        }
        if known.asks_model() {
            let mut batch = Batch {
                prompts: vec![prompt.clone()],
            };
            if let Some(ending) = self.shown_to_hooks(&mut batch).await {
                return ending;
            }
        }
        let served = match known {
            FoundCommand::McpPrompt => match self.session.server_prompt(&slash) {
                Some(served) => Some(served),
                None => {
                    // There is no such prompt: treat the text as an ordinary prompt.
                    let prompts = vec![prompt];
                    return self.run_prompts(Batch { prompts }).await;
                }
            },
            _ => None,
        };
        self.session.emit_started().await;
        self.drain().await;
        let source = known.source();
        match known {
            FoundCommand::Builtin(Builtin {
                name,
                does: Does::Prompt(body),
                ..
            }) => {
                let filled = self.fill(body, &slash.args, &[]).await.map(Body::from);
                self.prompt_with((name, source), &slash, prompt, filled, None).await
            }
            FoundCommand::Builtin(builtin) if builtin.does == Does::Goal => {
                self.play_goal(builtin, &slash, prompt).await
            }
            FoundCommand::Builtin(builtin) => self.answer_locally(builtin, &slash, &prompt).await,
            FoundCommand::Entry(entry) if !entry.user_invocable => {
                let text = format!(
                    "This skill can only be invoked by Claude, not directly by users. Ask Claude to use the \"{}\" skill \
                     for you.",
                    entry.name
                );
                self.session.announce().await;
                self.session
                    .emit_local_output(&prompt, "custom", None, CommandOutput::text(text))
                    .await
            }
            FoundCommand::Entry(entry) if entry.fork => {
                self.session.apply_overrides(&entry);
                self.play_fork(&entry, source, &slash, &prompt).await
            }
            FoundCommand::Entry(entry) => {
                self.session.apply_overrides(&entry);
                let filled = self.expand(&entry, &slash.args).await.map(Body::from);
                self.prompt_with((&entry.name, source), &slash, prompt, filled, None)
                    .await
            }
            FoundCommand::McpPrompt => match served {
                Some((asked, words)) => self.play_server_prompt(&asked, words, prompt).await,
                None => Ending::Interrupted { tools: false },
            },
        }
    }

    /// Requests a prompt from its MCP server, with `words` as its arguments, and runs the rest of the turn.
    async fn play_server_prompt(&mut self, asked: &ServerPrompt, words: String, prompt: Prompt) -> Ending {
        let filled = match self.ask_for_prompt(asked, &words).await {
            Some(Ok(blocks)) => Ok(Body {
                blocks,
                from_server: true,
            }),
            Some(Err(why)) => Err(Failure::Failed(why)),
            None => Err(Failure::Stopped),
        };
        let slash = Slash {
            name: asked.name.clone(),
            args: words,
        };
        self.prompt_with((&asked.name, "mcp"), &slash, prompt, filled, None)
            .await
    }

    /// Runs `/goal`: shows or removes the goal, or sets one and starts working on it.
    async fn play_goal(&mut self, builtin: Builtin, slash: &Slash, prompt: Prompt) -> Ending {
        let condition = match GoalCommand::read(&slash.args) {
            GoalCommand::Set(condition) => condition,
            command => {
                let text = self.session.run_goal_command(command);
                self.session.announce().await;
                let run = (builtin.name, slash.args.as_str());
                return self
                    .session
                    .emit_local_output(&prompt, &slash.name, Some(run), CommandOutput::text(text))
                    .await;
            }
        };
        self.session.set_goal(condition);
        let body = Body::from(Session::goal_prompt(condition));
        let notice = format!("Goal set: {condition}");
        let notice = messages::local_reply(&notice, builtin.name, &slash.args, false, &self.session.turn);
        self.prompt_with((builtin.name, "builtin"), slash, prompt, Ok(body), Some(notice))
            .await
    }

    /// Sends the expanded command to the model and runs the rest of the turn. `notice` is shown to the person first.
    async fn prompt_with(
        &mut self,
        (name, source): (&str, &str),
        slash: &Slash,
        mut prompt: Prompt,
        filled: Result<Body, Failure>,
        notice: Option<Assistant>,
    ) -> Ending {
        let filled = match filled {
            Ok(body) => match self.hook_expansion(name, &slash.args, Some(source)).await {
                Ok(()) => Ok(body),
                Err(message) => {
                    self.session.announce().await;
                    return self.session.end_blocked(message).await;
                }
            },
            failed => failed,
        };
        let body = match filled {
            Ok(body) => body,
            Err(Failure::Stopped) => {
                self.session.announce().await;
                return Ending::Interrupted { tools: true };
            }
            Err(Failure::Failed(why)) => {
                self.session.announce().await;
                let run = (slash.name.as_str(), slash.args.as_str());
                return self
                    .session
                    .emit_local_output(&prompt, "custom", Some(run), CommandOutput::failed(why))
                    .await;
            }
        };
        let text = body.text();
        // Text from a server does not count as written by the person, so it mentions no files.
        let attached = match body.from_server {
            true => Vec::new(),
            false => self.attach_text(&text, Mentioned::InFile).await,
        };
        let mut mentioned = self.attach_text(&slash.args, Mentioned::ByPerson).await;
        mentioned.retain(|block| !attached.contains(block));
        let pictures = match &prompt.content {
            Value::Array(blocks) => blocks.split_last().map(|(_, before)| before.to_vec()),
            _ => None,
        };
        let tags = tags(name, &slash.args);
        prompt.content = Value::String(tags.clone());
        self.keep_prompt(&prompt).await;
        self.session.keep_meta(&text).await;
        for attached in attached.iter().chain(&mentioned) {
            self.session.keep_attachment(attached).await;
        }
        self.session.remind();
        self.session.conversation.history.user(pictures.unwrap_or_default());
        self.session.conversation.history.user_text(&tags);
        self.session.conversation.history.user(body.blocks);
        self.session.conversation.history.user(
            attached
                .into_iter()
                .chain(mentioned)
                .flat_map(|attached| attached.blocks),
        );
        if self.session.options.host.replay && prompt.is_replayed() {
            self.session.turn.prompts.replay =
                Some(messages::replay(&prompt.id, &prompt.content, Some(&prompt.timestamp)));
        }
        self.session.announce().await;
        if let Some(notice) = notice {
            self.session.emit_block(notice, None).await;
        }
        self.run_turn(prompt.should_query).await
    }

    /// Adds the instructions of invoked skills to the conversation, after the results of the calls.
    pub(crate) async fn give_skills(&mut self) {
        for (name, args) in self.session.commands.take_called() {
            let Some(entry) = self.session.commands.catalogue().find(&name).cloned() else {
                continue;
            };
            self.session.apply_overrides(&entry);
            let text = match self.expand(&entry, &args).await {
                Ok(text) => text,
                Err(Failure::Failed(why)) => why,
                // The next wait notices that the turn has to stop.
                Err(Failure::Stopped) => return,
            };
            match self.session.commands.record_skill(&name, &text) {
                SkillVersion::First => {}
                SkillVersion::Changed => {
                    let notice = format!("(/{name} is taken up again: what it says now follows.)");
                    self.session.nudge(&notice).await;
                }
                SkillVersion::Unchanged => {
                    let notice = format!("The skill /{name} stands above and says the same. Arguments: {args}");
                    self.session.nudge(&notice).await;
                    continue;
                }
            }
            let attached = self.attach_text(&text, Mentioned::InFile).await;
            self.session.nudge(&text).await;
            for attached in attached {
                self.session.keep_attachment(&attached).await;
                self.session.conversation.history.user(attached.blocks);
            }
        }
    }
}

impl Session {
    /// Returns the command in a prompt, if one with that name exists.
    pub(crate) fn find_command(&self, content: &Value) -> Option<(Slash, FoundCommand)> {
        if self.options.catalogue.without_commands {
            return None;
        }
        let slash = Slash::read(content)?;
        let known = match self.commands.catalogue().find(&slash.name) {
            // Files take precedence over built-in commands.
            Some(entry) => FoundCommand::Entry(Box::new(entry.clone())),
            None if self.may_be_server_prompt(&slash) => FoundCommand::McpPrompt,
            None => FoundCommand::Builtin(builtin::find(&slash.name).filter(|command| self.has_builtin(*command))?),
        };
        Some((slash, known))
    }

    /// A reminder for the model about a prompt that looks like an unknown command.
    pub(crate) fn unknown_command(&self, content: &Value) -> Option<Value> {
        if self.options.catalogue.without_commands {
            return None;
        }
        let slash = Slash::read(content)?;
        Some(serde_json::json!({"type": "text", "text": format!(
            "<system-reminder>\nThere is no command /{}. Take the prompt as it stands; if the person seems to have meant a \
             command or a skill, say that it is not there.\n</system-reminder>", slash.name
        )}))
    }
}

/// The record of the command in the conversation.
fn tags(name: &str, args: &str) -> String {
    let mut tags = format!("<command-message>{name}</command-message>\n<command-name>/{name}</command-name>");
    if !args.is_empty() {
        tags.push_str("\n<command-args>");
        tags.push_str(args);
        tags.push_str("</command-args>");
    }
    tags
}
