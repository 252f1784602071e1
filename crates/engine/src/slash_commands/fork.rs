//! The turn of a command that runs in a subagent. The session receives only the report.

use serde_json::Value;

use super::local::CommandOutput;
use crate::catalogue::entry::Entry;
use crate::commands::Failure;
use crate::commands::Slash;
use crate::queue::Prompt;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

impl SessionLoop {
    /// Runs a command in a subagent, then sends the start of the turn, the subagent's messages and its report.
    pub(super) async fn play_fork(&mut self, entry: &Entry, source: &str, slash: &Slash, prompt: &Prompt) -> Ending {
        let filled = match self.expand(entry, &slash.args).await {
            Ok(body) => match self.hook_expansion(&entry.name, &slash.args, Some(source)).await {
                Ok(()) => Ok(body),
                Err(message) => {
                    self.session.announce().await;
                    return self.session.end_blocked(message).await;
                }
            },
            failed => failed,
        };
        let (id, outcome) = match filled {
            Ok(body) => self.run_fork(entry, body).await,
            Err(Failure::Stopped) => (String::new(), None),
            Err(Failure::Failed(why)) => (String::new(), Some(sluice_tools::Outcome::failed(why))),
        };
        self.session.announce().await;
        self.session.emit_held_messages(&id).await;
        let Some(outcome) = outcome else {
            return Ending::Interrupted { tools: true };
        };
        let report = outcome.result.get("result").and_then(Value::as_str);
        let message = match report {
            Some(report) => {
                let note = format!(
                    "<system-reminder>\nThe person ran /{} {}. An agent of its own carried it out, and the person has read \
                     its report:\n\n{report}\n</system-reminder>",
                    entry.name, slash.args
                );
                self.session.remind();
                self.session.conversation.history.user_text(&note);
                self.session.keep_meta(&note).await;
                CommandOutput::text(report)
            }
            None => CommandOutput::failed(outcome.content.as_str().unwrap_or_default()),
        };
        self.session.emit_local_output(prompt, "custom", None, message).await
    }
}
