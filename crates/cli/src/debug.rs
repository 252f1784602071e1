//! `--debug`, `--debug-file`: logs the messages of a session line by line to a private file.
//!
//! The log is written between a session and its door: all messages in both directions, the options at the start, and
//! the exit code. Categories filter it: `--debug api,hooks` or `--debug '!stream'`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use sluice_engine::{Exit, Input, Options, Port};
use sluice_wire::MessageType;
use sluice_wire::control::{AgentRequest as _, CanUseTool, HookCallback};
use sluice_wire::stdout::SystemSubtype;
use tokio::sync::mpsc;

use crate::environment::Environment;
use crate::flags::Flags;

/// Maximum length of a logged message in characters.
const MAX_MESSAGE: usize = 600;
/// Capacity of the channels, as in the session.
const CHANNEL_CAPACITY: usize = 512;

/// Selected categories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Choice {
    only: Vec<String>,
    not: Vec<String>,
}

impl Choice {
    fn read(text: &str) -> Self {
        let mut choice = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.strip_prefix('!') {
                Some(word) => choice.not.push(word.to_ascii_lowercase()),
                None => choice.only.push(word.to_ascii_lowercase()),
            }
        }
        choice
    }

    fn takes(&self, category: &str) -> bool {
        let named = |words: &[String]| words.iter().any(|word| word == category);
        (self.only.is_empty() || named(&self.only)) && !named(&self.not)
    }
}

/// Debug log of one session.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    choice: Choice,
    file: Arc<Mutex<File>>,
}

impl Log {
    /// Opens the log if it is enabled.
    pub(crate) fn open(flags: &Flags, environment: &Environment, session_id: &str) -> Result<Option<Self>, String> {
        let path = match (&flags.debug_file, &flags.debug) {
            (Some(path), _) => environment.cwd.join(path),
            (None, Some(_)) => environment.config_dir.join("debug").join(format!("{session_id}.txt")),
            (None, None) => return Ok(None),
        };
        let file = create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        if flags.debug_file.is_none() {
            // The link is optional.
            let _unlinked = link_latest(&path);
        }
        Ok(Some(Self {
            choice: Choice::read(flags.debug.as_deref().unwrap_or_default()),
            file: Arc::new(Mutex::new(file)),
        }))
    }

    /// Writes a line. Errors such as a full disk are ignored.
    fn write(&self, category: &str, text: &str) {
        if !self.choice.takes(category) {
            return;
        }
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
        let line = format!("{now} [DEBUG] {category}: {text}\n");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _full = file.write_all(line.as_bytes());
    }

    /// Logs the options of the session.
    pub(crate) fn begin(&self, options: &Options) {
        self.write("startup", &crate::flags::version_line());
        self.write(
            "startup",
            &format!("session {} in {}", options.session.id, options.cwd.display()),
        );
        let address = &options.model.config.base_url;
        let model = options.model.name.as_deref().unwrap_or("the usual one");
        self.write(
            "api",
            &format!("model {model} at {address}, key: {}", options.model.key_source.as_str()),
        );
        for layer in options.settings.layers() {
            let path = layer.path.as_deref().map(|path| path.display().to_string());
            let waits = if layer.waits() {
                ", partly not applied without trust"
            } else {
                ""
            };
            let path = path.unwrap_or_else(|| "the command line".to_owned());
            self.write("settings", &format!("{} from {path}{waits}", layer.source.as_str()));
        }
        for problem in options.settings.problems() {
            self.write("settings", &problem.to_string());
        }
    }

    /// Wraps the session's port and logs all messages.
    pub(crate) fn watch(self, port: Port) -> Port {
        let Port {
            input,
            output: mut said,
            quit,
            done,
        } = port;
        let (heard, mut hear) = mpsc::channel::<Vec<Input>>(CHANNEL_CAPACITY);
        let (say, output) = mpsc::channel(CHANNEL_CAPACITY);
        let log = self.clone();
        tokio::spawn(async move {
            while let Some(inputs) = hear.recv().await {
                for one in &inputs {
                    log.heard(one);
                }
                if input.send(inputs).await.is_err() {
                    return;
                }
            }
        });
        let log = self.clone();
        let told = tokio::spawn(async move {
            while let Some(message) = said.recv().await {
                log.said(&message);
                if say.send(message).await.is_err() {
                    return;
                }
            }
        });
        let done = tokio::spawn(async move {
            let exit = done.await.unwrap_or(Exit { code: 1 });
            // The last messages are logged before the end.
            let _told = told.await;
            self.write("startup", &format!("ended with {}", exit.code));
            exit
        });
        Port {
            input: heard,
            output,
            quit,
            done,
        }
    }

    fn heard(&self, input: &Input) {
        match input {
            Input::Message(message) => match serde_json::to_value(message) {
                Ok(message) => self.write(category(&message), &format!("<- {}", brief(&message))),
                Err(error) => self.write("wire", &format!("<- {error}")),
            },
            Input::Bad(problem) | Input::BadRequest { problem, .. } => self.write("wire", &format!("<- {problem}")),
            Input::Eof => self.write("wire", "<- the input has ended"),
            Input::Signal(signal) => self.write("wire", &format!("<- {signal:?}")),
        }
    }

    fn said(&self, message: &sluice_wire::ToHost) {
        match serde_json::to_value(message) {
            Ok(message) => self.write(category(&message), &format!("-> {}", brief(&message))),
            Err(error) => self.write("wire", &format!("-> {error}")),
        }
    }
}

/// Returns the category of a message.
fn category(message: &Value) -> &'static str {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match MessageType::of(text("/type")) {
        MessageType::StreamEvent => "stream",
        MessageType::System => match SystemSubtype::of(text("/subtype")) {
            SystemSubtype::ApiRetry | SystemSubtype::ModelFallback => "api",
            SystemSubtype::HookStarted | SystemSubtype::HookProgress | SystemSubtype::HookResponse => "hooks",
            SystemSubtype::PermissionDenied => "permissions",
            _ => "wire",
        },
        MessageType::ControlRequest => match text("/request/subtype") {
            HookCallback::SUBTYPE => "hooks",
            CanUseTool::SUBTYPE => "permissions",
            request if request.starts_with("mcp_") => "mcp",
            _ => "control",
        },
        MessageType::ControlResponse | MessageType::ControlCancelRequest => "control",
        _ => "wire",
    }
}

/// Returns a message as one line of limited length.
fn brief(message: &Value) -> String {
    let text = message.to_string();
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}

/// Creates a file that only its owner can read, because it contains the conversation.
fn create(path: &Path) -> io::Result<File> {
    sluice_engine::transcript::private::append(path)
}

/// Points the symlink `latest` next to the file to it.
fn link_latest(path: &Path) -> io::Result<()> {
    let latest: PathBuf = path.with_file_name("latest");
    match fs::remove_file(&latest) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::os::unix::fs::symlink(path, latest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn categories_are_chosen_or_left_out() {
        let takes = |text: &str| ["api", "hooks", "mcp"].map(|category| Choice::read(text).takes(category));
        assert_eq!(takes(""), [true; 3]);
        assert_eq!(takes("api, Hooks"), [true, true, false]);
        assert_eq!(takes("!mcp"), [true, true, false]);
        assert_eq!(takes("api,!api"), [false; 3]);
    }

    #[test]
    fn a_message_has_its_category() {
        for (message, expected) in [
            (json!({"type": "stream_event"}), "stream"),
            (json!({"type": "system", "subtype": "api_retry"}), "api"),
            (
                json!({"type": "control_request", "request": {"subtype": "hook_callback"}}),
                "hooks",
            ),
            (
                json!({"type": "control_request", "request": {"subtype": "mcp_message"}}),
                "mcp",
            ),
            (
                json!({"type": "control_request", "request": {"subtype": "interrupt"}}),
                "control",
            ),
            (json!({"type": "user"}), "wire"),
        ] {
            assert_eq!(category(&message), expected, "{message}");
        }
    }

    #[test]
    fn a_long_message_is_cut_where_a_letter_ends() {
        let long = json!("ä".repeat(MAX_MESSAGE * 2));
        assert!(brief(&long).contains("… ("));
    }
}
