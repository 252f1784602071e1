//! `/compact`: the person asks for a summary.

use super::{Trigger, Uncompacted};
use crate::messages;
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::{Ending, Stop};

const NAME: &str = "compact";
const CANCELLED: &str = "Compaction canceled.";

/// What the model is told of commands that are no affair of its own.
const CAVEAT: &str = "<local-command-caveat>The person ran the command below themselves; it is recorded only so that what \
    follows makes sense. Do not answer it.</local-command-caveat>";

impl Session {
    /// Whether a person may ask for it.
    pub(crate) fn may_compact(&self) -> bool {
        !self.options.limits.compaction.off
    }

    /// The command and what it said, which the conversation goes on with.
    async fn tell_command(&mut self, prompt: &Prompt, instructions: &str) {
        let output = messages::local_output("Compacted ");
        let (command, said) = (
            messages::command_echo(NAME, instructions),
            output.message.content.text(),
        );
        for (uuid, text) in [
            (messages::fresh_id(), CAVEAT),
            (prompt.id.clone(), command.as_str()),
            (output.uuid.clone().unwrap_or_default(), said.as_str()),
        ] {
            self.keep_local(&uuid, text).await;
            self.conversation.history.user_text(text);
        }
        self.say(output).await;
        if self.options.host.replay && prompt.is_replayed() {
            self.say(messages::replay(&prompt.id, &command.into(), Some(&prompt.timestamp)))
                .await;
        }
    }

    /// The conversation stays as it is, and the person learns why.
    async fn tell_failure(&mut self, prompt: &Prompt, instructions: &str, why: &Uncompacted) -> Ending {
        let told = why.told(Trigger::Manual);
        let (text, failed) = match why {
            Uncompacted::TooLittle => (told, false),
            Uncompacted::Empty => (format!("Error: {told}"), true),
            _ => (told, true),
        };
        self.keep_local(&prompt.id, &messages::command_echo(NAME, instructions))
            .await;
        let reply = messages::local_reply(&text, NAME, instructions, failed, &self.turn);
        self.say_block(reply, None).await;
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
    /// Plays the turn of `/compact`.
    pub(crate) async fn play_compact(&mut self, prompt: &Prompt, instructions: &str) -> Ending {
        self.session.say_started().await;
        self.drain().await;
        let wanted = Some(instructions).filter(|text| !text.is_empty());
        let outcome = self.compact(wanted, Trigger::Manual).await;
        self.session.announce().await;
        match outcome {
            Ok(compacted) => {
                self.session.tell_compaction(compacted).await;
                self.session.tell_command(prompt, instructions).await;
                self.session.local_ending("")
            }
            // The command did what it was told last: nothing. A conversation that goes on need not know of it.
            Err(Uncompacted::Stopped) if self.session.turn.stop() == Some(Stop::Interrupt) => {
                self.session
                    .say_block(
                        messages::local_reply(CANCELLED, NAME, instructions, false, &self.session.turn),
                        None,
                    )
                    .await;
                self.session.local_ending(CANCELLED)
            }
            Err(Uncompacted::Stopped) => Ending::Interrupted { tools: false },
            Err(why) => self.session.tell_failure(prompt, instructions, &why).await,
        }
    }
}
