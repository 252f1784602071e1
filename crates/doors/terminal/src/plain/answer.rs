//! Asks as lines, and what is typed at them.

use serde_json::Value;
use sluice_host::conversation::Ask;
use sluice_wire::ToHost;
use sluice_wire::control::{
    Allow, CanUseTool, CanUseToolResponse, Deny, Elicitation, ElicitationAction, ElicitationResponse, Request,
    RequestId,
};
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::{Destination, PermissionUpdate, SetMode};

use crate::facts::Facts;
use crate::text::clean::one_line;
use crate::view::ask::{FieldValue, Form, Questions, Verdict, permission};
use crate::view::card;
use crate::view::diff::{Line, Side};
use crate::view::status::mode_word;

/// An ask that waits for a line.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) id: RequestId,
    pub(super) lines: Vec<String>,
    wants: Wants,
}

/// What an ask waits for.
#[derive(Debug)]
enum Wants {
    /// A number.
    Choice(Vec<(String, Choice)>),
    /// Another command in the place of the one that was asked about.
    Command(Box<CanUseTool>),
    Questions(Questions, Value),
    Form(Form, Box<Elicitation>),
}

#[derive(Debug, Clone)]
enum Choice {
    Give(Box<CanUseToolResponse>),
    /// The command is written anew.
    Change(Box<CanUseTool>),
}

/// What came of a line.
#[derive(Debug)]
pub(super) enum Step {
    /// It goes on, with this.
    Say(Vec<String>),
    Answer(Box<CanUseToolResponse>, String),
    Fill(Box<Elicitation>, ElicitationResponse, String),
}

impl Asked {
    /// Reads an ask; `None` when it is for nobody.
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
        let tool = call.tool_name.clone();
        if tool == "AskUserQuestion"
            && let Some(questions) = Questions::read(&input)
        {
            let mut lines = vec![format!("ask 1 of {count}: {}", title(&questions))];
            lines.extend(options(&questions));
            let wants = Wants::Questions(questions, input);
            return Some(Self { id, lines, wants });
        }
        let subject = card::subject(&tool, &input);
        let folder = format!("{}/", facts.folder.display());
        let near = one_line(subject.strip_prefix(&folder).unwrap_or(&subject));
        let mut lines = vec![
            format!("ask 1 of {count}: {} {near}", card::name(&tool))
                .trim_end()
                .to_owned(),
        ];
        let file = input.get("file_path").and_then(Value::as_str);
        let file = file.and_then(|path| std::fs::read_to_string(facts.folder.join(path)).ok());
        lines.extend(details(&tool, &input, file.as_deref()));
        let choices = match tool.as_str() {
            "ExitPlanMode" => plan_choices(),
            _ => {
                let mode = mode.map_or("ask", mode_word);
                let dialog = permission(&call, &input, file.as_deref(), mode, "", 10_000, false);
                lines.extend(dialog.why.iter().map(|row| format!("  {}", row.text().trim())));
                let offered = dialog.choices.into_iter();
                offered
                    .filter_map(|(choice, verdict)| {
                        let label = match choice.detail.as_str() {
                            "" => choice.label,
                            detail => format!("{}, {detail}", choice.label),
                        };
                        Some((label.replace('`', "").to_lowercase(), chosen(verdict, &call)?))
                    })
                    .collect()
            }
        };
        let numbered = choices.iter().enumerate();
        lines.extend(numbered.map(|(at, (label, _))| format!("  {} {label}", at + 1)));
        let mut asked = Self {
            id,
            lines,
            wants: Wants::Choice(choices),
        };
        asked.lines.push(asked.hint());
        Some(asked)
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
        let wants = Wants::Form(form, Box::new(elicitation));
        Self { id, lines, wants }
    }

    /// What can be typed.
    fn hint(&self) -> String {
        match &self.wants {
            Wants::Choice(choices) => {
                let last = choices.len();
                format!("answer 1 to {last}, then Enter; no with words: {last} and the words; stop: Escape, Enter")
            }
            Wants::Command(_) => "type the command as it shall run, then Enter; back: Enter alone".to_owned(),
            Wants::Questions(questions, _) => {
                let several = questions
                    .list
                    .get(questions.at)
                    .is_some_and(|question| question.several);
                match several {
                    true => "answer with numbers or your own words, then Enter; stop: Escape, Enter".to_owned(),
                    false => "answer with a number or your own words, then Enter; stop: Escape, Enter".to_owned(),
                }
            }
            Wants::Form(form, _) => field(form),
        }
    }

    /// No, and the turn ends.
    pub(super) fn stop(&self) -> Step {
        if let Wants::Form(_, elicitation) = &self.wants {
            return filled(elicitation, ElicitationAction::Cancel, None, "nothing");
        }
        let deny = Deny {
            message: "The person said no to this call.".to_owned(),
            interrupt: Some(true),
            ..Deny::default()
        };
        Step::Answer(Box::new(deny.into()), "no, and stop".to_owned())
    }

    /// What a line does.
    pub(super) fn typed(&mut self, line: &str) -> Step {
        match &mut self.wants {
            Wants::Choice(choices) => {
                let Some(step) = choose(choices, line) else {
                    return Step::Say(vec![self.hint()]);
                };
                match step {
                    Ok(step) => step,
                    Err(call) => {
                        self.wants = Wants::Command(call);
                        Step::Say(vec![self.hint()])
                    }
                }
            }
            Wants::Command(call) if line.is_empty() => {
                let lines = self.lines.clone();
                // All of it is asked again.
                let choices = call_choices(call);
                self.wants = Wants::Choice(choices);
                Step::Say(lines)
            }
            Wants::Command(call) => {
                let mut input = call.input.to_value();
                if let Some(fields) = input.as_object_mut() {
                    fields.insert("command".to_owned(), line.into());
                }
                let allow = Allow {
                    updated_input: Some(input.into()),
                    ..Allow::default()
                };
                Step::Answer(Box::new(allow.into()), format!("yes, changed to {line}"))
            }
            Wants::Questions(questions, input) => answer_question(questions, input, line),
            Wants::Form(form, elicitation) => fill(form, elicitation, line),
        }
    }
}

fn chosen(verdict: Verdict, call: &CanUseTool) -> Option<Choice> {
    let response: CanUseToolResponse = match verdict {
        Verdict::Yes => Allow::default().into(),
        Verdict::Keep(update) => Allow {
            updated_permissions: Some(vec![*update]),
            ..Allow::default()
        }
        .into(),
        Verdict::Change if call.tool_name == "Bash" => return Some(Choice::Change(Box::new(call.clone()))),
        // The text of a file cannot be changed line by line.
        Verdict::Change => return None,
        Verdict::No => Deny {
            message: "The person said no to this call.".to_owned(),
            ..Deny::default()
        }
        .into(),
    };
    Some(Choice::Give(Box::new(response)))
}

/// The choices of a command, as they were read out.
fn call_choices(call: &CanUseTool) -> Vec<(String, Choice)> {
    let dialog = permission(call, &call.input.to_value(), None, "ask", "", 10_000, false);
    let offered = dialog.choices.into_iter();
    offered
        .filter_map(|(choice, verdict)| Some((choice.label.replace('`', "").to_lowercase(), chosen(verdict, call)?)))
        .collect()
}

/// What can be said to a plan.
fn plan_choices() -> Vec<(String, Choice)> {
    let yes = |mode: PermissionMode| {
        let set = PermissionUpdate::from(SetMode {
            mode,
            destination: Destination::Session,
            ..SetMode::default()
        });
        let allow = Allow {
            updated_permissions: Some(vec![set]),
            ..Allow::default()
        };
        Choice::Give(Box::new(allow.into()))
    };
    let no = Deny {
        message: "keep planning".to_owned(),
        ..Deny::default()
    };
    vec![
        (
            "yes, and ask before each change".to_owned(),
            yes(PermissionMode::Default),
        ),
        (
            "yes, and edits without asking".to_owned(),
            yes(PermissionMode::AcceptEdits),
        ),
        ("keep planning".to_owned(), Choice::Give(Box::new(no.into()))),
    ]
}

/// What a number chooses; the call, where it is to be changed first. `None` when it is no answer.
fn choose(choices: &[(String, Choice)], line: &str) -> Option<Result<Step, Box<CanUseTool>>> {
    let (number, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    let (label, choice) = choices.get(at)?;
    let said = format!("{number} {label}");
    let response = match choice {
        Choice::Change(call) => return Some(Err(call.clone())),
        Choice::Give(response) => response,
    };
    Some(Ok(match &**response {
        CanUseToolResponse::Deny(deny) if !words.trim().is_empty() => {
            let mut deny = (**deny).clone();
            deny.message = format!("The person said no to this call, and: {}", words.trim());
            Step::Answer(Box::new(deny.into()), format!("{said}: {}", words.trim()))
        }
        _ => Step::Answer(response.clone(), said),
    }))
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

/// Takes the answer to the question that is open; the last one sends them all.
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

/// The field that is to be filled in.
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
    let wanted = if field.required { ", has to be filled in" } else { "" };
    let place = format!("field {} of {}", form.at + 1, form.fields.len());
    format!(
        "{place}: {}, {about}{wanted}; type it, then Enter; nothing: Escape, Enter",
        field.title
    )
}

/// Takes what was typed for a field; after the last one all is sent, or what is wrong is said.
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

/// The change or the command, whole.
fn details(tool: &str, input: &Value, file: Option<&str>) -> Vec<String> {
    if let Some(lines) = crate::view::ask::changed_lines(tool, input, file) {
        return changes(&lines);
    }
    let text = |text: &str| {
        text.lines()
            .map(|line| format!("  {}", one_line(line)))
            .collect::<Vec<_>>()
    };
    match tool {
        "Bash" => text(input.get("command").and_then(Value::as_str).unwrap_or_default()),
        "ExitPlanMode" => text(input.get("plan").and_then(Value::as_str).unwrap_or_default()),
        _ => text(&serde_json::to_string_pretty(input).unwrap_or_default()),
    }
}

/// Lines that are taken away and as many in their place were and become something; others are removed or added.
fn changes(lines: &[Line]) -> Vec<String> {
    let mut said = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let run = |from: &[Line], side: Side| from.iter().take_while(|line| line.side == side).count();
        let removed = run(rest, Side::Removed);
        let (old, after) = rest.split_at(removed);
        let added = run(after, Side::Added);
        let (new, after) = after.split_at(added);
        if removed == 0 && added == 0 {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        rest = after;
        if removed == added {
            for (old, new) in old.iter().zip(new) {
                said.push(format!(
                    "  line {} was:     {}",
                    old.number,
                    one_line(&old.text).trim_start()
                ));
                said.push(format!(
                    "  line {} becomes: {}",
                    new.number,
                    one_line(&new.text).trim_start()
                ));
            }
            continue;
        }
        said.extend(
            old.iter()
                .map(|line| format!("  line {} removed: {}", line.number, one_line(&line.text))),
        );
        said.extend(
            new.iter()
                .map(|line| format!("  line {} added: {}", line.number, one_line(&line.text))),
        );
    }
    said
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
