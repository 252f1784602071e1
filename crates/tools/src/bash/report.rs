//! The result of a command, for the model and for the host.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Why, meaning};
use crate::capture::Printed;
use crate::outcome::Outcome;
use crate::process::Exit;
use crate::sandbox::Note;
use crate::tasks::TaskView;
use crate::truncate::{first_chars, human_size, preview};

/// Maximum length of output in the result, in characters; longer output is saved to a file.
const MAX_SHOWN: usize = 30_000;

/// True if the output is too long for the result.
pub(super) fn is_long(printed: &Printed) -> bool {
    printed.total > MAX_SHOWN as u64 && decoded(printed).chars().nth(MAX_SHOWN).is_some()
}

/// Builds the result.
#[derive(Debug)]
pub(super) struct Report {
    command: String,
    /// Notes about the command that are not its output; `stderr` on the wire.
    notes: String,
    /// The sandbox in which the command ran.
    sandbox: Option<Note>,
}

impl Report {
    pub(super) fn new(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            notes: String::new(),
            sandbox: None,
        }
    }

    /// Records the sandbox of the command.
    pub(super) fn sandboxed(&mut self, note: Option<Note>) {
        self.sandbox = note;
    }

    /// Notes that the current directory was reset to a session folder.
    pub(super) fn cwd_reset(&mut self, directory: &Path) {
        self.notes = format!("\nShell cwd was reset to {}", directory.display());
    }

    /// Notes that the output file of a background command could not be created.
    pub(super) fn no_file(&mut self, trouble: Option<&str>) {
        self.notes
            .push_str("\nThe command was ended: it cannot go on in the background because its output cannot be saved");
        if let Some(trouble) = trouble {
            self.notes.push_str(&format!(" ({trouble})"));
        }
    }

    /// Notes that the command timed out and cannot continue in the background.
    pub(super) fn timed_out(&mut self, limit: u64) {
        self.notes
            .push_str(&format!("\nCommand timed out after {}s", limit / 1000));
    }

    /// Builds the result of a foreground command.
    pub(super) fn finished(&self, exit: Exit, printed: &Printed) -> Outcome {
        let long = is_long(printed);
        let text = decoded(printed);
        let shown = if long {
            first_chars(&text, MAX_SHOWN)
        } else {
            text.trim_end_matches(['\n', '\r'])
        };
        let said = if long { saved(printed, &text) } else { shown.to_owned() };
        let interpretation = meaning::of_exit(&self.command, exit.code());
        if exit.code() != 0 && interpretation.is_none() {
            let refusal = self.sandbox.and_then(|note| note.explained(&text)).unwrap_or_default();
            return failure(exit.code(), &joined(&[&said, self.notes.trim(), &refusal]));
        }
        let mut result = self.fields(shown);
        if let Some(interpretation) = interpretation {
            result.insert("returnCodeInterpretation".to_owned(), interpretation.into());
        }
        result.insert("noOutputExpected".to_owned(), meaning::is_silent(&self.command).into());
        if long && let Some((path, size)) = &printed.file {
            result.insert("persistedOutputPath".to_owned(), path.to_string_lossy().into());
            result.insert("persistedOutputSize".to_owned(), (*size).into());
        }
        success(&joined(&[&said, self.notes.trim()]), result)
    }

    /// Builds the result of a command that continues in the background.
    pub(super) fn backgrounded(&self, task: &TaskView, printed: &Printed, why: Why) -> Outcome {
        let file = task
            .output_file
            .as_deref()
            .unwrap_or(Path::new(""))
            .display()
            .to_string();
        let id = &task.id;
        let said = match why {
            Why::Started => format!(
                "Command running in background with ID: {id}. Output is being written to: {file}. You will be told when it ends."
            ),
            Why::TimedOut(limit) => format!(
                "The command did not end within {limit} ms and goes on in the background with ID: {id}. Output is being written to: {file}. You will be told when it ends."
            ),
            Why::Asked => format!(
                "The command was moved to the background with ID: {id}. Output is being written to: {file}. You will be told when it ends."
            ),
        };
        let text = decoded(printed);
        let shown = if why == Why::Started {
            ""
        } else {
            first_chars(&text, MAX_SHOWN).trim_end_matches(['\n', '\r'])
        };
        let mut result = self.fields(shown);
        result.insert("noOutputExpected".to_owned(), false.into());
        result.insert("backgroundTaskId".to_owned(), id.as_str().into());
        match why {
            Why::Started => {}
            Why::TimedOut(limit) => drop(result.insert("timedOutAfterMs".to_owned(), limit.into())),
            Why::Asked => drop(result.insert("backgroundedByUser".to_owned(), true.into())),
        }
        let so_far = if is_long(printed) {
            saved(printed, &text)
        } else {
            shown.to_owned()
        };
        success(&joined(&[&so_far, &said, self.notes.trim()]), result)
    }

    /// Builds the result of a cancelled command.
    pub(super) fn cancelled(&self, printed: &Printed) -> Outcome {
        let text = decoded(printed);
        let said = joined(&[
            "The command was interrupted.",
            preview(&text).trim_end(),
            self.notes.trim(),
        ]);
        Outcome {
            interrupted: true,
            ..Outcome::failed(said)
        }
    }

    fn fields(&self, stdout: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("stdout".to_owned(), stdout.into());
        fields.insert("stderr".to_owned(), self.notes.as_str().into());
        fields.insert("interrupted".to_owned(), false.into());
        fields.insert("isImage".to_owned(), false.into());
        if let Some(kind) = self.sandbox.and_then(|note| note.kind()) {
            fields.insert("sandbox".to_owned(), kind.to_string().into());
        }
        fields
    }
}

fn success(said: &str, result: Map<String, Value>) -> Outcome {
    let content = if said.trim().is_empty() {
        "(Bash completed with no output)"
    } else {
        said
    };
    Outcome {
        content: json!(content),
        is_error: Some(false),
        result: Value::Object(result),
        interrupted: false,
        effects: Vec::new(),
    }
}

fn failure(code: i32, said: &str) -> Outcome {
    Outcome::failed(joined(&[&format!("Exit code {code}"), said]))
}

/// Returns the preview that replaces long output.
fn saved(printed: &Printed, text: &str) -> String {
    let size = human_size(printed.total);
    let place = match (&printed.file, &printed.trouble) {
        (Some((path, _)), None) => format!("Full output saved to: {}", path.display()),
        (Some((path, _)), Some(trouble)) => format!("Part of it was saved to: {} ({trouble})", path.display()),
        (None, trouble) => format!(
            "It could not be saved: {}",
            trouble.as_deref().unwrap_or("there is no place for it")
        ),
    };
    format!(
        "<persisted-output>\nOutput too large ({size}). {place}\n\nIt begins:\n{}\n...\n</persisted-output>",
        preview(text)
    )
}

fn decoded(printed: &Printed) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&printed.head)
}

fn joined(parts: &[&str]) -> String {
    parts
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join("\n")
}
