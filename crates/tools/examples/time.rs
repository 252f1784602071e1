//! Measures permission decisions: repeatedly decides about the lines of a file, in this folder.
//!
//! `cargo run --release -p sluice-tools --example time -- crates/permission/tests/oracle/agent.txt`

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use sluice_permission::{Behavior, Call, Policy, Rule, Source, ToolFacts, decide};
use sluice_tools::{Pinned, Pins};

const ROUNDS: usize = 100;

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&file)?;
    let cwd = std::env::current_dir()?;
    let mut policy = Policy::new(&cwd, std::env::var("HOME").unwrap_or_default());
    let rules = [
        (Behavior::Deny, "Bash(zap:*)"),
        (Behavior::Ask, "Bash(git push:*)"),
        (Behavior::Allow, "Bash(npm run *)"),
    ];
    for (behavior, rule) in rules {
        policy
            .rules
            .extend(Rule::parse(behavior, Source::User, &cwd, rule).ok());
    }
    let env: Vec<_> = std::env::vars_os().collect();
    let mut all: Vec<(Duration, &str)> = Vec::new();
    for round in 0..ROUNDS {
        for line in text.lines() {
            // A different text each time, so that the parser's cache is not measured.
            let input = json!({ "command": format!("{line} # {round}") });
            let begun = Instant::now();
            let decision = decide(
                &policy,
                &Call::new(ToolFacts::command("command"), &input, Path::new(&cwd)),
                &Pinned {
                    pins: &Pins::default(),
                    env: &env,
                },
            );
            all.push((begun.elapsed(), line));
            drop(decision);
        }
    }
    all.sort_unstable();
    let at = |share: usize| {
        all.get(all.len() * share / 100)
            .map(|(time, _)| *time)
            .unwrap_or_default()
    };
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} decisions: median {:?}, 90 % {:?}, 99 % {:?}",
        all.len(),
        at(50),
        at(90),
        at(99)
    )?;
    let mut shown: Vec<&str> = Vec::new();
    for (time, line) in all.iter().rev() {
        if !shown.contains(line) && shown.len() < 5 {
            shown.push(line);
            writeln!(out, "worst: {time:?} {line}")?;
        }
    }
    Ok(())
}
