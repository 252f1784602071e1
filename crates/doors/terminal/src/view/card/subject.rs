//! The subject of a tool call, in one line.

use sluice_host::items::{Argument, ArgumentValue, Card, Subject};

use crate::text::link as address;

/// Returns the subject of a call. Paths below `folder` are relative to it.
#[must_use]
pub fn subject(card: &Card, folder: &str) -> String {
    match &card.subject {
        Subject::None => String::new(),
        Subject::Phrase(text) | Subject::Command(text) | Subject::Url(text) | Subject::Input(text) => text.clone(),
        Subject::Path(path) => near(path, folder).to_owned(),
        Subject::Text { pattern, within } => match within {
            Some(within) => format!("\"{pattern}\" in {}", near(within, folder)),
            None => format!("\"{pattern}\""),
        },
        Subject::Names { pattern, .. } => pattern.clone(),
        Subject::Query(query) => format!("\"{query}\""),
        Subject::Task(id) => format!("job {id}"),
        Subject::Arguments(arguments) => {
            let shown: Vec<String> = arguments.iter().map(argument).collect();
            shown.join("  ")
        }
    }
}

/// Formats an argument as `name "value"`.
fn argument(argument: &Argument) -> String {
    match &argument.value {
        ArgumentValue::Text(text) => format!("{} \"{text}\"", argument.name),
        ArgumentValue::Json(text) => format!("{} {text}", argument.name),
    }
}

/// Returns the hyperlink target of the subject: its file or URL.
#[must_use]
pub fn link(card: &Card, folder: &str) -> Option<String> {
    match &card.subject {
        Subject::Path(path) => address::of_file(folder, path),
        Subject::Url(url) => Some(url.clone()).filter(|url| url.is_ascii()),
        _ => None,
    }
}

/// Returns a path relative to a folder.
fn near<'a>(path: &'a str, folder: &str) -> &'a str {
    let inside = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
    inside.filter(|_| !folder.is_empty()).unwrap_or(path)
}

/// Returns the last component of a path.
#[must_use]
pub(super) fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}
