//! The dialog of a permission request (`can_use_tool`).

use serde_json::Value;
use sluice_wire::control::{CanUseTool, DecisionReasonType};
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::{AddRules, Destination, PermissionUpdate};

use sluice_host::items::{Card, CardBody, Shell, ShellAction, Verb};

use super::Choice;
use crate::text::{Role, Row, Style, wrap};
use crate::view::card::subject;
use crate::view::{amount, diff};

/// Minimum width for a side-by-side diff, in columns.
pub const WIDE: usize = 110;

/// Effect of a choice.
#[derive(Debug, Clone, PartialEq)]
pub enum ChoiceMeaning {
    Yes,
    /// Allow, and save this permission update.
    Keep(Box<PermissionUpdate>),
    /// Edit the input first.
    Change,
    No,
}

/// The dialog of a permission request.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    pub title: Row,
    pub body: Vec<Row>,
    pub why: Vec<Row>,
    pub choices: Vec<(Choice, ChoiceMeaning)>,
    pub default: usize,
}

/// Settings files for rules, and their labels.
pub const SCOPES: [(Destination, &str); 4] = [
    (Destination::Session, "this session"),
    (Destination::LocalSettings, "only you, this project"),
    (Destination::ProjectSettings, "everyone, this project"),
    (Destination::UserSettings, "you, everywhere"),
];

/// Returns the label of a settings file.
#[must_use]
pub fn scope_word(place: &Destination) -> &'static str {
    SCOPES
        .iter()
        .find(|(known, _)| known == place)
        .map_or("this session", |(_, word)| word)
}

/// Builds the dialog. `place` is a counter such as "ask 2 of 2", `file` the current text of the file to change.
#[must_use]
pub fn permission(
    ask: &CanUseTool,
    input: &Value,
    file: Option<&str>,
    mode: &str,
    place: &str,
    columns: usize,
    side_by_side: bool,
) -> Permission {
    let card = Card::of_input(&ask.tool_name, input);
    let change = changed_lines(&card, file);
    let mut title = Row::new()
        .add("? ", Role::Ask)
        .add(&card.title, Style::TEXT.bold())
        .add("  ", Style::TEXT);
    let mut body = Vec::new();
    if let Some(lines) = &change {
        title.push(&subject(&card, ""), Style::TEXT);
        title.push(&format!("  {}", diff::summary(lines)), Role::Faint);
        if side_by_side && columns >= WIDE {
            body = diff::side_by_side(lines, columns);
        } else {
            for row in diff::rows(lines) {
                body.extend(wrap::hard(&row, columns, 6));
            }
        }
    } else if let CardBody::Shell(
        shell @ Shell {
            action: ShellAction::Run,
            ..
        },
    ) = &card.body
    {
        title.push(shell.about.as_deref().unwrap_or_default(), Style::TEXT);
        for line in shell.command.lines() {
            body.extend(wrap::whole(&Row::plain(line).indented(4), columns, 6));
        }
    } else {
        let about = ask
            .description
            .clone()
            .or_else(|| ask.title.clone())
            .unwrap_or_else(|| subject(&card, ""));
        title.push(&crate::text::clean::one_line(&about), Style::TEXT);
        for line in fields(input) {
            body.extend(wrap::whole(&Row::plain(&line).indented(4), columns, 6));
        }
    }
    if !place.is_empty() {
        title.push(&format!("  ({place})"), Role::Faint);
    }
    let why = Row::faint(&format!("  why: {}", reason(ask, &card, mode)));
    let choices = offered(ask, &card);
    let default = if ask.default_to_no == Some(true) {
        choices.len().saturating_sub(1)
    } else {
        0
    };
    Permission {
        title,
        body,
        why: wrap::words(&why, columns, 2),
        choices,
        default,
    }
}

fn fields(input: &Value) -> Vec<String> {
    let Some(fields) = input.as_object() else {
        return vec![input.to_string()];
    };
    let mut lines = Vec::new();
    for (name, value) in fields {
        match value {
            Value::String(text) if text.contains('\n') => {
                lines.push(format!("{name}:"));
                lines.extend(text.lines().map(|line| format!("  {line}")));
            }
            Value::String(text) => lines.push(format!("{name}: {text}")),
            other => lines.push(format!("{name}: {other}")),
        }
    }
    lines
}

/// Returns the change that a call would make to a file with the text `file`.
#[must_use]
pub(crate) fn changed_lines(card: &Card, file: Option<&str>) -> Option<Vec<diff::ChangeLine>> {
    let CardBody::FileChange(change) = &card.body else {
        return None;
    };
    if let Some(content) = &change.content {
        return Some(diff::of_texts(file.unwrap_or_default(), content, 1));
    }
    let after = file.and_then(|file| {
        change.edits.iter().try_fold(file.to_owned(), |file, edit| {
            let found = !edit.old.is_empty() && file.contains(&*edit.old);
            found.then(|| match edit.all {
                true => file.replace(&*edit.old, &edit.new),
                false => file.replacen(&*edit.old, &edit.new, 1),
            })
        })
    });
    match (change.edits.is_empty(), file, after) {
        (true, ..) => None,
        (false, Some(file), Some(after)) => Some(diff::of_texts(file, &after, 1)),
        _ => {
            let edits = change.edits.iter();
            Some(edits.flat_map(|edit| diff::of_texts(&edit.old, &edit.new, 1)).collect())
        }
    }
}

fn reason(ask: &CanUseTool, card: &Card, mode: &str) -> String {
    if let Some(rule) = &ask.matched_ask_rule {
        let content = rule
            .rule_content
            .as_ref()
            .map(|content| format!("({content})"))
            .unwrap_or_default();
        return format!("the rule {}{content}, {}", rule.tool_name, rule.source);
    }
    let told = ask.decision_reason.clone().filter(|told| !told.trim().is_empty());
    match (&ask.decision_reason_type, told) {
        (_, Some(told)) => told,
        (Some(DecisionReasonType::Hook), None) => "a hook asks for your decision".to_owned(),
        _ => match card.verb {
            Verb::Edit => format!("mode \"{mode}\" asks before every change"),
            _ => "no rule allows it".to_owned(),
        },
    }
}

fn offered(ask: &CanUseTool, card: &Card) -> Vec<(Choice, ChoiceMeaning)> {
    let mut choices = vec![(Choice::new("Yes"), ChoiceMeaning::Yes)];
    let suggestions = ask.permission_suggestions.iter().flatten();
    for update in suggestions.filter(|_| ask.suppress_always_allow_rule != Some(true)) {
        if let Some(choice) = kept(update) {
            choices.push((choice, ChoiceMeaning::Keep(Box::new(update.clone()))));
        }
    }
    if card.editable().is_some() {
        choices.push((Choice::new("Change it first"), ChoiceMeaning::Change));
    }
    choices.push((Choice::new("No"), ChoiceMeaning::No));
    choices
}

fn kept(update: &PermissionUpdate) -> Option<Choice> {
    match update {
        PermissionUpdate::SetMode(set) => Some(match set.mode {
            PermissionMode::AcceptEdits => Choice::with("Yes, and edits without asking", scope_word(&set.destination)),
            ref mode => Choice::with(
                &format!("Yes, and mode \"{}\"", crate::view::status::mode_word(mode)),
                scope_word(&set.destination),
            ),
        }),
        PermissionUpdate::AddRules(add) => Some(Choice {
            label: format!("Yes, and {} from now on", rules(add)),
            detail: scope_word(&add.destination).to_owned(),
            turns: true,
        }),
        PermissionUpdate::AddDirectories(add) => {
            let label = format!("Yes, and the folder {} from now on", add.directories.join(", "));
            Some(Choice::with(&label, scope_word(&add.destination)))
        }
        _ => None,
    }
}

fn rules(add: &AddRules) -> String {
    let shown = add.rules.iter().map(|rule| match &rule.rule_content {
        Some(content) => format!("`{}`", content.replace(":*", " *").replace('`', "'")),
        None => format!("every {}", rule.tool_name),
    });
    let shown: Vec<String> = shown.collect();
    match shown.len() {
        0 => "this".to_owned(),
        1..=3 => shown.join(", "),
        more => format!(
            "{} and {}",
            shown.iter().take(2).cloned().collect::<Vec<_>>().join(", "),
            amount::count(more as u64 - 2, "more rule")
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::super::{choices, hints};
    use super::*;

    fn shown(columns: usize) -> Vec<String> {
        let ask: CanUseTool = serde_json::from_value(json!({"subtype": "can_use_tool", "tool_name": "Edit",
            "input": {"file_path": "src/add.rs", "old_string": "a - b", "new_string": "a + b"},
            "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}))
        .unwrap();
        let file = "1\n2\n3\n4\n5\nfn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n";
        let made = permission(&ask, &ask.input.to_value(), Some(file), "ask", "", columns, false);
        let mut rows = vec![made.title];
        rows.extend(made.body);
        rows.extend(made.why);
        rows.push(Row::new());
        let offered: Vec<Choice> = made.choices.into_iter().map(|(choice, _)| choice).collect();
        rows.extend(choices(&offered, made.default, columns));
        rows.push(hints(
            &["enter chooses", "tab adds a note", "c copies", "esc deny and stop"],
            columns,
        ));
        rows.iter().map(Row::text).collect()
    }

    #[test]
    fn ask_edit_80() {
        assert_eq!(
            shown(80),
            [
                "? Edit  src/add.rs  +1 -1",
                "    6   fn add(a: i32, b: i32) -> i32 {",
                "    7 -     a - b",
                "    7 +     a + b",
                "    8   }",
                "  why: mode \"ask\" asks before every change",
                "",
                "› 1  Yes",
                "  2  Yes, and edits without asking  this session",
                "  3  Change it first",
                "  4  No",
                "  enter chooses ∙ tab adds a note ∙ c copies ∙ esc deny and stop",
            ]
        );
    }

    #[test]
    fn ask_edit_40() {
        let rows = shown(40);
        assert_eq!(
            rows.get(5..).unwrap(),
            [
                "  why: mode \"ask\" asks before every",
                "  change",
                "",
                "› 1  Yes",
                "  2  Yes, and edits without asking",
                "     this session",
                "  3  Change it first",
                "  4  No",
                "  enter chooses ∙ esc deny and stop",
            ]
        );
    }

    #[test]
    fn ask_bash_80() {
        let ask: CanUseTool = serde_json::from_value(json!({"subtype": "can_use_tool", "tool_name": "Bash",
            "input": {"command": "cargo publish --dry-run --manifest-path crates/wire/Cargo.toml --registry internal",
                "description": "Publish the crate"},
            "permission_suggestions": [{"type": "addRules", "behavior": "allow", "destination": "localSettings",
                "rules": [{"toolName": "Bash", "ruleContent": "cargo publish:*"}]}]}))
        .unwrap();
        let made = permission(
            &ask,
            &ask.input.to_value(),
            None,
            "ask",
            "ask 2 of 2, from agent \"release\"",
            80,
            false,
        );
        let mut rows = vec![made.title];
        rows.extend(made.body);
        rows.extend(made.why);
        let offered: Vec<Choice> = made.choices.into_iter().map(|(choice, _)| choice).collect();
        rows.extend(choices(&offered, 1, 80));
        let rows: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(
            rows,
            [
                "? Bash  Publish the crate  (ask 2 of 2, from agent \"release\")",
                "    cargo publish --dry-run --manifest-path crates/wire/Cargo.toml --registry",
                "      internal",
                "  why: no rule allows it",
                "  1  Yes",
                "› 2  Yes, and `cargo publish *` from now on  ‹ only you, this project ›",
                "  3  Change it first",
                "  4  No",
            ]
        );
    }
}
