//! `statusLine`: when the command of the status line runs, and its output.

use serde_json::{Value, json};

use super::{Act, App, Now};
use crate::facts::Settings;
use crate::text::{Row, sgr};

/// Minimum interval between two runs of the command, in milliseconds.
const MIN_INTERVAL: Now = 300;
/// Maximum number of rows of the status line.
const MAX_ROWS: usize = 3;

/// Output and schedule of the status line command.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatusLineState {
    pub(crate) rows: Vec<Row>,
    /// The facts at the last run; a difference schedules the next one.
    about: String,
    due: Option<Now>,
}

impl StatusLineState {
    /// Returns when the command is due, if it is scheduled.
    pub(crate) fn next(&self, settings: &Settings, asked: bool) -> Option<Now> {
        self.due.filter(|_| settings.status_line.is_some() && !asked)
    }

    /// Replaces the status line with the output of the command.
    pub(crate) fn set_output(&mut self, text: &str) {
        self.rows = text.lines().take(MAX_ROWS).map(sgr::read).collect();
    }
}

impl App {
    /// Schedules the command when the displayed facts change, and runs it when it is due.
    pub(super) fn watch_status(&mut self, now: Now) {
        if self.facts.settings.status_line.is_none() {
            return;
        }
        let snapshot = &self.snapshot;
        let about = format!(
            "{:?} {:?} {} {} {:?} {:?} {}",
            snapshot.model,
            snapshot.mode,
            snapshot.turn_count,
            snapshot.is_busy(),
            self.status_context.branch,
            self.status_context.vim,
            self.shells_ended(),
        );
        if about != self.status_line.about {
            self.status_line.about = about;
            self.status_line.due.get_or_insert(now + MIN_INTERVAL);
        }
        if self.status_line.due.is_some_and(|due| due <= now) {
            let every = self.facts.settings.status_every;
            self.status_line.due = every.map(|every| now + every);
            let facts = self.status_facts(now);
            let command = self.facts.settings.status_line.clone().unwrap_or_default();
            self.acts.push(Act::StatusLine { command, facts });
        }
    }

    /// Returns the input of the status line command.
    fn status_facts(&self, now: Now) -> Value {
        let model = self.snapshot.model.clone().unwrap_or_else(|| self.facts.model.clone());
        let folder = self.facts.folder.display().to_string();
        let usage = &self.snapshot.usage;
        let tokens = self.snapshot.context.tokens;
        let window = self.snapshot.context.window.unwrap_or_default();
        let used = (window > 0).then(|| tokens.saturating_mul(100) / window);
        let (added, removed) = self.snapshot.changed_lines();
        let style = self.snapshot.style.as_deref().unwrap_or("default");
        let mut facts = json!({
            "hook_event_name": "Status",
            "session_id": self.begun().or_else(|| self.snapshot.session.clone()).unwrap_or_default(),
            "cwd": folder,
            "workspace": {"current_dir": folder, "project_dir": folder, "added_dirs": self.facts.added_dirs},
            "version": self.facts.version,
            "model": {"id": model, "display_name": crate::view::status::model_word(&model)},
            "output_style": {"name": style},
            "permission_mode": self.snapshot.mode,
            "cost": {
                "total_cost_usd": self.snapshot.cost,
                "total_duration_ms": now.saturating_sub(self.started),
                "total_api_duration_ms": self.feed.api_ms,
                "total_lines_added": added,
                "total_lines_removed": removed,
            },
            "context_window": {
                "total_input_tokens": usage.input + usage.cache_read + usage.cache_write,
                "total_output_tokens": usage.output,
                "context_window_size": window,
                "used_percentage": used,
                "remaining_percentage": used.map(|used| 100_u64.saturating_sub(used)),
            },
            "exceeds_200k_tokens": tokens > 200_000,
            "thinking": {"enabled": self.thinks},
        });
        // Unknown facts are omitted.
        let more = [
            ("session_name", self.snapshot.title.clone().map(Value::from)),
            ("effort", self.effort.as_ref().map(|level| json!({"level": level}))),
            (
                "vim",
                self.vim
                    .as_ref()
                    .map(|vim| json!({"mode": vim.word().unwrap_or("INSERT")})),
            ),
        ];
        if let Value::Object(facts) = &mut facts {
            facts.extend(
                more.into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?))),
            );
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_three_rows_are_taken() {
        let mut status_line = StatusLineState::default();
        status_line.set_output("one\n\x1b[31mtwo\x1b[m\nthree\nfour\n");
        let rows: Vec<String> = status_line.rows.iter().map(Row::text).collect();
        assert_eq!(rows, ["one", "two", "three"]);
    }
}
