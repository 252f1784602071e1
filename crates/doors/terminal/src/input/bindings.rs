//! Custom key bindings: the reference CLI's file with its contexts, actions and chords.
//!
//! An action is identified by its default keys. A key bound to the action is translated to these keys, so the key
//! handlers do not need to know about bindings.

use std::collections::HashMap;

use serde_json::Value;

use super::key::Key;

/// Context in which a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    Global,
    Chat,
    Autocomplete,
    Confirmation,
    HistorySearch,
    Transcript,
    Select,
}

impl Context {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Global" => Self::Global,
            "Chat" | "Task" => Self::Chat,
            "Autocomplete" => Self::Autocomplete,
            "Confirmation" => Self::Confirmation,
            "HistorySearch" => Self::HistorySearch,
            "Transcript" => Self::Transcript,
            "Select" | "Settings" | "ModelPicker" | "ThemePicker" | "MessageSelector" | "Tabs" | "Attachments"
            | "Footer" | "DiffDialog" | "Help" => Self::Select,
            _ => return None,
        })
    }
}

/// All actions and their default keys.
const ACTIONS: &[(&str, &str)] = &[
    ("app:toggleTranscript", "ctrl+o"),
    ("app:toggleTodos", "ctrl+t"),
    ("app:redraw", "ctrl+l"),
    ("app:interrupt", "ctrl+c"),
    ("app:exit", "ctrl+d"),
    ("app:suspend", "ctrl+z"),
    ("history:search", "ctrl+r"),
    ("history:previous", "up"),
    ("history:next", "down"),
    ("chat:submit", "enter"),
    ("chat:newline", "ctrl+j"),
    ("chat:cancel", "escape"),
    ("chat:cycleMode", "shift+tab"),
    ("chat:modelPicker", "alt+p"),
    ("chat:thinkingToggle", "alt+t"),
    ("chat:externalEditor", "ctrl+g"),
    ("chat:stash", "ctrl+s"),
    ("chat:undo", "ctrl+_"),
    ("chat:imagePaste", "ctrl+v"),
    ("chat:killAgents", "ctrl+x ctrl+k"),
    ("chat:queueSubmit", "ctrl+x enter"),
    ("chat:sendNow", "ctrl+enter"),
    ("chat:copyAnswer", "alt+y"),
    ("chat:clearInput", "ctrl+u"),
    ("paste:open", "ctrl+x p"),
    ("task:background", "ctrl+x ctrl+b"),
    ("ask:focus", "tab"),
    ("autocomplete:accept", "tab"),
    ("autocomplete:dismiss", "escape"),
    ("autocomplete:previous", "up"),
    ("autocomplete:next", "down"),
    ("confirm:yes", "enter"),
    ("confirm:no", "escape"),
    ("confirm:previous", "up"),
    ("confirm:next", "down"),
    ("confirm:nextField", "tab"),
    ("confirm:previousField", "shift+tab"),
    ("confirm:toggle", "space"),
    ("confirm:cycleMode", "shift+tab"),
    ("historySearch:next", "ctrl+r"),
    ("historySearch:accept", "enter"),
    ("historySearch:cancel", "escape"),
    ("historySearch:execute", "ctrl+enter"),
    ("transcript:exit", "q"),
    ("select:previous", "up"),
    ("select:next", "down"),
    ("select:accept", "enter"),
    ("select:cancel", "escape"),
];

/// Translation of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Translation {
    /// Translated to these keys, in order.
    Keys(Vec<Key>),
    /// First key of a chord.
    ChordStart,
    /// The default binding was removed.
    Unbound,
    /// Not bound; keeps its default meaning.
    Unchanged,
}

/// Key bindings of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    keys: HashMap<(Context, Vec<Key>), Option<Vec<Key>>>,
}

fn chord(text: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = text.split_whitespace().map(Key::named).collect();
    keys.filter(|keys| !keys.is_empty() && keys.len() <= 2)
}

impl Bindings {
    /// Parses a file. Also returns a message for each entry that is not understood.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let mut bindings = Self::default();
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => {
                let why = format!("keybindings.json:{}:{}: {error}", error.line(), error.column());
                return (bindings, vec![why]);
            }
        };
        let mut unknown = Vec::new();
        let groups = value
            .get("bindings")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        for group in &groups {
            let name = group.get("context").and_then(Value::as_str).unwrap_or("Global");
            let Some(context) = Context::named(name) else {
                unknown.push(format!("keybindings.json: no context {name}"));
                continue;
            };
            let pairs = group
                .get("bindings")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            for (keys, action) in pairs {
                let Some(pressed) = chord(&keys) else {
                    unknown.push(format!("keybindings.json: no key {keys}"));
                    continue;
                };
                let meant = match &action {
                    Value::Null => None,
                    Value::String(action) => match keys_of(action) {
                        Some(keys) => Some(keys),
                        None => {
                            unknown.push(format!("keybindings.json: no action {action}"));
                            continue;
                        }
                    },
                    _ => continue,
                };
                bindings.keys.insert((context, pressed), meant);
            }
        }
        (bindings, unknown)
    }

    /// Returns the translation of a key in a context; `before` is the first key of a chord, if one was pressed.
    #[must_use]
    pub fn translate(&self, context: Context, before: Option<Key>, key: Key) -> Translation {
        if self.keys.is_empty() {
            return Translation::Unchanged;
        }
        let pressed: Vec<Key> = before.into_iter().chain([key]).collect();
        for context in [context, Context::Global] {
            match self.keys.get(&(context, pressed.clone())) {
                Some(Some(keys)) => return Translation::Keys(keys.clone()),
                Some(None) => return Translation::Unbound,
                None => {}
            }
            let begins = |(known, keys): &(Context, Vec<Key>)| {
                *known == context && keys.len() > pressed.len() && keys.starts_with(&pressed)
            };
            // `ctrl+x` starts built-in chords, which stay available.
            if self.keys.keys().any(begins) && key != Key::ctrl('x') {
                return Translation::ChordStart;
            }
        }
        Translation::Unchanged
    }

    /// Returns the key to display for an action: its custom or its default key.
    #[must_use]
    pub fn key_of(&self, action: &str) -> String {
        let own = keys_of(action);
        let bound = self.keys.iter().find(|(_, meant)| meant.is_some() && **meant == own);
        let keys = bound.map(|((_, keys), _)| keys.clone()).or(own).unwrap_or_default();
        let names: Vec<String> = keys.iter().map(Key::to_string).collect();
        names.join(" ")
    }
}

fn keys_of(action: &str) -> Option<Vec<Key>> {
    let (_, keys) = ACTIONS.iter().find(|(name, _)| *name == action)?;
    chord(keys)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn key(name: &str) -> Key {
        Key::named(name).unwrap()
    }

    #[test]
    fn every_action_has_keys() {
        for (action, _) in ACTIONS {
            assert!(keys_of(action).is_some(), "{action}");
        }
    }

    #[test]
    fn a_file_is_parsed_and_unknown_entries_are_reported() {
        let file = r#"{"bindings": [
            {"context": "Chat", "bindings": {"ctrl+e": "chat:externalEditor", "ctrl+k ctrl+s": "chat:stash", "ctrl+s": null,
                "f99": "chat:stash", "ctrl+q": "voice:start"}},
            {"context": "Global", "bindings": {"ctrl+y": "app:toggleTodos"}},
            {"context": "Nowhere", "bindings": {}}]}"#;
        let (bindings, unknown) = Bindings::read(file);
        assert_eq!(unknown.len(), 3, "{unknown:?}");
        let means = |before: Option<&str>, name: &str| bindings.translate(Context::Chat, before.map(key), key(name));
        assert_eq!(means(None, "ctrl+e"), Translation::Keys(vec![key("ctrl+g")]));
        assert_eq!(means(None, "ctrl+s"), Translation::Unbound);
        assert_eq!(means(None, "ctrl+k"), Translation::ChordStart);
        assert_eq!(means(Some("ctrl+k"), "ctrl+s"), Translation::Keys(vec![key("ctrl+s")]));
        assert_eq!(means(None, "ctrl+y"), Translation::Keys(vec![key("ctrl+t")]));
        assert_eq!(means(None, "a"), Translation::Unchanged);
        assert_eq!(
            bindings.translate(Context::Select, None, key("ctrl+e")),
            Translation::Unchanged
        );
        assert_eq!(bindings.key_of("chat:externalEditor"), "ctrl+e");
        assert_eq!(bindings.key_of("app:toggleTranscript"), "ctrl+o");
    }

    #[test]
    fn a_malformed_file_reports_the_position() {
        let (bindings, unknown) = Bindings::read("{\n  \"bindings\": [,]}");
        assert_eq!(bindings, Bindings::default());
        assert!(
            unknown.first().unwrap().starts_with("keybindings.json:2:"),
            "{unknown:?}"
        );
    }
}
