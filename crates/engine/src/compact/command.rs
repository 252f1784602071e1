//! `/compact`: the person asks for a summary.

use serde_json::Value;

use super::{Trigger, Uncompacted};
use crate::queue::{Batch, Prompt};
use crate::say;
use crate::session::Session;
use crate::turn::{Ending, Stop, Turn};

const NAME: &str = "compact";

/// What the model is told of commands that are no affair of its own.
const CAVEAT: &str = "<local-command-caveat>The person ran the command below themselves; it is recorded only so that what \
    follows makes sense. Do not answer it.</local-command-caveat>";

/// What a lone `/compact` asks for besides a summary; none if this is something else.
pub(crate) fn instructions(batch: &Batch) -> Option<String> {
    let [prompt] = batch.prompts.as_slice() else {
        return None;
    };
    let rest = words(&prompt.content)?.trim().strip_prefix('/')?.strip_prefix(NAME)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
}

/// What a prompt of nothing but words says.
fn words(content: &Value) -> Option<&str> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(blocks) => match blocks.as_slice() {
            [block] => block.get("text")?.as_str(),
            _ => None,
        },
        _ => None,
    }
}

impl Session {
    /// Whether a person may ask for it.
    pub(crate) fn may_compact(&self) -> bool {
        !self.options.compaction.off
    }

    /// Plays the turn of `/compact`.
    pub(crate) async fn play_compact(&mut self, prompt: &Prompt, instructions: &str) {
        let uuids: Vec<String> = prompt.uuid.iter().cloned().collect();
        self.open_turn(Turn::new(uuids.clone(), prompt.origin.clone())).await;
        for uuid in &uuids {
            self.say(say::lifecycle(uuid, "started")).await;
        }
        self.drain().await;
        let wanted = Some(instructions).filter(|text| !text.is_empty());
        let outcome = self.compact(wanted, Trigger::Manual).await;
        self.announce().await;
        let ending = match outcome {
            Ok(compacted) => {
                self.tell_compaction(compacted).await;
                self.tell_command(prompt, instructions).await;
                self.local_ending("")
            }
            Err(Uncompacted::Stopped) => {
                if self.stop == Some(Stop::Interrupt) {
                    self.notice(say::INTERRUPTED).await;
                }
                Ending::Interrupted { tools: false }
            }
            Err(why) => self.tell_failure(prompt, instructions, &why).await,
        };
        self.close_turn(ending, &uuids).await;
    }

    /// The command and what it said, which the conversation goes on with.
    async fn tell_command(&mut self, prompt: &Prompt, instructions: &str) {
        let output = say::local_output("Compacted ");
        let (command, said) = (say::command_echo(NAME, instructions), output.message.content.text());
        for (uuid, text) in [
            (say::fresh_id(), CAVEAT),
            (prompt.id.clone(), command.as_str()),
            (output.uuid.clone().unwrap_or_default(), said.as_str()),
        ] {
            self.keep_local(&uuid, text).await;
            self.history.user_text(text);
        }
        self.say(output).await;
        if self.options.replay && !prompt.synthetic {
            self.say(say::replay(&prompt.id, &command.into(), Some(&prompt.timestamp)))
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
        self.keep_local(&prompt.id, &say::command_echo(NAME, instructions))
            .await;
        let reply = say::local_reply(&text, NAME, instructions, failed, &self.turn);
        self.say_block(reply, None).await;
        self.local_ending(if *why == Uncompacted::Empty { "" } else { &text })
    }

    fn local_ending(&self, text: &str) -> Ending {
        Ending::Local {
            command: NAME.to_owned(),
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::queue::Priority;

    fn asked(contents: &[Value]) -> Option<String> {
        let prompts = contents.iter().map(|content| Prompt {
            uuid: None,
            id: "u".to_owned(),
            content: content.clone(),
            priority: Priority::Next,
            synthetic: false,
            should_query: true,
            origin: None,
            timestamp: String::new(),
        });
        instructions(&Batch {
            prompts: prompts.collect(),
        })
    }

    #[test]
    fn only_a_prompt_of_its_own_is_the_command() {
        assert_eq!(asked(&[json!("/compact")]).as_deref(), Some(""));
        assert_eq!(asked(&[json!(" /compact  keep\n X ")]).as_deref(), Some("keep\n X"));
        let block = json!([{"type": "text", "text": "/compact"}]);
        assert_eq!(asked(std::slice::from_ref(&block)).as_deref(), Some(""));
        for other in [json!("/compactor"), json!("compact"), json!("say /compact"), json!([])] {
            assert_eq!(asked(&[other]), None);
        }
        assert_eq!(asked(&[json!("first"), block]), None);
    }
}
