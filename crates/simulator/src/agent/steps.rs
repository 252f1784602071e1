//! The script of an agent, parsed from JSON.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::fault::{self, Fault};
use super::{frames, recording};
use crate::error::{Error, ScriptError};
use crate::pattern;
use crate::script::parse::{count, known_keys, seconds, text};

/// A parsed script.
#[derive(Debug, Clone)]
pub struct AgentScript {
    pub(super) steps: Vec<Step>,
    pub(super) on_interrupt: Option<Vec<Step>>,
    pub(super) answers: Map<String, Value>,
    pub(super) session_id: Option<String>,
    pub(super) seed: Option<u64>,
    pub(super) pace: Duration,
}

/// An action of the agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Say(Vec<Value>),
    /// Writes a recorded line unchanged, except for ids of the host.
    Line(String),
    Raw(String),
    Expect {
        pattern: Value,
        name: Option<String>,
        timeout: Option<Duration>,
        at: String,
    },
    /// Waits for a line of the host that is equivalent to a recorded one.
    AwaitRecorded(Value),
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

/// The response to a control request.
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
    /// Loads a script or a recording.
    ///
    /// # Errors
    /// If a file cannot be read or is invalid. The error contains the position and a hint.
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

    /// Parses a script. Paths of recordings in it are relative to `folder`.
    ///
    /// # Errors
    /// The same as for [`AgentScript::load`].
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
                "list the steps of the agent, or name a recording in `play`",
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

/// Inserts a step after the `after`-th written line, or at the end if there are fewer lines.
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
    let (verb, argument) = verb(fields, at)?;
    let fields = StepFields {
        fields,
        at,
        verb,
        argument,
    };
    match verb {
        "expect" => fields.expect(),
        "ask" => fields.ask(),
        "reply_to" => fields.reply_to(),
        "when" => fields.when(),
        "repeat" => fields.repeat(),
        "fault" => Ok(Step::Fault(fault::parse(fields.fields, at)?)),
        _ => fields.simple(),
    }
}

/// The fields of a step, its position in the script, and the key that determines its action.
struct StepFields<'a> {
    fields: &'a Map<String, Value>,
    at: &'a str,
    verb: &'static str,
    argument: &'a Value,
}

impl StepFields<'_> {
    fn position(&self, key: &str) -> String {
        format!("{}.{key}", self.at)
    }

    /// Fails if there are other keys than the verb, these and `about`.
    fn only(&self, keys: &[&str]) -> Result<(), ScriptError> {
        let keys = [keys, &[self.verb, "about"]].concat();
        known_keys(self.fields, &keys, &format!("{}.", self.at))
    }

    fn text(&self, key: &str) -> Result<Option<String>, ScriptError> {
        let value = self.fields.get(key);
        value.map(|value| text(value, &self.position(key))).transpose()
    }

    /// Parses a step without other keys.
    fn simple(&self) -> Result<Step, ScriptError> {
        self.only(&[])?;
        let at = self.position(self.verb);
        let words = || text(self.argument, &at);
        let changes = || object(self.argument, &at);
        Ok(match self.verb {
            "say" => Step::Say(vec![self.argument.clone()]),
            "init" => Step::Say(vec![frames::init(changes()?)]),
            "tool" => Step::Say(vec![frames::tool(changes()?)]),
            "tool_result" => Step::Say(vec![frames::tool_result(changes()?)]),
            "result" => Step::Say(vec![frames::result(changes()?)]),
            "text" => Step::Say(vec![frames::text(&words()?)]),
            "stream" => Step::Say(frames::stream(&words()?)),
            "raw" => Step::Raw(words()?),
            "sleep" => Step::Sleep(seconds(self.argument, &at)?),
            _ => {
                let code = i32::try_from(count(self.argument, &at)?).ok();
                let code = code.filter(|code| *code < 256);
                Step::Exit(code.ok_or_else(|| ScriptError::new(at, "not an exit code", "use 0 to 255"))?)
            }
        })
    }

    fn expect(&self) -> Result<Step, ScriptError> {
        self.only(&["as", "timeout"])?;
        pattern::check(self.argument, &self.position("expect"))?;
        let timeout = self.fields.get("timeout");
        Ok(Step::Expect {
            pattern: self.argument.clone(),
            name: self.text("as")?,
            timeout: timeout
                .map(|value| seconds(value, &self.position("timeout")))
                .transpose()?,
            at: self.at.to_owned(),
        })
    }

    fn ask(&self) -> Result<Step, ScriptError> {
        self.only(&["as"])?;
        Ok(Step::Ask {
            request: frames::can_use_tool(object(self.argument, &self.position("ask"))?),
            name: self.text("as")?,
        })
    }

    fn reply_to(&self) -> Result<Step, ScriptError> {
        self.only(&["with", "error"])?;
        let payload = || self.fields.get("with").cloned().unwrap_or_else(|| Map::new().into());
        let answer = match self.fields.get("error") {
            Some(error) => ControlAnswer::Error(error.clone()),
            None => ControlAnswer::Success(payload()),
        };
        Ok(Step::ReplyTo {
            name: text(self.argument, &self.position("reply_to"))?,
            answer,
        })
    }

    fn when(&self) -> Result<Step, ScriptError> {
        self.only(&["of", "then", "else"])?;
        pattern::check(self.argument, &self.position("when"))?;
        let of = self.text("of")?.ok_or_else(|| {
            ScriptError::new(
                self.position("of"),
                "missing",
                "name the captured message that the pattern is compared with",
            )
        })?;
        let branch = |key: &str| {
            let value = self.fields.get(key);
            value.map_or(Ok(Vec::new()), |value| steps(value, &self.position(key)))
        };
        Ok(Step::When {
            of,
            pattern: self.argument.clone(),
            then: branch("then")?,
            otherwise: branch("else")?,
        })
    }

    fn repeat(&self) -> Result<Step, ScriptError> {
        self.only(&["steps"])?;
        let times = match self.argument.as_str() {
            Some("forever") => None,
            _ => Some(count(self.argument, &self.position("repeat"))?),
        };
        let at = self.position("steps");
        let steps = steps(self.fields.get("steps").unwrap_or(&Value::Null), &at)?;
        // An endless loop without a wait would block all other tasks.
        let is_wait = |step: &Step| matches!(step, Step::Expect { .. } | Step::Ask { .. } | Step::Sleep(_));
        if times.is_none() && !steps.iter().any(is_wait) {
            return Err(ScriptError::new(
                at,
                "never waits",
                "put an `expect`, an `ask` or a `sleep` into an endless loop",
            ));
        }
        Ok(Step::Repeat { times, steps })
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

/// Returns the key that determines the action of a step.
fn verb<'a>(fields: &'a Map<String, Value>, at: &str) -> Result<(&'static str, &'a Value), ScriptError> {
    // Steps with these keys may contain other verbs as options, so they are checked first.
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
