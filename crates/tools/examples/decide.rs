//! Makes permission decisions about many command lines: one JSON object per line in, one out.
//!
//! Input: `{"command": …, "mode": …, "allow": […], "ask": […], "deny": […], "cwd": …, "home": …}`; only `command` is
//! required. Output: `{"verdict": "allow" | "ask" | "deny", "why": …, "before": …, "env": {…}, "copies_index": …}`; the
//! last three are how the command is to be run. Used by `make oracle`.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sluice_permission::{Behavior, Call, PermissionMode, Policy, Rule, Source, ToolFacts, Verdict, decide};
use sluice_tools::{Pinned, Pins};

fn main() {
    let mut out = std::io::stdout().lock();
    // Prints the programs and options from which the oracle generates command lines.
    if std::env::args().any(|argument| argument == "--corpus") {
        for (program, options) in sluice_permission::shell::programs::corpus() {
            if writeln!(out, "{}", json!([program, options])).is_err() {
                return;
            }
        }
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = serde_json::from_str(&line)
            .map_or_else(|error| json!({"error": error.to_string()}), |asked| answer(&asked));
        if writeln!(out, "{answer}").is_err() {
            return;
        }
    }
}

fn answer(asked: &Value) -> Value {
    let text = |key: &str, default: &str| asked.get(key).and_then(Value::as_str).unwrap_or(default).to_owned();
    let cwd = PathBuf::from(text("cwd", "/w"));
    let mut policy = Policy::new(&cwd, text("home", "/home/u"));
    policy.mode = PermissionMode::from(text("mode", "default").as_str());
    for (key, behavior) in [
        ("allow", Behavior::Allow),
        ("ask", Behavior::Ask),
        ("deny", Behavior::Deny),
    ] {
        for rule in asked.get(key).and_then(Value::as_array).into_iter().flatten() {
            let rule = Rule::parse(behavior, Source::User, &cwd, rule.as_str().unwrap_or_default());
            policy.rules.extend(rule.ok());
        }
    }
    let command = text("command", "");
    let input = json!({ "command": command });
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let pins = Pins::default();
    let decision = decide(
        &policy,
        &Call::new(ToolFacts::command("command"), &input, Path::new(&cwd)),
        &Pinned { pins: &pins, env: &env },
    );
    let verdict = match decision.behavior {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    };
    let quiet = sluice_permission::quiet::of(&command);
    let mut env: serde_json::Map<String, Value> = quiet
        .env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    if quiet.binds_git {
        let bound = pins.git_env(None).into_iter();
        env.extend(bound.map(|(name, value)| (name.to_owned(), json!(value))));
    }
    json!({
        "verdict": verdict,
        "why": decision.reason.text.unwrap_or(decision.message),
        "names": names(&command),
        "before": quiet.before,
        "env": env,
        "copies_index": quiet.copies_index,
    })
}

/// Returns every word of the line that may name a program.
fn names(line: &str) -> Vec<String> {
    let analysis = sluice_permission::shell::analyse(line);
    let words = analysis.commands.iter().flat_map(|command| &command.words);
    let texts = words.filter_map(|word| word.text.as_deref());
    texts
        .map(|text| text.rsplit('/').next().unwrap_or(text).to_owned())
        .collect()
}
