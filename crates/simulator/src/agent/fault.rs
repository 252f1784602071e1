//! Faults of an agent.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::error::ScriptError;
use crate::pattern;
use crate::script::parse::{count, known_keys, seconds, text};

/// One fault.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// From now on waits before each line, and writes it in pieces of `chunk` bytes.
    Slow { delay: Duration, chunk: Option<usize> },
    /// Hears but says nothing: for a time, until the host says something, or until it leaves.
    Silent { until: Silence },
    /// Ends at once.
    Crash { code: i32 },
    /// Writes a line that is no message.
    Garbage { bytes: Vec<u8> },
    /// Writes the next line twice.
    Duplicate,
    /// Swaps the next two lines.
    OutOfOrder,
    /// Writes the beginning of a line, then ends.
    Truncate {
        say: Value,
        bytes: Option<usize>,
        code: i32,
    },
    /// Writes one line with that many letters in it.
    Huge { say: Value, bytes: usize },
}

/// When a silence ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Silence {
    For(Duration),
    Until(Value),
    TheEnd,
}

/// Stands for the letters of a huge line.
pub(super) const BIG: &str = "@BIG@";

/// Reads a fault from an object with the key `fault`.
pub(super) fn parse(fields: &Map<String, Value>, at: &str) -> Result<Fault, ScriptError> {
    let here = |key: &str| format!("{at}.{key}");
    let name = text(fields.get("fault").unwrap_or(&Value::Null), &here("fault"))?;
    let known = |keys: &[&str]| {
        known_keys(
            fields,
            &[&["fault", "after", "about"], keys].concat(),
            &format!("{at}."),
        )
    };
    let number = |key: &str| fields.get(key).map(|value| count(value, &here(key))).transpose();
    let code = |fallback: i32| -> Result<i32, ScriptError> {
        match number("code")? {
            None => Ok(fallback),
            Some(code) => i32::try_from(code)
                .ok()
                .filter(|code| *code < 256)
                .ok_or_else(|| ScriptError::new(here("code"), "no exit code", "use 0 to 255")),
        }
    };
    let say = || fields.get("say").cloned();
    match name.as_str() {
        "slow" => {
            known(&["delay", "chunk"])?;
            let delay = fields
                .get("delay")
                .map(|delay| seconds(delay, &here("delay")))
                .transpose()?;
            Ok(Fault::Slow {
                delay: delay.unwrap_or(Duration::from_millis(200)),
                chunk: number("chunk")?.filter(|size| *size > 0),
            })
        }
        "silent" => {
            known(&["for", "until"])?;
            let until = match (fields.get("for"), fields.get("until")) {
                (Some(time), _) => Silence::For(seconds(time, &here("for"))?),
                (None, Some(wanted)) => {
                    pattern::check(wanted, &here("until"))?;
                    Silence::Until(wanted.clone())
                }
                (None, None) => Silence::TheEnd,
            };
            Ok(Fault::Silent { until })
        }
        "crash" => {
            known(&["code", "signal"])?;
            match fields.get("signal") {
                Some(signal) => Ok(Fault::Crash {
                    code: 128 + number_of(signal, &here("signal"))?,
                }),
                None => Ok(Fault::Crash { code: code(1)? }),
            }
        }
        "garbage" => {
            known(&["text", "b64"])?;
            let bytes = match (fields.get("b64"), fields.get("text")) {
                (Some(coded), _) => STANDARD.decode(text(coded, &here("b64"))?).map_err(|error| {
                    ScriptError::new(
                        here("b64"),
                        format!("not base64 ({error})"),
                        "encode the bytes of the line in base64",
                    )
                })?,
                (None, Some(words)) => text(words, &here("text"))?.into_bytes(),
                (None, None) => b"{\"type\": \"assistant\", \"mess\xff age\": ".to_vec(),
            };
            Ok(Fault::Garbage { bytes })
        }
        "duplicate" => known(&[]).map(|()| Fault::Duplicate),
        "out_of_order" => known(&[]).map(|()| Fault::OutOfOrder),
        "truncate" => {
            known(&["say", "bytes", "code"])?;
            let say = say().unwrap_or_else(|| super::frames::text("This line is never finished."));
            Ok(Fault::Truncate {
                say,
                bytes: number("bytes")?,
                code: code(1)?,
            })
        }
        "huge" => {
            known(&["say", "bytes"])?;
            let say = say().unwrap_or_else(|| super::frames::text(BIG));
            if !say.to_string().contains(BIG) {
                return Err(ScriptError::new(
                    here("say"),
                    format!("{BIG} is missing"),
                    format!("write {BIG} where the letters shall go"),
                ));
            }
            Ok(Fault::Huge {
                say,
                bytes: number("bytes")?.unwrap_or(1_000_000),
            })
        }
        other => Err(ScriptError::new(
            here("fault"),
            format!("{other:?} is no fault"),
            "use slow, silent, crash, garbage, duplicate, out_of_order, truncate or huge",
        )),
    }
}

fn number_of(signal: &Value, at: &str) -> Result<i32, ScriptError> {
    let known = json!({"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "SEGV": 11, "PIPE": 13, "TERM": 15});
    let name = text(signal, at)?;
    let number = known.get(name.trim_start_matches("SIG")).and_then(Value::as_i64);
    number.and_then(|number| i32::try_from(number).ok()).ok_or_else(|| {
        ScriptError::new(
            at,
            format!("{name:?} is no signal"),
            "use HUP, INT, QUIT, ABRT, KILL, SEGV, PIPE or TERM",
        )
    })
}
