//! The `/compact` command.

use super::{Trigger, Uncompacted};
use crate::messages;
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::{Ending, Stop};

const NAME: &str = "compact";
const CANCELLED: &str = "Compaction canceled.";

/// Precedes commands in the conversation that the model should not respond to.
const CAVEAT: &str = "<local-command-caveat>The person ran the command below themselves; it is recorded only so that what \
    follows makes sense. Do not answer it.</local-command-caveat>";

impl Session {
    /// True if `/compact` is available.
    pub(crate) fn may_compact(&self) -> bool {
        !self.options.limits.compaction.off
    }

    /// Adds the command and its output to the compacted conversation and sends them.
    async fn emit_command(&mut self, prompt: &Prompt, instructions: &str) {
        let output = messages::local_output("Compacted ");
        let (command, stdout) = (
            messages::command_echo(NAME, instructions),
            output.message.content.text(),
        );
        for (uuid, text) in [
            (messages::fresh_id(), CAVEAT),
            (prompt.id.clone(), command.as_str()),
            (output.uuid.clone().unwrap_or_default(), stdout.as_str()),
        ] {
            self.keep_local(&uuid, text).await;
            self.conversation.history.user_text(text);
        }
        self.emit(output).await;
        if self.options.host.replay && prompt.is_replayed() {
            self.emit(messages::replay(&prompt.id, &command.into(), Some(&prompt.timestamp)))
                .await;
        }
    }

    /// Reports why the conversation was not compacted.
    async fn report_failure(&mut self, prompt: &Prompt, instructions: &str, why: &Uncompacted) -> Ending {
        let text = why.message(Trigger::Manual);
        let (text, failed) = match why {
            Uncompacted::TooLittle => (text, false),
            Uncompacted::Empty => (format!("Error: {text}"), true),
            _ => (text, true),
        };
        self.keep_local(&prompt.id, &messages::command_echo(NAME, instructions))
            .await;
        let reply = messages::local_reply(&text, NAME, instructions, failed, &self.turn);
        self.emit_block(reply, None).await;
        self.local_ending(if *why == Uncompacted::Empty { "" } else { &text })
    }

    fn local_ending(&self, text: &str) -> Ending {
        Ending::Local {
            command: Some(NAME.to_owned()),
            text: text.to_owned(),
        }
    }
}

impl SessionLoop {
    /// Runs the turn of `/compact`.
    pub(crate) async fn play_compact(&mut self, prompt: &Prompt, instructions: &str) -> Ending {
        self.session.emit_started().await;
        self.drain().await;
        let wanted = Some(instructions).filter(|text| !text.is_empty());
        let outcome = self.compact(wanted, Trigger::Manual).await;
        self.session.announce().await;
        match outcome {
            Ok(compacted) => {
                self.session.emit_compaction(compacted).await;
                self.session.emit_command(prompt, instructions).await;
                self.session.local_ending("")
            }
            // The interrupt cancelled the command. The conversation is unchanged and does not mention it.
            Err(Uncompacted::Stopped) if self.session.turn.stop() == Some(Stop::Interrupt) => {
                self.session
                    .emit_block(
                        messages::local_reply(CANCELLED, NAME, instructions, false, &self.session.turn),
                        None,
                    )
                    .await;
                self.session.local_ending(CANCELLED)
            }
            Err(Uncompacted::Stopped) => Ending::Interrupted { tools: false },
            Err(why) => self.session.report_failure(prompt, instructions, &why).await,
        }
    }
}
