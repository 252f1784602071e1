//! Settings, rules and agents, as lists that can be changed.

use serde_json::{Value, json};
use sluice_wire::control::{AgentInfo, PermissionRulesState};
use sluice_wire::permission_update::Behavior;

use super::{Act, App, Now, Picker, Picks};
use crate::input::Editor;
use crate::text::{Row, Style};
use crate::view::ask::scope_word;

/// A setting that can be changed: where it lies, what it is about, what it can be; the first is the default.
const SETTINGS: &[(&str, &str, &[&str])] = &[
    ("theme", "colours", &[]),
    ("model", "who answers", &[]),
    ("editorMode", "how the draft is edited", &["normal", "vim"]),
    ("prefersReducedMotion", "no spinner", &["false", "true"]),
    (
        "alwaysThinkingEnabled",
        "the model thinks before it answers",
        &["true", "false"],
    ),
    (
        "autoCompactEnabled",
        "a full context is summarised by itself",
        &["true", "false"],
    ),
    (
        "preferredNotifChannel",
        "how you are told that you are waited for",
        &["auto", "terminal_bell", "notifications_disabled"],
    ),
    (
        "sluice.wrap",
        "who breaks prose: we do, or the terminal (alt+r)",
        &["word", "terminal"],
    ),
    ("sluice.glyphs", "marks of ours; at the next start", &["full", "ascii"]),
    (
        "sluice.screenReader",
        "lines instead of a screen; at the next start",
        &["false", "true"],
    ),
];

fn value_of(settings: &Value, key: &str) -> Option<String> {
    let found = settings.pointer(&format!("/{}", key.replace('.', "/")))?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

impl App {
    /// Shows the settings.
    pub(super) fn pick_setting(&mut self, settings: Value) {
        let rows: Vec<(String, String)> = SETTINGS
            .iter()
            .map(|(key, about, values)| {
                let usual = values.first().copied().unwrap_or("default");
                let value = value_of(&settings, key).unwrap_or_else(|| usual.to_owned());
                ((*key).to_owned(), format!("{value:<20} {about}"))
            })
            .collect();
        let selected = match &self.picker {
            Some(picker) if matches!(picker.picks, Picks::Setting(_)) => picker.selected,
            _ => 0,
        };
        let mut picker = Picker::new("Settings", Picks::Setting(settings), rows);
        picker.selected = selected;
        picker.hints = vec!["type to find", "enter changes", "esc"];
        self.picker = Some(picker);
    }

    /// The next value of a setting; it is kept for the person, everywhere.
    pub(super) fn turn_setting(&mut self, settings: &Value, at: usize) {
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
        match *key {
            "editorMode" => self.set_vim(next == "vim"),
            "sluice.wrap" => {
                self.feed.flows = next == "terminal";
                self.facts.settings.flows = self.feed.flows;
            }
            "prefersReducedMotion" => self.facts.settings.still = next == "true",
            _ => {}
        }
        let change = match key.split_once('.') {
            Some((group, name)) => json!({ group: { name: value } }),
            None => json!({ *key: value }),
        };
        let mut shown = settings.clone();
        lay_over(&mut shown, &change);
        self.acts.push(Act::Setting(change));
        self.pick_setting(shown);
    }

    /// Shows the rules of one kind.
    pub(super) fn pick_rule(&mut self, rules: PermissionRulesState, kind: usize) {
        let kinds = [Behavior::Allow, Behavior::Ask, Behavior::Deny];
        let count = |kind: &Behavior| rules.rules.iter().filter(|rule| rule.behavior == *kind).count();
        let mut head = Row::plain("  ");
        for (at, known) in kinds.iter().enumerate() {
            let text = format!("{} {}", known.as_str(), count(known));
            let style = if at == kind {
                Style::TEXT.reverse()
            } else {
                Style::FAINT
            };
            head.push(&text, style);
            head.push("  ", Style::TEXT);
        }
        let folders = format!("folders {}", rules.workspace_directories.len());
        head.push(&folders, if kind == 3 { Style::TEXT.reverse() } else { Style::FAINT });
        let rows: Vec<(String, String)> = match kinds.get(kind) {
            Some(kind) => rules
                .rules
                .iter()
                .filter(|rule| rule.behavior == *kind)
                .map(|rule| {
                    let waits = if rule.not_in_effect == Some(true) {
                        ": waits for trust"
                    } else {
                        ""
                    };
                    (rule.rule.clone(), format!("{}{waits}", source_word(&rule.source)))
                })
                .collect(),
            None => rules
                .workspace_directories
                .iter()
                .map(|folder| (folder.path.clone(), source_word(&folder.source).to_owned()))
                .collect(),
        };
        let mut picker = Picker::new("Rules", Picks::Rule(Box::new(rules), kind), rows);
        picker.head = vec![head];
        picker.hints = if kind < 3 {
            vec!["left/right kind", "n new", "x remove", "esc"]
        } else {
            vec!["left/right kind", "esc"]
        };
        self.picker = Some(picker);
    }

    /// A key among the rules; false when it means nothing here.
    pub(super) fn rule_key(&mut self, letter: char, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let Picks::Rule(rules, kind) = &picker.picks else {
            return;
        };
        let kind = *kind;
        let Some(behavior) = [Behavior::Allow, Behavior::Ask, Behavior::Deny].get(kind).cloned() else {
            return;
        };
        match letter {
            'n' => {
                picker.entry = Some(Editor::default());
                picker.hints = vec![
                    "a rule, such as Bash(cargo test:*)",
                    "enter keeps it: only you, this project",
                    "esc",
                ];
            }
            'x' => {
                let rule = rules
                    .rules
                    .iter()
                    .filter(|rule| rule.behavior == behavior)
                    .nth(picker.selected)
                    .cloned();
                match rule {
                    Some(rule) if is_editable(&rule.source) => self.acts.push(Act::ChangeRule {
                        behavior: behavior.as_str().to_owned(),
                        rule: rule.rule,
                        source: rule.source,
                        add: false,
                        kind,
                    }),
                    Some(rule) => {
                        let word = source_word(&rule.source).to_owned();
                        self.notify(format!("this rule is not yours to remove: {word}"), now);
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// A rule was written.
    pub(super) fn add_rule(&mut self, rule: &str) {
        let Some(Picker {
            picks: Picks::Rule(_, kind),
            ..
        }) = &self.picker
        else {
            return;
        };
        let kind = *kind;
        let behavior = ["allow", "ask", "deny"].get(kind).copied().unwrap_or("ask");
        self.acts.push(Act::ChangeRule {
            behavior: behavior.to_owned(),
            rule: rule.to_owned(),
            source: "localSettings".to_owned(),
            add: true,
            kind,
        });
    }

    /// Shows the agents there are.
    pub(super) fn pick_agent(&mut self, agents: Vec<AgentInfo>, now: Now) {
        if agents.is_empty() {
            self.notify("the agent names no subagents", now);
            return;
        }
        let rows: Vec<(String, String)> = agents
            .iter()
            .map(|agent| {
                let model = agent.model.clone().unwrap_or_else(|| "as session".to_owned());
                let about = agent.description.lines().next().unwrap_or_default();
                (agent.name.clone(), format!("{model:<12} {about}"))
            })
            .collect();
        let mut picker = Picker::new("Agents", Picks::Agent(agents), rows);
        picker.hints = vec!["enter reads it", "esc"];
        self.picker = Some(picker);
    }
}

/// Lays a change over settings.
fn lay_over(settings: &mut Value, change: &Value) {
    match (settings, change) {
        (Value::Object(settings), Value::Object(change)) => {
            for (key, value) in change {
                lay_over(settings.entry(key).or_insert(Value::Null), value);
            }
        }
        (settings, change) => *settings = change.clone(),
    }
}

fn is_editable(source: &str) -> bool {
    matches!(source, "localSettings" | "userSettings")
}

/// What a place of settings is called.
fn source_word(source: &str) -> &str {
    match source {
        "policySettings" => "the administrator",
        "cliArg" | "flagSettings" => "the command line",
        "session" | "localSettings" | "projectSettings" | "userSettings" => {
            scope_word(&sluice_wire::permission_update::Destination::from(source))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_lie() {
        let mut settings = json!({"theme": "dark", "sluice": {"glyphs": "ascii"}});
        assert_eq!(value_of(&settings, "sluice.glyphs").as_deref(), Some("ascii"));
        assert_eq!(value_of(&settings, "editorMode"), None);
        lay_over(&mut settings, &json!({"sluice": {"screenReader": true}}));
        assert_eq!(value_of(&settings, "sluice.screenReader").as_deref(), Some("true"));
        assert_eq!(value_of(&settings, "sluice.glyphs").as_deref(), Some("ascii"));
    }
}
