//! The command line: a table of flags, and the parsed values.
//!
//! [`parse`] converts arguments to [`Flags`], [`Flags::validate`] checks combinations; both are pure. Every flag of the
//! reference CLI is known here; flags that do not apply to this agent are rejected with an alternative instead of being
//! ignored.
//!
//! Reading order: [`table`] (all flags), [`fields`] (their values), [`command`] (the parser), [`help`] (the help page),
//! [`validate`] (conflicts).

mod command;
mod fields;
mod help;
mod mcp;
mod serve;
mod table;
mod validate;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;

pub(crate) use command::{command, completion_command, parse};
pub(crate) use fields::{
    Flags, InputFormat, Mcp, McpAdd, OutputFormat, Plugin, Serve, ServeAsk, Sim, Subcommand, Window,
};
pub(crate) use help::help;

/// Version of the reference CLI whose protocol is implemented. Hosts compare it, so it comes first in `-v`.
pub(crate) const SPOKEN: &str = sluice_engine::PROTOCOL_VERSION;

/// Returns the output of `-v`.
pub(crate) fn version_line() -> String {
    format!("{SPOKEN} (Sluice {})", env!("CARGO_PKG_VERSION"))
}

/// True if the arguments (without the program name) only ask for the version.
///
/// Older SDKs run `-v` before every session with a timeout of two seconds, so this avoids building the parser.
pub(crate) fn asks_version(args: &[OsString]) -> bool {
    matches!(args, [only] if only == "-v" || only == "--version")
}

/// An invalid command line: an error message and an optional hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlagError {
    /// Description of the problem, without prefix and full stop.
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) hint: Option<String>,
    /// Startup failure reason on the wire, if there is one.
    pub(crate) reason: Option<&'static str>,
}

impl FlagError {
    /// Exit code; the reference CLI uses 1 for every invalid command line.
    pub(crate) const EXIT: u8 = 1;

    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            reason: None,
        }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    fn choice(usage: &str, value: &str, allowed: &[&str]) -> Self {
        Self::new(format!("option '{usage}' argument '{value}' is invalid"))
            .hint(format!("allowed: {}", allowed.join(", ")))
    }
}

impl fmt::Display for FlagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FlagError {}
