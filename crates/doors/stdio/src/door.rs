//! A session on stdin and stdout.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use sluice_engine::settings::MAX_NAMED_FILE;
use sluice_engine::{Input, Port};
use sluice_wire::ToAgent;
use sluice_wire::stdin::User;
use tokio::runtime::Handle;

use crate::writer::{self, Output, Pace};
use crate::{leaving, prompt, reader};

/// The input of a session.
#[derive(Debug)]
pub enum InputMode {
    /// Messages, one per line, until the end of the input.
    StreamJson,
    /// This prompt only.
    Prompt(String),
    /// No input. The session only does what its options say.
    Nothing,
}

/// A session on the standard streams.
#[derive(Debug)]
pub struct Door {
    /// The input.
    pub input: InputMode,
    /// The output format, and whether it goes to a terminal.
    pub format: Output,
    /// When messages are written.
    pub pace: Pace,
    /// The first message must be `initialize`.
    pub greeted: bool,
}

impl Door {
    /// Runs until the session ends. Returns the exit code.
    ///
    /// `report` is called for skipped lines and if the output cannot be written.
    pub async fn serve<R, W, E>(self, port: Port, source: R, sink: W, report: E) -> i32
    where
        R: Read + Send + 'static,
        W: Write + Send + 'static,
        E: FnMut(&str) + Send + 'static,
    {
        let Port {
            input,
            output,
            quit,
            done,
        } = port;
        let signals = leaving::signals(input.clone());
        let report = Arc::new(Mutex::new(report));
        let report_problem = {
            let report = Arc::clone(&report);
            move |problem: &str| {
                let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                (*report)(problem);
            }
        };
        match self.input {
            InputMode::StreamJson => {
                let (report_problem, greeted) = (report_problem.clone(), self.greeted);
                thread::spawn(move || reader::read(source, &input, greeted, report_problem));
            }
            InputMode::Nothing => {
                if input.send(vec![Input::Eof]).await.is_err() {
                    return 1;
                }
            }
            InputMode::Prompt(text) => {
                let message = ToAgent::User(Box::new(User::new(text)));
                let inputs = vec![Input::Message(Box::new(message)), Input::Eof];
                if input.send(inputs).await.is_err() {
                    return 1;
                }
            }
        }
        let (ended, end) = tokio::sync::oneshot::channel();
        let (clock, host_gone) = (Handle::current(), quit.clone());
        thread::spawn(move || {
            let written = writer::write(self.format, self.pace, &clock, output, sink);
            if written.is_err() {
                host_gone.cancel();
            }
            // The receiver is dropped when the process is exiting.
            let _gone = ended.send(written);
        });
        let finished = async {
            let code = done.await.map_or(1, |exit| exit.code);
            // All messages must be written before the process exits.
            match end.await {
                // A closed pipe is not an error: the reader has ended on purpose. Other write errors are.
                Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
                    report_problem(&format!("error: standard output cannot be written: {error}"));
                    code.max(1)
                }
                _ => code,
            }
        };
        tokio::select! {
            code = finished => code,
            code = leaving::exit_when_overdue(signals, quit) => code,
        }
    }
}

/// Returns the prompt of a print run.
///
/// # Errors
/// Returns the error message to show if there is no prompt.
pub fn print_prompt<R: Read + Send + 'static>(
    argument: Option<&str>,
    source: Option<R>,
    mut warn: impl FnMut(&str),
) -> Result<String, String> {
    let piped = match source {
        None => String::new(),
        Some(source) => {
            let patience = argument.is_some().then_some(prompt::PATIENCE);
            match prompt::piped(source, patience) {
                prompt::Piped::Text(text) => text,
                prompt::Piped::TooLong => {
                    return Err(format!(
                        "Error: standard input is longer than {} MiB. Save it to a file and name the file in the prompt.",
                        MAX_NAMED_FILE >> 20
                    ));
                }
                prompt::Piped::Silent => {
                    warn(
                        "Warning: no data on standard input for 3 seconds; continuing without it. \
                         To skip the wait, redirect it: < /dev/null",
                    );
                    String::new()
                }
            }
        }
    };
    match prompt::join(argument, &piped) {
        prompt::Prompt::Text(text) => Ok(text),
        prompt::Prompt::Missing => Err(
            "Error: there is no prompt. Give one as an argument or over standard input when using --print.".to_owned(),
        ),
    }
}
