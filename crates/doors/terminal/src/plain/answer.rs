//! Permission requests, questions and forms as lines, and the input that answers them.

use serde_json::Value;
use sluice_host::conversation::Ask;
use sluice_host::items::{Card, CardBody};
use sluice_wire::ToHost;
use sluice_wire::control::{
    Allow, CanUseToolResponse, Deny, Elicitation, ElicitationAction, ElicitationResponse, Request, RequestId,
};
use sluice_wire::mode::PermissionMode;

use super::call_request::{CallRequest, ChosenAction};
use crate::facts::Facts;
use crate::text::clean::one_line;
use crate::view::ask::{FieldValue, Form, Questions};
use crate::view::status::mode_word;

/// A pending request.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) id: RequestId,
    pub(super) lines: Vec<String>,
    wants: ExpectedAnswer,
}

/// Kind of answer that is expected.
#[derive(Debug)]
enum ExpectedAnswer {
    /// A number.
    Choice(CallRequest),
    /// A command that replaces the one that needs permission.
    Command(CallRequest),
    Questions(Questions, Value),
    Form(Form, Box<Elicitation>),
}

/// Result of an input line.
#[derive(Debug)]
pub(super) enum Step {
    /// Prints these lines; the request stays open.
    Say(Vec<String>),
    Answer(Box<CanUseToolResponse>, String),
    Fill(Box<Elicitation>, ElicitationResponse, String),
    /// Opens this text in the user's editor.
    Edit(String),
    /// Denies the plan and starts a new session with this prompt.
    NewSession {
        refusal: Box<CanUseToolResponse>,
        prompt: String,
        said: String,
    },
}

impl PendingRequest {
    /// Reads a request; `None` if it needs no answer from the user.
    pub(super) fn read(ask: &Ask, count: usize, facts: &Facts, mode: Option<&PermissionMode>) -> Option<Self> {
        let Ok(ToHost::ControlRequest(request)) = ask.line.as_ref()?.to_host() else {
            return None;
        };
        let id = ask.id.clone();
        let call = match request.request {
            Request::CanUseTool(call) => *call,
            Request::Elicitation(elicitation) => return Some(Self::form(id, count, *elicitation)),
            _ => return None,
        };
        let input = call.input.to_value();
        if let CardBody::Question(_) = Card::of_input(&call.tool_name, &input).body
            && let Some(questions) = Questions::read(&input)
        {
            let mut lines = vec![format!("ask 1 of {count}: {}", title(&questions))];
            lines.extend(options(&questions));
            let wants = ExpectedAnswer::Questions(questions, input);
            return Some(Self { id, lines, wants });
        }
        let called = CallRequest::new(call, &facts.folder, mode.map_or("ask", mode_word), count);
        Some(Self::about(id, called))
    }

    fn about(id: RequestId, called: CallRequest) -> Self {
        let lines = called.lines();
        let wants = ExpectedAnswer::Choice(called);
        Self { id, lines, wants }
    }

    fn form(id: RequestId, count: usize, elicitation: Elicitation) -> Self {
        let schema = elicitation.requested_schema.as_ref().map(sluice_wire::Raw::to_value);
        let server = elicitation
            .display_name
            .as_ref()
            .unwrap_or(&elicitation.mcp_server_name);
        let form = Form::read(server, &elicitation.message, &schema.unwrap_or_default());
        let mut lines = vec![format!(
            "ask 1 of {count}: {server} asks: {}",
            one_line(&elicitation.message)
        )];
        lines.extend(elicitation.url.iter().map(|url| format!("  open: {url}")));
        lines.push(field(&form));
        let wants = ExpectedAnswer::Form(form, Box::new(elicitation));
        Self { id, lines, wants }
    }

    /// Returns the accepted inputs.
    fn hint(&self) -> String {
        match &self.wants {
            ExpectedAnswer::Choice(called) => called.hint(),
            ExpectedAnswer::Command(_) => "type the command as it shall run, then Enter; back: Enter alone".to_owned(),
            ExpectedAnswer::Questions(questions, _) => {
                let several = questions
                    .list
                    .get(questions.at)
                    .is_some_and(|question| question.several);
                match several {
                    true => "answer with numbers or your own words, then Enter; stop: Escape, Enter".to_owned(),
                    false => "answer with a number or your own words, then Enter; stop: Escape, Enter".to_owned(),
                }
            }
            ExpectedAnswer::Form(form, _) => field(form),
        }
    }

    /// Denies the request and stops the turn.
    pub(super) fn stop(&self) -> Step {
        if let ExpectedAnswer::Form(_, elicitation) = &self.wants {
            return filled(elicitation, ElicitationAction::Cancel, None, "nothing");
        }
        let deny = Deny {
            message: "The person said no to this call.".to_owned(),
            interrupt: Some(true),
            ..Deny::default()
        };
        Step::Answer(Box::new(deny.into()), "no, and stop".to_owned())
    }

    /// Handles an input line.
    pub(super) fn typed(&mut self, line: &str) -> Step {
        match &mut self.wants {
            ExpectedAnswer::Choice(called) => match called.choose(line) {
                Some(ChosenAction::Step(step)) => step,
                Some(ChosenAction::Command) => {
                    self.wants = ExpectedAnswer::Command(called.clone());
                    Step::Say(vec![self.hint()])
                }
                None => Step::Say(vec![self.hint()]),
            },
            ExpectedAnswer::Command(called) if line.is_empty() => {
                // The whole request is printed again.
                self.wants = ExpectedAnswer::Choice(called.clone());
                Step::Say(self.lines.clone())
            }
            ExpectedAnswer::Command(called) => called.with_command(line),
            ExpectedAnswer::Questions(questions, input) => answer_question(questions, input, line),
            ExpectedAnswer::Form(form, elicitation) => fill(form, elicitation, line),
        }
    }

    /// Applies the text from the editor and prints the changed request.
    pub(super) fn edited(&mut self, text: &str) -> Vec<String> {
        if let ExpectedAnswer::Choice(called) = &mut self.wants {
            if !called.change(text) {
                return vec!["notice: nothing was changed".to_owned(), called.hint()];
            }
            self.lines = called.lines();
        }
        self.lines.clone()
    }
}

fn title(questions: &Questions) -> String {
    let text = questions.list.get(questions.at).map_or("", |question| &question.text);
    match questions.list.len() {
        1 => one_line(text),
        count => format!("{} (question {} of {count})", one_line(text), questions.at + 1),
    }
}

fn options(questions: &Questions) -> Vec<String> {
    let Some(question) = questions.list.get(questions.at) else {
        return Vec::new();
    };
    let offered = question.options.iter().enumerate();
    let mut lines: Vec<String> = offered
        .map(|(at, (label, about))| {
            format!("  {} {} {}", at + 1, one_line(label), one_line(about))
                .trim_end()
                .to_owned()
        })
        .collect();
    lines.push(match question.several {
        true => "answer with numbers or your own words, then Enter; stop: Escape, Enter".to_owned(),
        false => "answer with a number or your own words, then Enter; stop: Escape, Enter".to_owned(),
    });
    lines
}

/// Answers the current question; the last answer sends all of them.
fn answer_question(questions: &mut Questions, input: &Value, line: &str) -> Step {
    let Some(question) = questions.current() else {
        return Step::Say(Vec::new());
    };
    let numbers: Option<Vec<usize>> = line
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<usize>().ok()?.checked_sub(1))
        .collect();
    let known = numbers.filter(|numbers| {
        let there = numbers.iter().all(|at| *at < question.options.len());
        there && (question.several && !numbers.is_empty() || numbers.len() == 1)
    });
    match known {
        Some(numbers) => {
            question.selected = numbers.first().copied().unwrap_or(0);
            for at in numbers {
                if let Some(mark) = question.marked.get_mut(at) {
                    *mark = true;
                }
            }
        }
        None if line.is_empty() || line.parse::<usize>().is_ok() => return Step::Say(options(questions)),
        None => {
            question.selected = question.options.len();
            question.own.set(line);
        }
    }
    let said = question.answer();
    questions.at += 1;
    if questions.is_review() {
        let allow = Allow {
            updated_input: Some(questions.answers(input).into()),
            ..Allow::default()
        };
        return Step::Answer(Box::new(allow.into()), said);
    }
    let mut lines = vec![format!("you answered: {said}"), format!("ask: {}", title(questions))];
    lines.extend(options(questions));
    Step::Say(lines)
}

/// Returns the prompt for the current field.
fn field(form: &Form) -> String {
    let Some(field) = form.fields.get(form.at) else {
        return "answer yes or no, then Enter; nothing: Escape, Enter".to_owned();
    };
    let about = match &field.value {
        FieldValue::Choice { options, .. } => {
            let names: Vec<&str> = options.iter().map(|(_, name)| name.as_str()).collect();
            format!("one of {}", names.join(", "))
        }
        FieldValue::Flag(_) => "yes or no".to_owned(),
        FieldValue::Text(_) => field.hint(),
    };
    let wanted = if field.required { ", required" } else { "" };
    let place = format!("field {} of {}", form.at + 1, form.fields.len());
    format!(
        "{place}: {}, {about}{wanted}; type it, then Enter; nothing: Escape, Enter",
        field.title
    )
}

/// Fills in a field. After the last one, sends the form or reports what is invalid.
fn fill(form: &mut Form, elicitation: &Elicitation, line: &str) -> Step {
    if let Some(field) = form.fields.get_mut(form.at) {
        match &mut field.value {
            FieldValue::Text(editor) if !line.is_empty() => editor.set(line),
            FieldValue::Text(_) => {}
            FieldValue::Flag(set) => *set = matches!(line, "y" | "yes" | "true" | "1"),
            FieldValue::Choice { options, at } if !line.is_empty() => {
                match options.iter().position(|(_, name)| name.eq_ignore_ascii_case(line)) {
                    Some(found) => *at = found,
                    None => return Step::Say(vec![self::field(form)]),
                }
            }
            FieldValue::Choice { .. } => {}
        }
        form.at += 1;
        if form.at < form.fields.len() {
            return Step::Say(vec![self::field(form)]);
        }
    } else if !matches!(line, "y" | "yes" | "1") {
        return filled(elicitation, ElicitationAction::Decline, None, "no");
    }
    match form.content() {
        Some(content) => filled(elicitation, ElicitationAction::Accept, Some(content), "sent"),
        None => {
            let why = form.wrong.as_ref().map_or("", |(_, why)| why);
            Step::Say(vec![format!("error: {why}"), self::field(form)])
        }
    }
}

fn filled(elicitation: &Elicitation, action: ElicitationAction, content: Option<Value>, said: &str) -> Step {
    let response = ElicitationResponse {
        action,
        content: content.map(Into::into),
        ..ElicitationResponse::default()
    };
    Step::Fill(Box::new(elicitation.clone()), response, said.to_owned())
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
