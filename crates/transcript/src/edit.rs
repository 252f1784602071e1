//! Changes to a saved session (title, tag, archive): lines are appended, never rewritten.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::appender;
use super::error::Error;
use super::other_lines;
use super::private;
use super::projects::{Folders, Projects, is_id};
use super::visible_text::visible_text;

impl Projects {
    /// Sets the title of a session as the reference CLI does: as a title line, as an `agent-name` line, and in a file
    /// next to the transcript.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be written.
    pub fn rename(&self, cwd: &Path, session_id: &str, title: &str) -> Result<(), Error> {
        let file = Some(session_id)
            .filter(|id| is_id(id))
            .and_then(|id| self.find(cwd, id));
        let file = file.ok_or_else(|| Error::Unknown(session_id.to_owned()))?;
        let lines = [
            other_lines::title(title, session_id),
            other_lines::agent_name(title, session_id),
        ];
        let written = appender::append_to(&file, &lines).and_then(|()| appender::write_title_file(&file, title));
        written.map_err(|error| Error::file(&file, error))
    }
}

impl Folders {
    /// Sets the title of a session as the official SDKs do.
    ///
    /// # Errors
    /// If there is no such session, the title is blank, or the file cannot be written.
    pub fn rename(&self, session_id: &str, title: &str) -> Result<(), Error> {
        let (_, file) = self.session(session_id)?;
        let title = title.trim();
        if title.is_empty() {
            return Err(Error::BlankTitle);
        }
        let written = appender::append_to(&file, &[other_lines::title(title, session_id)]);
        written.map_err(|error| Error::file(&file, error))
    }

    /// Records that the conversation was rewound to the message `leaf`. It ends there until a message is added.
    ///
    /// # Errors
    /// If there is no such session, or the file cannot be written.
    pub fn rewind(&self, session_id: &str, leaf: &str) -> Result<(), Error> {
        let (_, file) = self.session(session_id)?;
        let written = appender::append_to(&file, &[other_lines::rewound(leaf, session_id)]);
        written.map_err(|error| Error::file(&file, error))
    }

    /// Sets the tag of a session; `None` removes the tag.
    ///
    /// # Errors
    /// If there is no such session, the tag is blank, or the file cannot be written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>) -> Result<(), Error> {
        let (_, file) = self.session(session_id)?;
        let tag = tag.map(visible_text);
        if tag.as_deref() == Some("") {
            return Err(Error::BlankTag);
        }
        let line = other_lines::tag(tag.as_deref().unwrap_or_default(), session_id);
        appender::append_to(&file, &[line]).map_err(|error| Error::file(&file, error))
    }

    /// Deletes a session and its folder of additional files.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be deleted.
    pub fn delete(&self, session_id: &str) -> Result<(), Error> {
        let (_, file) = self.session(session_id)?;
        fs::remove_file(&file).map_err(|error| Error::file(&file, error))?;
        let beside = file.with_extension("");
        match fs::remove_dir_all(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file(&beside, error)),
            _ => Ok(()),
        }
    }

    /// Archives a session, or restores it from the archive.
    ///
    /// # Errors
    /// If there is no such session, or its archive file cannot be written.
    pub fn archive(&self, session_id: &str, archived: bool) -> Result<(), Error> {
        let (_, file) = self.session(session_id)?;
        let beside = file.with_extension("");
        let note = beside.join("archived.json");
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let text = json!({"archived": archived, "at": u64::try_from(at.as_millis()).unwrap_or(0), "by": "sdk"});
        let written = private::write(&note, text.to_string());
        written.map_err(|error| Error::file(&note, error))
    }
}
