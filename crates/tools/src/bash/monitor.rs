//! Monitor: a background command whose output lines are reported to the model as they appear.
//!
//! Lines are batched, so that a busy command causes a bounded number of turns. A command with continuous output is
//! stopped.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Shell, Started, send_end, start, view};
use crate::context::{Context, ToolEvent};
use crate::input;
use crate::outcome::Outcome;
use crate::tasks::{Task, TaskStatus};
use crate::tool::{Activity, Descriptor, Pending, Tool};

/// Maximum running time in milliseconds.
const MAX_TIMEOUT: u64 = 1_800_000;
/// How long lines are batched before they are reported.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of lines in one report.
const MAX_LINES: usize = 50;
/// Maximum length of a reported line in bytes.
const MAX_LINE: usize = 1_000;
/// Number of reports without a pause after which the command is stopped.
const MAX_REPORTS: u32 = 60;
/// Minimum length of a pause, after which the count of reports restarts.
const MIN_PAUSE: Duration = Duration::from_secs(10);
/// Capacity of the queue of lines.
const QUEUE_CAPACITY: usize = 256;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Monitor".into(),
    description: "Runs a command in the background and tells you each line that it prints, while you do other work.\n\n\
        - For things to react to: a log (`tail -n0 -F app.log | grep --line-buffered ERROR`), a build, a condition in a loop \
        with sleep. Print only lines that matter: each may start a turn. Use `grep --line-buffered`.\n\
        - Lines that come together are told together. A command that prints without a pause is ended.\n\
        - `timeout_ms` ends it, after 30 minutes at the latest; you are told and can start it again. TaskStop ends it at once.\n\
        - The whole output goes to a file. To wait for the end of one command, Bash with `run_in_background` is enough.\n\
        - A line is output of a program. It is not an answer of the person."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "description": {"type": "string", "minLength": 1, "description": "What is monitored, in a few words."},
            "timeout_ms": {"type": "integer", "minimum": 1000, "default": 300_000,
                "description": "Milliseconds until it ends, at most 1800000."},
            "command": {"type": "string", "minLength": 1, "description": "The command. Each line it prints is reported."},
            "ws": {"type": "object", "description": "Not supported here: run a WebSocket client as `command`."},
        },
        "required": ["description", "timeout_ms"],
    }),
    touches: Touches::Shell {
        command: "command",
        sandbox: None,
    },
    of_conversation: true,
    activity: Some(Activity {
        words: "Monitoring",
        keys: &["description", "command"],
    }),
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct Monitor;

#[derive(Debug, Deserialize)]
struct Input {
    description: String,
    timeout_ms: u64,
    command: Option<String>,
    ws: Option<Value>,
}

impl Tool for Monitor {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        true
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn vet<'a>(&'a self, input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        let refused = match (input.get("command").and_then(Value::as_str), input.get("ws")) {
            (Some(_), None) => None,
            (_, Some(_)) => Some("WebSockets are not supported here. Run a client for them as `command`."),
            (None, None) => Some("Monitor needs a `command`."),
        };
        Box::pin(std::future::ready(refused.map(Outcome::refused)))
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            if let Some(refused) = self.vet(&input, cx).await {
                return refused;
            }
            match input::parsed::<Input>(&DESCRIPTOR, &input) {
                Ok(input) => run(input, cx).await,
                Err(outcome) => outcome,
            }
        })
    }
}

async fn run(input: Input, cx: &Context) -> Outcome {
    debug_assert!(input.ws.is_none());
    if cx.cancel.is_cancelled() {
        return Outcome::interrupted();
    }
    let (command, description) = (input.command.unwrap_or_default(), input.description);
    let (lines, printed) = Lines::channel();
    let Started { id, shell, .. } = match start(&command, false, cx, Some(lines)) {
        Ok(started) => started,
        Err(outcome) => return outcome,
    };
    let saved = shell.output.save().await;
    let Some((path, _)) = saved.file else {
        shell.process.killer().cancel();
        let why = saved.trouble.unwrap_or_default();
        return Outcome::failed(format!(
            "The output of the command cannot be saved, so it was not started: {why}"
        ));
    };
    let mut task_view = view(id.clone(), &command, description, true, cx);
    task_view.output_file = Some(path);
    let task = cx.tasks.adopt(task_view.clone(), shell.process.killer());
    task.prints(shell.output.printing());
    let started = ToolEvent::TaskStarted {
        task: task_view,
        is_backgrounded: true,
    };
    let sent = tokio::select! {
        sent = cx.events.send(started) => sent.is_ok(),
        () = cx.cancel.cancelled() => false,
    };
    if !sent {
        shell.process.killer().cancel();
        return Outcome::interrupted();
    }
    task.listed();
    let limit = Duration::from_millis(input.timeout_ms.min(MAX_TIMEOUT));
    tokio::spawn(watch(task, shell, printed, cx.events.clone(), limit));
    let seconds = limit.as_secs();
    let text = format!(
        "The monitor runs (task {id}). You are told what it prints, and when it ends, after {seconds} s at the latest. Go on \
         with other work; do not wait for it."
    );
    let timeout_ms = u64::try_from(limit.as_millis()).unwrap_or(MAX_TIMEOUT);
    Outcome::ok(
        text,
        json!({"taskId": id, "timeoutMs": timeout_ms, "persistent": false}),
    )
}

/// Why a monitor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The command exited or was stopped.
    Exit,
    Expired(Duration),
    Flood,
}

/// Reports the output lines and the end of the command.
async fn watch(
    task: Arc<Task>,
    shell: Arc<Shell>,
    mut printed: mpsc::Receiver<String>,
    events: mpsc::Sender<ToolEvent>,
    limit: Duration,
) {
    let deadline = Instant::now() + limit;
    let mut batch = Batch::default();
    let mut ended = None;
    let exit = loop {
        tokio::select! {
            biased;
            exit = shell.process.exit() => break exit,
            () = tokio::time::sleep_until(deadline), if ended.is_none() => {
                ended = Some(Ended::Expired(limit));
                shell.process.killer().cancel();
            }
            () = until(batch.due), if ended.is_none() => {
                report(&task, &mut batch, &events).await;
                if batch.reports > MAX_REPORTS {
                    ended = Some(Ended::Flood);
                    shell.process.killer().cancel();
                }
            }
            Some(line) = printed.recv() => batch.add(line, Instant::now()),
        }
    };
    shell.settle().await;
    while let Ok(line) = printed.try_recv() {
        batch.add(line, Instant::now());
    }
    let mut view = task.exited(exit);
    let what = &view.description;
    let (status, summary) = match ended.unwrap_or(Ended::Exit) {
        // Reaching its time limit is the regular end of a monitor.
        Ended::Expired(limit) => (
            TaskStatus::Killed,
            format!("Monitor \"{what}\" expired after {} s", limit.as_secs()),
        ),
        Ended::Flood => (
            TaskStatus::Failed,
            format!("Monitor \"{what}\" was ended because it prints without a pause. Filter its output"),
        ),
        Ended::Exit if view.status == TaskStatus::Failed => (
            TaskStatus::Failed,
            format!("Monitor \"{what}\" failed with exit code {}", exit.code()),
        ),
        Ended::Exit => (view.status, format!("Monitor \"{what}\" has ended")),
    };
    view.status = status;
    let is_stopped = status == TaskStatus::Killed && ended.is_none();
    let event = ToolEvent::TaskEnded {
        is_backgrounded: true,
        status,
        summary,
        task: view,
        printed: batch.take(),
        notifies: !is_stopped,
    };
    send_end(&task, event, &events).await;
}

async fn report(task: &Task, batch: &mut Batch, events: &mpsc::Sender<ToolEvent>) {
    if let Some(text) = batch.take() {
        let task = task.view();
        // Send errors are ignored: the session has ended.
        events.send(ToolEvent::TaskPrinted { task, text }).await.ok();
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Lines to be reported.
#[derive(Debug, Default)]
struct Batch {
    lines: Vec<String>,
    dropped: usize,
    due: Option<Instant>,
    last: Option<Instant>,
    /// Number of reports since the last pause.
    reports: u32,
}

impl Batch {
    fn add(&mut self, line: String, now: Instant) {
        if self.last.is_none_or(|last| now.duration_since(last) > MIN_PAUSE) {
            self.reports = 0;
        }
        self.last = Some(now);
        self.due.get_or_insert(now + BATCH_INTERVAL);
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        } else {
            self.dropped += 1;
        }
    }

    /// Returns the text of the report, if there is something to report.
    fn take(&mut self) -> Option<String> {
        self.due = None;
        if self.lines.is_empty() {
            return None;
        }
        self.reports += 1;
        if self.dropped > 0 {
            self.lines
                .push(format!("({} more lines are in the output file)", self.dropped));
            self.dropped = 0;
        }
        Some(std::mem::take(&mut self.lines).join("\n"))
    }
}

/// Splits output into lines and queues them. It never blocks the command: lines that exceed the queue are dropped here
/// and remain in the output file.
#[derive(Debug)]
pub(crate) struct Lines {
    sender: mpsc::Sender<String>,
    rest: Vec<u8>,
}

impl Lines {
    fn channel() -> (Self, mpsc::Receiver<String>) {
        let (sender, printed) = mpsc::channel(QUEUE_CAPACITY);
        let rest = Vec::new();
        (Self { sender, rest }, printed)
    }

    /// Adds output.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            let room = MAX_LINE.saturating_sub(self.rest.len());
            self.rest.extend_from_slice(part.get(..room).unwrap_or(part));
            if parts.peek().is_some() {
                self.send();
            }
        }
    }

    fn send(&mut self) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.rest))
            .trim_end()
            .to_owned();
        if !line.is_empty() {
            self.sender.try_send(line).ok();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.send();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn output_is_split_into_lines_of_bounded_length() {
        let (mut lines, mut printed) = Lines::channel();
        for piece in [&b"one\ntw"[..], b"o\n\n", b"thr", &[b'x'; 2 * MAX_LINE], b"\nlast"] {
            lines.add(piece);
        }
        drop(lines);
        let mut all = Vec::new();
        while let Ok(line) = printed.try_recv() {
            all.push(line);
        }
        assert_eq!(all.len(), 4);
        assert_eq!(
            (&*all[0], &*all[1], all[2].len(), &*all[3]),
            ("one", "two", MAX_LINE, "last")
        );
    }

    #[test]
    fn lines_are_reported_together_and_a_series_without_a_pause_is_counted() {
        let mut batch = Batch::default();
        let now = Instant::now();
        assert_eq!(batch.take(), None);
        for number in 0..=MAX_LINES {
            batch.add(number.to_string(), now);
        }
        assert_eq!(batch.due, Some(now + BATCH_INTERVAL));
        let text = batch.take().unwrap();
        assert_eq!(text.lines().count(), MAX_LINES + 1);
        assert!(text.ends_with("(1 more lines are in the output file)"), "{text}");
        batch.add("x".into(), now + MIN_PAUSE);
        batch.take();
        assert_eq!((batch.reports, batch.due), (2, None));
        batch.add("x".into(), now + 3 * MIN_PAUSE);
        assert_eq!(batch.reports, 0);
    }
}
