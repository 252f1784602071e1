//! `/config`: settings, as a list that can be changed.

use serde_json::{Value, json};

use super::{Act, App, Now, Picker, PickerKind};
use crate::text::Row;

/// A setting that can be changed: key path, description, values; the first value is the default.
const SETTINGS: &[(&str, &str, &[&str])] = &[
    ("theme", "colours", &[]),
    ("model", "model", &[]),
    ("editorMode", "editing keys", &["normal", "vim"]),
    ("prefersReducedMotion", "no spinner", &["false", "true"]),
    ("alwaysThinkingEnabled", "extended thinking", &["true", "false"]),
    ("autoCompactEnabled", "compact a full context", &["true", "false"]),
    (
        "preferredNotifChannel",
        "notifications",
        &["auto", "terminal_bell", "notifications_disabled"],
    ),
    ("sluice.wrap", "how prose is wrapped (alt+r)", &["word", "terminal"]),
    ("verbose", "show full tool results", &["false", "true"]),
    ("showTurnDuration", "show turn durations", &["true", "false"]),
    ("showMessageTimestamps", "show prompt times", &["false", "true"]),
    (
        "timeFormat",
        "time format; after restart",
        &["auto", "24-hour", "12-hour", "24-hour-utc"],
    ),
    (
        "syntaxHighlightingDisabled",
        "no syntax highlighting",
        &["false", "true"],
    ),
    (
        "terminalProgressBarEnabled",
        "progress in the task bar",
        &["true", "false"],
    ),
    (
        "terminalTitleFromRename",
        "session title in the window",
        &["true", "false"],
    ),
    (
        "respondToBashCommands",
        "model responds to ! commands",
        &["false", "true"],
    ),
    ("sluice.glyphs", "glyphs; after restart", &["full", "ascii"]),
    (
        "sluice.screenReader",
        "plain lines for screen readers; after restart",
        &["false", "true"],
    ),
];

/// Settings files that changes can be saved in, and their hints.
const PLACES: [(&str, &str); 3] = [
    ("userSettings", "left/right where to save: ‹ you, everywhere ›"),
    ("localSettings", "left/right where to save: ‹ only you, this project ›"),
    (
        "projectSettings",
        "left/right where to save: ‹ everyone, this project ›",
    ),
];

fn value_of(settings: &Value, key: &str) -> Option<String> {
    let found = settings.pointer(&format!("/{}", key.replace('.', "/")))?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

impl App {
    /// Lists the settings.
    pub(super) fn pick_setting(&mut self, settings: Value) {
        let rows: Vec<(String, String)> = SETTINGS
            .iter()
            .map(|(key, about, values)| {
                let usual = match (*key, values.first()) {
                    (_, Some(usual)) => usual,
                    ("theme", None) => self.facts.settings.theme.name(),
                    _ => "default",
                };
                let value = value_of(&settings, key).unwrap_or_else(|| usual.to_owned());
                ((*key).to_owned(), format!("{value:<20} {about}"))
            })
            .collect();
        let mut picker = Picker::new("Settings", PickerKind::Setting(settings), rows);
        // A refreshed list keeps its filter and highlight.
        if let Some(shown) = self
            .picker
            .take()
            .filter(|it| matches!(it.picks, PickerKind::Setting(_)))
        {
            (picker.filter, picker.selected) = (shown.filter, shown.selected);
        }
        self.picker = Some(picker);
        self.show_settings_file();
    }

    /// Shows where changes are saved; in a separate row if the hints leave too little room.
    fn show_settings_file(&mut self) {
        let hints = self.setting_hints();
        let place = PLACES.get(self.keeps).and_then(|(_, hint)| hint.split_once(": "));
        let narrow = self.columns < 60;
        if let Some(picker) = &mut self.picker {
            picker.hints = hints;
            let row = place
                .filter(|_| narrow)
                .map(|(_, place)| Row::faint(&format!("  kept  {place}")));
            picker.foot = row.into_iter().collect();
        }
    }

    fn setting_hints(&self) -> Vec<&'static str> {
        let place = PLACES.get(self.keeps).map_or("", |(_, hint)| hint);
        vec!["enter changes", place, "esc"]
    }

    /// Selects the settings file in which changes are saved.
    pub(super) fn select_settings_file(&mut self, right: bool) {
        self.keeps = match right {
            true => (self.keeps + 1).min(PLACES.len() - 1),
            false => self.keeps.saturating_sub(1),
        };
        self.show_settings_file();
    }

    /// Handles `/config key=value`.
    pub(super) fn set_from_argument(&mut self, line: &str, now: Now) {
        let Some((key, value)) = line.split_once('=') else {
            self.notify("missing value: /config theme=dark", now);
            return;
        };
        let (key, value) = (key.trim(), value.trim());
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        let change = key.rsplit('.').fold(value, |inner, name| json!({ name: inner }));
        self.acts.push(Act::SettingIn("userSettings", change));
    }

    /// Applies settings that were saved, and refreshes the list.
    pub(super) fn saved(&mut self, place: &str, settings: &Value, now: Now) {
        for (key, value) in settings.as_object().into_iter().flatten() {
            match value {
                Value::Object(group) if key == "sluice" => {
                    for (name, value) in group {
                        self.apply_setting(&format!("sluice.{name}"), value);
                    }
                }
                value => self.apply_setting(key, value),
            }
        }
        if matches!(&self.picker, Some(picker) if matches!(picker.picks, PickerKind::Setting(_))) {
            self.acts.push(Act::Settings);
        }
        self.notify(format!("saved: {}", super::place_word(place)), now);
    }

    /// Applies a changed setting to this screen.
    fn apply_setting(&mut self, key: &str, value: &Value) {
        let on = value.as_bool() == Some(true);
        let word = value.as_str().unwrap_or_default();
        let settings = &mut self.facts.settings;
        match key {
            "editorMode" => self.set_vim(word == "vim"),
            "theme" => self.apply_theme(word),
            "statusLine" => {
                let command = value.get("command").and_then(Value::as_str);
                settings.status_line = command.map(str::to_owned);
                self.status_line = super::status_line::StatusLineState::default();
            }
            "sluice.wrap" => {
                settings.flows = word == "terminal";
                self.feed.flows = settings.flows;
            }
            "prefersReducedMotion" => settings.still = on,
            "verbose" => self.feed.verbose = on,
            "showTurnDuration" => self.feed.durations = value.as_bool() != Some(false),
            "showMessageTimestamps" => self.feed.stamps = on,
            "syntaxHighlightingDisabled" => self.feed.plain_code = on,
            "terminalProgressBarEnabled" => settings.no_progress = value.as_bool() == Some(false),
            "terminalTitleFromRename" => settings.no_session_title = value.as_bool() == Some(false),
            "respondToBashCommands" => settings.shell_asks = on,
            _ => {}
        }
    }

    /// Switches a setting to its next value and saves it in the selected file.
    pub(super) fn next_value(&mut self, settings: &Value, at: usize) {
        let Some((key, _, values)) = SETTINGS.get(at) else {
            return;
        };
        match *key {
            "theme" => {
                self.pick_theme();
                return;
            }
            "model" => {
                self.acts.push(Act::Models);
                return;
            }
            _ => {}
        }
        let now = value_of(settings, key).unwrap_or_else(|| values.first().copied().unwrap_or_default().to_owned());
        let place = values.iter().position(|value| *value == now).unwrap_or(0);
        let next = values
            .get((place + 1) % values.len().max(1))
            .copied()
            .unwrap_or_default();
        let value = match next {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => Value::String(text.to_owned()),
        };
        let change = match key.split_once('.') {
            Some((group, name)) => json!({ group: { name: value } }),
            None => json!({ *key: value }),
        };
        let place = PLACES.get(self.keeps).map_or("userSettings", |(source, _)| source);
        self.acts.push(Act::SettingIn(place, change));
        // The row changes once the value is saved.
        self.pick_setting(settings.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_key_path() {
        let settings = json!({"theme": "dark", "sluice": {"glyphs": "ascii"}});
        assert_eq!(value_of(&settings, "sluice.glyphs").as_deref(), Some("ascii"));
        assert_eq!(value_of(&settings, "editorMode"), None);
    }
}
