//! `/permissions`: permission rules, as a list that can be changed and evaluated.

use sluice_wire::control::PermissionRulesState;
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::Behavior;

use super::{Act, App, Now, Picker, PickerKind};
use crate::input::Editor;
use crate::text::{Role, Row, Style, wrap};
use crate::view::ask::scope_word;

impl App {
    /// Lists the rules of one kind.
    pub(super) fn pick_rule(&mut self, rules: PermissionRulesState, kind: usize) {
        let kinds = [Behavior::Allow, Behavior::Ask, Behavior::Deny];
        let count = |kind: &Behavior| rules.rules.iter().filter(|rule| rule.behavior == *kind).count();
        let mut tabs = Row::new();
        for (at, known) in kinds.iter().enumerate() {
            let text = format!("{} {}", known.as_str(), count(known));
            let style = if at == kind {
                Style::TEXT.reverse()
            } else {
                Style::FAINT
            };
            tabs.push(&text, style);
            tabs.push("  ", Style::TEXT);
        }
        let folders = format!("folders {}", rules.workspace_directories.len());
        tabs.push(&folders, if kind == 3 { Style::TEXT.reverse() } else { Style::FAINT });
        let rows: Vec<(String, String)> = match kinds.get(kind) {
            Some(kind) => rules
                .rules
                .iter()
                .filter(|rule| rule.behavior == *kind)
                .map(|rule| {
                    let waits = if rule.not_in_effect == Some(true) {
                        ": not trusted yet"
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
        let mut picker = Picker::new("Rules", PickerKind::Rule(Box::new(rules), kind), rows);
        picker.tabs = tabs;
        picker.hints = if kind < 3 {
            vec![
                "left/right kind",
                "n new",
                "x remove",
                "t try a command",
                "/ find",
                "esc",
            ]
        } else {
            vec!["left/right kind", "esc"]
        };
        self.picker = Some(picker);
    }

    /// Handles a letter key in the list of rules.
    pub(super) fn rule_key(&mut self, letter: char, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let PickerKind::Rule(rules, kind) = &picker.picks else {
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
                    "enter saves it: only you, this project",
                    "esc",
                ];
            }
            't' => {
                picker.entry = Some(Editor::default());
                picker.tries = true;
                picker.hints = vec!["a command, such as cargo test", "enter shows the decision", "esc"];
            }
            '/' => {
                picker.filter = Some(Editor::default());
                picker.selected = 0;
            }
            'x' => {
                let at = picker.fitting().get(picker.selected).copied();
                let mut shown = rules.rules.iter().filter(|rule| rule.behavior == behavior);
                let rule = at.and_then(|at| shown.nth(at)).cloned();
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
                        self.notify(format!("this rule cannot be removed here: {word}"), now);
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Adds the entered rule.
    pub(super) fn add_rule(&mut self, rule: &str) {
        let Some(Picker {
            picks: PickerKind::Rule(_, kind),
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

    /// Shows how the rules decide about a command.
    pub(super) fn try_command(&mut self, command: &str, now: Now) {
        let Some(Picker {
            picks: PickerKind::Rule(rules, _),
            ..
        }) = &self.picker
        else {
            return;
        };
        let Some(decide) = self.facts.decides else {
            self.notify("only rules of sluice itself can be evaluated", now);
            return;
        };
        let mode = self.snapshot.mode.clone().unwrap_or(PermissionMode::Default);
        let (word, why) = decide(rules, &mode, &self.facts, command);
        let why = match why.split_once(", ") {
            Some((rule, source)) => format!("{rule}, {}", source_word(source)),
            None => why,
        };
        let row = Row::new()
            .add("~ ", Role::Note)
            .add(command, Style::TEXT)
            .add(&format!("  {word}: {why}"), Role::Faint);
        let mut rows = wrap::whole(&row, self.columns, 2);
        // The engine checks more than the rules.
        let without = "  by the rules and the mode alone: hooks, the sandbox and the plan's own file can change it";
        rows.extend(wrap::words(&Row::faint(without), self.columns, 2));
        self.picker = None;
        self.say(rows);
    }
}

fn is_editable(source: &str) -> bool {
    matches!(source, "localSettings" | "userSettings")
}

/// Returns the display name of a settings source.
pub(crate) fn source_word(source: &str) -> &str {
    match source {
        "policySettings" => "the administrator",
        "cliArg" | "flagSettings" => "the command line",
        "session" | "localSettings" | "projectSettings" | "userSettings" => {
            scope_word(&sluice_wire::permission_update::Destination::from(source))
        }
        other => other,
    }
}
