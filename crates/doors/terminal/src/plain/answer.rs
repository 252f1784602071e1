//! Asks as lines, and what is typed at them.

use serde_json::Value;
use sluice_host::conversation::Ask;
use sluice_wire::ToHost;
use sluice_wire::control::{Allow, CanUseToolResponse, Deny, Request, RequestId};

use crate::text::clean::one_line;
use crate::view::ask::{Questions, Verdict, permission};
use crate::view::card;
use crate::view::diff::Side;

/// An ask that waits for a line.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) id: RequestId,
    pub(super) lines: Vec<String>,
    choices: Vec<(String, CanUseToolResponse)>,
}

impl Asked {
    /// Reads an ask; `None` when it is for nobody.
    pub(super) fn read(ask: &Ask, count: usize) -> Option<Self> {
        let Ok(ToHost::ControlRequest(request)) = ask.line.as_ref()?.to_host() else {
            return None;
        };
        let Request::CanUseTool(call) = request.request else {
            return None;
        };
        let input = call.input.to_value();
        let tool = call.tool_name.as_str();
        let mut lines = vec![
            format!(
                "ask 1 of {count}: {} {}",
                card::name(tool),
                one_line(&card::subject(tool, &input))
            )
            .trim_end()
            .to_owned(),
        ];
        let mut choices = Vec::new();
        let one_question =
            Questions::read(&input).filter(|questions| tool == "AskUserQuestion" && questions.list.len() == 1);
        if let Some(questions) = one_question {
            let question = questions.list.first()?;
            for (at, (label, detail)) in question.options.iter().enumerate() {
                let mut questions = questions.clone();
                if let Some(question) = questions.current() {
                    question.selected = at;
                    if let Some(mark) = question.marked.get_mut(at) {
                        *mark = true;
                    }
                }
                let response = Allow {
                    updated_input: Some(questions.answers(&input).into()),
                    ..Allow::default()
                };
                choices.push((format!("{label} {detail}").trim().to_owned(), response.into()));
            }
        } else {
            lines.extend(details(tool, &input));
            let dialog = permission(&call, &input, None, "ask", "", 10_000, false);
            lines.extend(dialog.why.iter().map(|row| format!("  {}", row.text().trim())));
            for (choice, verdict) in dialog.choices {
                let response = match verdict {
                    Verdict::Yes => Allow::default().into(),
                    Verdict::Keep(update) => Allow {
                        updated_permissions: Some(vec![*update]),
                        ..Allow::default()
                    }
                    .into(),
                    // The input cannot be changed line by line.
                    Verdict::Change | Verdict::No => continue,
                };
                let label = format!("{} {}", choice.label, choice.detail)
                    .replace('`', "")
                    .to_lowercase();
                choices.push((label.trim().to_owned(), response));
            }
        }
        let no = Deny {
            message: "The person said no to this call.".to_owned(),
            ..Deny::default()
        };
        choices.push(("no".to_owned(), no.into()));
        lines.extend(
            choices
                .iter()
                .enumerate()
                .map(|(at, (label, _))| format!("  {} {label}", at + 1)),
        );
        let mut asked = Self {
            id: ask.id.clone(),
            lines,
            choices,
        };
        asked.lines.push(asked.hint());
        Some(asked)
    }

    /// What can be typed.
    pub(super) fn hint(&self) -> String {
        let last = self.choices.len();
        format!("answer 1 to {last}, then Enter; no with words: {last} and the words")
    }

    /// What a line says; `None` when it is no answer.
    pub(super) fn answer(&self, line: &str) -> Option<(CanUseToolResponse, String)> {
        let (number, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let (label, response) = self.choices.get(at)?;
        let said = format!("{number} {label}");
        match response {
            CanUseToolResponse::Deny(deny) if !words.trim().is_empty() => {
                let mut deny = (**deny).clone();
                deny.message = format!("The person said no to this call, and: {}", words.trim());
                Some((deny.into(), format!("{said}: {}", words.trim())))
            }
            response => Some((response.clone(), said)),
        }
    }
}

/// The change or the command, whole.
fn details(tool: &str, input: &Value) -> Vec<String> {
    if let Some(lines) = crate::view::ask::changed_lines(tool, input, None) {
        let line = |line: &crate::view::diff::Line| match line.side {
            Side::Removed => format!("  line {} removed: {}", line.number, one_line(&line.text)),
            Side::Added => format!("  line {} added: {}", line.number, one_line(&line.text)),
            Side::Same | Side::Gap => String::new(),
        };
        return lines.iter().map(line).filter(|line| !line.is_empty()).collect();
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_a_number_answers() {
        let no = Deny {
            message: "no".to_owned(),
            ..Deny::default()
        };
        let asked = Asked {
            id: RequestId::new("r"),
            lines: Vec::new(),
            choices: vec![
                ("yes".to_owned(), Allow::default().into()),
                ("no".to_owned(), no.into()),
            ],
        };
        assert_eq!(asked.answer("1").unwrap().1, "1 yes");
        let (response, said) = asked.answer("2 use ls").unwrap();
        assert_eq!(said, "2 no: use ls");
        assert!(serde_json::to_string(&response).unwrap().contains("use ls"));
        for unclear in ["", "yes", "y", "0", "3", "-1"] {
            assert!(asked.answer(unclear).is_none(), "{unclear}");
        }
    }
}
