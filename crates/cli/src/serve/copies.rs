//! `sluice serve backup` and `sluice serve restore`.

use std::path::Path;

use sluice_server::{backup, restore};

use crate::{fail, say};

pub(super) fn write(state: &Path, file: &Path) -> i32 {
    match backup(state, file) {
        Ok(summary) => {
            say(&format!(
                "{}: {} sessions, {} files\nhint: it contains conversations and keys; store it where only you can read it",
                file.display(),
                summary.sessions,
                summary.files
            ));
            0
        }
        Err(error) => fail(&error.to_string()),
    }
}

pub(super) fn read(file: &Path, state: &Path) -> i32 {
    match restore(file, state) {
        Ok(summary) => {
            say(&format!(
                "restored {} sessions to {}; `sluice serve --state {}` starts the bridge",
                summary.sessions,
                state.display(),
                state.display()
            ));
            0
        }
        Err(error) => fail(&error.to_string()),
    }
}
