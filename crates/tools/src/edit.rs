//! Edit: replaces text in a file.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::file_state::{FileState, Freshness};
use crate::outcome::Outcome;
use crate::pins::Pin;
use crate::text::{self, Encoding};
use crate::tool::{Descriptor, Pending, Tool};
use crate::write::explained;
use crate::{atomic, input, patch, paths};

mod quotes;

/// Maximum size of an edited file, because several copies are in memory.
const MAX_FILE_SIZE: u64 = 64 << 20;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Edit".into(),
    description: "Replaces one passage of a file by another, exactly.\n\n\
        - `old_string` must be in the file character for character, without the line numbers Read puts before each line.\n\
        - It must be there once; add lines around it until it is, or set `replace_all` to change every occurrence.\n\
        - An empty `old_string` makes a new file with `new_string` as its content.\n\
        - Line ends and encoding of the file are kept.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "description": "The absolute path of the file."},
            "old_string": {"type": "string", "description": "The passage to replace."},
            "new_string": {"type": "string", "description": "What to put in its place; must differ from old_string."},
            "replace_all": {"type": "boolean", "default": false, "description": "Replace every occurrence instead of the only one."},
        },
        "required": ["file_path", "old_string", "new_string"],
        "additionalProperties": false,
    }),
    touches: Touches::Edits { path: "file_path" },
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct Edit;

#[derive(Debug, Clone, Deserialize)]
struct Input {
    file_path: String,
    old_string: String,
    new_string: String,
    replace_all: bool,
}

impl Tool for Edit {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move {
            let work = match prepared(input, cx) {
                Ok((input, place)) => move || plan(&input, &place).err(),
                Err(outcome) => return Some(outcome),
            };
            tokio::task::spawn_blocking(work)
                .await
                .unwrap_or_else(|_| Some(Outcome::interrupted()))
        })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let files = std::sync::Arc::clone(&cx.files);
            let work = match prepared(&input, cx) {
                Ok((input, place)) => move || match plan(&input, &place) {
                    Ok(change) => carry_out(&input, &place, &change, &files),
                    Err(outcome) => outcome,
                },
                Err(outcome) => return outcome,
            };
            // one blocking step, so that it cannot be dropped halfway
            tokio::task::spawn_blocking(work)
                .await
                .unwrap_or_else(|_| Outcome::interrupted())
        })
    }
}

/// The resolved path of a file.
struct Place {
    path: PathBuf,
    cwd: PathBuf,
    /// Pin from the permission decision.
    pin: Option<Pin>,
}

fn prepared(input: &Value, cx: &Context) -> Result<(Input, Place), Outcome> {
    let input: Input = input::parsed(&DESCRIPTOR, input)?;
    let path = cx.absolute(&input.file_path);
    let place = Place {
        pin: cx.pin(&path)?,
        path,
        cwd: cx.cwd.get(),
    };
    Ok((input, place))
}

/// A file before and after.
struct Change {
    /// `None` if the file does not exist yet.
    old: Option<Vec<u8>>,
    new: Vec<u8>,
    /// The replaced text, if it differs from the requested one (quotes or line ends).
    found: Option<String>,
}

/// Computes the change, or why it is not possible.
fn plan(input: &Input, place: &Place) -> Result<Change, Outcome> {
    if input.old_string == input.new_string {
        return Err(Outcome::refused(
            "No changes to make: old_string and new_string are exactly the same.",
        ));
    }
    let old = match read(place) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Outcome::refused(explained(&error, &input.file_path))),
    };
    match old {
        None if input.old_string.is_empty() => Ok(Change {
            old: None,
            new: input.new_string.clone().into_bytes(),
            found: None,
        }),
        None => Err(Outcome::refused(format!(
            "File does not exist. Note: your current working directory is {}.",
            place.cwd.display()
        ))),
        Some(old) if input.old_string.is_empty() => {
            if text::shown(&old).trim().is_empty() {
                Ok(Change {
                    new: input.new_string.clone().into_bytes(),
                    old: Some(old),
                    found: None,
                })
            } else {
                Err(Outcome::refused("Cannot create new file - file already exists."))
            }
        }
        Some(old) => {
            let (new, found) = replaced(&old, input)?;
            Ok(Change {
                new,
                old: Some(old),
                found,
            })
        }
    }
}

fn read(place: &Place) -> io::Result<Vec<u8>> {
    let held = paths::held(&place.path, place.pin.as_ref())?;
    let metadata = held.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > MAX_FILE_SIZE {
        return Err(io::Error::other("it is too large to edit; use a command such as sed"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    held.read(place.pin.as_ref().map_or(&place.path, Pin::place))?
        .take(MAX_FILE_SIZE)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the new bytes. UTF-8 is edited as bytes, so that everything else is unchanged, including byte order marks,
/// line ends and invalid bytes.
fn replaced(old: &[u8], input: &Input) -> Result<(Vec<u8>, Option<String>), Outcome> {
    let encoding = text::encoding(old);
    if encoding != Encoding::Utf8 {
        let before = text::from_utf16(old, encoding);
        let (after, found) = substituted(before.as_bytes(), input)?;
        return Ok((text::to_utf16(&String::from_utf8_lossy(&after), encoding), found));
    }
    substituted(old, input)
}

fn substituted(old: &[u8], input: &Input) -> Result<(Vec<u8>, Option<String>), Outcome> {
    let (mut wanted, mut instead) = (input.old_string.clone(), input.new_string.clone());
    let carriage_returns = !input.old_string.contains('\r') && memchr::memmem::find(old, b"\r\n").is_some();
    let mut found = occurrences(old, wanted.as_bytes());
    if carriage_returns {
        // the model sees and sends `\n`, which represents the line ends of the file
        let theirs = wanted.replace('\n', "\r\n");
        let all = occurrences(old, theirs.as_bytes());
        if !all.is_empty() {
            (wanted, found) = (theirs, all);
            instead = instead.replace("\r\n", "\n").replace('\n', "\r\n");
        }
    }
    let mut said_otherwise = None;
    if found.is_empty()
        && let Ok(text) = std::str::from_utf8(old)
        && let Some((passage, all)) = quotes::find(text, &wanted)
    {
        // the model writes straight quotes where the text has curly ones
        instead = quotes::like(&passage, &instead);
        found = all;
        wanted.clone_from(&passage);
        said_otherwise = Some(passage);
    }
    match found.len() {
        0 => Err(Outcome::refused(format!(
            "String to replace not found in file.\nString: {}",
            input.old_string
        ))),
        count if count == 1 || input.replace_all => {
            let new = spliced(old, &found, wanted.len(), instead.as_bytes()).ok_or_else(|| {
                let limit = MAX_FILE_SIZE >> 20;
                Outcome::refused(format!(
                    "The file would be larger than {limit} MiB with {count} occurrences replaced. Nothing was changed."
                ))
            })?;
            Ok((new, said_otherwise))
        }
        count => Err(Outcome::refused(format!(
            "Found {count} matches of the string to replace, but replace_all is false. Set replace_all to true to change them all, or give more of the text around the one you mean.\nString: {}",
            input.old_string
        ))),
    }
}

/// Returns the offsets of all occurrences of `wanted`, which is not empty, from left to right without overlap.
fn occurrences(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    // valid UTF-8 uses the fast search of `str`; anything else is rare
    if let (Ok(text), Ok(wanted)) = (std::str::from_utf8(bytes), std::str::from_utf8(wanted)) {
        return text.match_indices(wanted).map(|(at, _)| at).collect();
    }
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= wanted.len()) {
        if rest.starts_with(wanted) {
            found.push(at);
            at += wanted.len().max(1);
        } else {
            at += 1;
        }
    }
    found
}

/// Returns the new bytes, or `None` if the result would be too large.
fn spliced(old: &[u8], found: &[usize], length: usize, instead: &[u8]) -> Option<Vec<u8>> {
    let kept = old.len().checked_sub(found.len().checked_mul(length)?)?;
    let size = found.len().checked_mul(instead.len())?.checked_add(kept)?;
    if u64::try_from(size).ok()? > MAX_FILE_SIZE {
        return None;
    }
    let mut new = Vec::with_capacity(size);
    let mut from = 0;
    for at in found {
        new.extend_from_slice(old.get(from..*at).unwrap_or_default());
        new.extend_from_slice(instead);
        from = at + length;
    }
    new.extend_from_slice(old.get(from..).unwrap_or_default());
    Some(new)
}

fn carry_out(input: &Input, place: &Place, change: &Change, files: &FileState) -> Outcome {
    let path = place.path.as_path();
    let freshness = match &change.old {
        Some(old) if !input.old_string.is_empty() => files.freshness(path, old),
        _ => Freshness::Current,
    };
    if let Err(error) = atomic::write_checked(path, &change.new, place.pin.as_ref()) {
        return Outcome::failed(explained(&error, &input.file_path));
    }
    files.edited(path, &change.new, freshness);
    report(input, change, freshness)
}

fn report(input: &Input, change: &Change, freshness: Freshness) -> Outcome {
    let old = change.old.as_deref().map(text::shown).unwrap_or_default();
    let patch = patch::structured(&old, &text::shown(&change.new));
    let mut result = json!({
        "filePath": input.file_path,
        "oldString": change.found.as_ref().unwrap_or(&input.old_string),
        "newString": input.new_string,
        "originalFile": null,
        "structuredPatch": null,
        "userModified": false,
        "replaceAll": input.replace_all,
    });
    if let Some(fields) = result.as_object_mut() {
        // moved instead of copied, because the file may be large
        fields.insert("originalFile".to_owned(), Value::String(old));
        fields.insert("structuredPatch".to_owned(), patch);
        if freshness == Freshness::Stale {
            fields.insert("staleRecovered".to_owned(), Value::Bool(true));
        }
        if freshness != Freshness::Current {
            fields.insert("contentNotInModelContext".to_owned(), Value::Bool(true));
        }
    }
    let path = &input.file_path;
    let mut said = if input.replace_all {
        format!("The file {path} has been updated. All occurrences were replaced.")
    } else {
        format!("The file {path} has been updated successfully.")
    };
    if freshness == Freshness::Stale {
        said.push_str(
            " It had changed since you last read it; read it again before relying on the rest of its content.",
        );
    }
    Outcome::ok(said, result)
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
