//! Checks of `sluice doctor` for the bridge: port, state folder, database, runners, agents.

use std::path::Path;

use sluice_server::{read_note, who_listens};

use super::state_folder;
use crate::environment::Environment;

/// Default port of the bridge.
const PORT: u16 = 4747;

/// Returns report lines and problems.
pub(crate) fn look(environment: &Environment) -> (Vec<(&'static str, String)>, Vec<String>) {
    let state = state_folder(None, environment);
    let mut said = Vec::new();
    let mut problems = Vec::new();
    let running = read_note(&state).filter(|note| Path::new(&format!("/proc/{}", note.pid)).exists());
    said.push((
        "bridge",
        match &running {
            Some(note) => format!("running, process {}, {}", note.pid, note.addresses.join(" ")),
            None => match who_listens(PORT) {
                Some(holder) => {
                    format!("not running; port {PORT} is in use by {holder}, so the next free port will be used")
                }
                None => "not running; `sluice serve` starts it".to_owned(),
            },
        },
    ));
    if state.exists() {
        match writable(&state) {
            Ok(()) => said.push(("its state", format!("{}{}", state.display(), database(&state)))),
            Err(error) => problems.push(format!(
                "The bridge cannot write to {}: {error}; free disk space or choose another folder with --state",
                state.display()
            )),
        }
        let (alive, left) = runners(&state);
        said.push(("runners", format!("{alive} alive")));
        if left > 0 && running.is_none() {
            said.push((
                "",
                format!("{left} ended while no bridge was running; the next bridge reads their logs"),
            ));
        }
    }
    (said, problems)
}

fn writable(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(".doctor");
    std::fs::write(&probe, b"x")?;
    std::fs::remove_file(probe)
}

fn database(state: &Path) -> String {
    let file = state.join("bridge.db");
    match std::fs::metadata(&file) {
        Ok(data) => format!(", database {:.1} MiB", data.len() as f64 / 1_048_576.0),
        Err(_) => ", no database yet".to_owned(),
    }
}

/// Counts running and ended runners.
fn runners(state: &Path) -> (usize, usize) {
    let folders = std::fs::read_dir(state.join("runners")).into_iter().flatten().flatten();
    let registered = folders.filter_map(|folder| sluice_runner::registry::read(&folder.path()));
    registered.fold((0, 0), |(alive, left), runner| {
        if sluice_runner::registry::is_alive(&runner) {
            (alive + 1, left)
        } else {
            (alive, left + 1)
        }
    })
}
