//! The command line: one table of flags, and what a command line says once it is read.
//!
//! [`parse`] turns words into [`Flags`], [`Flags::validate`] says whether they make sense together; both are pure.
//! Every flag the reference CLI takes is known here; one that has no meaning for this agent is refused with what to
//! do instead, never taken in silence.
//!
//! Reading order: [`table`] (every flag, once), [`fields`] (what they become), [`command`] (the table as a
//! parser), [`help`] (the table as a page), [`validate`] (what contradicts what).

mod command;
mod fields;
mod help;
mod mcp;
mod serve;
mod table;
mod validate;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;

pub(crate) use command::{command, completion_command, parse};
pub(crate) use fields::{
    Flags, InputFormat, Mcp, McpAdd, OutputFormat, Plugin, Serve, ServeAsk, Sim, Subcommand, Window,
};
pub(crate) use help::help;

/// The version of the reference CLI whose protocol is spoken; hosts compare it, so it comes first in `-v`.
pub(crate) const SPOKEN: &str = sluice_engine::PROTOCOL_VERSION;

/// What `-v` prints.
pub(crate) fn version_line() -> String {
    format!("{SPOKEN} (Sluice {})", env!("CARGO_PKG_VERSION"))
}

/// Whether the command line (without the program's name) only asks for the version.
///
/// Older SDKs run `-v` before every session and give it two seconds; this needs no table.
pub(crate) fn asks_version(args: &[OsString]) -> bool {
    matches!(args, [only] if only == "-v" || only == "--version")
}

/// A command line that cannot be used: one line, and perhaps a second that helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlagError {
    /// What is wrong, without a prefix or a full stop.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The wire's word for why nothing begins, where it has one.
    pub(crate) reason: Option<&'static str>,
}

impl FlagError {
    /// What the process ends with; the reference CLI uses 1 for every bad command line.
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
