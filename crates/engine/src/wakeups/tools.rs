//! The tools that schedule prompts: `ScheduleWakeup`, `CronCreate`, `CronDelete`, `CronList`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::cron::Cron;
use super::{Job, MAX_DELAY, MIN_DELAY, ScheduleError, Wakeups};

const WAKEUP: &str = "ScheduleWakeup";
const CREATE: &str = "CronCreate";
const DELETE: &str = "CronDelete";
const LIST: &str = "CronList";

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Wakeup,
    Create,
    Delete,
    List,
}

#[derive(Debug)]
struct ScheduleTool {
    operation: Operation,
    wakeups: Arc<Wakeups>,
}

/// Returns the tools that schedule prompts.
pub(crate) fn schedule_tools(wakeups: &Arc<Wakeups>) -> impl Iterator<Item = Arc<dyn Tool>> {
    let operations = [Operation::Wakeup, Operation::Create, Operation::Delete, Operation::List];
    let wakeups = wakeups.clone();
    operations.into_iter().map(move |operation| {
        let wakeups = wakeups.clone();
        Arc::new(ScheduleTool { operation, wakeups }) as Arc<dyn Tool>
    })
}

/// True for tools that schedule prompts. Subagents do not have them.
pub(crate) fn is_schedule_tool(name: &str) -> bool {
    matches!(name, WAKEUP | CREATE | DELETE | LIST)
}

fn descriptor(name: &'static str, description: &'static str, properties: &Value, required: &[&str]) -> Descriptor {
    Descriptor {
        name: name.into(),
        description: description.into(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
        touches: Touches::Nothing,
        of_conversation: true,
        ..Descriptor::default()
    }
}

static WAKEUP_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    descriptor(
        WAKEUP,
        "Wakes you up later: `prompt` is given to you after `delaySeconds`, in a new turn. For work that has to be looked at \
         again and that nothing will tell you about. There is one wake-up: another call replaces it, `stop` cancels it. It \
         ends with the session. Background commands, subagents and monitors report by themselves and need none.",
        &json!({
            "delaySeconds": {"type": "number", "description": "Seconds from now, between 60 and 3600."},
            "reason": {"type": "string", "description": "Why then, in one sentence."},
            "prompt": {"type": "string", "description": "What you are told then."},
            "stop": {"type": "boolean", "description": "Cancels the wake-up; nothing else counts."},
        }),
        &[],
    )
});

static CREATE_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    descriptor(
        CREATE,
        "Schedules a prompt by a cron expression in local time: minute, hour, day of the month, month, day of the week, for \
         example `*/10 * * * *` or `0 9 * * 1-5`. It is given to you in a new turn, when no other one runs. Jobs end with the \
         session, and after seven days.",
        &json!({
            "cron": {"type": "string", "description": "The five fields."},
            "prompt": {"type": "string", "minLength": 1, "description": "What you are told then."},
            "recurring": {"type": "boolean", "description": "False: only the next time. True where nothing is said."},
            "durable": {"type": "boolean", "description": "Not supported: jobs are not stored."},
        }),
        &["cron", "prompt"],
    )
});

static DELETE_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    descriptor(
        DELETE,
        "Cancels a job of CronCreate, or the wake-up, by its id.",
        &json!({"id": {"type": "string", "description": "The id, as CronList gives it."}}),
        &["id"],
    )
});

static LIST_DESCRIPTOR: LazyLock<Descriptor> =
    LazyLock::new(|| descriptor(LIST, "Lists the prompts that are scheduled.", &json!({}), &[]));

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WakeupInput {
    delay_seconds: Option<f64>,
    prompt: Option<String>,
    #[serde(default)]
    stop: bool,
}

#[derive(Debug, Deserialize)]
struct CreateInput {
    cron: String,
    prompt: String,
    recurring: Option<bool>,
    #[serde(default)]
    durable: bool,
}

#[derive(Debug, Deserialize)]
struct DeleteInput {
    id: String,
}

impl Tool for ScheduleTool {
    fn descriptor(&self) -> &Descriptor {
        match self.operation {
            Operation::Wakeup => &WAKEUP_DESCRIPTOR,
            Operation::Create => &CREATE_DESCRIPTOR,
            Operation::Delete => &DELETE_DESCRIPTOR,
            Operation::List => &LIST_DESCRIPTOR,
        }
    }

    fn deferred(&self) -> bool {
        true
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(std::future::ready(self.call(input)))
    }
}

impl ScheduleTool {
    fn call(&self, input: Value) -> Outcome {
        fn read<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, String> {
            serde_json::from_value(input).map_err(|error| error.to_string())
        }
        let done = match self.operation {
            Operation::Wakeup => read(input).and_then(|input| self.wake(input)),
            Operation::Create => read(input).and_then(|input| self.create(input).map_err(|error| error.to_string())),
            Operation::Delete => {
                read(input).and_then(|input: DeleteInput| self.delete(&input.id).map_err(|error| error.to_string()))
            }
            Operation::List => Ok(self.list()),
        };
        done.unwrap_or_else(Outcome::refused)
    }

    fn wake(&self, input: WakeupInput) -> Result<Outcome, String> {
        if input.stop {
            let cancelled = self.wakeups.cancel_wakeups();
            let result = json!({"scheduledFor": 0, "clampedDelaySeconds": 0, "wasClamped": false, "stopped": true,
                "cancelledWakeups": cancelled});
            return Ok(Outcome::ok(format!("Wake-ups cancelled: {cancelled}."), result));
        }
        let (Some(wanted), Some(prompt)) = (input.delay_seconds, input.prompt) else {
            return Err("ScheduleWakeup needs `delaySeconds` and `prompt`, or `stop`.".to_owned());
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let delay = (wanted.max(0.0).round() as u64).clamp(MIN_DELAY, MAX_DELAY);
        #[allow(clippy::cast_precision_loss)]
        let clamped = (delay as f64 - wanted).abs() > 0.5;
        let job = self.wakeups.wake(delay, prompt).map_err(|error| error.to_string())?;
        let result = json!({
            "scheduledFor": job.due.time.as_millisecond(),
            "clampedDelaySeconds": delay,
            "wasClamped": clamped,
        });
        let text = format!("You are woken up in {delay} s, if the session still runs then. End the turn now.");
        Ok(Outcome::ok(text, result))
    }

    fn create(&self, input: CreateInput) -> Result<Outcome, ScheduleError> {
        if input.durable {
            return Err(ScheduleError::Durable);
        }
        let cron: Cron = input.cron.parse()?;
        let words = cron.words();
        let recurring = input.recurring.unwrap_or(true);
        let job = self.wakeups.create(cron, input.prompt, recurring)?;
        let text = format!(
            "Scheduled {} job {}: {words}, next at {}. It ends with the session.",
            if recurring { "recurring" } else { "one-time" },
            job.id,
            self.time_of(&job),
        );
        let result = json!({
            "id": job.id,
            "humanSchedule": words,
            "recurring": recurring,
            "durable": false,
            "nextFireAt": job.due.time.as_millisecond(),
        });
        Ok(Outcome::ok(text, result))
    }

    fn delete(&self, id: &str) -> Result<Outcome, ScheduleError> {
        let job = self.wakeups.delete(id)?;
        let mut result = json!({"id": job.id});
        if let (None, Some(map)) = (job.cron(), result.as_object_mut()) {
            map.insert("endedLoopWakeup".to_owned(), Value::Bool(true));
        }
        Ok(Outcome::ok(format!("Cancelled {id}."), result))
    }

    fn list(&self) -> Outcome {
        let jobs = self.wakeups.list();
        let line = |job: &Job| {
            let schedule = job.cron().map_or_else(|| "wake-up".to_owned(), Cron::words);
            let once = if job.recurs() { "" } else { " (once)" };
            format!(
                "{}: {schedule}{once}, next at {}: {}",
                job.id,
                self.time_of(job),
                job.prompt
            )
        };
        let lines: Vec<String> = jobs.iter().map(line).collect();
        let text = match lines.as_slice() {
            [] => "Nothing is scheduled.".to_owned(),
            lines => lines.join("\n"),
        };
        Outcome::ok(text, json!({"jobs": jobs.iter().map(described).collect::<Vec<_>>()}))
    }

    fn time_of(&self, job: &Job) -> String {
        let local = job.due.time.to_zoned(self.wakeups.zone().clone());
        local.strftime("%Y-%m-%d %H:%M").to_string()
    }
}

fn described(job: &Job) -> Value {
    let mut described = json!({
        "id": job.id,
        "cron": job.cron().map(ToString::to_string).unwrap_or_default(),
        "humanSchedule": job.cron().map_or_else(|| "wake-up".to_owned(), Cron::words),
        "prompt": job.prompt,
    });
    if let Some(map) = described.as_object_mut() {
        if job.recurs() {
            map.insert("recurring".to_owned(), Value::Bool(true));
        }
        map.insert("durable".to_owned(), Value::Bool(false));
        map.insert("nextFireAt".to_owned(), Value::from(job.due.time.as_millisecond()));
    }
    described
}
