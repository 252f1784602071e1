//! Test doubles for the streams and the session of a door.

use std::io::{self, Write};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_engine::{Exit, Input, Port};
use sluice_stdio::{Door, Format, InputMode, Pace};
use sluice_wire::{Frame, ToHost};
use tokio_util::sync::CancellationToken;

/// The maximum time that a test waits.
const TIMEOUT: Duration = Duration::from_secs(30);
/// A hold that never ends during a test.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(3600);

/// A stream that reports every write.
pub(crate) struct Sink(mpsc::Sender<Vec<u8>>);

/// The writes that reached a [`Sink`].
pub(crate) struct Written(mpsc::Receiver<Vec<u8>>);

pub(crate) fn sink() -> (Sink, Written) {
    let (told, heard) = mpsc::channel();
    (Sink(told), Written(heard))
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.send(bytes.to_vec()) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    /// The next write.
    pub(crate) fn next(&self) -> String {
        String::from_utf8(self.0.recv_timeout(TIMEOUT).expect("something is written")).unwrap()
    }

    /// Everything until the stream is closed, as text.
    pub(crate) fn rest(&self) -> String {
        String::from_utf8(self.0.iter().flatten().collect()).unwrap()
    }
}

/// A simulated session behind the door.
pub(crate) struct Session {
    pub(crate) inbox: tokio::sync::mpsc::Receiver<Vec<Input>>,
    pub(crate) output: tokio::sync::mpsc::Sender<ToHost>,
    pub(crate) quit: CancellationToken,
}

impl Session {
    pub(crate) async fn say(&self, message: Value) {
        self.output.send(to_host(&message)).await.expect("the door listens");
    }
}

/// Creates a port with a simulated session.
pub(crate) fn port<F>(run: impl FnOnce(Session) -> F) -> Port
where
    F: Future<Output = i32> + Send + 'static,
{
    let (input, inbox) = tokio::sync::mpsc::channel(16);
    let (sender, output) = tokio::sync::mpsc::channel(16);
    let quit = CancellationToken::new();
    let run = run(Session {
        inbox,
        output: sender,
        quit: quit.clone(),
    });
    Port {
        input,
        output,
        quit,
        done: tokio::spawn(async { Exit { code: run.await } }),
    }
}

/// A pace with this hold time, for a host that reads everything immediately.
pub(crate) fn pace(hold: Duration) -> Pace {
    Pace { hold, unread: || 0 }
}

/// A door with this format that reads lines and does not hold back events.
pub(crate) fn door(format: Format) -> Door {
    Door {
        input: InputMode::StreamJson,
        format: format.into(),
        pace: pace(Duration::ZERO),
        greeted: false,
    }
}

pub(crate) fn to_host(message: &Value) -> ToHost {
    Frame::parse(&message.to_string()).unwrap().to_host().unwrap()
}

pub(crate) fn event(n: usize) -> Value {
    json!({"type": "stream_event", "event": {"type": "content_block_stop", "index": n}, "session_id": "s",
        "parent_tool_use_id": null, "uuid": format!("e{n}")})
}

pub(crate) fn informational(text: &str) -> Value {
    json!({"type": "system", "subtype": "informational", "content": text, "level": "notice", "session_id": "s",
        "uuid": "i"})
}

pub(crate) fn result(fields: Value) -> Value {
    let mut result = json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1,
        "duration_api_ms": 1, "num_turns": 1, "session_id": "s", "total_cost_usd": 0, "modelUsage": {},
        "usage": {"input_tokens": 0, "output_tokens": 0},
        "permission_denials": [], "uuid": "r"});
    let Value::Object(fields) = fields else {
        panic!("fields are an object")
    };
    result.as_object_mut().unwrap().extend(fields);
    result
}

/// Every line as JSON.
pub(crate) fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
