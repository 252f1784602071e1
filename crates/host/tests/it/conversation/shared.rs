//! What was recorded of the reference agents, when it is there, in the order in which it happened.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One line on the wire, or a new process.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Agent(String),
    Host(String),
    Restart,
}

pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

/// Every recording of messages, or none with the reason printed.
pub(crate) fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wire");
    if !root.is_dir() {
        println!("skipped: no recordings at {}", root.display());
        return Vec::new();
    }
    let orders = orders(&root.join("SEQUENCES.md"));
    let mut found = Vec::new();
    for version in children(&root.join("recordings")) {
        for folder in children(&version) {
            let scenario = name(&folder);
            // Text and JSON output are not lines of messages.
            if scenario.starts_with("print_") || scenario == "version" {
                continue;
            }
            let agent = lines(&folder.join("stdout.ndjson"));
            let host = lines(&folder.join("stdin.ndjson"));
            let order = orders.get(&(name(&version), scenario.clone()));
            let steps = order.and_then(|order| ordered(order, &agent, &host));
            found.push(Recording {
                name: format!("{}/{scenario}", name(&version)),
                steps: steps.unwrap_or_else(|| merged(agent, host)),
            });
        }
    }
    for version in children(&root.join("observed")) {
        for folder in children(&version) {
            // That one speaks JSON-RPC.
            if folder.ends_with("mcp_serve") {
                continue;
            }
            for path in children(&folder) {
                if path.extension().is_some_and(|it| it == "ndjson") {
                    found.push(Recording {
                        name: format!("{}/{}/{}", name(&version), name(&folder), name(&path)),
                        steps: observed(&path),
                    });
                }
            }
        }
    }
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn lines(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let kept = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.contains("…elided…"));
    kept.map(str::to_owned).collect()
}

fn observed(path: &Path) -> Vec<Step> {
    let text = std::fs::read_to_string(path).unwrap();
    let entries = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let steps = entries.filter_map(|entry| {
        let message = entry.get("msg").filter(|it| it.is_object())?.to_string();
        match entry["dir"].as_str() {
            Some("out") => Some(Step::Agent(message)),
            Some("in") => Some(Step::Host(message)),
            _ => None,
        }
    });
    steps.collect()
}

/// Who wrote, in order, by version and scenario: `true` for the host.
fn orders(path: &Path) -> HashMap<(String, String), Vec<bool>> {
    let mut orders = HashMap::new();
    let mut scenario = String::new();
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        if let Some(name) = line.strip_prefix("## ") {
            scenario = name.to_owned();
        } else if let Some((version, rest)) = line.strip_prefix("- **").and_then(|it| it.split_once("** ")) {
            let Some((_, sequence)) = rest.split_once(": ") else {
                continue;
            };
            let mut order = Vec::new();
            for word in sequence.split(' ') {
                let (word, times) = word.split_once('×').unwrap_or((word, "1"));
                if ["·", "∘", "EOF", "[EOF]", ""].contains(&word) {
                    continue;
                }
                let times: usize = times.parse().unwrap_or(1);
                order.extend(std::iter::repeat_n(word.starts_with('['), times));
            }
            orders.entry((version.to_owned(), scenario.clone())).or_insert(order);
        }
    }
    orders
}

/// The lines in the order that was noted, when that fits them.
fn ordered(order: &[bool], agent: &[String], host: &[String]) -> Option<Vec<Step>> {
    let (mut agent, mut host) = (agent.iter(), host.iter());
    let mut steps = Vec::new();
    for from_host in order {
        steps.push(if *from_host {
            Step::Host(host.next()?.clone())
        } else {
            Step::Agent(agent.next()?.clone())
        });
    }
    (agent.next().is_none() && host.next().is_none()).then_some(steps)
}

/// The lines in an order that could have been: each line of the host just before the first one that needs it.
fn merged(agent: Vec<String>, host: Vec<String>) -> Vec<Step> {
    let mut host: VecDeque<(String, Value)> = host
        .into_iter()
        .map(|line| {
            let value = serde_json::from_str(&line).unwrap_or_default();
            (line, value)
        })
        .collect();
    let mut steps = Vec::new();
    let mut asked: HashSet<String> = HashSet::new();
    let mut owed = 0_i32;
    for line in agent {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        if message["type"] == "$run" {
            // Whatever was still to be said was said to the process before.
            steps.push(Step::Restart);
            owed = 0;
            continue;
        }
        let needed = host.iter().position(|(_, it)| needs(&message, it));
        let begins = message["type"] == "system" && message["subtype"] == "init" && owed <= 0;
        let first_prompt = host.iter().position(|(_, it)| it["type"] == "user");
        let upto = needed.max(first_prompt.filter(|_| begins && needed.is_none()));
        for _ in 0..upto.map_or(0, |it| it + 1) {
            let (line, value) = host.pop_front().unwrap();
            owed += i32::from(value["type"] == "user");
            steps.push(Step::Host(line));
        }
        if message["type"] == "control_request" {
            asked.insert(message["request_id"].to_string());
        }
        owed -= i32::from(message["type"] == "result");
        steps.push(Step::Agent(line));
        while host.front().is_some_and(|(_, it)| {
            it["type"] == "control_response" && asked.contains(&it["response"]["request_id"].to_string())
        }) {
            steps.push(Step::Host(host.pop_front().unwrap().0));
        }
    }
    steps.extend(host.into_iter().map(|(line, _)| Step::Host(line)));
    steps
}

/// Whether the agent's line answers or names the host's.
fn needs(agent: &Value, host: &Value) -> bool {
    match host["type"].as_str() {
        Some("user") => {
            let uuid = &host["uuid"];
            uuid.is_string() && (agent["command_uuid"] == *uuid || (agent["type"] == "user" && agent["uuid"] == *uuid))
        }
        Some("control_request") => {
            agent["type"] == "control_response" && agent["response"]["request_id"] == host["request_id"]
        }
        _ => false,
    }
}
