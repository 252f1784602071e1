//! The last rows of a session, with the command that resumes it.

use super::{App, Now};
use crate::text::{Role, Row};

impl App {
    /// Returns the rows shown after the live region is removed.
    #[must_use]
    pub fn farewell(&self, now: Now) -> Vec<Row> {
        let Some(session) = self.begun() else {
            return Vec::new();
        };
        if self.snapshot.turn_count == 0 {
            // No turn ran in this process, but the session has earlier ones and can be resumed.
            return vec![
                Row::new(),
                Row::faint(&format!("  {}", self.facts.resume_command(&session))),
            ];
        }
        let title = self.snapshot.title.clone().map(|title| format!("\"{title}\""));
        let mut facts: Vec<String> = title.into_iter().collect();
        facts.push(crate::view::amount::lasted(std::time::Duration::from_millis(
            now.saturating_sub(self.started),
        )));
        // Turns started by the agent or by a `!` command do not count as prompts of the user.
        let turns = match self.snapshot.asked {
            0 => self.snapshot.turn_count,
            asked => asked,
        };
        facts.push(crate::view::amount::count(turns as u64, "turn"));
        facts.extend(self.snapshot.changed_words());
        if self.snapshot.cost >= 0.005 && !self.facts.is_demo() {
            facts.push(crate::view::amount::dollars(self.snapshot.cost));
        }
        let said = Row::new().add("~ ", Role::Note).add(&facts.join(" ∙ "), Role::Faint);
        let mut rows = vec![Row::new()];
        rows.extend(crate::text::wrap::words(&said, self.columns, 2));
        rows.push(Row::faint(&format!("  {}", self.facts.resume_command(&session))));
        rows
    }
}
