//! An upgrade: this process becomes the program that is now at its path, and the previous one again if that does not start.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use sluice_server::Inheritance;

use super::report;

/// The path of this program. Linux calls a program whose file was replaced `… (deleted)`.
pub(super) fn program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    let text = path.to_string_lossy();
    Ok(PathBuf::from(text.strip_suffix(" (deleted)").unwrap_or(&text)))
}

/// Becomes the program at its path, with the same words and the listeners it holds. Returns the exit code if neither
/// that one nor the previous one starts.
pub(super) fn run(inheritance: &Inheritance) -> i32 {
    // Only now: nothing this process started before inherits the listeners.
    let started = program().and_then(|program| Ok((program, inheritance.keep_for_exec()?)));
    let error = match started {
        Ok((program, variables)) => become_program(&program, variables),
        Err(error) => error,
    };
    go_back(&error.to_string(), inheritance)
}

/// Becomes the previous program again. Returns the exit code if there is none.
pub(super) fn go_back(why: &str, inheritance: &Inheritance) -> i32 {
    let problem = format!("the new version does not start: {why}");
    let error = match inheritance.keep_to_go_back() {
        Ok(Some((program, variables))) => {
            report::notice(&format!("{problem}\nthe previous version continues"));
            become_program(&program, variables)
        }
        Ok(None) => return report::failure(&problem),
        Err(error) => error,
    };
    report::failure(&format!("{problem}; nor does the previous one: {error}"))
}

fn become_program(program: &PathBuf, variables: Vec<(&'static str, String)>) -> io::Error {
    Command::new(program)
        .args(std::env::args_os().skip(1))
        .envs(variables)
        .exec()
}
