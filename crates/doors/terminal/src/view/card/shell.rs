//! Cards of commands.

use sluice_host::items::Shell;

use super::{CallCard, MAX_ERROR_ROWS, MAX_RESULT_ROWS, Parts, took};
use crate::view::amount;

pub(super) fn done(call: &CallCard, shell: &Shell) -> Parts {
    if let Some(job) = &shell.task {
        let parts = Parts::default();
        return match shell.moved || call.time.as_secs() > 2 {
            true => parts
                .fact(format!("moved to the background after {}", amount::running(call.time)))
                .fact(format!("job {job}")),
            false => parts.fact(format!("job {job}")),
        };
    }
    let parts = took(call.time).into_iter().fold(Parts::default(), Parts::fact);
    parts.last(&shell.all_output(), MAX_RESULT_ROWS)
}

pub(super) fn failed(call: &CallCard, shell: &Shell) -> Parts {
    let code = shell.exit_code.map(|code| format!("exit {code}"));
    let facts = code.into_iter().chain(took(call.time));
    let output = &shell.all_output();
    facts.fold(Parts::default(), Parts::fact).last(output, MAX_ERROR_ROWS)
}
