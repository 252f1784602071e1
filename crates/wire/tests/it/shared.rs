//! Reads the recordings of the reference agents, if they are available.

use std::path::{Path, PathBuf};

use sluice_wire::Framer;

/// The lines of one file and the side that wrote them.
pub(crate) struct Recording {
    pub(crate) path: PathBuf,
    pub(crate) side: Side,
    pub(crate) lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Agent,
    Host,
}

/// Returns the folder `<repository>/../shared/wire`. Prints a message and returns `None` if it does not exist.
pub(crate) fn root() -> Option<PathBuf> {
    let wire = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wire");
    if wire.is_dir() {
        Some(wire)
    } else {
        println!("skipped: no recordings at {}", wire.display());
        None
    }
}

/// Returns all recordings: those of raw bytes, and those in which each message has its direction.
pub(crate) fn recordings(root: &Path) -> Vec<Recording> {
    let mut found = Vec::new();
    for version in children(&root.join("recordings")) {
        for scenario in children(&version) {
            // The output of text and JSON mode does not consist of messages.
            if scenario.file_name().is_some_and(|it| {
                let name = it.to_string_lossy();
                name.starts_with("print_") || name == "version"
            }) {
                continue;
            }
            for (name, side) in [("stdout.ndjson", Side::Agent), ("stdin.ndjson", Side::Host)] {
                let path = scenario.join(name);
                let Ok(bytes) = std::fs::read(&path) else {
                    continue;
                };
                let lines = framed(&bytes);
                found.push(Recording { path, side, lines });
            }
        }
    }
    for version in children(&root.join("observed")) {
        for folder in children(&version) {
            // This scenario uses JSON-RPC.
            if folder.ends_with("mcp_serve") {
                continue;
            }
            for path in children(&folder) {
                if path.extension().is_some_and(|it| it == "ndjson") {
                    found.extend(observed(&path));
                }
            }
        }
    }
    found
}

impl Recording {
    /// Returns the name of the recorded scenario.
    pub(crate) fn scenario(&self) -> &str {
        let folder = self.path.parent().and_then(Path::file_name);
        folder.and_then(|it| it.to_str()).unwrap_or_default()
    }
}

/// Returns the messages of a recording, without the lines that the recorder inserted.
fn framed(bytes: &[u8]) -> Vec<String> {
    let mut framer = Framer::new();
    let mut found = Vec::new();
    let mut lines = framer.push(bytes);
    lines.extend(framer.finish());
    for line in lines {
        let text = line.text().unwrap();
        let elided = text.contains("…elided…") || text.starts_with("{\"_elided_bytes\"");
        if elided || text.starts_with("{\"type\": \"$run\"") {
            continue;
        }
        found.push(text.to_owned());
    }
    found
}

fn observed(path: &Path) -> Vec<Recording> {
    let (mut agent, mut host) = (Vec::new(), Vec::new());
    let text = std::fs::read_to_string(path).unwrap();
    for line in text.lines() {
        let Ok(entry) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let Some(message) = entry.get("msg").filter(|it| it.is_object()) else {
            continue;
        };
        match entry["dir"].as_str() {
            Some("out") => agent.push(message.to_string()),
            Some("in") => host.push(message.to_string()),
            _ => {}
        }
    }
    [(Side::Agent, agent), (Side::Host, host)]
        .into_iter()
        .map(|(side, lines)| Recording {
            path: path.to_owned(),
            side,
            lines,
        })
        .collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
