//! `sluice`: reads the command line and the environment, then starts one of the doors.
//!
//! Only this crate reads arguments, environment variables and the home directory; other crates receive values.

mod approval;
mod attach;
mod broken_settings;
mod completions;
mod conversation;
mod debug;
mod doctor;
mod environment;
mod fetched;
mod flags;
mod headless;
mod interactive;
mod launch;
mod login;
mod man;
mod mcp_list;
mod mcp_serve;
mod memory;
mod narrowing;
mod plugins;
mod serve;
mod servers;
mod sim;
mod spare;
mod startup;
mod trusting;
mod trying;
mod worktree;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use environment::Environment;
use flags::{FlagError, Flags, Mcp, Subcommand};
use startup::Refusal;
use worktree::{EnterError, Worktree};

fn main() -> ExitCode {
    // Handled before anything else: a runner stays small, and outlives other processes.
    if std::env::args_os().nth(1).is_some_and(|word| word == "runner") {
        return sluice_runner::main(std::env::args_os().skip(2));
    }
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if flags::asks_version(&args) {
        return say(&flags::version_line());
    }
    let flags = match flags::parse(args.into_iter()) {
        Ok(flags) => flags,
        Err(error) => return complain(&error.to_string(), FlagError::EXIT),
    };
    if flags.version {
        return say(&flags::version_line());
    }
    if flags.help {
        return say(&flags.help_of.unwrap_or_else(flags::help));
    }
    let mut environment = Environment::read();
    if let Err(error) = flags.validate() {
        let code = match error.reason {
            Some(reason) => Refusal::new(reason, error.message).tell(&flags, &environment),
            None => fail(error.to_string().trim_start_matches("error: ")),
        };
        return ExitCode::from(u8::try_from(code).unwrap_or(FlagError::EXIT));
    }
    let flags = match narrowing::narrowed(flags, &mut environment) {
        Ok(flags) => flags,
        Err(problem) => return complain(&format!("error: {problem}"), FlagError::EXIT),
    };
    let code = run(flags, environment);
    // Threads that still wait for input must not keep the process alive.
    #[allow(clippy::exit)]
    std::process::exit(code)
}

fn run(flags: Flags, environment: Environment) -> i32 {
    // The bridge has a separate multi-threaded runtime.
    if let Some(Subcommand::Serve(serve)) = &flags.subcommand {
        return serve::run(serve, &environment);
    }
    // One thread drives the session; standard streams have separate threads.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Short, because idle threads would later wake the process only to exit.
        .thread_keep_alive(Duration::from_millis(300))
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("the async runtime cannot be started: {error}")),
    };
    let code = runtime.block_on(async move {
        let mut flags = flags;
        // The folder is deleted when this value is dropped.
        let _brought = fetched::bring(&mut flags, &environment).await;
        match &flags.subcommand {
            Some(Subcommand::Sim(sim)) => sim::run(sim).await,
            Some(Subcommand::Attach { session, state }) => {
                attach::run(session.as_deref(), state.clone(), &flags, &environment).await
            }
            Some(Subcommand::Repair) => doctor::repair(),
            Some(Subcommand::Doctor) => doctor::run(&flags, &environment),
            Some(Subcommand::Mcp(Mcp::Serve { agent })) => mcp_serve::run(&flags, &environment, *agent).await,
            Some(Subcommand::Mcp(asked)) => mcp_list::run(asked, &flags, &environment),
            Some(Subcommand::Plugin(asked)) => plugins::run(asked, &flags, &environment),
            Some(Subcommand::Completions(shell)) => {
                say(&completions::script(*shell, flags::completion_command()));
                0
            }
            Some(Subcommand::Man) => {
                say(&man::page(&flags::command()));
                0
            }
            Some(Subcommand::AuthStatus { text }) => doctor::auth_status(&flags, &environment, *text),
            Some(Subcommand::Serve(serve)) => serve::run(serve, &environment),
            None => session(flags, environment).await,
        }
    });
    // Does not wait for a thread that reads input.
    runtime.shutdown_background();
    code
}

/// Runs a session in the terminal, or headless. If standard output is a pipe, the session is headless as with
/// `--print`.
async fn session(flags: Flags, mut environment: Environment) -> i32 {
    let interactive = flags.interactive() && (environment.terminal || io::stdout().is_terminal());
    let worktree = match Worktree::enter(&flags, &mut environment, interactive).await {
        Ok(worktree) => worktree,
        Err(EnterError::Left) => return 0,
        Err(EnterError::Failed(why)) => return fail(&why),
    };
    if !interactive {
        return headless::run(flags, environment).await;
    }
    let code = interactive::run(flags.clone(), environment.clone()).await;
    if let Some(worktree) = worktree.filter(|_| code == 0) {
        worktree.leave(&flags, &environment).await;
    }
    code
}

/// Prints a line to standard output. A closed pipe is not an error.
pub(crate) fn say(text: &str) -> ExitCode {
    let _gone = writeln!(io::stdout().lock(), "{text}");
    ExitCode::SUCCESS
}

/// Prints an error to standard error.
fn complain(text: &str, code: u8) -> ExitCode {
    warn(text);
    ExitCode::from(code)
}

/// Prints a line to standard error.
pub(crate) fn warn(text: &str) {
    let _gone = writeln!(io::stderr().lock(), "{}", plain(text));
}

/// Sanitizes text for a terminal: no cursor movements, colours or bidirectional overrides from untrusted sources.
pub(crate) use sluice_wire::printable::lines as plain;

/// Prints an error and returns the exit code.
pub(crate) fn fail(text: &str) -> i32 {
    warn(&format!("error: {text}"));
    1
}
