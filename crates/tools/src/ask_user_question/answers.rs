//! Formats a person's answers for the model.

use serde_json::Value;

/// The answers in an allowed input.
#[derive(Debug)]
pub(super) struct Answers {
    /// `"Q"="A"` with the notes on it.
    told: Vec<String>,
    /// True if every answer is an offered option without additions.
    as_offered: bool,
    /// Free-text response given instead of, or in addition to, answers.
    response: Option<String>,
}

impl Answers {
    /// Reads the answers from the input.
    pub(super) fn of(input: &Value) -> Self {
        let object = |name: &str| input.get(name).and_then(Value::as_object).into_iter().flatten();
        let note = |question: &str, name: &str| {
            let note = input.get("annotations")?.get(question)?.get(name)?.as_str()?.trim();
            (!note.is_empty()).then(|| note.to_owned())
        };
        let mut answers = Self {
            told: Vec::new(),
            as_offered: true,
            response: input
                .get("response")
                .and_then(Value::as_str)
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
        };
        let mut done = Vec::new();
        for (question, answer) in object("answers") {
            let text = written(answer);
            if text.trim().is_empty() {
                continue;
            }
            done.push(question);
            answers.as_offered &= offered(input, question, answer, &text);
            let part = format!("\"{question}\"=\"{text}\"");
            answers.add(part, note(question, "preview"), note(question, "notes"));
        }
        // a note may be given without an answer
        for (question, _) in object("annotations") {
            let notes = note(question, "notes");
            if notes.is_some() && !done.contains(&question) {
                answers.add(format!("\"{question}\" without a choice"), None, notes);
            }
        }
        answers
    }

    fn add(&mut self, mut part: String, preview: Option<String>, notes: Option<String>) {
        if let Some(preview) = preview {
            part.push_str(&format!(" preview: {preview}"));
            self.as_offered = false;
        }
        if let Some(notes) = notes {
            part.push_str(&format!(" notes: {notes}"));
            self.as_offered = false;
        }
        self.told.push(part);
    }

    /// Returns the text for the model.
    pub(super) fn sentence(&self) -> String {
        let told = self.told.join(", ");
        match (&self.response, self.told.is_empty()) {
            (None, true) => "The user did not answer the questions.".to_owned(),
            (None, false) if self.as_offered => {
                format!("Your questions have been answered: {told}. You can now continue with these answers in mind.")
            }
            (None, false) => format!(
                "The user answered: {told}. Read the answers carefully — they may say something else than the options you offered."
            ),
            (Some(response), true) => format!("The user did not choose, but replied: {response}"),
            (Some(response), false) => format!("The user answered: {told}. They also replied: {response}"),
        }
    }
}

/// Formats an answer; several choices are joined with a comma.
fn written(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(written).collect::<Vec<_>>().join(","),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// True if an answer is an offered label, or several of them if multiple choice is allowed.
fn offered(input: &Value, question: &str, answer: &Value, text: &str) -> bool {
    let questions = input.get("questions").and_then(Value::as_array);
    let asked = questions
        .into_iter()
        .flatten()
        .find(|asked| asked.get("question").and_then(Value::as_str) == Some(question));
    let Some(asked) = asked else {
        return false;
    };
    let options = asked.get("options").and_then(Value::as_array);
    let labels: Vec<&str> = options
        .into_iter()
        .flatten()
        .filter_map(|option| option.get("label")?.as_str())
        .collect();
    if let Value::Array(items) = answer {
        return items.iter().all(|item| labels.contains(&written(item).as_str()));
    }
    labels.contains(&text) || (asked.get("multiSelect") == Some(&Value::Bool(true)) && made_of(text, &labels))
}

/// True if a text consists only of labels separated by commas. Labels may contain commas themselves.
fn made_of(text: &str, labels: &[&str]) -> bool {
    // remainders after labels and commas; each is processed once, however it was reached
    let mut rests = vec![text.trim_start()];
    let mut at = 0;
    while let Some(rest) = rests.get(at).copied() {
        at += 1;
        for label in labels.iter().filter(|label| !label.is_empty()) {
            let Some(after) = rest.strip_prefix(label).map(str::trim_start) else {
                continue;
            };
            if after.is_empty() {
                return true;
            }
            if let Some(next) = after.strip_prefix(',').map(str::trim_start)
                && !rests.iter().any(|rest| rest.len() == next.len())
            {
                rests.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
