//! Hooks on a turn: its prompts, its end, and compaction.

use sluice_hooks::event::Event;
use sluice_hooks::merge::Merged;
use sluice_wire::hook::{BackgroundTaskSummary, HookInput, HookSpecificOutput};
use sluice_wire::stdout::AssistantError;
use sluice_wire::stdout::system::{Informational, Level, Notification, NotificationPriority, PromptSubmitOutcome};

use super::input::hook_input;
use crate::hooks::Purpose;
use crate::messages;
use crate::queue::{Batch, Prompt};
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// Maximum number of consecutive times that Stop hooks continue a turn.
const MAX_STOP_BLOCKS: u32 = 8;

/// What happens when a turn would end.
pub(crate) enum TurnEnd {
    /// The turn ends.
    End,
    /// The turn continues.
    Continue,
    /// The turn ends with a different ending.
    EndWith(Ending),
    /// The turn was stopped in the meantime.
    Stopped,
}

impl Session {
    /// True if there are `UserPromptSubmit` hooks.
    pub(crate) fn hooks_judge_prompts(&self) -> bool {
        self.hooks.await_any(&[Event::UserPromptSubmit])
    }

    /// Sends the message about a blocked prompt, after the turn was announced.
    pub(crate) async fn emit_blocked(&mut self) {
        if let Some(message) = self.hooks.take_blocked() {
            self.emit(message).await;
        }
    }

    /// Ends the turn of a command whose expansion was blocked.
    pub(crate) async fn end_blocked(&mut self, message: Informational) -> Ending {
        let text = message.content.clone();
        self.emit(message).await;
        Ending::Local {
            command: Some("custom".to_owned()),
            text,
        }
    }

    /// Raises `StopFailure` when the turn ends with an API error.
    pub(crate) async fn hook_stop_failure(&mut self, error: AssistantError, message: &str) {
        if !self.hooks.await_any(&[Event::StopFailure]) {
            return;
        }
        let input = hook_input!(self, Mode, StopFailure(StopFailureInput) {
            error: error,
            last_assistant_message: Some(message.to_owned()),
        });
        // The result of these hooks does not change the ending.
        self.spawn_hooks(input, Purpose::ReportOnly).await;
    }

    /// Builds the input of `Stop`, or of `SubagentStop` in a subagent.
    fn end_input(&self) -> HookInput {
        let again = self.hooks.has_stop_blocks();
        let last = Some(self.turn.text.clone()).filter(|text| !text.is_empty());
        if self.hooks.speaker().is_none() {
            return hook_input!(self, Full, Stop(StopInput) {
                stop_hook_active: again,
                last_assistant_message: last,
                background_tasks: Some(self.background_summaries()),
                session_crons: Some(self.tooling.wakeups().summaries()),
            });
        }
        let file = self.options.session.keeping.file.as_ref();
        hook_input!(self, Full, SubagentStop(SubagentStopInput) {
            stop_hook_active: again,
            agent_transcript_path: file.map(|file| file.display().to_string()),
            last_assistant_message: last,
            background_tasks: Some(self.background_summaries()),
            session_crons: Some(self.tooling.wakeups().summaries()),
        })
    }

    fn background_summaries(&self) -> Vec<BackgroundTaskSummary> {
        let tasks = self.background.list().into_iter();
        tasks
            .map(|task| BackgroundTaskSummary {
                id: task.id,
                kind: "shell".to_owned(),
                status: "running".to_owned(),
                description: task.description,
                command: Some(task.command),
                ..BackgroundTaskSummary::default()
            })
            .collect()
    }
}

impl SessionLoop {
    /// Runs `UserPromptSubmit` hooks on a batch of prompts and removes blocked prompts. Returns the ending of the turn
    /// if no prompt is left, and `Err` if the turn is stopped meanwhile.
    pub(crate) async fn hook_prompts(&mut self, batch: &mut Batch) -> Result<Option<Ending>, ()> {
        if !self.session.hooks.await_any(&[Event::UserPromptSubmit]) {
            return Ok(None);
        }
        let (mut kept, mut refused) = (Vec::new(), None);
        for prompt in std::mem::take(&mut batch.prompts) {
            match self.hook_prompt(&prompt).await {
                None => return Err(()),
                Some(None) => kept.push(prompt),
                Some(Some(message)) => refused = Some(message),
            }
        }
        batch.prompts = kept;
        let Some(message) = refused else { return Ok(None) };
        if batch.prompts.is_empty() {
            let text = message.content.clone();
            self.session.hooks.block(message);
            return Ok(Some(Ending::Blocked(text)));
        }
        self.session.emit(message).await;
        Ok(None)
    }

    /// Runs hooks on a prompt that joins the running turn. Returns false if it must not join.
    pub(crate) async fn hook_joining(&mut self, prompt: &Prompt) -> bool {
        if !self.session.hooks.await_any(&[Event::UserPromptSubmit]) {
            return true;
        }
        match self.hook_prompt(prompt).await {
            Some(Some(message)) => {
                self.session.emit(message).await;
                if let Some(uuid) = &prompt.uuid {
                    self.session.emit(messages::lifecycle(uuid, "cancelled")).await;
                }
                false
            }
            Some(None) => true,
            // The turn has to stop. The prompt starts its own turn later.
            None => {
                self.session.queue.put_back(prompt.clone());
                false
            }
        }
    }

    /// Runs hooks on one prompt. Returns the message about it if it is blocked; the outer `None` means that the turn
    /// has to stop.
    async fn hook_prompt(&mut self, prompt: &Prompt) -> Option<Option<Informational>> {
        let text = messages::text_of(&prompt.content);
        let source = if prompt.synthetic { "system" } else { "sdk" };
        let input = hook_input!(self.session, Mode, UserPromptSubmit(UserPromptSubmitInput) {
            prompt: text.clone(),
            source: Some(source.to_owned()),
            session_title: self.session.conversation.transcript.title().map(str::to_owned),
        });
        let merged = self.ask_hooks(input).await?;
        let (mut title, mut hide) = (None, false);
        for specific in &merged.specific {
            if let HookSpecificOutput::UserPromptSubmit(it) = specific {
                title = it.session_title.clone().or(title);
                hide |= it.suppress_original_prompt == Some(true);
            }
        }
        if let Some(title) = title.filter(|title| self.session.conversation.transcript.title() != Some(title.trim())) {
            // A title that cannot be saved must not fail the prompt.
            self.session.rename(&title, None).await.ok();
        }
        Some(refused(
            Event::UserPromptSubmit,
            &merged,
            (!hide).then_some(text.as_str()),
        ))
    }

    /// Runs hooks on the expansion of a command. Returns `Err` with the message if it is blocked.
    pub(crate) async fn hook_expansion(
        &mut self,
        command: &str,
        args: &str,
        source: Option<&str>,
    ) -> Result<(), Informational> {
        if !self.session.hooks.await_any(&[Event::UserPromptExpansion]) {
            return Ok(());
        }
        let typed = match args {
            "" => format!("/{command}"),
            args => format!("/{command} {args}"),
        };
        let kind = if source == Some("mcp") {
            "mcp_prompt"
        } else {
            "slash_command"
        };
        let input = hook_input!(self.session, Mode, UserPromptExpansion(UserPromptExpansionInput) {
            expansion_type: kind.to_owned(),
            command_name: command.to_owned(),
            command_args: args.to_owned(),
            command_source: source.map(str::to_owned),
            prompt: typed.clone(),
        });
        let merged = self.ask_hooks(input).await.unwrap_or_default();
        refused(Event::UserPromptExpansion, &merged, Some(&typed)).map_or(Ok(()), Err)
    }

    /// Runs `Stop` or `SubagentStop` hooks when the turn would end.
    pub(crate) async fn hook_stop(&mut self) -> TurnEnd {
        let event = match self.session.hooks.speaker() {
            Some(_) => Event::SubagentStop,
            None => Event::Stop,
        };
        if !self.session.hooks.await_any(&[event]) {
            return TurnEnd::End;
        }
        let input = self.session.end_input();
        let Some(merged) = self.ask_hooks(input).await else {
            return TurnEnd::Stopped;
        };
        if merged.halt.is_some() {
            return TurnEnd::EndWith(Ending::HookStopped("stop_hook_prevented"));
        }
        let feedback = merged
            .block
            .as_ref()
            .map(|block| format!("Stop hook feedback:\n{}", block.shown));
        if feedback.is_none() && merged.contexts.is_empty() {
            return TurnEnd::End;
        }
        if self.session.hooks.count_stop_block() > MAX_STOP_BLOCKS {
            let text =
                format!("Stop hooks sent the model back to work {MAX_STOP_BLOCKS} times in a row; the turn ends now.");
            self.session.emit(messages::informational(&text, "warning")).await;
            return TurnEnd::End;
        }
        if let Some(feedback) = feedback {
            self.session.nudge(&feedback).await;
            self.session
                .emit(Notification {
                    key: "stop-hook-error".to_owned(),
                    text: "A Stop hook sent the model back to work".to_owned(),
                    priority: NotificationPriority::Immediate,
                    uuid: messages::fresh_id(),
                    ..Notification::default()
                })
                .await;
        }
        TurnEnd::Continue
    }

    /// Runs `SubagentStart` hooks at the start of a subagent's session.
    pub(crate) async fn hook_subagent_start(&mut self) {
        if self.session.hooks.speaker().is_some() && self.session.hooks.await_any(&[Event::SubagentStart]) {
            let input = hook_input!(self.session, Bare, SubagentStart(SubagentStartInput) {});
            self.ask_hooks(input).await;
        }
    }

    /// Runs `PreCompact` hooks. Returns additional instructions, or `Err` with the reason if compaction is blocked.
    pub(crate) async fn hook_pre_compact(
        &mut self,
        trigger: &str,
        instructions: Option<&str>,
    ) -> Result<Option<String>, String> {
        if !self.session.hooks.await_any(&[Event::PreCompact]) {
            return Ok(None);
        }
        let input = hook_input!(self.session, Bare, PreCompact(PreCompactInput) {
            trigger: trigger.to_owned(),
            custom_instructions: instructions.map(str::to_owned),
        });
        let merged = self.ask_hooks(input).await.unwrap_or_default();
        self.session.hooks.take_back(merged.contexts.len());
        let further: Vec<String> = merged.contexts.into_iter().map(|(_, text)| text).collect();
        match (merged.block, merged.halt) {
            (Some(block), _) => Err(block.shown),
            (None, Some(why)) => Err(why),
            (None, None) => Ok((!further.is_empty()).then(|| further.join("\n"))),
        }
    }

    /// Runs `PostCompact` hooks.
    pub(crate) async fn hook_post_compact(&mut self, trigger: &str, summary: &str) {
        if !self.session.hooks.await_any(&[Event::PostCompact]) {
            return;
        }
        let input = hook_input!(self.session, Bare, PostCompact(PostCompactInput) {
            trigger: trigger.to_owned(),
            compact_summary: summary.to_owned(),
        });
        self.ask_hooks(input).await;
    }
}

/// Builds the message about a blocked prompt.
fn refused(event: Event, merged: &Merged, prompt: Option<&str>) -> Option<Informational> {
    let (first, reason) = match (&merged.block, &merged.halt) {
        (Some(block), _) => (
            format!("{} operation blocked by hook:\n{}", event.as_str(), block.shown),
            block.reason.clone(),
        ),
        (None, Some(why)) => (format!("Operation stopped by hook: {why}"), why.clone()),
        (None, None) => return None,
    };
    let original = prompt
        .filter(|_| merged.block.is_some())
        .map(|prompt| format!("\n\nOriginal prompt: {prompt}"));
    Some(Informational {
        content: format!("{first}{}", original.unwrap_or_default()),
        level: Level::Warning,
        prevent_continuation: Some(true),
        prompt_submit_outcome: Some(PromptSubmitOutcome {
            kind: "blocked_by_hook".to_owned(),
            prompt_kept: Some(false),
            reason: Some(reason),
            ..PromptSubmitOutcome::default()
        }),
        uuid: messages::fresh_id(),
        ..Informational::default()
    })
}
