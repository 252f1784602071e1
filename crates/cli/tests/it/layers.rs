//! Who may use whom. A new edge is a change to a table here, and so to the architecture.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::repository::{output, root};

/// Crate, and the crates of this workspace it may use. In reading order: the way of the data.
const EDGES: &[(&str, &[&str])] = &[
    ("sluice-wire", &[]),
    // The way out is values and a client that nobody has used: it sends nothing and does not know what for.
    ("sluice-net", &[]),
    // What is kept cannot speak: it knows no session, no host and no model. Host and engine read and write it alike.
    ("sluice-transcript", &["sluice-wire"]),
    ("sluice-model", &["sluice-net", "sluice-wire"]),
    ("sluice-permission", &["sluice-wire"]),
    // Settings are words: whatever a file names, this crate can run nothing and reach nobody.
    ("sluice-settings", &["sluice-permission", "sluice-wire"]),
    // What lies in folders is read, never run: not by whoever reads it.
    (
        "sluice-catalogue",
        &["sluice-permission", "sluice-settings", "sluice-wire"],
    ),
    (
        "sluice-tools",
        &["sluice-permission", "sluice-net", "sluice-settings", "sluice-wire"],
    ),
    // Copies of files: no session, no host, no model.
    (
        "sluice-checkpoints",
        &["sluice-settings", "sluice-tools", "sluice-transcript"],
    ),
    // What happens to a call is decided here and done elsewhere: this crate can run, ask and say nothing.
    ("sluice-call", &["sluice-permission", "sluice-tools"]),
    // A server of others sees no conversation: only its own connection and the way to the host.
    (
        "sluice-servers",
        &[
            "sluice-model",
            "sluice-permission",
            "sluice-settings",
            "sluice-tools",
            // Results that do not fit into a message are files that only their owner can read.
            "sluice-transcript",
            "sluice-wire",
        ],
    ),
    // A hook is told one event: it sees no conversation, and changes only what its answer says.
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
    // The host arm never links the engine.
    ("sluice-host", &["sluice-transcript", "sluice-wire"]),
    // The store sees no network, no agent and no screen.
    ("sluice-store", &[]),
    // Colours, differences and images are worked out from values alone.
    ("sluice-render", &[]),
    ("sluice-terminal", &["sluice-host", "sluice-render", "sluice-wire"]),
    // A runner is the last thing that may break: it uses nothing of the rest.
    ("sluice-runner", &[]),
    // The server says who gets in; it sees no agent and no session.
    ("sluice-server", &["sluice-store", "sluice-wire"]),
    // The bridge is the host arm for many: it links no engine either.
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
    // A stand-in must be able to say what the types of the protocol forbid.
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

/// What tests of any crate may use besides: the stand-in for whatever is on the other side.
const EDGES_OF_TESTS: &[&str] = &["sluice-simulator"];

/// Libraries that belong to one layer: (library, the only crates that may use it).
const OWNED: &[(&str, &[&str])] = &[
    // The server is given a client to reach push services with; it makes none.
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

/// Pure crates: values in, values out.
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

/// Crates that start no process: (crate, the folder of its sources).
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

/// Every dependency every member of the workspace declares itself.
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
fn the_table_has_no_circle() {
    // A row may only name rows above it, so no crate can come to use itself.
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
fn who_starts_nothing_names_no_process() {
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
