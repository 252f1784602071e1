//! Background tasks, as a list.

use super::{Act, App, Now, Picker, PickerKind};
use crate::view::amount;

/// Output size of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputSize {
    Lines(u64),
    /// The agent sends only the end of a long output, so its lines cannot be counted.
    Bytes(u64),
}

impl OutputSize {
    fn words(self) -> String {
        match self {
            Self::Lines(count) => amount::count(count, "line"),
            Self::Bytes(count) => amount::bytes(count),
        }
    }
}

impl App {
    /// Lists the background jobs and requests the output size of those that run commands.
    pub(super) fn pick_job(&mut self, now: Now) {
        if self.snapshot.jobs.is_empty() {
            self.notify("nothing runs in the background", now);
            return;
        }
        let commands = self.snapshot.jobs.iter().filter(|job| &*job.kind != "local_agent");
        self.acts.extend(commands.map(|job| Act::TaskSize(job.id.to_string())));
        self.list_jobs(now);
    }

    fn list_jobs(&mut self, now: Now) {
        let rows = self.snapshot.jobs.iter().map(|job| {
            let is_agent = &*job.kind == "local_agent";
            let kind = sluice_host::items::task_title(&job.kind);
            let mut facts = vec![amount::running(std::time::Duration::from_millis(
                now.saturating_sub(job.began.0),
            ))];
            if is_agent {
                facts.push(amount::count(job.calls, "call"));
                facts.push(format!("{} tokens", amount::tokens(job.tokens)));
            }
            facts.extend(self.written.get(&*job.id).map(|written| written.words()));
            let what = crate::text::width::head(&job.description, 36);
            let gap = " ".repeat(36_usize.saturating_sub(crate::text::width::of(what)));
            (
                job.id.to_string(),
                format!("{kind:<6} {what}{gap}  {}", facts.join(" ∙ ")),
            )
        });
        let title = format!("Jobs  {} running", self.snapshot.jobs.len());
        let mut picker = Picker::new(&title, PickerKind::Job, rows.collect::<Vec<_>>());
        picker.hints = vec!["enter its output", "x stop", "esc"];
        self.picker = Some(picker);
    }

    /// Updates the output size of a job in the open list.
    pub(super) fn set_output_size(&mut self, job: String, written: OutputSize, now: Now) {
        self.written.insert(job, written);
        let Some(picker) = self.picker.as_ref().filter(|it| matches!(it.picks, PickerKind::Job)) else {
            return;
        };
        let highlighted = picker.rows.get(picker.selected).map(|(id, _)| id.clone());
        self.list_jobs(now);
        if let Some(picker) = &mut self.picker {
            let place = picker.rows.iter().position(|(id, _)| Some(id) == highlighted.as_ref());
            picker.selected = place.unwrap_or(0);
        }
    }
}
