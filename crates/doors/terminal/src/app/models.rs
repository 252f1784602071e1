//! `/model`: the model, its effort and thinking, and whether the choice is saved.

use serde_json::{Value, json};
use sluice_wire::control::ModelInfo;

use super::{Act, App, Now, Picker, PickerKind};
use crate::input::{Code, Editor, Key};
use crate::text::{Role, Row, Style};
use crate::view::status;

/// Effort levels offered if the model does not list its own.
const LEVELS: [&str; 3] = ["low", "medium", "high"];

impl App {
    /// Lists the models; the last row accepts a name.
    pub(super) fn pick_model(&mut self, models: Vec<ModelInfo>, now: Now) {
        if models.is_empty() {
            self.notify("the agent lists no models; use /model NAME", now);
            return;
        }
        let mut rows: Vec<(String, String)> = models
            .iter()
            .map(|model| (model.value.clone(), facts(model).join(" ∙ ")))
            .collect();
        rows.push(("other".to_owned(), "a model on this server".to_owned()));
        let chosen = self.snapshot.model.as_deref();
        let selected = models.iter().position(|model| {
            chosen.is_some_and(|now| now == model.value || Some(now) == model.resolved_model.as_deref())
        });
        let mut picker = Picker::new("Model", PickerKind::Model(models), rows);
        picker.selected = selected.unwrap_or(0);
        picker.hints = vec![
            "enter this session",
            "d also new ones",
            "left/right effort",
            "t thinking",
            "esc",
        ];
        self.picker = Some(picker);
        self.selected_effort = None;
        self.selected_thinking = self.thinks;
        self.show_effort();
    }

    /// Updates the effort and thinking row below the list.
    fn show_effort(&mut self) {
        let effort = self.selected_effort.clone().or_else(|| self.effort.clone());
        let effort = effort.unwrap_or_else(|| "its own".to_owned());
        let mark = if self.selected_thinking { "[x]" } else { "[ ]" };
        let turns = !self.levels().is_empty();
        if let Some(picker) = &mut self.picker {
            let mut row = Row::new().add("  ", Style::TEXT);
            if turns {
                row.push("effort  ", Role::Faint);
                row.push(&format!("‹ {effort} ›"), Style::TEXT);
                row.push("    ", Style::TEXT);
            }
            row.push("thinking  ", Role::Faint);
            row.push(mark, Style::TEXT);
            picker.foot = vec![row];
        }
    }

    /// Returns the effort levels of the highlighted model.
    fn levels(&self) -> Vec<String> {
        let Some(picker) = &self.picker else { return Vec::new() };
        let PickerKind::Model(models) = &picker.picks else {
            return Vec::new();
        };
        match models.get(picker.selected) {
            Some(model) if model.supports_effort == Some(false) => Vec::new(),
            Some(ModelInfo {
                supported_effort_levels: Some(levels),
                ..
            }) if !levels.is_empty() => levels.clone(),
            _ => LEVELS.map(str::to_owned).to_vec(),
        }
    }

    /// Handles a key in the model list.
    pub(super) fn model_key(&mut self, key: Key, now: Now) {
        match key.code {
            Code::Left | Code::Right => {
                let levels = self.levels();
                let known = self.selected_effort.as_ref().or(self.effort.as_ref());
                let at = known.and_then(|known| levels.iter().position(|level| level == known));
                let next = match (at, key.code) {
                    (Some(at), Code::Left) => at.saturating_sub(1),
                    (Some(at), _) => (at + 1).min(levels.len().saturating_sub(1)),
                    // The current level is unknown; starts from the middle.
                    (None, _) => levels.len() / 2,
                };
                self.selected_effort = levels.get(next).cloned();
            }
            Code::Char('t') => self.selected_thinking = !self.selected_thinking,
            Code::Char('d') => return self.choose_model(true, now),
            _ => {}
        }
        self.show_effort();
    }

    /// Updates the effort levels for the newly highlighted model.
    pub(super) fn update_effort_row(&mut self) {
        if matches!(&self.picker, Some(picker) if matches!(picker.picks, PickerKind::Model(_))) {
            self.show_effort();
        }
    }

    /// Selects the highlighted model; `kept` also makes it the default for new sessions.
    pub(super) fn choose_model(&mut self, kept: bool, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let PickerKind::Model(models) = &picker.picks else {
            return;
        };
        let Some(model) = models.get(picker.selected) else {
            picker.entry = Some(Editor::default());
            picker.hints = vec!["its name", "enter takes it", "esc"];
            return;
        };
        let value = model.value.clone();
        self.picker = None;
        self.take_model(&value, kept, now);
    }

    /// Selects a model by name, with the effort and thinking chosen for it.
    pub(super) fn take_model(&mut self, value: &str, kept: bool, now: Now) {
        self.acts.push(Act::SetModel(Some(value.to_owned())));
        let effort = self.selected_effort.take();
        if let Some(level) = &effort {
            self.acts.push(Act::Effort(level.clone()));
            self.effort = effort.clone();
        }
        if self.selected_thinking != self.thinks {
            self.toggle_thinking(now);
        }
        if kept {
            let mut settings = json!({"model": if value == "default" { Value::Null } else { value.into() }});
            if let (Some(fields), Some(level)) = (settings.as_object_mut(), effort) {
                fields.insert("effortLevel".to_owned(), level.into());
            }
            self.acts.push(Act::SettingIn("userSettings", settings));
        }
    }
}

/// Returns the resolved name, price and description of a model. The description may be cut.
fn facts(model: &ModelInfo) -> Vec<String> {
    let resolved = model.resolved_model.as_deref().map(status::model_word);
    let said: Vec<&str> = model.description.split(" · ").map(str::trim).collect();
    let said = said
        .into_iter()
        .filter(|it| !it.is_empty() && *it != model.display_name);
    // Omits parts that repeat the name in another spelling.
    let known = |part: &str| {
        let flat = part.to_lowercase().replace(' ', "-");
        resolved.as_deref() == Some(flat.as_str())
    };
    let (prices, rest): (Vec<&str>, Vec<&str>) = said.filter(|it| !known(it)).partition(|it| it.contains('$'));
    resolved
        .clone()
        .into_iter()
        .chain(prices.into_iter().chain(rest).map(str::to_owned))
        .collect()
}
