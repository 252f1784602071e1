//! Control requests about files: content, file name suggestions, the read state, output of tasks.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use sluice_permission::path::absolute;
use sluice_permission::{ToolFacts, Verdict};
use sluice_servers::resources;
use sluice_tools::{Pin, Pins};
use sluice_wire::Raw;
use sluice_wire::control::{
    FileSuggestionsResponse, GetPlanResponse, GetTaskOutputResponse, ReadFile, ReadFileResponse, RequestId,
    SeedReadState,
};

use crate::messages;
use crate::requests::file_names;
use crate::session::Session;

/// The number of bytes of a file to return by default.
const DEFAULT_READ_BYTES: u64 = 1 << 20;
/// The maximum number of bytes of a file to return, because the response is a single line.
const MAX_READ_BYTES: u64 = 16 << 20;
/// The number of bytes to return from the end of a task's output.
const OUTPUT_TAIL_BYTES: u64 = 8 << 10;
/// The maximum size of a file that can be marked as read, in bytes.
const MAX_SEED_BYTES: u64 = 64 << 20;

impl Session {
    /// Responds with the content of a file that the model may read without permission.
    pub(super) async fn read_file(&mut self, id: &RequestId, request: ReadFile) {
        let path = absolute(&self.tooling.cwd().get(), &request.path);
        let input = json!({"file_path": path.display().to_string()});
        let reading = ToolFacts::reading("file_path");
        let pins = Pins::of(reading.touches, &input, &self.tooling.cwd().get());
        let decision = self.decide_pinned(reading, &input, &pins);
        if decision.behavior != Verdict::Allow {
            return self
                .emit(messages::error(id, format!("read denied: {}", request.path)))
                .await;
        }
        let pin = pins.first().cloned().unwrap_or_else(|| Pin::new(&path));
        let id = id.clone();
        self.requests
            .concurrent
            .spawn_blocking(&id.clone(), move || match read(&path, &pin, &request) {
                Ok(response) => messages::success(&id, &response),
                Err(error) => messages::error(&id, format!("read_file: {}: {error}", request.path)),
            });
    }

    /// Suggests files by name, followed by matching resources of MCP servers, which are mentioned with the same syntax.
    pub(super) fn file_suggestions(&mut self, id: &RequestId, query: String) {
        let resources = resources::suggestions(self.tooling.servers().all(), &query);
        let (cwd, hidden) = (self.tooling.cwd().get(), self.hidden());
        let names = self.requests.names.names_below(&cwd, self.line.quit());
        let (id, quit) = (id.clone(), self.line.quit().clone());
        self.requests.concurrent.spawn_blocking(&id.clone(), move || {
            let names = names.unwrap_or_else(|| file_names::search_briefly(&cwd, &quit).into());
            let found = file_names::suggest(&names, &cwd, &query, &|path: &Path| hidden(path));
            let response = FileSuggestionsResponse {
                suggestions: found.iter().map(Raw::of).chain(resources.iter().map(Raw::of)).collect(),
                cwd: cwd.display().to_string(),
                ..FileSuggestionsResponse::default()
            };
            messages::success(&id, &response)
        });
    }

    /// Marks a file as read by the model if it has not changed since the host read it.
    pub(super) fn seed_read_state(&mut self, id: &RequestId, request: &SeedReadState) {
        let path = absolute(&self.tooling.cwd().get(), &request.path);
        let (id, files, mtime) = (id.clone(), self.tooling.files().clone(), request.mtime.get());
        self.requests.concurrent.spawn_blocking(&id.clone(), move || {
            // Otherwise the file stays unread, and the model gets an error that asks it to read the file.
            if let Some(content) = unchanged_since(&path, mtime) {
                files.saw(&path, &content);
            }
            messages::ok(&id)
        });
    }

    /// Responds with the end of a task's output. A foreground command can also be addressed by the id of its call.
    pub(super) async fn task_output(&mut self, id: &RequestId, task_id: &str) {
        let tasks = self.tooling.tasks();
        let Some(task) = tasks.get(task_id).or_else(|| tasks.of_call(task_id)) else {
            return self.emit(messages::error(id, format!("No such task: {task_id}"))).await;
        };
        let id = id.clone();
        if let Some(printing) = tasks.printing(&task.id).filter(|_| task.output_file.is_none()) {
            self.requests.concurrent.spawn(&id.clone(), async move {
                let (text, total) = printing.tail(OUTPUT_TAIL_BYTES).await;
                let response = GetTaskOutputResponse {
                    output: text,
                    total_bytes: total,
                    truncated: total > OUTPUT_TAIL_BYTES,
                    ..GetTaskOutputResponse::default()
                };
                messages::success(&id, &response).into()
            });
            return;
        }
        self.requests.concurrent.spawn_blocking(&id.clone(), move || {
            match task.output_file.as_deref().map_or(Ok(Tail::default()), tail) {
                Ok(tail) => {
                    let response = GetTaskOutputResponse {
                        output: tail.text,
                        total_bytes: tail.total,
                        truncated: tail.total > OUTPUT_TAIL_BYTES,
                        ..GetTaskOutputResponse::default()
                    };
                    messages::success(&id, &response)
                }
                Err(error) => messages::error(&id, format!("get_task_output: {error}")),
            }
        });
    }

    /// Responds with the plan file.
    pub(super) fn plan(&mut self, id: &RequestId) {
        let path = self.policy.plan_file.clone();
        let id = id.clone();
        self.requests.concurrent.spawn_blocking(&id.clone(), move || {
            let plan = path.and_then(|path| Some((read_own_file(&path).ok()?, path)));
            let (plan, path) = plan.unzip();
            let response = GetPlanResponse {
                exists: plan.is_some(),
                plan,
                file_path: path.map(|path| path.display().to_string()),
                ..GetPlanResponse::default()
            };
            messages::success(&id, &response)
        });
    }
}

/// Opens the file that the decision was about. Never waits for a writer of a pipe, and fails if the path is a link now.
fn open(path: &Path, pin: &Pin) -> io::Result<File> {
    let file = sluice_tools::open_checked(path, Some(pin))?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    Ok(file)
}

fn read(path: &Path, pin: &Pin, request: &ReadFile) -> io::Result<ReadFileResponse> {
    let limit = request.max_bytes.unwrap_or(DEFAULT_READ_BYTES).min(MAX_READ_BYTES);
    let mut bytes = Vec::new();
    open(path, pin)?.take(limit + 1).read_to_end(&mut bytes)?;
    let truncated = u64::try_from(bytes.len()).is_ok_and(|length| length > limit);
    if truncated {
        bytes.pop();
    }
    let mut response = ReadFileResponse {
        abs_path: path.display().to_string(),
        truncated: truncated.then_some(true),
        requested_path: Some(request.path.clone()),
        ..ReadFileResponse::default()
    };
    response.extra.insert("requested_path", &request.path);
    if request.encoding.as_deref() == Some("base64") {
        response.contents = BASE64_STANDARD.encode(&bytes);
        response.encoding = Some("base64".to_owned());
    } else {
        if truncated {
            drop_incomplete_char(&mut bytes);
        }
        match String::from_utf8(bytes) {
            Ok(text) => {
                response.contents = text;
                response.lossy = Some(false);
            }
            Err(error) => {
                response.contents = String::from_utf8_lossy(error.as_bytes()).into_owned();
                response.lossy = Some(true);
            }
        }
    }
    Ok(response)
}

/// Reads the text of a file that belongs to the session.
fn read_own_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path, &Pin::new(path))?
        .take(MAX_READ_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// Removes an incomplete UTF-8 sequence at the end.
fn drop_incomplete_char(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}

/// Returns the content of a file that was not modified after `mtime`, in milliseconds since the Unix epoch.
fn unchanged_since(path: &Path, mtime: f64) -> Option<Vec<u8>> {
    let file = open(path, &Pin::new(path)).ok()?;
    let metadata = file.metadata().ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    // Hosts send whole milliseconds.
    #[allow(clippy::cast_precision_loss)]
    let is_same = changed.as_millis() as f64 <= mtime.ceil();
    if !is_same || metadata.len() > MAX_SEED_BYTES {
        return None;
    }
    let mut content = Vec::new();
    file.take(MAX_SEED_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
}

#[derive(Debug, Default)]
struct Tail {
    text: String,
    total: u64,
}

fn tail(path: &Path) -> io::Result<Tail> {
    let mut file = open(path, &Pin::new(path))?;
    let total = file.metadata()?.len();
    file.seek(SeekFrom::Start(total.saturating_sub(OUTPUT_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(OUTPUT_TAIL_BYTES).read_to_end(&mut bytes)?;
    // Skip the rest of a UTF-8 sequence that the tail starts in.
    let broken = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let whole = if total > OUTPUT_TAIL_BYTES {
        bytes.get(broken..)
    } else {
        None
    };
    Ok(Tail {
        text: String::from_utf8_lossy(whole.unwrap_or(&bytes)).into_owned(),
        total,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use super::*;

    fn request(max_bytes: Option<u64>, encoding: Option<&str>) -> ReadFile {
        ReadFile {
            path: "f".into(),
            max_bytes,
            encoding: encoding.map(str::to_owned),
            ..ReadFile::default()
        }
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("f");
        (folder, path)
    }

    #[test]
    fn limit_does_not_split_a_character() {
        let (_folder, path) = folder();
        std::fs::write(&path, "aäb").unwrap();
        let cut = read(&path, &Pin::new(&path), &request(Some(2), None)).unwrap();
        assert_eq!(
            (cut.contents.as_str(), cut.truncated, cut.lossy),
            ("a", Some(true), Some(false))
        );
        let whole = read(&path, &Pin::new(&path), &request(Some(4), None)).unwrap();
        assert_eq!((whole.contents.as_str(), whole.truncated), ("aäb", None));
    }

    #[test]
    fn binary_content_is_marked_lossy_or_sent_as_base64() {
        let (_folder, path) = folder();
        std::fs::write(&path, [b'a', 0xFF]).unwrap();
        assert_eq!(
            read(&path, &Pin::new(&path), &request(None, None)).unwrap().lossy,
            Some(true)
        );
        let bytes = read(&path, &Pin::new(&path), &request(None, Some("base64"))).unwrap();
        assert_eq!(
            (bytes.contents.as_str(), bytes.encoding.as_deref()),
            ("Yf8=", Some("base64"))
        );
    }

    #[test]
    fn only_regular_files_are_read() {
        let (folder, path) = folder();
        assert!(
            read(
                folder.path(),
                &Pin::new(&folder.path().canonicalize().unwrap()),
                &request(None, None)
            )
            .is_err()
        );
        let other = path.with_file_name("other");
        std::fs::write(&other, "secret").unwrap();
        let pin = Pin::new(&path);
        std::os::unix::fs::symlink(&other, &path).unwrap();
        // The decision was about `f` itself; now it is a link.
        assert!(read(&path, &pin, &request(None, None)).is_err());
    }

    #[test]
    fn file_modified_after_the_host_read_it_stays_unread() {
        let (_folder, path) = folder();
        std::fs::write(&path, "x").unwrap();
        assert_eq!(unchanged_since(&path, 1.0), None);
        assert_eq!(unchanged_since(&path, 9e15), Some(b"x".to_vec()));
    }

    #[test]
    fn output_tail_starts_with_a_whole_character() {
        let (_folder, path) = folder();
        let text = format!("ä{}", "x".repeat(8191));
        std::fs::write(&path, &text).unwrap();
        let end = tail(&path).unwrap();
        assert_eq!((end.text.as_str(), end.total), ("x".repeat(8191).as_str(), 8193));
        std::fs::write(&path, "short").unwrap();
        assert_eq!(tail(&path).unwrap().text, "short");
    }
}
