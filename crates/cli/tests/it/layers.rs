//! Allowed dependencies between crates. A new edge is a change to a table here, and to the architecture.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::repository::{output, root};

/// Crates and their allowed dependencies within the workspace, in the order of the data flow.
const EDGES: &[(&str, &[&str])] = &[
    ("sluice-wire", &[]),
    // HTTP configuration and a client; sends no requests itself.
    ("sluice-net", &[]),
    // Reads and writes transcripts for host and engine; has no access to sessions, hosts or models.
    ("sluice-transcript", &["sluice-wire"]),
    ("sluice-model", &["sluice-net", "sluice-wire"]),
    ("sluice-permission", &["sluice-wire"]),
    // Settings are data: this crate runs no programs and opens no connections.
    ("sluice-settings", &["sluice-permission", "sluice-wire"]),
    // Reads files in folders and never runs them.
    (
        "sluice-catalogue",
        &["sluice-permission", "sluice-settings", "sluice-wire"],
    ),
    (
        "sluice-tools",
        &["sluice-permission", "sluice-net", "sluice-settings", "sluice-wire"],
    ),
    // Copies files; has no access to sessions, hosts or models.
    (
        "sluice-checkpoints",
        &["sluice-settings", "sluice-tools", "sluice-transcript"],
    ),
    // Decides about calls only: it cannot run, ask or send anything.
    ("sluice-call", &["sluice-permission", "sluice-tools"]),
    // MCP servers have no access to the conversation, only to their connection and the host.
    (
        "sluice-servers",
        &[
            "sluice-model",
            "sluice-permission",
            "sluice-settings",
            "sluice-tools",
            // Results that exceed a message are saved in files readable only by their owner.
            "sluice-transcript",
            "sluice-wire",
        ],
    ),
    // A hook receives one event; it has no access to the conversation, and affects only what its answer specifies.
    (
        "sluice-hooks",
        &[
            "sluice-call",
            "sluice-model",
            "sluice-permission",
            "sluice-servers",
            "sluice-settings",
            "sluice-tools",
            "sluice-wire",
        ],
    ),
    (
        "sluice-engine",
        &[
            "sluice-call",
            "sluice-catalogue",
            "sluice-checkpoints",
            "sluice-hooks",
            "sluice-model",
            "sluice-permission",
            "sluice-servers",
            "sluice-settings",
            "sluice-tools",
            "sluice-transcript",
            "sluice-wire",
        ],
    ),
    ("sluice-stdio", &["sluice-engine", "sluice-wire"]),
    (
        "sluice-mcp-door",
        &["sluice-engine", "sluice-permission", "sluice-tools", "sluice-wire"],
    ),
    // The host library never links the engine.
    ("sluice-host", &["sluice-transcript", "sluice-wire"]),
    // The store has no access to network, agents or clients.
    ("sluice-store", &[]),
    // Computes colours, diffs and images from values.
    ("sluice-render", &[]),
    ("sluice-terminal", &["sluice-host", "sluice-render", "sluice-wire"]),
    // A runner must be the most robust process, so it uses no other crate.
    ("sluice-runner", &[]),
    // The server controls access; it has no access to agents or sessions.
    ("sluice-server", &["sluice-store", "sluice-wire"]),
    // The bridge hosts many sessions; it does not link the engine.
    (
        "sluice-bridge",
        &[
            "sluice-host",
            "sluice-render",
            "sluice-runner",
            "sluice-server",
            "sluice-store",
            "sluice-wire",
        ],
    ),
    // Simulators must be able to send messages that the protocol types forbid.
    ("sluice-simulator", &[]),
    (
        "sluice",
        &[
            "sluice-bridge",
            "sluice-engine",
            "sluice-host",
            "sluice-mcp-door",
            "sluice-model",
            "sluice-permission",
            "sluice-runner",
            "sluice-server",
            "sluice-simulator",
            "sluice-stdio",
            "sluice-store",
            "sluice-terminal",
            "sluice-tools",
            "sluice-wire",
        ],
    ),
];

/// Additional dependencies allowed for tests: the simulator of the other side.
const EDGES_OF_TESTS: &[&str] = &["sluice-simulator"];

/// Libraries reserved for some crates: (library, the crates that may use it).
const OWNED: &[(&str, &[&str])] = &[
    // The server receives a client for push services from its caller.
    (
        "reqwest",
        &[
            "sluice-net",
            "sluice-model",
            "sluice-tools",
            "sluice-servers",
            "sluice-server",
        ],
    ),
    ("rustls", &["sluice-net", "sluice-server"]),
    ("rustls-platform-verifier", &["sluice-net"]),
    ("hyper", &["sluice-simulator", "sluice-server"]),
    ("axum", &["sluice-server", "sluice-bridge"]),
    ("rusqlite", &["sluice-store"]),
    ("rcgen", &["sluice-server"]),
    ("clap", &["sluice"]),
    ("anyhow", &["sluice"]),
    ("rmcp", &["sluice-servers", "sluice-mcp-door"]),
    ("brush-parser", &["sluice-permission"]),
    ("syntect", &["sluice-render"]),
];

/// Pure crates without I/O.
const PURE: &[&str] = &["sluice-wire", "sluice-permission", "sluice-render"];
const NOT_PURE: &[&str] = &[
    "tokio",
    "tokio-util",
    "futures-util",
    "rustix",
    "reqwest",
    "hyper",
    "tempfile",
];

/// Crates that start no processes: (crate, folder of its sources).
const STARTS_NOTHING: &[(&str, &str)] = &[
    ("sluice-transcript", "crates/transcript/src"),
    ("sluice-settings", "crates/settings/src"),
    ("sluice-catalogue", "crates/catalogue/src"),
];

struct Edge {
    from: String,
    to: String,
    of_tests: bool,
}

/// Returns the members of the workspace and their direct dependencies.
fn declared() -> (Vec<String>, Vec<Edge>) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let text = output(
        Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(root()),
    );
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let edges = packages.iter().flat_map(|package| {
        package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .map(move |dependency| Edge {
                from: name(package),
                to: name(dependency),
                of_tests: dependency["kind"] == "dev",
            })
    });
    (packages.iter().map(name).collect(), edges.collect())
}

#[test]
fn every_crate_has_its_row() {
    let (mut members, _) = declared();
    members.sort();
    let mut rows: Vec<&str> = EDGES.iter().map(|(name, _)| *name).collect();
    rows.sort_unstable();
    assert_eq!(members, rows);
}

#[test]
fn crates_use_only_what_lies_below_them() {
    let (members, edges) = declared();
    let allowed: BTreeMap<_, _> = EDGES.iter().copied().collect();
    for Edge { from, to, of_tests } in edges.iter().filter(|edge| members.contains(&edge.to)) {
        let allowed = allowed.get(from.as_str()).copied().unwrap_or_default();
        let of_tests = *of_tests && EDGES_OF_TESTS.contains(&to.as_str());
        assert!(of_tests || allowed.contains(&to.as_str()), "{from} must not use {to}");
    }
}

#[test]
fn the_table_has_no_cycle() {
    // A row may only name rows above it, so there are no cycles.
    for (position, (name, uses)) in EDGES.iter().enumerate() {
        for used in *uses {
            assert!(
                EDGES[..position].iter().any(|(above, _)| above == used),
                "{name} uses {used}, which is not above it"
            );
        }
    }
}

#[test]
fn libraries_stay_in_their_layer() {
    let (_, edges) = declared();
    for Edge { from, to, .. } in edges.iter().filter(|edge| !edge.of_tests) {
        if let Some((_, owners)) = OWNED.iter().find(|(library, _)| library == to) {
            assert!(
                owners.contains(&from.as_str()),
                "{from} must not use {to}: it belongs to {owners:?}"
            );
        }
        assert!(
            !(PURE.contains(&from.as_str()) && NOT_PURE.contains(&to.as_str())),
            "{from} is pure and must not use {to}"
        );
    }
}

#[test]
fn crates_that_start_no_processes_do_not_use_process_apis() {
    for (name, folder) in STARTS_NOTHING {
        let mut folders = vec![root().join(folder)];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let words = ["process::", "Command::new", "exec(", "TcpStream", "UnixStream"];
                let found: Vec<_> = words.into_iter().filter(|word| text.contains(word)).collect();
                assert!(
                    found.is_empty(),
                    "{name} starts nothing, and {} has {found:?}",
                    path.display()
                );
                seen += 1;
            }
        }
        assert!(seen > 0, "{name} has no sources in {folder}");
    }
}
