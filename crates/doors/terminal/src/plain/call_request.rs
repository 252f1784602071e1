//! Permission requests as lines: the choices, and what each does.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sluice_host::items::{Card, CardBody};
use sluice_wire::control::{Allow, CanUseTool, CanUseToolResponse, Deny};
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::{Destination, PermissionUpdate, SetMode};

use super::answer::Step;
use super::change::details;
use crate::text::clean::one_line;
use crate::view::ask::{ChoiceMeaning, permission};
use crate::view::card;

/// A call that needs permission.
#[derive(Debug, Clone)]
pub(super) struct CallRequest {
    call: CanUseTool,
    folder: PathBuf,
    mode: &'static str,
    /// Number of pending requests.
    count: usize,
    /// True if the input was changed.
    edited: bool,
}

/// Result of a chosen number.
#[derive(Debug)]
pub(super) enum ChosenAction {
    Step(Step),
    /// The user enters another command.
    Command,
}

#[derive(Debug, Clone)]
enum Choice {
    Yes,
    Keep(Box<PermissionUpdate>),
    Change,
    /// The plan is carried out in a new session.
    NewSession,
    No(&'static str),
}

impl CallRequest {
    pub(super) fn new(call: CanUseTool, folder: &Path, mode: &'static str, count: usize) -> Self {
        Self {
            call,
            folder: folder.to_owned(),
            mode,
            count,
            edited: false,
        }
    }

    /// Returns the full request and the accepted inputs.
    pub(super) fn lines(&self) -> Vec<String> {
        let input = self.call.input.to_value();
        let card = self.card();
        let near = one_line(&card::subject(&card, &self.folder.display().to_string()));
        let title = format!("ask 1 of {}: {} {near}", self.count, card.title);
        let file = self.file();
        let mut lines = vec![title.trim_end().to_owned()];
        lines.extend(details(&card, &input, file.as_deref()));
        if !self.is_plan() {
            let dialog = permission(&self.call, &input, file.as_deref(), self.mode, "", 10_000, false);
            lines.extend(dialog.why.iter().map(|row| format!("  {}", row.text().trim())));
        }
        let choices = self.choices().into_iter().enumerate();
        lines.extend(choices.map(|(at, (label, _))| format!("  {} {label}", at + 1)));
        lines.push(self.hint());
        lines
    }

    /// Returns the accepted inputs.
    pub(super) fn hint(&self) -> String {
        let last = self.choices().len();
        format!("answer 1 to {last}, then Enter; no with words: {last} and the words; stop: Escape, Enter")
    }

    fn card(&self) -> Card {
        Card::of_input(&self.call.tool_name, &self.call.input.to_value())
    }

    fn is_plan(&self) -> bool {
        matches!(self.card().body, CardBody::Plan(_))
    }

    /// Returns the current text of the file that the call would change.
    fn file(&self) -> Option<String> {
        let input = self.call.input.to_value();
        let path = input.get("file_path").and_then(Value::as_str)?;
        std::fs::read_to_string(self.folder.join(path)).ok()
    }

    fn choices(&self) -> Vec<(String, Choice)> {
        if self.is_plan() {
            return plan_choices();
        }
        let input = self.call.input.to_value();
        let dialog = permission(&self.call, &input, None, self.mode, "", 10_000, false);
        let offered = dialog.choices.into_iter();
        offered
            .map(|(choice, verdict)| {
                let label = match choice.detail.as_str() {
                    "" => choice.label,
                    detail => format!("{}, {detail}", choice.label),
                };
                let choice = match verdict {
                    ChoiceMeaning::Yes => Choice::Yes,
                    ChoiceMeaning::Keep(update) => Choice::Keep(update),
                    ChoiceMeaning::Change => Choice::Change,
                    ChoiceMeaning::No => Choice::No("The person said no to this call."),
                };
                (label.replace('`', "").to_lowercase(), choice)
            })
            .collect()
    }

    /// Parses a number with an optional note; `None` if it is not a valid answer.
    pub(super) fn choose(&self, line: &str) -> Option<ChosenAction> {
        let (number, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let (label, choice) = self.choices().into_iter().nth(at)?;
        let said = format!("{number} {label}");
        let words = words.trim();
        let step = match choice {
            Choice::Yes => Step::Answer(Box::new(self.allow(None)), said),
            Choice::Keep(update) => Step::Answer(Box::new(self.allow(Some(*update))), said),
            Choice::Change if matches!(self.card().body, CardBody::Shell(_)) => return Some(ChosenAction::Command),
            Choice::Change => Step::Edit(self.text()),
            Choice::NewSession => self.begin_anew(words, said),
            Choice::No(message) if words.is_empty() => Step::Answer(Box::new(deny(message)), said),
            Choice::No(_) => {
                let message = format!("The person said no to this call, and: {words}");
                Step::Answer(Box::new(deny(&message)), format!("{said}: {words}"))
            }
        };
        Some(ChosenAction::Step(step))
    }

    fn allow(&self, update: Option<PermissionUpdate>) -> CanUseToolResponse {
        let input = self.edited.then(|| match self.is_plan() {
            // Only the text of a plan can be changed.
            true => json!({ "plan": self.text() }).into(),
            false => self.call.input.clone(),
        });
        CanUseToolResponse::from(Allow {
            updated_input: input,
            updated_permissions: update.map(|update| vec![update]),
            ..Allow::default()
        })
    }

    /// Starts a new session with only the plan. This session is kept and can be resumed.
    fn begin_anew(&self, words: &str, said: String) -> Step {
        let mut prompt = format!("Carry out this plan:\n\n{}", self.text().trim());
        if !words.is_empty() {
            prompt.push_str("\n\n");
            prompt.push_str(words);
        }
        let refusal = Deny {
            message: "The person said no to this call, and: the plan is carried out in a new session".to_owned(),
            interrupt: Some(true),
            ..Deny::default()
        };
        Step::NewSession {
            refusal: Box::new(refusal.into()),
            prompt,
            said,
        }
    }

    /// Allows the call with this command.
    pub(super) fn with_command(&self, command: &str) -> Step {
        let mut changed = self.clone();
        changed.change(command);
        Step::Answer(Box::new(changed.allow(None)), format!("yes, changed to {command}"))
    }

    /// Returns the name of the editable input field.
    fn part(&self) -> &'static str {
        self.card().editable().unwrap_or("new_string")
    }

    fn text(&self) -> String {
        let input = self.call.input.to_value();
        let text = input.get(self.part()).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    }

    /// Replaces the editable text. Returns false if it is unchanged.
    pub(super) fn change(&mut self, text: &str) -> bool {
        if self.text() == text {
            return false;
        }
        let mut input = self.call.input.to_value();
        if let Some(fields) = input.as_object_mut() {
            fields.insert(self.part().to_owned(), text.into());
        }
        self.call.input = input.into();
        self.edited = true;
        true
    }
}

fn deny(message: &str) -> CanUseToolResponse {
    CanUseToolResponse::from(Deny {
        message: message.to_owned(),
        ..Deny::default()
    })
}

/// Returns the choices for a plan.
fn plan_choices() -> Vec<(String, Choice)> {
    let yes = |mode: PermissionMode| {
        Choice::Keep(Box::new(PermissionUpdate::from(SetMode {
            mode,
            destination: Destination::Session,
            ..SetMode::default()
        })))
    };
    let choices = [
        ("yes, and ask before each change", yes(PermissionMode::Default)),
        ("yes, and edits without asking", yes(PermissionMode::AcceptEdits)),
        ("yes, in a fresh context", Choice::NewSession),
        ("change it first", Choice::Change),
        ("keep planning", Choice::No("keep planning")),
    ];
    choices.map(|(label, choice)| (label.to_owned(), choice)).into()
}
