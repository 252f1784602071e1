//! Checkpoints: how files stood before each prompt, so that they can be put back.
//!
//! A file is kept before the first call that changes it, and again at each prompt if it has changed since. What is kept
//! lies beside the transcript, which says what belongs to which prompt. Only tools that edit files are followed:
//! what a command does to a file is nobody's to undo.
//!
//! * `shelf`: the copies and what they belong to;
//! * `record`: how the transcript says so;
//! * `rewind`: putting them back.

mod record;
mod rewind;
mod shelf;

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_wire::control::{RequestId, RewindFilesResponse};

pub(crate) use shelf::Shelf;

use crate::options::Options;
use crate::say;
use crate::session::Session;

/// Why no file can be put back.
const OFF: &str = "File rewinding is not enabled.";
const UNKNOWN: &str = "No file checkpoint found for this message.";

/// The checkpoints of a session, if it makes any.
pub(crate) fn open(options: &Options) -> Option<Shelf> {
    let dir = options.checkpoints.as_ref()?;
    let mut shelf = Shelf::new(dir.join(&options.session_id), options.cwd.clone());
    if let Some(earlier) = &options.earlier {
        shelf.take_up(record::read(&earlier.file), &dir.join(&earlier.session_id));
    }
    Some(shelf)
}

impl Session {
    /// A prompt begins here.
    pub(crate) async fn checkpoint_prompt(&mut self, uuid: &str) {
        let Some(shelf) = &mut self.checkpoints else { return };
        let (line, problem) = shelf.begin(uuid, &say::now());
        self.transcript.note(line);
        self.tell_unkept(problem).await;
    }

    /// A call is about to change this file, perhaps.
    pub(crate) fn checkpoint_call(&mut self, tool: &str, input: &Value) {
        let key = match tool {
            "Edit" | "Write" => "file_path",
            "NotebookEdit" => "notebook_path",
            _ => return,
        };
        let Some(path) = input.get(key).and_then(Value::as_str) else {
            return;
        };
        let path = self.cwd.get().join(path);
        if let Some(shelf) = &mut self.checkpoints {
            // A file that cannot be read cannot be edited either; the call will say so.
            if let Ok(Some(line)) = shelf.track(&path, &say::now()) {
                self.transcript.note(line);
            }
        }
    }

    async fn tell_unkept(&mut self, problem: Option<(PathBuf, std::io::Error)>) {
        if let Some((path, error)) = problem {
            let text = format!(
                "{} could not be kept as it is now: {error}. It can only be put back as it was before.",
                path.display()
            );
            self.say(say::informational(&text, "warning")).await;
        }
    }

    /// Puts files back, or says what that would do.
    pub(crate) async fn rewind(&mut self, id: &RequestId, uuid: &str, dry_run: bool) {
        let Some(shelf) = &self.checkpoints else {
            return self.cannot_rewind(id, dry_run, OFF).await;
        };
        let Some(plan) = shelf.plan(uuid) else {
            return self.cannot_rewind(id, dry_run, UNKNOWN).await;
        };
        let mut response = RewindFilesResponse {
            can_rewind: true,
            ..RewindFilesResponse::default()
        };
        if dry_run {
            let (insertions, deletions) = plan.lines();
            response.files_changed = Some(plan.paths().map(shown).collect());
            response.insertions = Some(insertions);
            response.deletions = Some(deletions);
        } else if let Err((path, error)) = plan.carry_out() {
            let text = format!("{} could not be put back: {error}", path.display());
            return self.say(say::error(id, text)).await;
        } else {
            response.skipped_links = Some(plan.links());
        }
        self.say(say::success(id, &response)).await;
    }

    async fn cannot_rewind(&mut self, id: &RequestId, dry_run: bool, why: &str) {
        if !dry_run {
            return self.say(say::error(id, why)).await;
        }
        let response = RewindFilesResponse {
            can_rewind: false,
            error: Some(why.to_owned()),
            ..RewindFilesResponse::default()
        };
        self.say(say::success(id, &response)).await;
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
