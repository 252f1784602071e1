//! Prompt history and its search.

use std::time::Duration;

use super::{App, Now, Picker, PickerKind};
use crate::view::amount;

impl App {
    /// Opens the prompt history, newest first.
    pub(super) fn search_history(&mut self, now: Now) {
        let folder = self.facts.folder.display().to_string();
        let mut seen = std::collections::HashSet::new();
        let (scope, session) = (self.scope, self.snapshot.session.clone());
        let fits = |asked: &&crate::input::PastPrompt| match scope {
            0 => asked.folder == folder,
            1 => asked.session.is_some() && asked.session == session,
            _ => true,
        };
        let asked = self.history.all().iter().rev().filter(fits);
        let asked: Vec<_> = asked
            .filter(|asked| seen.insert(asked.text.clone()))
            .take(2000)
            .cloned()
            .collect();
        if asked.is_empty() && self.picker.is_none() {
            self.notify("no prompts in this folder yet", now);
            return;
        }
        let rows: Vec<(String, String)> = asked
            .iter()
            .map(|asked| {
                let ago = amount::ago(Duration::from_millis(now.saturating_sub(asked.at)));
                let (first, rest) = asked.text.trim().split_once('\n').unwrap_or((asked.text.trim(), ""));
                let more = rest.lines().count();
                let text = match more {
                    0 => first.to_owned(),
                    more => format!("{first} ⋯ {}", amount::count(more as u64, "line")),
                };
                (format!("{ago:<4}"), text)
            })
            .collect();
        let prompts = asked.into_iter().map(|asked| asked.text).collect();
        let title = ["History, this folder", "History, this session", "History, everywhere"].get(scope);
        let mut picker = Picker::new(title.copied().unwrap_or("History"), PickerKind::Prompt(prompts), rows);
        picker.hints = vec!["enter takes it", "ctrl+enter sends it", "ctrl+s scope", "esc"];
        self.picker = Some(picker);
    }
}
