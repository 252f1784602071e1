//! Changes to a session on disk: lines are added, never rewritten.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use super::letters;
use crate::error::{Error, ErrorKind};

pub(super) fn rename(file: &Path, session_id: &str, title: &str) -> Result<(), Error> {
    let title = title.trim();
    if title.is_empty() {
        return Err(Error::new(ErrorKind::Session, "a title must not be blank"));
    }
    append(
        file,
        &json!({"type": "custom-title", "customTitle": title, "sessionId": session_id}).to_string(),
    )
}

pub(super) fn tag(file: &Path, session_id: &str, tag: Option<&str>) -> Result<(), Error> {
    let clean = match tag {
        None => String::new(),
        Some(tag) => {
            let seen = letters::seen(tag);
            if seen.is_empty() {
                return Err(Error::new(ErrorKind::Session, "a tag must not be blank"));
            }
            seen
        }
    };
    // Readers look for lines that begin exactly so.
    append(
        file,
        &json!({"type": "tag", "tag": clean, "sessionId": session_id}).to_string(),
    )
}

pub(super) fn delete(file: &Path) -> Result<(), Error> {
    fs::remove_file(file).map_err(|error| Error::session(file.display(), &error))?;
    let beside = file.with_extension("");
    match fs::remove_dir_all(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::session(beside.display(), &error)),
        _ => Ok(()),
    }
}

pub(super) fn archive(file: &Path, archived: bool) -> Result<(), Error> {
    let beside = file.with_extension("");
    let note = beside.join("archived.json");
    let failed = |error| Error::session(note.display(), &error);
    let at = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    fs::create_dir_all(&beside).map_err(failed)?;
    let text = json!({"archived": archived, "at": u64::try_from(at.as_millis()).unwrap_or(0), "by": "sdk"});
    fs::write(&note, text.to_string()).map_err(failed)
}

/// Adds a line to a file that is there. One write, so that an agent that writes at the same time is not torn.
fn append(file: &Path, line: &str) -> Result<(), Error> {
    let failed = |error| Error::session(file.display(), &error);
    let mut open = OpenOptions::new().append(true).open(file).map_err(failed)?;
    open.write_all(format!("{line}\n").as_bytes()).map_err(failed)
}
