//! An upgrade: replaces this process with the program at its path, or with the previous one if that does not start.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use sluice_server::Inheritance;

use super::report;

/// Returns the path of this program. Linux appends ` (deleted)` if the file was replaced.
pub(super) fn program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    let text = path.to_string_lossy();
    Ok(PathBuf::from(text.strip_suffix(" (deleted)").unwrap_or(&text)))
}

/// Replaces this process with the program at its path, with the same arguments and open listeners. Returns the exit
/// code if neither that program nor the previous one starts.
pub(super) fn run(inheritance: &Inheritance) -> i32 {
    // Marked inheritable only now, so that child processes do not inherit the listeners.
    let started = program().and_then(|program| Ok((program, inheritance.keep_for_exec()?)));
    let error = match started {
        Ok((program, variables)) => become_program(&program, variables),
        Err(error) => error,
    };
    go_back(&error.to_string(), inheritance)
}

/// Replaces this process with the previous program. Returns the exit code if there is none.
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
