//! Startup failures: a message for people, and a reason for hosts that offer a fix instead of a retry.

use std::fmt;
use std::io::{self, BufRead, Read, Write};

use serde_json::Value;
use sluice_wire::MessageType;
use sluice_wire::control::{HostRequest as _, Initialize};

use crate::environment::Environment;
use crate::flags::{Flags, OutputFormat};
use crate::warn;

/// Maximum size of the first request in bytes.
const MAX_FIRST_LINE: u64 = 64 * 1024 * 1024;

/// Why a session does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The `startup_failure_reason` on the wire, if there is one.
    pub(crate) reason: Option<&'static str>,
    pub(crate) text: String,
    /// True if hosts get the `result` even if they did not request it.
    always: bool,
}

impl Refusal {
    pub(crate) fn new(reason: &'static str, text: impl Into<String>) -> Self {
        Self {
            reason: Some(reason),
            text: text.into(),
            always: false,
        }
    }

    /// Sends the `result` to every host, including those that did not set `CLAUDE_CODE_STARTUP_FAILURE_RESULTS`.
    pub(crate) fn for_every_host(self) -> Self {
        Self { always: true, ..self }
    }

    /// Reports the failure, also to the host if requested, and returns the exit code.
    pub(crate) fn tell(&self, flags: &Flags, environment: &Environment) -> i32 {
        warn(&format!("error: {}", self.text));
        let streams = flags.output_format == OutputFormat::StreamJson;
        if let Some(reason) = self
            .reason
            .filter(|_| streams && (self.always || environment.startup_results))
        {
            let id = flags.session_id.clone();
            let id = id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
            let result = sluice_engine::startup_failure(&id, reason, &self.text);
            // A closed pipe is not an error.
            let _gone = writeln!(io::stdout().lock(), "{result}");
        }
        1
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self {
            reason: None,
            text,
            always: false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks that the current folder exists.
pub(crate) fn place(environment: &Environment) -> Result<(), Refusal> {
    if environment.cwd_gone {
        return Err(Refusal::new(
            "cwd_unavailable",
            "the working directory is gone or cannot be read: change to one that exists and start again",
        ));
    }
    Ok(())
}

/// With `--await-initialize`: reads the first line, which must be an `initialize` request, and applies the settings
/// announced by `--managed-settings-in-initialize`. Returns the line for the session, or `None` at the end of input.
pub(crate) fn first_line(flags: &mut Flags, input: &mut impl BufRead) -> Result<Option<Vec<u8>>, Refusal> {
    let Some(line) = line(input)? else {
        return match flags.managed_settings_in_initialize {
            true => Err(undelivered("stdin ended before the initialize control request")),
            false => Ok(None),
        };
    };
    let not_first = |what: &str| {
        Refusal::new(
            "initialize_not_first",
            format!(
                "--await-initialize requires the initialize control request as the first stdin line, and the first \
                 line is {what}"
            ),
        )
    };
    let message: Value = serde_json::from_slice(&line).map_err(|_| not_first("not valid JSON"))?;
    let asks = message.get("type").and_then(Value::as_str) == Some(MessageType::ControlRequest.as_str())
        && message.pointer("/request/subtype").and_then(Value::as_str) == Some(Initialize::SUBTYPE);
    if !asks {
        return Err(not_first("a different message"));
    }
    if flags.managed_settings_in_initialize {
        match message.pointer("/request/managedSettings") {
            Some(settings @ Value::Object(_)) => flags.managed_settings = Some(settings.to_string()),
            _ => {
                return Err(undelivered(
                    "the initialize control request has no managedSettings object",
                ));
            }
        }
    }
    Ok(Some(line))
}

fn undelivered(why: &str) -> Refusal {
    Refusal::new(
        "managed_settings_not_delivered",
        format!("--managed-settings-in-initialize: {why}"),
    )
}

/// Returns the first non-blank line including its end.
fn line(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, Refusal> {
    loop {
        let mut line = Vec::new();
        let read = input.take(MAX_FIRST_LINE).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Refusal::from(format!("stdin cannot be read: {error}")))?;
        if read == 0 {
            return Ok(None);
        }
        if u64::try_from(read).is_ok_and(|read| read >= MAX_FIRST_LINE) {
            return Err(undelivered("the first line is too long"));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn first(text: &str, managed: bool) -> (Result<Option<Vec<u8>>, Refusal>, Option<String>) {
        let mut flags = Flags {
            managed_settings_in_initialize: managed,
            ..Flags::default()
        };
        let read = first_line(&mut flags, &mut text.as_bytes());
        (read, flags.managed_settings)
    }

    const INITIALIZE: &str = r#"{"type":"control_request","request_id":"r","request":{"subtype":"initialize"}}"#;

    #[test]
    fn the_first_line_is_initialize_and_stays_to_be_read() {
        let (line, _) = first(&format!("\n{INITIALIZE}\nrest"), false);
        assert_eq!(line.unwrap().unwrap(), format!("{INITIALIZE}\n").into_bytes());
        assert_eq!(first("", false).0, Ok(None));
    }

    #[test]
    fn any_other_first_line_is_refused() {
        for (text, what) in [
            ("{\n", "not valid JSON"),
            ("{\"type\":\"user\"}\n", "a different message"),
            (
                r#"{"type":"control_request","request":{"subtype":"interrupt"}}"#,
                "a different message",
            ),
        ] {
            let refusal = first(text, false).0.unwrap_err();
            assert_eq!(refusal.reason, Some("initialize_not_first"), "{text}");
            assert!(refusal.text.ends_with(what), "{refusal}");
        }
    }

    #[test]
    fn promised_settings_are_taken_or_missed() {
        let given = INITIALIZE.replace(
            r#""initialize""#,
            r#""initialize","managedSettings":{"permissions":{"deny":["Bash"]}}"#,
        );
        let (line, settings) = first(&given, true);
        assert!(line.unwrap().is_some());
        assert_eq!(settings.as_deref(), Some(r#"{"permissions":{"deny":["Bash"]}}"#));
        for missing in ["", INITIALIZE] {
            let refusal = first(missing, true).0.unwrap_err();
            assert_eq!(refusal.reason, Some("managed_settings_not_delivered"), "{missing}");
        }
    }
}
