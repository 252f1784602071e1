//! Progress summaries of a subagent: asks its model and sends the answer to the host.

use serde_json::json;
use sluice_model::models;
use tokio::time::Instant;

use crate::agents::{SUMMARY_INTERVAL, SummaryEvent};
use crate::session::Session;

/// The maximum number of tokens of the answer.
const MAX_TOKENS: u32 = 128;
/// The maximum length of a summary, in characters.
const MAX_SUMMARY_CHARS: usize = 120;
const GUIDE: &str = "[From the engine, beside the task: say in three to five words what you are doing right now, as in \
    \"Reading the parser's tests\". Name the file or the thing. Answer with these words alone, call no tool, and then go on \
    with the task as if nobody had asked.]";

impl Session {
    /// Starts or sends a summary.
    pub(crate) async fn on_summary_event(&mut self, summed: SummaryEvent) {
        match summed {
            SummaryEvent::Due => self.ask_for_summary(),
            SummaryEvent::Answered(summary) => {
                let summary = summary.as_deref().map(one_line).filter(|summary| !summary.is_empty());
                if let (Some(summary), Some(summaries)) = (summary, self.agents.summaries()) {
                    summaries.last = Some(summary.clone());
                    let progress = summaries.relay.summary_progress(&summary);
                    self.emit(progress).await;
                }
            }
        }
    }

    fn ask_for_summary(&mut self) {
        let begun = self.conversation.history.len() > 1;
        let Some(summaries) = self.agents.summaries() else {
            return;
        };
        summaries.due = Instant::now() + SUMMARY_INTERVAL;
        // Nothing has been done yet, or the previous request is still running.
        if !begun || !summaries.asked.is_empty() {
            return;
        }
        let last = summaries.last.as_ref();
        let last = last.map(|last| format!(" You said \"{last}\" before: say something new."));
        let messages = self
            .conversation
            .history
            .with_question(&format!("{GUIDE}{}", last.unwrap_or_default()));
        let mut request = self.request_of(messages);
        request.max_tokens = MAX_TOKENS;
        request.thinking = models::facts(&self.model.name).thinking.off();
        if !request.tools.is_empty() {
            request.extra.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
        let tool_services = self.tooling.services().clone();
        if let Some(summaries) = self.agents.summaries() {
            summaries
                .asked
                .spawn(async move { tool_services.answer(request).await.ok() });
        }
    }
}

/// The first line that is not empty, shortened.
fn one_line(summary: &str) -> String {
    let line = summary.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default().trim_matches('"');
    line.chars()
        .filter(|letter| !letter.is_control())
        .take(MAX_SUMMARY_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_is_one_short_line() {
        assert_eq!(one_line("\n  \"Reading a.rs\"\nand more"), "Reading a.rs");
        assert_eq!(one_line(&"x".repeat(500)).len(), MAX_SUMMARY_CHARS);
        assert_eq!(one_line("\n"), "");
    }
}
