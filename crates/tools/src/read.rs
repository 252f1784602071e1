//! Read: reads text files, images, notebooks and PDF files.

mod image;
mod lines;
mod notebook;
mod pdf;

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::file_state::FileState;
use crate::outcome::Outcome;
use crate::pins::Pin;
use crate::tool::{Descriptor, Pending, Tool};
use crate::{input, paths, text};

/// Number of bytes from the beginning that decide whether a file is text.
const SNIFF_SIZE: usize = 8 * 1024;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Read".into(),
    description: "Reads a file.\n\n\
        - Text comes with line numbers (`N<TAB>text`), as much as fits (256 KB) unless `offset` and `limit` say otherwise. \
        Very large passages are cut; the answer says how to get the rest.\n\
        - Images (PNG, JPEG, GIF, WebP) are shown, notebooks (.ipynb) come as cells with their outputs, PDF files as documents; \
        `pages` takes some pages of a PDF as text.\n\
        - A folder cannot be read; list it with a command. Devices and pipes cannot be read either.\n\
        - Several files can be read at once by several calls in one message.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "description": "The absolute path of the file."},
            "offset": {"type": "integer", "minimum": 0, "description": "The line to start at, counted from 1."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read."},
            "pages": {"type": "string", "description": "Pages of a PDF: \"3\", \"1-5\", \"10-\"."},
            "allow_large": {"type": "boolean", "description": "Take in up to four times as much text at once."},
        },
        "required": ["file_path"],
        "additionalProperties": false,
    }),
    touches: Touches::Reads { path: "file_path" },
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct Read;

#[derive(Debug, Clone, Deserialize)]
struct Input {
    file_path: String,
    offset: Option<u64>,
    limit: Option<u64>,
    pages: Option<String>,
    #[serde(default)]
    allow_large: bool,
}

impl Tool for Read {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, input) {
                Ok(input) => input,
                Err(outcome) => return Some(outcome),
            };
            let path = cx.absolute(&input.file_path);
            let pin = match cx.pin(&path) {
                Ok(pin) => pin,
                Err(outcome) => return Some(outcome),
            };
            let work = move || match open(&path, pin.as_ref()) {
                Ok(mut file) if Kind::of(&path) == Kind::Text => unreadable(&mut file),
                Err(Refusal::Special(what)) => Some(Outcome::refused(what)),
                _ => None,
            };
            tokio::task::spawn_blocking(work).await.unwrap_or(None)
        })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let path = cx.absolute(&input.file_path);
            let reading = Reading {
                pin: match cx.pin(&path) {
                    Ok(pin) => pin,
                    Err(outcome) => return outcome,
                },
                path,
                cwd: cx.cwd.get(),
                input,
                files: Arc::clone(&cx.files),
                cancel: cx.cancel.clone(),
            };
            if reading.input.pages.is_some() && Kind::of(&reading.path) == Kind::Pdf {
                return tokio::select! {
                    outcome = pdf::pages(&reading, &cx.env) => outcome,
                    () = cx.cancel.cancelled() => Outcome::interrupted(),
                };
            }
            let work = tokio::task::spawn_blocking(move || reading.whole());
            tokio::select! {
                outcome = work => outcome.unwrap_or_else(|_| Outcome::interrupted()),
                // a large image takes too long to wait for
                () = cx.cancel.cancelled() => Outcome::interrupted(),
            }
        })
    }
}

/// State of one call.
#[derive(Debug)]
struct Reading {
    path: PathBuf,
    cwd: PathBuf,
    /// Pin from the permission decision.
    pin: Option<Pin>,
    input: Input,
    files: Arc<FileState>,
    cancel: CancellationToken,
}

impl Reading {
    fn whole(&self) -> Outcome {
        let mut file = match open(&self.path, self.pin.as_ref()) {
            Ok(file) => file,
            Err(refusal) => return self.refused(refusal),
        };
        match Kind::of(&self.path) {
            Kind::Image => image::read(&mut file, self),
            Kind::Notebook => notebook::read(&mut file, self),
            Kind::Pdf => pdf::read(&mut file, self),
            Kind::Text => unreadable(&mut file).unwrap_or_else(|| lines::read(&mut file, self)),
        }
    }

    fn refused(&self, refusal: Refusal) -> Outcome {
        let path = &self.input.file_path;
        match refusal {
            Refusal::Missing => Outcome::failed(format!(
                "File does not exist. Note: your current working directory is {}.",
                self.cwd.display()
            )),
            Refusal::Folder => Outcome::failed(format!("EISDIR: illegal operation on a directory, read '{path}'")),
            Refusal::Special(what) => Outcome::refused(what),
            Refusal::Other(error) => self.failed(&error),
        }
    }

    fn failed(&self, error: &io::Error) -> Outcome {
        let path = &self.input.file_path;
        match error.kind() {
            io::ErrorKind::PermissionDenied => Outcome::failed(format!("EACCES: permission denied, open '{path}'")),
            io::ErrorKind::Interrupted => Outcome::interrupted(),
            _ => Outcome::failed(format!("{path} cannot be read: {error}")),
        }
    }

    /// Reads the whole file, unless it is larger than `most`.
    fn bytes(&self, file: &mut File, most: u64) -> Result<Vec<u8>, Outcome> {
        let mut bytes = Vec::new();
        // a file may grow while it is read, and some report no size
        if let Err(error) = file.take(most + 1).read_to_end(&mut bytes) {
            return Err(self.failed(&error));
        }
        if bytes.len() as u64 > most {
            return Err(Outcome::refused(format!(
                "{} is too large to be read in one piece: the limit for this kind of file is {}. Take what you need from it with a command.",
                self.input.file_path,
                crate::truncate::human_size(most)
            )));
        }
        Ok(bytes)
    }
}

/// File type, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Image,
    Notebook,
    Pdf,
}

impl Kind {
    fn of(path: &Path) -> Self {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        match extension.as_str() {
            "png" | "jpg" | "jpeg" | "gif" | "webp" => Self::Image,
            "ipynb" => Self::Notebook,
            "pdf" => Self::Pdf,
            _ => Self::Text,
        }
    }
}

/// Why a file was not opened.
enum Refusal {
    Missing,
    Folder,
    Special(String),
    Other(io::Error),
}

/// Opens a regular file; with a pin, exactly the pinned one.
fn open(path: &Path, pin: Option<&Pin>) -> Result<File, Refusal> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::Missing,
        _ => Refusal::Other(error),
    };
    // checked before opening, because opening some devices has side effects
    let held = paths::held(path, pin).map_err(refused)?;
    regular(&held.metadata().map_err(refused)?, path)?;
    held.read(pin.map_or(path, Pin::place)).map_err(refused)
}

fn regular(metadata: &std::fs::Metadata, path: &Path) -> Result<(), Refusal> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(Refusal::Folder);
    }
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(Refusal::Special(format!(
        "{} is {what}, not a file: reading it could go on for ever.",
        path.display()
    )))
}

/// Refuses a file that is not text.
fn unreadable(file: &mut File) -> Option<Outcome> {
    let mut start = Vec::with_capacity(SNIFF_SIZE);
    let sniffed = file.take(SNIFF_SIZE as u64).read_to_end(&mut start);
    let back = io::Seek::rewind(file);
    (sniffed.is_ok() && back.is_ok() && text::is_binary(&start)).then(|| {
        Outcome::refused("This tool cannot read binary files. The file appears to be a binary one; look into it with a command such as `file` or `xxd`.")
    })
}
