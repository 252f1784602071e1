//! File checkpoints of a session: files are copied before calls change them, and restored on request (`rewind_files`).

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sluice_checkpoints::copies::{Followed, Unkept};
use sluice_checkpoints::{Backup, Shelf};
use sluice_permission::Touches;
use sluice_wire::control::{RequestId, RewindFilesResponse};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::calls::CopiedFile;
use crate::messages;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

/// Why no file can be restored.
const DISABLED: &str = "File rewinding is not enabled.";
const NO_CHECKPOINT: &str = "No file checkpoint found for this message.";

impl Session {
    /// Starts copying the file that a call may change. The call starts with [`Session::file_copied`]. Returns whether
    /// it has to wait.
    pub(crate) fn checkpoint_call(&mut self, index: usize) -> bool {
        let Some(call) = self.calls.get(index) else {
            return false;
        };
        let Some(Touches::Edits { path: key }) = call.tool.as_ref().map(|tool| tool.descriptor().touches) else {
            return false;
        };
        let path = call.run_input().get(key).and_then(Value::as_str);
        let path = path.map(|path| self.tooling.cwd().get().join(path));
        let (Some(path), Some(shelf)) = (path, self.tooling.checkpoints()) else {
            return false;
        };
        if !shelf.misses(&path) {
            return false;
        }
        // The path that was resolved for the permission decision.
        let place = call.pins.first().map(|pin| pin.place().to_owned());
        let place = place.unwrap_or_else(|| sluice_tools::settled(&path));
        let (copies, order, cancel) = (shelf.copies.clone(), shelf.order.clone(), self.calls.cancellation());
        let now = messages::now();
        self.calls.copy_file(async move {
            let _in_order = order.lock().await;
            let named = path.clone();
            let kept = spawn_blocking(move || copies.keep((&named, &place), 1, &now, &cancel)).await;
            CopiedFile {
                index,
                path,
                backup: kept.unwrap_or_else(|error| Err(io::Error::other(error))),
            }
        });
        true
    }

    /// Registers the copy of a file that a call is about to change.
    pub(crate) fn file_copied(&mut self, path: &Path, backup: io::Result<Backup>) {
        // A file that cannot be read cannot be edited either; the call reports the error.
        if let (Ok(backup), Some(shelf)) = (backup, self.tooling.checkpoints_mut())
            && let Some(line) = shelf.add(path, backup)
        {
            self.conversation.transcript.note(line);
        }
    }

    async fn report_unsaved_file(&mut self, problem: Option<Unkept>) {
        if let Some((path, error)) = problem {
            let text = format!(
                "{} could not be kept as it is now: {error}. It can only be put back as it was before.",
                path.display()
            );
            self.emit(messages::informational(&text, "warning")).await;
        }
    }

    /// Restores files, or reports what restoring would change.
    pub(crate) async fn rewind(&mut self, id: &RequestId, uuid: &str, dry_run: bool) {
        let Some(shelf) = self.tooling.checkpoints() else {
            return self.cannot_rewind(id, dry_run, DISABLED).await;
        };
        if !shelf.knows(uuid) {
            return self.cannot_rewind(id, dry_run, NO_CHECKPOINT).await;
        }
        let (shelf, id, uuid) = (shelf.clone(), id.clone(), uuid.to_owned());
        // The lock is taken now, so that later calls see the restored files.
        let held = shelf.order.clone().try_lock_owned().ok();
        self.requests.concurrent.spawn(&id.clone(), async move {
            let _in_order = match held {
                Some(held) => held,
                None => shelf.order.clone().lock_owned().await,
            };
            let done = spawn_blocking(move || restore_files(&shelf, &uuid, dry_run)).await;
            let done = done.unwrap_or_else(|error| Err(error.to_string()));
            match done {
                Ok(response) => messages::success(&id, &response),
                Err(why) => messages::error(&id, why),
            }
            .into()
        });
    }

    async fn cannot_rewind(&mut self, id: &RequestId, dry_run: bool, why: &str) {
        if !dry_run {
            return self.emit(messages::error(id, why)).await;
        }
        let response = RewindFilesResponse {
            can_rewind: false,
            error: Some(why.to_owned()),
            ..RewindFilesResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }
}

impl SessionLoop {
    /// Starts a snapshot at a prompt.
    pub(crate) async fn checkpoint_prompt(&mut self, uuid: &str) {
        if let Some(shelf) = self.session.tooling.checkpoints() {
            let (followed, order) = (shelf.followed(self.session.line.quit()), shelf.order.clone());
            self.begin_snapshot(uuid, followed, order).await;
        }
    }

    async fn begin_snapshot(&mut self, uuid: &str, followed: Followed, order: Arc<Mutex<()>>) {
        let now = messages::now();
        let (files, problem) = if followed.files.is_empty() {
            (followed.files, None)
        } else {
            let (before, time) = (followed.files.clone(), now.clone());
            let mut renewing = Box::pin(async move {
                let _in_order = order.lock().await;
                spawn_blocking(move || followed.renew(&time)).await
            });
            let renewed = match self.wait_for(Some(renewing.as_mut())).await {
                WaitOutcome::Ready(renewed) => renewed,
                // Finish the snapshot even if the turn is stopped: the person may want to restore it.
                WaitOutcome::Stopped | WaitOutcome::CallsDone => renewing.await,
            };
            renewed.unwrap_or((before, None))
        };
        if let Some(shelf) = self.session.tooling.checkpoints_mut() {
            let line = shelf.begin(uuid, &now, files);
            self.session.conversation.transcript.note(line);
        }
        self.session.report_unsaved_file(problem).await;
    }
}

/// Restores files, or counts the lines that restoring would change.
fn restore_files(shelf: &Shelf, uuid: &str, dry_run: bool) -> Result<RewindFilesResponse, String> {
    let plan = shelf.plan(uuid).ok_or_else(|| NO_CHECKPOINT.to_owned())?;
    let mut response = RewindFilesResponse {
        can_rewind: true,
        ..RewindFilesResponse::default()
    };
    if dry_run {
        let (insertions, deletions) = plan.lines();
        response.files_changed = Some(plan.paths().map(shown).collect());
        response.insertions = Some(insertions);
        response.deletions = Some(deletions);
        return Ok(response);
    }
    plan.carry_out()
        .map_err(|(path, error)| format!("{} could not be put back: {error}", path.display()))?;
    response.skipped_links = Some(plan.links());
    Ok(response)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
