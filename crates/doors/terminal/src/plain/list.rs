//! Lists with numbered entries that can be filtered by words.

use std::time::Duration;

use sluice_wire::control::ModelInfo;
use sluice_wire::mode::PermissionMode;

use crate::app::{MODES, Point};
use crate::facts::Facts;
use crate::plugins::PluginAct;
use crate::text::clean::one_line;

/// Maximum number of entries printed at once.
const MAX_SHOWN: usize = 20;

/// The chosen entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ListChoice {
    Nothing,
    Session(String),
    Model(String),
    Mode(PermissionMode),
    Point(Box<Point>),
    Plugin(PluginAct),
}

/// A numbered list.
#[derive(Debug)]
pub(super) struct List {
    rows: Vec<(String, ListChoice)>,
    /// Indices of the entries that match the filter.
    fitting: Vec<usize>,
}

impl List {
    fn new(rows: Vec<(String, ListChoice)>) -> Self {
        Self {
            fitting: (0..rows.len()).collect(),
            rows,
        }
    }

    /// Lists the sessions of this folder, newest first.
    pub(super) fn sessions(facts: &Facts, now: u64) -> Self {
        let sessions = sluice_host::sessions::Sessions::under(&facts.config_dir);
        let found = sessions.list(Some(&facts.folder)).unwrap_or_default();
        let row = |session: sluice_host::sessions::SessionInfo| {
            let ago = ago(Duration::from_millis(now.saturating_sub(session.last_modified)));
            let text = format!("{}, {ago}", one_line(&session.summary));
            (text, ListChoice::Session(session.session_id))
        };
        Self::new(found.into_iter().map(row).collect())
    }

    pub(super) fn models(models: &[ModelInfo]) -> Self {
        let row = |model: &ModelInfo| {
            let text = format!("{}, {}", model.value, model.description.replace(" · ", ", "));
            (
                text.trim_end_matches([',', ' ']).to_owned(),
                ListChoice::Model(model.value.clone()),
            )
        };
        Self::new(models.iter().map(row).collect())
    }

    /// Lists the checkpoints, oldest first.
    pub(super) fn points(points: &[Point]) -> Self {
        let row = |point: &Point| (one_line(point.text.trim()), ListChoice::Point(Box::new(point.clone())));
        Self::new(points.iter().map(row).collect())
    }

    /// A confirmation about a plugin; the first choice changes nothing.
    pub(super) fn decision(choices: [&str; 2], acts: [PluginAct; 2]) -> Self {
        let rows = choices.into_iter().zip(acts);
        Self::new(
            rows.map(|(text, act)| (text.to_owned(), ListChoice::Plugin(act)))
                .collect(),
        )
    }

    pub(super) fn modes() -> Self {
        let row = |(mode, word, about): &(PermissionMode, &str, &str)| {
            (format!("{word}, {about}"), ListChoice::Mode(mode.clone()))
        };
        Self::new(MODES.iter().map(row).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        if self.rows.is_empty() {
            return vec!["list: empty".to_owned()];
        }
        let count = self.fitting.len();
        let shown = self
            .fitting
            .iter()
            .take(MAX_SHOWN)
            .filter_map(|at| self.rows.get(*at))
            .enumerate();
        let mut lines: Vec<String> = shown
            .map(|(place, (text, _))| format!("list {} of {count}: {text}", place + 1))
            .collect();
        if count == 0 {
            lines.push("list: no matches".to_owned());
        }
        lines.push("type a number, or words to filter, then Enter; nothing: Escape".to_owned());
        lines
    }

    /// Handles an input line. Returns the chosen entry, or the lines to print.
    pub(super) fn typed(&mut self, line: &str) -> Result<ListChoice, Vec<String>> {
        if line.is_empty() || line == super::ESCAPE {
            return Ok(ListChoice::Nothing);
        }
        if let Ok(number) = line.parse::<usize>() {
            let at = number.checked_sub(1).and_then(|place| self.fitting.get(place));
            let chosen = at.and_then(|at| self.rows.get(*at)).map(|(_, chosen)| chosen.clone());
            return chosen.ok_or_else(|| vec![format!("list: there is no {number}")]);
        }
        let wanted = line.to_lowercase();
        let fits = |at: &usize| {
            self.rows
                .get(*at)
                .is_some_and(|(text, _)| text.to_lowercase().contains(&wanted))
        };
        self.fitting = (0..self.rows.len()).filter(fits).collect();
        Err(self.lines())
    }
}

/// Formats a duration as `2 hours ago`.
fn ago(time: Duration) -> String {
    let (count, unit) = match time.as_secs() {
        seconds @ 0..60 => (seconds, "second"),
        seconds @ 60..3600 => (seconds / 60, "minute"),
        seconds @ 3600..86_400 => (seconds / 3600, "hour"),
        seconds => (seconds / 86_400, "day"),
    };
    format!("{} ago", crate::view::amount::count(count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_filtered_by_words_and_chosen_from_by_number() {
        let mut list = List::modes();
        assert_eq!(
            list.lines().first().map(String::as_str),
            Some("list 1 of 6: ask, asks before every change")
        );
        let lines = list.typed("plan").unwrap_err();
        assert_eq!(
            lines,
            [
                "list 1 of 1: plan, reads and plans, changes nothing",
                "type a number, or words to filter, then Enter; nothing: Escape"
            ]
        );
        assert_eq!(list.typed("2"), Err(vec!["list: there is no 2".to_owned()]));
        assert_eq!(list.typed("1"), Ok(ListChoice::Mode(PermissionMode::Plan)));
        assert_eq!(list.typed(""), Ok(ListChoice::Nothing));
    }

    #[test]
    fn durations_are_written_in_words() {
        assert_eq!(ago(Duration::from_secs(7200)), "2 hours ago");
        assert_eq!(ago(Duration::from_secs(60)), "1 minute ago");
    }
}
