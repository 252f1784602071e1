//! `/rewind`: the prompt to go back to, and whether files, the conversation or both are rewound.

use super::{Act, App, Next, Now, Picker, PickerKind};
use crate::text::{Role, Row, Style};
use crate::view::amount;

/// Label of the last choice.
const SUMMARISE: &str = "Summarise from there on instead";

/// A checkpoint: a prompt one can rewind to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Id of the prompt.
    pub uuid: String,
    /// Id of the last message before the prompt; `None` for the first prompt.
    pub before: Option<String>,
    pub text: String,
    /// Time of the prompt, in milliseconds since 1970.
    pub at: u64,
    /// Files that would be restored, if known.
    pub files: Option<Files>,
    /// Number of commands run since then; their effects are not undone.
    pub commands: usize,
}

/// Files that a rewind would restore.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    pub names: Vec<String>,
    pub added: u64,
    pub removed: u64,
}

impl Files {
    fn words(&self) -> String {
        let count = amount::count(self.names.len() as u64, "file");
        format!("{count} {}", amount::lines(self.added, self.removed))
    }
}

impl App {
    /// Lists the checkpoints; the highlight is on the row that changes nothing.
    pub(super) fn pick_point(&mut self, points: Vec<Point>, now: Now) {
        if points.is_empty() {
            self.notify("there is nothing to go back to yet", now);
            return;
        }
        // File counts arrive after the list is shown; the highlight stays.
        let selected = match &self.picker {
            Some(picker) if matches!(picker.picks, PickerKind::Point(_)) => Some(picker.selected),
            _ => None,
        };
        let room = match self.columns {
            narrow @ ..60 => narrow.saturating_sub(10).max(12),
            columns => columns - 34,
        };
        let mut rows: Vec<(String, String, String)> = points
            .iter()
            .map(|point| {
                let at = self.facts.clock.time(point.at, now);
                let line = point.text.trim().lines().next().unwrap_or_default();
                let short = Row::plain(line).cut(room).text();
                let files = point.files.as_ref().filter(|files| !files.names.is_empty());
                let files = files.map(Files::words).unwrap_or_default();
                let gap = " ".repeat(room.saturating_sub(crate::text::width::of(&short)) + 2);
                let whole = format!("{line}   {files}").trim_end().to_owned();
                if self.columns < 60 {
                    return (at, line.to_owned(), whole);
                }
                let about = format!("{short}{gap}{files}").trim_end().to_owned();
                let whole = if short == line { about.clone() } else { whole };
                (at, about, whole)
            })
            .collect();
        rows.push(("now".to_owned(), String::new(), String::new()));
        let last = rows.len() - 1;
        let mut picker = Picker::new("Rewind to before", PickerKind::Point(points), []);
        picker.extend(rows);
        picker.selected = selected.unwrap_or(last);
        picker.hints = vec!["enter chooses", "esc"];
        self.picker = Some(picker);
    }

    /// Shows the actions for a checkpoint.
    pub(super) fn pick_what(&mut self, point: &Point, now: Now) {
        let line = point.text.trim().lines().next().unwrap_or_default();
        let line = Row::plain(line).cut(40).text();
        let at = self.facts.clock.time(point.at, now);
        let title = format!("Rewind to before \"{line}\", {at}");
        let mut rows = vec![("Conversation only, files stay".to_owned(), String::new())];
        let mut picker_head = Vec::new();
        if let Some(files) = point.files.as_ref().filter(|files| !files.names.is_empty()) {
            let words = format!("  files to restore  {}", amount::lines(files.added, files.removed));
            picker_head.push(Row::plain(&words));
            let folder = format!("{}/", self.facts.folder.display());
            let near = files
                .names
                .iter()
                .map(|name| name.strip_prefix(&folder).unwrap_or(name));
            let names = format!("    {}", near.collect::<Vec<_>>().join("  "));
            picker_head.extend(crate::text::wrap::whole(&Row::faint(&names), self.columns, 4));
            rows.push(("Conversation and files".to_owned(), String::new()));
            rows.push(("Files only".to_owned(), String::new()));
        }
        if point.commands > 0 {
            let calls = amount::count(point.commands as u64, "Bash call");
            let text = format!("not undone: effects of commands ({calls} since)");
            let row = Row::new().add("  ", Style::TEXT).add(&text, Role::Faint);
            picker_head.extend(crate::text::wrap::words(&row, self.columns, 4));
        }
        if point.before.is_some() && self.begun().is_some() {
            rows.push((SUMMARISE.to_owned(), String::new()));
        }
        let mut picker = Picker::new(&title, PickerKind::Rewind(Box::new(point.clone())), rows);
        picker.head = picker_head;
        picker.hints = vec!["enter confirms", "d the diff", "esc back"];
        self.picker = Some(picker);
    }

    /// Shows the file changes since the checkpoint.
    pub(super) fn show_changes(&mut self) {
        if let Some(Picker {
            picks: PickerKind::Rewind(point),
            ..
        }) = &self.picker
        {
            let line = point.text.trim().lines().next().unwrap_or_default();
            let title = format!("changes since \"{}\"", crate::text::width::head(line, 40));
            let uuid = point.uuid.clone();
            self.acts.push(Act::Changes { uuid, title });
        }
    }

    /// Carries out the selected action.
    pub(super) fn rewind(&mut self, point: &Point, what: usize, now: Now) {
        let has_files = point.files.as_ref().is_some_and(|files| !files.names.is_empty());
        if let (Some(session), Some(before)) = (self.begun(), &point.before)
            && what == if has_files { 3 } else { 1 }
        {
            self.acts.push(Act::Summarise {
                uuid: point.uuid.clone(),
                text: point.text.clone(),
                session,
                before: before.clone(),
            });
            self.notify("asking the model for a summary", now);
            return;
        }
        let next = match (&self.begun(), &point.before) {
            (Some(session), Some(before)) => Next::Rewind {
                session: session.clone(),
                before: before.clone(),
                told: None,
            },
            _ => Next::Fresh { prompt: None },
        };
        match what {
            0 => self.go_back(next, &point.text),
            _ => {
                let then = (what == 1).then(|| (next, point.text.clone()));
                self.acts.push(Act::RewindFiles {
                    uuid: point.uuid.clone(),
                    count: point.files.as_ref().map_or(0, |files| files.names.len()),
                    then,
                });
                self.notify("restoring files", now);
            }
        }
    }

    /// Restarts the conversation before the prompt and puts its text into the composer.
    pub(super) fn go_back(&mut self, next: Next, text: &str) {
        let draft = self.editor.take();
        if !draft.trim().is_empty() {
            self.remember(&draft, self.last_key);
        }
        self.editor.set(text);
        self.acts.push(Act::StartNext(next));
    }
}
