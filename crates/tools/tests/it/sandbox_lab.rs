//! Test lab: a session in a sandbox of either kind.
#![allow(clippy::print_stderr)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_tools::Outcome;
use sluice_tools::sandbox::{Config, Kind, Sandbox};

use crate::support::{Lab, said};

/// A lab with a sandbox, a home folder, and a private folder next to the project.
pub(crate) struct Inside {
    pub(crate) lab: Lab,
    pub(crate) kind: Kind,
    pub(crate) base: PathBuf,
}

pub(crate) fn config(base: &std::path::Path, settings: &Value) -> Config {
    let mut settings = settings.clone();
    settings["enabled"] = json!(true);
    Config::from_settings(
        &settings,
        vec![base.join("work")],
        base.join("home"),
        vec![base.join("home/.config/sluice")],
    )
    .unwrap()
    .unwrap()
}

/// Skips a test that cannot run here. With `SLUICE_REQUIRE_SANDBOX=1` that is a failure: a machine that is meant to
/// test the sandbox must not pass without one.
pub(crate) fn skip(why: &str) {
    assert!(
        std::env::var("SLUICE_REQUIRE_SANDBOX").as_deref() != Ok("1"),
        "SLUICE_REQUIRE_SANDBOX=1, and a sandbox cannot be tried here: {why}"
    );
    eprintln!("skipped: {why}");
}

impl Inside {
    pub(crate) fn new(kind: Kind, settings: &Value) -> Option<Self> {
        let mut lab = Lab::new();
        let base = lab.work.parent().unwrap().to_owned();
        for name in ["home", "outside", "work/src"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        let config = config(&base, settings);
        let sandbox = match kind {
            Kind::Bubblewrap => Sandbox::new(config),
            Kind::Landlock => Sandbox::landlock(config),
        };
        match sandbox {
            Ok(sandbox) if sandbox.kind() == Some(kind) => lab.cx.sandbox = Some(Arc::new(sandbox)),
            Ok(other) => {
                skip(&format!("{kind} does not work here, {} does", other.describe()));
                return None;
            }
            Err(why) => {
                skip(&why.to_string());
                return None;
            }
        }
        Some(Self { lab, kind, base })
    }

    pub(crate) async fn bash(&self, command: &str) -> Outcome {
        self.lab.bash(command).await
    }

    /// Runs a command that must fail.
    pub(crate) async fn refused(&self, command: &str) -> Outcome {
        let outcome = self.bash(command).await;
        assert_eq!(
            outcome.is_error,
            Some(true),
            "{}: {command}: {}",
            self.kind,
            said(&outcome)
        );
        outcome
    }

    /// Runs a command that must succeed.
    pub(crate) async fn fine(&self, command: &str) -> String {
        let outcome = self.bash(command).await;
        assert_eq!(
            outcome.is_error,
            Some(false),
            "{}: {command}: {}",
            self.kind,
            said(&outcome)
        );
        assert_eq!(outcome.result["sandbox"], self.kind.to_string());
        said(&outcome).to_owned()
    }

    /// Returns the entries of the project folder after stand-ins were removed.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.lab.work)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Returns a lab for each kind that supports the settings; Landlock does not support single domains.
pub(crate) fn each(settings: &Value) -> Vec<Inside> {
    let domains = settings.pointer("/network/allowedDomains").and_then(Value::as_array);
    let by_domain = domains.is_some_and(|domains| !domains.is_empty());
    [Kind::Bubblewrap, Kind::Landlock]
        .into_iter()
        .filter(|kind| !by_domain || *kind == Kind::Bubblewrap)
        .filter_map(|kind| Inside::new(kind, settings))
        .collect()
}

/// Waits for an asynchronous effect of the kernel.
pub(crate) async fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let wait = tokio::time::timeout(Duration::from_secs(20), async {
        while !done() {
            tokio::task::yield_now().await;
        }
    });
    wait.await.unwrap_or_else(|_| panic!("{what}"));
}

/// True if a process with this command line exists.
pub(crate) fn runs(words: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| {
            String::from_utf8_lossy(&line)
                .replace('\0', " ")
                .trim_end()
                .ends_with(words)
        })
    })
}
