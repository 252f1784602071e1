//! Fault injection for the scripted agent.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::error::ScriptError;
use crate::pattern;
use crate::script::parse::{count, known_keys, seconds, text};

/// A fault.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// From now on, wait before each line, or before each chunk of `chunk` bytes.
    Slow { delay: Duration, chunk: Option<usize> },
    /// Read but write nothing: for a time, until the host sends a matching line, or until it disconnects.
    Silent { until: Silence },
    /// Exit immediately.
    Crash { code: i32 },
    /// Write a line that is not a message.
    Garbage { bytes: Vec<u8> },
    /// Write the next line twice.
    Duplicate,
    /// Swap the next two lines.
    OutOfOrder,
    /// Write the start of a line, then exit.
    Truncate {
        say: Value,
        bytes: Option<usize>,
        code: i32,
    },
    /// Write a line in which the placeholder is replaced with that many characters.
    Huge { say: Value, bytes: usize },
}

/// When a silence ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Silence {
    For(Duration),
    Until(Value),
    UntilDisconnect,
}

/// The placeholder in a huge line.
pub(super) const BIG: &str = "@BIG@";

/// Parses a fault from an object with the key `fault`.
pub(super) fn parse(fields: &Map<String, Value>, at: &str) -> Result<Fault, ScriptError> {
    let fault = Fields { fields, at };
    let name = text(fields.get("fault").unwrap_or(&Value::Null), &fault.position("fault"))?;
    match name.as_str() {
        "slow" => fault.slow(),
        "silent" => fault.silent(),
        "crash" => fault.crash(),
        "garbage" => fault.garbage(),
        "duplicate" => fault.only(&[]).map(|()| Fault::Duplicate),
        "out_of_order" => fault.only(&[]).map(|()| Fault::OutOfOrder),
        "truncate" => fault.truncate(),
        "huge" => fault.huge(),
        other => Err(ScriptError::new(
            fault.position("fault"),
            format!("{other:?} is not a fault"),
            "use slow, silent, crash, garbage, duplicate, out_of_order, truncate or huge",
        )),
    }
}

/// The fields of a fault, and its position in the script.
struct Fields<'a> {
    fields: &'a Map<String, Value>,
    at: &'a str,
}

impl Fields<'_> {
    fn position(&self, key: &str) -> String {
        format!("{}.{key}", self.at)
    }

    /// Fails if there are other keys than these and the common ones.
    fn only(&self, keys: &[&str]) -> Result<(), ScriptError> {
        let keys = [&["fault", "after", "about"], keys].concat();
        known_keys(self.fields, &keys, &format!("{}.", self.at))
    }

    fn number(&self, key: &str) -> Result<Option<usize>, ScriptError> {
        let value = self.fields.get(key);
        value.map(|value| count(value, &self.position(key))).transpose()
    }

    fn exit_code(&self, default: i32) -> Result<i32, ScriptError> {
        match self.number("code")? {
            None => Ok(default),
            Some(code) => i32::try_from(code)
                .ok()
                .filter(|code| *code < 256)
                .ok_or_else(|| ScriptError::new(self.position("code"), "not an exit code", "use 0 to 255")),
        }
    }

    fn slow(&self) -> Result<Fault, ScriptError> {
        self.only(&["delay", "chunk"])?;
        let delay = self.fields.get("delay");
        let delay = delay.map(|delay| seconds(delay, &self.position("delay"))).transpose()?;
        Ok(Fault::Slow {
            delay: delay.unwrap_or(Duration::from_millis(200)),
            chunk: self.number("chunk")?.filter(|size| *size > 0),
        })
    }

    fn silent(&self) -> Result<Fault, ScriptError> {
        self.only(&["for", "until"])?;
        let until = match (self.fields.get("for"), self.fields.get("until")) {
            (Some(time), _) => Silence::For(seconds(time, &self.position("for"))?),
            (None, Some(wanted)) => {
                pattern::check(wanted, &self.position("until"))?;
                Silence::Until(wanted.clone())
            }
            (None, None) => Silence::UntilDisconnect,
        };
        Ok(Fault::Silent { until })
    }

    fn crash(&self) -> Result<Fault, ScriptError> {
        self.only(&["code", "signal"])?;
        let code = match self.fields.get("signal") {
            Some(signal) => 128 + number_of(signal, &self.position("signal"))?,
            None => self.exit_code(1)?,
        };
        Ok(Fault::Crash { code })
    }

    fn garbage(&self) -> Result<Fault, ScriptError> {
        self.only(&["text", "b64"])?;
        let bytes = match (self.fields.get("b64"), self.fields.get("text")) {
            (Some(coded), _) => {
                let at = self.position("b64");
                STANDARD.decode(text(coded, &at)?).map_err(|error| {
                    ScriptError::new(
                        at,
                        format!("not base64 ({error})"),
                        "encode the bytes of the line in base64",
                    )
                })?
            }
            (None, Some(words)) => text(words, &self.position("text"))?.into_bytes(),
            (None, None) => b"{\"type\": \"assistant\", \"mess\xff age\": ".to_vec(),
        };
        Ok(Fault::Garbage { bytes })
    }

    fn truncate(&self) -> Result<Fault, ScriptError> {
        self.only(&["say", "bytes", "code"])?;
        let say = self.fields.get("say").cloned();
        Ok(Fault::Truncate {
            say: say.unwrap_or_else(|| super::frames::text("This line is never finished.")),
            bytes: self.number("bytes")?,
            code: self.exit_code(1)?,
        })
    }

    fn huge(&self) -> Result<Fault, ScriptError> {
        self.only(&["say", "bytes"])?;
        let say = self.fields.get("say").cloned();
        let say = say.unwrap_or_else(|| super::frames::text(BIG));
        if !say.to_string().contains(BIG) {
            return Err(ScriptError::new(
                self.position("say"),
                format!("{BIG} is missing"),
                format!("write {BIG} where the characters are to be inserted"),
            ));
        }
        Ok(Fault::Huge {
            say,
            bytes: self.number("bytes")?.unwrap_or(1_000_000),
        })
    }
}

fn number_of(signal: &Value, at: &str) -> Result<i32, ScriptError> {
    let known = json!({"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "SEGV": 11, "PIPE": 13, "TERM": 15});
    let name = text(signal, at)?;
    let number = known.get(name.trim_start_matches("SIG")).and_then(Value::as_i64);
    number.and_then(|number| i32::try_from(number).ok()).ok_or_else(|| {
        ScriptError::new(
            at,
            format!("{name:?} is not a signal"),
            "use HUP, INT, QUIT, ABRT, KILL, SEGV, PIPE or TERM",
        )
    })
}
