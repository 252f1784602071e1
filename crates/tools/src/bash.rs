//! Bash: runs one command in a fresh shell, in the foreground or background.

mod meaning;
mod monitor;
mod report;
mod shell;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

pub(crate) use crate::bash::monitor::{Lines, Monitor};
use crate::bash::report::Report;
use crate::bash::shell::Shell;
use crate::context::{Context, ToolEvent};
use crate::outcome::Outcome;
use crate::process::Exit;
use crate::sandbox::{self, Confined, Note, Place};
use crate::tasks::{self, Task, TaskStatus, TaskView};
use crate::tool::{Activity, Descriptor, Pending, Tool};
use crate::{ids, input, paths};

/// Default timeout in milliseconds.
const DEFAULT_TIMEOUT: u64 = 120_000;
/// Maximum timeout in milliseconds.
const MAX_TIMEOUT: u64 = 600_000;
/// Running time after which a foreground command is announced as a task.
const ANNOUNCE_AFTER: Duration = Duration::from_millis(2500);
/// Interval between progress events of a running call.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum time to wait for a killed command.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long output is still read after the shell exits while its child processes keep the pipe open.
const LATE_OUTPUT_TIMEOUT: Duration = Duration::from_millis(50);

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Bash".into(),
    description: "Runs a command in bash and gives back what it printed.\n\n\
        - Every call is a new shell: variables, functions and exports do not carry over. The working directory does, as long as it stays inside the project's directories.\n\
        - stdin is empty, so interactive programs do not work; stdout and stderr come back together, in order.\n\
        - A command has 2 minutes (`timeout`, in milliseconds, up to 10 minutes); one that takes longer goes on in the background.\n\
        - `run_in_background` starts a server or a long job and returns at once; its output goes to a file you can read, and you are told when it ends. Do not add `&` yourself, and do not poll with sleep.\n\
        - Long output is saved to a file and only its beginning is shown.\n\
        - Quote paths with spaces. Join commands that depend on each other with `&&`. Independent commands can be separate calls in one message.\n\
        - To read, write and change files prefer Read, Write and Edit: their effect is visible and can be reviewed.\n\
        - `description`: what the command does, in a few words, for the person who is asked to allow it.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1, "description": "The command to run."},
            "timeout": {"type": "integer", "minimum": 1, "description": "Milliseconds it may take, at most 600000."},
            "description": {"type": "string", "description": "What it does, in 5 to 10 words."},
            "run_in_background": {"type": "boolean", "description": "Return at once and let it run."},
            "dangerouslyDisableSandbox": {"type": "boolean", "description": "Run outside the sandbox, where there is one."},
        },
        "required": ["command"],
        "additionalProperties": false,
    }),
    touches: Touches::Shell {
        command: "command",
        sandbox: Some("dangerouslyDisableSandbox"),
    },
    background: Some("run_in_background"),
    activity: Some(Activity {
        words: "Running",
        keys: &["description", "command"],
    }),
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct Bash;

#[derive(Debug, Clone, Deserialize)]
struct Input {
    command: String,
    timeout: Option<u64>,
    description: Option<String>,
    #[serde(default)]
    run_in_background: bool,
    #[serde(default, rename = "dangerouslyDisableSandbox")]
    disable_sandbox: bool,
}

impl Tool for Bash {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, input: &Value) -> bool {
        let command = input.get("command").and_then(Value::as_str);
        input.get("run_in_background") != Some(&Value::Bool(true))
            && command.is_some_and(sluice_permission::side_by_side)
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => run(input, cx).await,
                Err(outcome) => outcome,
            }
        })
    }
}

async fn run(input: Input, cx: &Context) -> Outcome {
    if cx.cancel.is_cancelled() {
        return Outcome::interrupted();
    }
    let mut report = Report::new(&input.command);
    let started = match start(&input.command, input.disable_sandbox, cx, None) {
        Ok(started) => started,
        Err(outcome) => return outcome,
    };
    report.sandboxed(started.note);
    let description = input
        .description
        .clone()
        .filter(|text| !text.trim().is_empty())
        .unwrap_or_else(|| input.command.clone());
    let Started {
        id, shell, directory, ..
    } = started;
    let view = view(id, &input.command, description, input.run_in_background, cx);
    // dropping this call ends the command
    let guard = shell.process.killer().drop_guard();
    let task = cx.tasks.adopt(view, shell.process.killer());
    task.prints(shell.output.printing());
    tokio::spawn(follow(Arc::clone(&task), Arc::clone(&shell), cx.events.clone()));
    let call = Call {
        cx,
        input,
        shell,
        task,
        directory,
    };
    let (outcome, stays) = call.play(report).await;
    if stays {
        guard.disarm();
    }
    outcome
}

/// A started command.
struct Started {
    id: String,
    shell: Arc<Shell>,
    directory: PathBuf,
    /// A note for the model about the sandbox, if the command runs in one.
    note: Option<Note>,
}

/// Starts a command in the current directory, inside the sandbox if it applies. `lines` receives the output lines.
fn start(command: &str, unconfined: bool, cx: &Context, lines: Option<Lines>) -> Result<Started, Outcome> {
    let directory = directory(cx)?;
    let confined = confined(command, unconfined, &directory, cx).map_err(Outcome::failed)?;
    let note = confined.as_ref().map(Confined::note);
    let id = ids::task_id();
    let output = cx.output_dir.join(format!("{id}.output"));
    let shell = Shell::start(command, &directory, cx, output, confined, lines);
    let shell = Arc::new(shell.map_err(|error| Outcome::failed(shell::explained(&error)))?);
    Ok(Started {
        id,
        shell,
        directory,
        note,
    })
}

/// Returns the confinement of the command: the configured sandbox, or the deny rules alone.
fn confined(command: &str, unconfined: bool, directory: &Path, cx: &Context) -> Result<Option<Confined>, String> {
    let place = Place {
        directory,
        roots: &cx.roots,
        scratch: &cx.output_dir,
        env: &cx.env,
        policy: cx.policy.as_deref(),
    };
    match cx.sandbox.as_deref() {
        Some(sandbox) if sandbox.applies(command, unconfined) => sandbox.prepare(&place).map(Some),
        _ => sandbox::fenced(command, &place),
    }
}

/// Creates the task entry of a command.
fn view(id: String, command: &str, description: String, is_backgrounded: bool, cx: &Context) -> TaskView {
    TaskView {
        id,
        call_id: cx.call_id.clone(),
        command: command.to_owned(),
        description,
        status: TaskStatus::Running,
        is_backgrounded,
        exit_code: None,
        output_file: None,
        started_at: tasks::now(),
        ended_at: None,
        parent: None,
        agent: None,
    }
}

/// Returns the folder to run in. If it no longer exists, the command fails instead of running in another folder than
/// its author expected.
fn directory(cx: &Context) -> Result<PathBuf, Outcome> {
    let current = cx.cwd.get();
    if current.is_dir() {
        return Ok(current);
    }
    let gone = format!("Working directory \"{}\" no longer exists", current.display());
    let start = cx.cwd.start();
    if current == start || !start.is_dir() {
        return Err(Outcome::failed(format!(
            "{gone}. Nothing can be run until it is there again."
        )));
    }
    cx.cwd.set(start.clone());
    Err(Outcome::failed(format!(
        "{gone}. The command was not run; the next one runs in {}.",
        start.display()
    )))
}

/// Waits for the end of a command, even after its call has returned, and reports it.
async fn follow(task: Arc<Task>, shell: Arc<Shell>, events: mpsc::Sender<ToolEvent>) {
    let exit = shell.process.exit().await;
    let view = task.exited(exit);
    if !view.is_backgrounded {
        task.announce_end();
        return;
    }
    shell.settle().await;
    send_end(&task, ended(view), &events).await;
}

/// Reports the end of a background task, then wakes the callers that wait for it.
async fn send_end(task: &Task, event: ToolEvent, events: &mpsc::Sender<ToolEvent>) {
    task.was_listed().await;
    match events.try_send(event) {
        Err(mpsc::error::TrySendError::Full(event)) => {
            // a caller that waits for the end may be the one that must read events first
            task.announce_end();
            drop(events.send(event).await);
        }
        Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => task.announce_end(),
    }
}

fn ended(task: TaskView) -> ToolEvent {
    let (what, code) = (&task.description, task.exit_code.unwrap_or(1));
    let summary = match task.status {
        _ if !task.is_backgrounded => what.clone(),
        TaskStatus::Completed => format!("Background command \"{what}\" completed (exit code {code})"),
        TaskStatus::Failed => format!("Background command \"{what}\" failed with exit code {code}"),
        TaskStatus::Running | TaskStatus::Killed => what.clone(),
    };
    ToolEvent::TaskEnded {
        is_backgrounded: task.is_backgrounded,
        status: task.status,
        summary,
        printed: None,
        notifies: task.status != TaskStatus::Killed,
        task,
    }
}

/// Why a command moves to the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Started,
    TimedOut(u64),
    Asked,
}

/// State of one foreground command.
struct Call<'a> {
    cx: &'a Context,
    input: Input,
    shell: Arc<Shell>,
    task: Arc<Task>,
    directory: PathBuf,
}

/// Reads a number from the environment of commands.
fn number(cx: &Context, name: &str) -> Option<u64> {
    let (_, value) = cx.env.iter().find(|(known, _)| known == name)?;
    value.to_str()?.trim().parse().ok().filter(|number| *number > 0)
}

impl Call<'_> {
    /// Returns the timeout in milliseconds: the requested one, up to the configured maximum.
    fn limit(&self) -> u64 {
        let usual = number(self.cx, "BASH_DEFAULT_TIMEOUT_MS").unwrap_or(DEFAULT_TIMEOUT);
        let longest = number(self.cx, "BASH_MAX_TIMEOUT_MS").unwrap_or(MAX_TIMEOUT);
        // A default above the maximum raises the maximum.
        self.input.timeout.unwrap_or(usual).min(longest.max(usual))
    }

    /// True if background execution is disabled in the environment.
    fn stays_in_front(&self) -> bool {
        let set = self
            .cx
            .env
            .iter()
            .find(|(name, _)| name == "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
        let value = set.and_then(|(_, value)| value.to_str()).unwrap_or_default();
        matches!(value.to_ascii_lowercase().trim(), "1" | "true" | "yes" | "on")
    }

    /// Returns the outcome, and whether the command continues to run.
    async fn play(&self, mut report: Report) -> (Outcome, bool) {
        let mut announced = false;
        if self.input.run_in_background
            && let Some(outcome) = self.background(Why::Started, announced, &mut report).await
        {
            return (outcome, true);
        }
        let limit = self.limit();
        let began = Instant::now();
        let mut heartbeat = tokio::time::interval_at(began + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut deadline = Some(began + Duration::from_millis(limit));
        loop {
            let timed_out = tokio::select! {
                biased;
                () = self.cx.cancel.cancelled() => return (self.cancelled(announced, &report).await, false),
                exit = self.shell.process.exit() => return (self.finished(exit, announced, &mut report).await, true),
                () = until(deadline) => true,
                () = self.task.asked_to_background() => false,
                () = until(Some(began + ANNOUNCE_AFTER)), if !announced => {
                    announced = true;
                    self.send(ToolEvent::TaskStarted { task: self.task.view(), is_backgrounded: false }).await;
                    continue;
                }
                _ = heartbeat.tick() => {
                    // a missed progress event does not matter
                    let beat = ToolEvent::Progress { call_id: self.cx.call_id.clone(), elapsed_seconds: began.elapsed().as_secs() };
                    self.cx.events.try_send(beat).ok();
                    continue;
                }
            };
            if timed_out && (self.stays_in_front() || meaning::only_waits(&self.input.command)) {
                self.shell.process.killer().cancel();
                report.timed_out(limit);
                deadline = None;
                continue;
            }
            let why = if timed_out { Why::TimedOut(limit) } else { Why::Asked };
            if let Some(outcome) = self.background(why, announced, &mut report).await {
                return (outcome, true);
            }
            // it has ended meanwhile, or cannot be moved; there is no further reason to move it
            deadline = None;
        }
    }

    /// Moves the command to the background. Returns `None` if it has ended or its output cannot be saved.
    async fn background(&self, why: Why, announced: bool, report: &mut Report) -> Option<Outcome> {
        let printed = self.shell.output.save().await;
        let Some((path, _)) = printed.file.clone() else {
            self.task.stays_in_the_foreground();
            if why != Why::Asked {
                self.shell.process.killer().cancel();
                report.no_file(printed.trouble.as_deref());
            }
            return None;
        };
        let task = self.task.moved_to_background(path)?;
        self.send(if announced {
            ToolEvent::TaskBackgrounded { task: task.clone() }
        } else {
            ToolEvent::TaskStarted {
                task: task.clone(),
                is_backgrounded: true,
            }
        })
        .await;
        self.task.listed();
        Some(report.backgrounded(&task, &printed, why))
    }

    async fn finished(&self, exit: Exit, announced: bool, report: &mut Report) -> Outcome {
        let printed = self.shell.settle().await;
        if let Some(path) = self.shell.directory_after() {
            self.move_to(&path, report);
        }
        if announced {
            self.send(ended(self.task.exited(exit))).await;
        }
        let printed = if report::is_long(&printed) && printed.file.is_none() {
            self.shell.output.save().await
        } else {
            printed
        };
        report.finished(exit, &printed)
    }

    async fn cancelled(&self, announced: bool, report: &Report) -> Outcome {
        self.shell.process.killer().cancel();
        let gone = tokio::time::timeout(KILL_TIMEOUT, self.shell.process.exit()).await;
        if announced && let Ok(exit) = gone {
            self.send(ended(self.task.exited(exit))).await;
        }
        report.cancelled(&self.shell.output.look().await)
    }

    /// Keeps a `cd` inside the project; one that leaves it is undone and reported.
    fn move_to(&self, path: &Path, report: &mut Report) {
        let was = &self.directory;
        if path == was || std::fs::canonicalize(was).is_ok_and(|was| was == path) {
            return;
        }
        let cwd = &self.cx.cwd;
        let start = cwd.start();
        let roots = self.cx.roots.iter().map(PathBuf::as_path).chain([start.as_path()]);
        if path.is_dir() && paths::inside(path, roots) {
            cwd.set(path);
        } else {
            report.cwd_reset(&start);
            cwd.set(start.clone());
        }
    }

    async fn send(&self, event: ToolEvent) {
        // if the channel has room, the event is sent even if the call is being cancelled
        let Err(mpsc::error::TrySendError::Full(event)) = self.cx.events.try_send(event) else {
            return;
        };
        tokio::select! {
            sent = self.cx.events.send(event) => drop(sent),
            // a session that is shutting down reads no more events
            () = self.cx.cancel.cancelled() => {}
        }
    }
}

/// Sleeps until a time; `None` never completes.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => tokio::time::sleep_until(then).await,
        None => std::future::pending().await,
    }
}
