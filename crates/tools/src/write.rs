//! Write: replaces or creates a file with the given content.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::outcome::Outcome;
use crate::pins::Pin;
use crate::tool::{Activity, Descriptor, Pending, Tool};
use crate::{atomic, input, patch, paths, text};

/// Maximum size of an old file for which a diff is computed.
const MAX_COMPARED: u64 = 8 << 20;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: "Write".into(),
    description: "Writes a file: makes it, or replaces everything in it.\n\n\
        - Missing folders on the way are made.\n\
        - To change part of a file that exists, prefer Edit; it is shorter and shows exactly what changes.\n\
        - Read a file before replacing it, unless you mean to discard what it holds.\n\
        - The content is written as given: line ends and final newline are yours to choose."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "description": "The absolute path of the file."},
            "content": {"type": "string", "description": "The whole new content."},
        },
        "required": ["file_path", "content"],
        "additionalProperties": false,
    }),
    touches: Touches::Edits { path: "file_path" },
    activity: Some(Activity {
        words: "Writing",
        keys: &["file_path"],
    }),
    ..Descriptor::default()
});

#[derive(Debug)]
pub(crate) struct Write;

#[derive(Debug, Deserialize)]
struct Input {
    file_path: String,
    content: String,
}

impl Tool for Write {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let path = cx.absolute(&input.file_path);
            let files = std::sync::Arc::clone(&cx.files);
            let pin = match cx.pin(&path) {
                Ok(pin) => pin,
                Err(outcome) => return outcome,
            };
            // one blocking step, so that it cannot be dropped halfway
            let work = move || {
                let given = input.file_path.clone();
                match replace(&path, &input.content, pin.as_ref()) {
                    Ok(old) => {
                        files.saw(&path, input.content.as_bytes());
                        report(input, old)
                    }
                    Err(error) => Outcome::failed(explained(&error, &given)),
                }
            };
            tokio::task::spawn_blocking(work)
                .await
                .unwrap_or_else(|_| Outcome::interrupted())
        })
    }
}

/// Previous content.
enum Old {
    Nothing,
    Text(String),
    TooLarge,
}

fn replace(path: &Path, content: &str, pin: Option<&Pin>) -> io::Result<Old> {
    let held = match paths::held(path, pin) {
        Ok(held) => Some((held.metadata()?, held)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let old = match &held {
        None => Old::Nothing,
        Some((metadata, _)) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Some((metadata, _)) if !metadata.is_file() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        Some((metadata, _)) if metadata.len() > MAX_COMPARED => Old::TooLarge,
        Some((_, held)) => {
            let mut old = Vec::new();
            let file = held.read(pin.map_or(path, Pin::place))?;
            file.take(MAX_COMPARED).read_to_end(&mut old)?;
            Old::Text(text::shown(&old))
        }
    };
    atomic::write_checked(path, content.as_bytes(), pin)?;
    Ok(old)
}

fn report(input: Input, old: Old) -> Outcome {
    let Input { file_path, content } = input;
    let updated = format!(
        "The file {file_path} has been updated successfully. What you wrote is what it holds now; there is no need to read it again."
    );
    let (kind, said, patch, original) = match old {
        Old::Nothing => {
            let said = format!(
                "File created successfully at: {file_path} (what you wrote is what it holds; there is no need to read it again)"
            );
            ("create", said, json!([]), Value::Null)
        }
        Old::Text(old) => {
            let patch = patch::structured(&old, &content.replace("\r\n", "\n"));
            ("update", updated, patch, Value::from(old))
        }
        Old::TooLarge => ("update", updated, json!([]), Value::Null),
    };
    let mut result = json!({
        "type": kind,
        "filePath": file_path,
        "content": null,
        "structuredPatch": null,
        "originalFile": null,
        "userModified": false,
    });
    if let Some(fields) = result.as_object_mut() {
        // moved instead of copied, because the file may be large
        fields.insert("content".to_owned(), Value::String(content));
        fields.insert("structuredPatch".to_owned(), patch);
        fields.insert("originalFile".to_owned(), original);
    }
    Outcome::ok(said, result)
}

/// Explains why a file could not be written.
pub(crate) fn explained(error: &io::Error, path: &str) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("EISDIR: illegal operation on a directory, open '{path}'"),
        io::ErrorKind::PermissionDenied => format!("EACCES: permission denied, open '{path}'"),
        _ => format!("{path} cannot be written: {error}"),
    }
}
