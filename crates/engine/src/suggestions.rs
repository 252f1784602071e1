//! Suggested next prompts, which the model writes after a turn from the conversation so far.
//!
//! The request is not added to the conversation. The next prompt cancels it.

use serde_json::json;
use sluice_model::models;
use sluice_permission::PermissionMode;
use sluice_settings::keys;
use sluice_wire::stdout::PromptSuggestion;

use crate::messages;
use crate::session::Session;
use crate::turn::Ending;

/// The maximum number of tokens of a suggestion.
const MAX_TOKENS: u32 = 200;
/// The maximum length of a suggestion, in characters. Longer answers are unlikely to be used unchanged.
const MAX_SUGGESTION_CHARS: usize = 240;
/// The answer of a model that has no suggestion.
const NO_SUGGESTION: &str = "none";

const GUIDE: &str = "\
<system-reminder>\nThis is not from the person. Guess the one prompt they will most likely send next, judging by what they \
asked for and what is left to do. Write it as they would: their language, their tone, a dozen words at most, one \
instruction and no question back, no praise, nothing in your own voice and no task they never hinted at. If no next step \
suggests itself, or if it could do harm, answer with the single word none. Answer with the prompt alone.\n</system-reminder>";

impl Session {
    /// Starts generating a suggestion after a turn, if suggestions are enabled and the turn was completed.
    pub(crate) fn suggest(&mut self, ending: &Ending) {
        let done = matches!(ending, Ending::Completed | Ending::Structured(_));
        let planning = self.policy.mode == PermissionMode::Plan;
        // The first response says too little about the next step.
        if !self.suggests() || !done || planning || self.line.results() < 2 || !self.queue.is_empty() {
            return;
        }
        if self.over_budget().is_some() || self.line.leaving().is_some() {
            return;
        }
        let mut request = self.request_of(self.conversation.history.with_question(GUIDE));
        request.max_tokens = MAX_TOKENS;
        request.thinking = models::facts(&self.model.name).thinking.off();
        if !request.tools.is_empty() {
            request.extra.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
        let tool_services = self.tooling.services().clone();
        self.requests.suggestions.start(async move {
            tool_services
                .answer(request)
                .await
                .ok()
                .and_then(|text| parse_suggestion(&text))
        });
    }

    fn suggests(&self) -> bool {
        let conversation = &self.options.conversation;
        let allowed = conversation
            .suggestions_forced
            .or_else(|| self.options.settings.bool(&keys::PROMPT_SUGGESTION_ENABLED));
        conversation.suggestions && allowed != Some(false)
    }

    /// Sends a suggestion.
    pub(crate) async fn emit_suggestion(&self, guess: Option<String>) {
        if let Some(suggestion) = guess {
            self.emit(PromptSuggestion {
                suggestion,
                uuid: messages::fresh_id(),
                ..PromptSuggestion::default()
            })
            .await;
        }
    }
}

/// Extracts the suggestion from an answer, if it is valid.
fn parse_suggestion(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '`', '“', '”']).trim();
    let bare = text.trim_end_matches(['.', '!']);
    let none = text.is_empty() || bare.eq_ignore_ascii_case(NO_SUGGESTION);
    (!none && !text.contains('\n') && text.chars().count() <= MAX_SUGGESTION_CHARS).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_must_be_a_single_short_line() {
        assert_eq!(
            parse_suggestion(" \"run the tests\"\n").as_deref(),
            Some("run the tests")
        );
        for none in ["", "None.", "none", "one\ntwo", &"x".repeat(300)] {
            assert_eq!(parse_suggestion(none), None, "{none}");
        }
    }
}
