//! The script of an agent as data, read from JSON.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::fault::{self, Fault};
use super::{frames, recording};
use crate::error::{Error, ScriptError};
use crate::pattern;
use crate::script::parse::{count, known_keys, seconds, text};

/// A whole script, ready to be played.
#[derive(Debug, Clone)]
pub struct AgentScript {
    pub(super) steps: Vec<Step>,
    pub(super) on_interrupt: Option<Vec<Step>>,
    pub(super) answers: Map<String, Value>,
    pub(super) session_id: Option<String>,
    pub(super) seed: Option<u64>,
    pub(super) pace: Duration,
}

/// One thing an agent does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Say(Vec<Value>),
    /// A recorded line, byte for byte but for ids that are the host's.
    Line(String),
    Raw(String),
    Expect {
        pattern: Value,
        name: Option<String>,
        timeout: Option<Duration>,
        at: String,
    },
    /// Waits for the host to say what it said in a recording.
    Heard(Value),
    ReplyTo {
        name: String,
        answer: ControlAnswer,
    },
    Ask {
        request: Value,
        name: Option<String>,
    },
    When {
        of: String,
        pattern: Value,
        then: Vec<Self>,
        otherwise: Vec<Self>,
    },
    Repeat {
        times: Option<usize>,
        steps: Vec<Self>,
    },
    Sleep(Duration),
    Fault(Fault),
    Exit(i32),
}

/// How a control request is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ControlAnswer {
    Success(Value),
    Error(Value),
}

const SCRIPT_KEYS: &[&str] = &[
    "about",
    "steps",
    "play",
    "faults",
    "on_interrupt",
    "answers",
    "session_id",
    "seed",
    "pace",
];

impl AgentScript {
    /// Reads a script or a recording.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what it should be; then it says where and what to do.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let is_recording = path.is_dir() || path.extension().is_some_and(|end| end == "ndjson" || end == "jsonl");
        if is_recording {
            return Ok(Self::of_steps(recording::load(path)?));
        }
        let source = fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&source, path.parent().unwrap_or(Path::new(".")))
    }

    /// Reads a script from its text; recordings it names are looked for in `folder`.
    ///
    /// # Errors
    /// As [`AgentScript::load`].
    pub fn parse(source: &str, folder: &Path) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(source).map_err(|error| {
            ScriptError::new(
                format!("line {}, column {}", error.line(), error.column()),
                format!("not JSON ({error})"),
                "a script is one JSON object: {\"steps\": [{\"expect\": {\"type\": \"user\"}}, {\"text\": \"Hello\"}, {\"result\": {}}]}",
            )
        })?;
        let fields = object(&value, "script")?;
        known_keys(fields, SCRIPT_KEYS, "")?;
        let mut script = Self::of_steps(match fields.get("play") {
            Some(path) => recording::load(&folder.join(text(path, "play")?))?,
            None => Vec::new(),
        });
        if let Some(own) = fields.get("steps") {
            script.steps.extend(steps(own, "steps")?);
        } else if !fields.contains_key("play") {
            return Err(ScriptError::new(
                "steps",
                "missing",
                "list what the agent does, or name a recording in `play`",
            )
            .into());
        }
        for (index, value) in list(fields.get("faults"), "faults")?.iter().enumerate() {
            let at = format!("faults[{index}]");
            let fields = object(value, &at)?;
            let fault = fault::parse(fields, &at)?;
            let after = fields
                .get("after")
                .map_or(Ok(0), |after| count(after, &format!("{at}.after")))?;
            insert_after(&mut script.steps, after, Step::Fault(fault));
        }
        script.on_interrupt = fields
            .get("on_interrupt")
            .map(|value| steps(value, "on_interrupt"))
            .transpose()?;
        script.answers = fields
            .get("answers")
            .map_or(Ok(Map::new()), |value| object(value, "answers").cloned())?;
        script.session_id = fields
            .get("session_id")
            .map(|value| text(value, "session_id"))
            .transpose()?;
        script.seed = fields
            .get("seed")
            .map(|value| count(value, "seed"))
            .transpose()?
            .map(|seed| seed as u64);
        script.pace = fields
            .get("pace")
            .map_or(Ok(Duration::ZERO), |value| seconds(value, "pace"))?;
        Ok(script)
    }

    fn of_steps(steps: Vec<Step>) -> Self {
        Self {
            steps,
            on_interrupt: None,
            answers: Map::new(),
            session_id: None,
            seed: None,
            pace: Duration::ZERO,
        }
    }
}

/// Puts a step behind the `after`-th line that is said; at the end if there are fewer.
fn insert_after(steps: &mut Vec<Step>, after: usize, step: Step) {
    let mut said = 0;
    let place = steps.iter().position(|step| {
        let reached = said >= after;
        said += match step {
            Step::Say(frames) => frames.len(),
            Step::Line(_) | Step::Raw(_) => 1,
            _ => 0,
        };
        reached
    });
    steps.insert(place.unwrap_or(steps.len()), step);
}

fn steps(value: &Value, at: &str) -> Result<Vec<Step>, ScriptError> {
    let list = list(Some(value), at)?;
    list.iter()
        .enumerate()
        .map(|(index, value)| step(value, &format!("{at}[{index}]")))
        .collect()
}

fn step(value: &Value, at: &str) -> Result<Step, ScriptError> {
    let fields = object(value, at)?;
    let here = |key: &str| format!("{at}.{key}");
    let known = |keys: &[&str]| known_keys(fields, &[keys, &["about"]].concat(), &format!("{at}."));
    let name = |key: &str| fields.get(key).map(|value| text(value, &here(key))).transpose();
    let (verb, told) = verb(fields, at)?;
    match verb {
        "say" => {
            known(&["say"])?;
            Ok(Step::Say(vec![told.clone()]))
        }
        "init" | "tool" | "tool_result" | "result" => {
            known(&[verb])?;
            let changes = object(told, &here(verb))?;
            let frame = match verb {
                "init" => frames::init(changes),
                "tool" => frames::tool(changes),
                "tool_result" => frames::tool_result(changes),
                _ => frames::result(changes),
            };
            Ok(Step::Say(vec![frame]))
        }
        "text" => {
            known(&["text"])?;
            Ok(Step::Say(vec![frames::text(&text(told, &here("text"))?)]))
        }
        "stream" => {
            known(&["stream"])?;
            Ok(Step::Say(frames::stream(&text(told, &here("stream"))?)))
        }
        "raw" => {
            known(&["raw"])?;
            Ok(Step::Raw(text(told, &here("raw"))?))
        }
        "expect" => {
            known(&["expect", "as", "timeout"])?;
            pattern::check(told, &here("expect"))?;
            let timeout = fields
                .get("timeout")
                .map(|value| seconds(value, &here("timeout")))
                .transpose()?;
            Ok(Step::Expect {
                pattern: told.clone(),
                name: name("as")?,
                timeout,
                at: at.to_owned(),
            })
        }
        "ask" => {
            known(&["ask", "as"])?;
            let request = frames::can_use_tool(object(told, &here("ask"))?);
            Ok(Step::Ask {
                request,
                name: name("as")?,
            })
        }
        "reply_to" => {
            known(&["reply_to", "with", "error"])?;
            let answer = match fields.get("error") {
                Some(error) => ControlAnswer::Error(error.clone()),
                None => ControlAnswer::Success(fields.get("with").cloned().unwrap_or_else(|| Map::new().into())),
            };
            Ok(Step::ReplyTo {
                name: text(told, &here("reply_to"))?,
                answer,
            })
        }
        "when" => {
            known(&["when", "of", "then", "else"])?;
            pattern::check(told, &here("when"))?;
            let of = name("of")?.ok_or_else(|| {
                ScriptError::new(
                    here("of"),
                    "missing",
                    "name the captured message the pattern is held against",
                )
            })?;
            let branch = |key: &str| fields.get(key).map_or(Ok(Vec::new()), |value| steps(value, &here(key)));
            Ok(Step::When {
                of,
                pattern: told.clone(),
                then: branch("then")?,
                otherwise: branch("else")?,
            })
        }
        "repeat" => {
            known(&["repeat", "steps"])?;
            let times = match told.as_str() {
                Some("forever") => None,
                _ => Some(count(told, &here("repeat"))?),
            };
            let steps = steps(fields.get("steps").unwrap_or(&Value::Null), &here("steps"))?;
            // Without a wait a loop would never let anyone else run.
            if times.is_none()
                && !steps
                    .iter()
                    .any(|step| matches!(step, Step::Expect { .. } | Step::Ask { .. } | Step::Sleep(_)))
            {
                return Err(ScriptError::new(
                    here("steps"),
                    "never waits",
                    "put an `expect`, an `ask` or a `sleep` into an endless loop",
                ));
            }
            Ok(Step::Repeat { times, steps })
        }
        "sleep" => {
            known(&["sleep"])?;
            Ok(Step::Sleep(seconds(told, &here("sleep"))?))
        }
        "fault" => Ok(Step::Fault(fault::parse(fields, at)?)),
        _ => {
            known(&["exit"])?;
            let code = i32::try_from(count(told, &here("exit"))?)
                .ok()
                .filter(|code| *code < 256);
            code.map(Step::Exit)
                .ok_or_else(|| ScriptError::new(here("exit"), "no exit code", "use 0 to 255"))
        }
    }
}

const VERBS: &[&str] = &[
    "say",
    "init",
    "text",
    "stream",
    "tool",
    "tool_result",
    "result",
    "raw",
    "expect",
    "ask",
    "reply_to",
    "when",
    "repeat",
    "sleep",
    "fault",
    "exit",
];

/// The one key that says what a step does.
fn verb<'a>(fields: &'a Map<String, Value>, at: &str) -> Result<(&'static str, &'a Value), ScriptError> {
    // `fault` and `reply_to` take other verbs as their details, so they are looked for first.
    let first = ["fault", "reply_to", "when", "repeat", "expect", "ask"];
    let found = first
        .iter()
        .chain(VERBS)
        .find_map(|verb| Some((*verb, fields.get(*verb)?)));
    found.ok_or_else(|| ScriptError::new(at, "a step without a verb", format!("use one of {}", VERBS.join(", "))))
}

fn object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, ScriptError> {
    value
        .as_object()
        .ok_or_else(|| ScriptError::new(at, "not an object", "write {...}"))
}

fn list<'a>(value: Option<&'a Value>, at: &str) -> Result<&'a [Value], ScriptError> {
    match value {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(ScriptError::new(at, "not a list", "write [...]")),
    }
}
