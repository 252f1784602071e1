//! Every line of every recording is parsed and written back as the same value.

use std::collections::HashMap;

use serde_json::Value;
use sluice_wire::content::{Block, Content};
use sluice_wire::control::{Request, Response};
use sluice_wire::hook::HookInput;
use sluice_wire::stdout::System;
use sluice_wire::{Frame, MalformedKind, ToAgent, ToHost};

use crate::answers;
use crate::shared::{self, Recording, Side};

/// Scenarios with deliberately invalid requests, which the reference agents answer with an error.
const BROKEN_REQUESTS: [&str; 7] = [
    "rewind",
    "shapes",
    "ctl_missing_request",
    "ctl_permission_mode",
    "ctl_survey",
    "ctl_thinking_tokens",
    "control_misc",
];

/// Scenarios with a request that the reference agent accepts but this crate rejects: one invalid agent definition
/// among valid ones.
const KNOWN_GAPS: [&str; 1] = ["ct_bad_agents_init"];

#[test]
fn every_recorded_line_survives_a_round_trip() {
    let Some(root) = shared::root() else { return };
    let (mut lines, mut refused) = (0, 0);
    let mut problems = Vec::new();
    for recording in shared::recordings(&root) {
        for line in &recording.lines {
            lines += 1;
            match check(line, &recording) {
                Ok(Outcome::Message) => {}
                Ok(Outcome::Refused) => refused += 1,
                Err(problem) => {
                    let head: String = line.chars().take(160).collect();
                    problems.push(format!("{}: {problem}\n    {head}", recording.path.display()));
                }
            }
        }
    }
    println!("{lines} lines, {refused} of them deliberately malformed");
    assert!(lines > 10_000, "only {lines} lines found");
    assert!(
        problems.is_empty(),
        "{} of {lines} lines:\n{}",
        problems.len(),
        problems[..problems.len().min(40)].join("\n")
    );
}

enum Outcome {
    Message,
    Refused,
}

fn check(line: &str, recording: &Recording) -> Result<Outcome, String> {
    let frame = match Frame::parse(line) {
        Ok(frame) => frame,
        Err(_) if recording.side == Side::Host && recording.scenario().starts_with("bad_") => {
            return Ok(Outcome::Refused);
        }
        Err(error) => return Err(format!("{:?}: {error}", error.kind)),
    };
    if frame.text() != line {
        return Err("text changed".to_owned());
    }
    let sent: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let back = match recording.side {
        Side::Agent => {
            let message = frame.to_host().map_err(|error| error.to_string())?;
            known_to_host(&message)?;
            message.to_line()
        }
        Side::Host => match frame.to_agent() {
            Ok(message) => {
                known_to_agent(&message, recording.scenario())?;
                message.to_line()
            }
            Err(error) if is_deliberate(error.kind, recording.scenario()) => return Ok(Outcome::Refused),
            Err(error) => return Err(error.to_string()),
        },
    };
    let back: Value = serde_json::from_str(&back).map_err(|error| error.to_string())?;
    if back == sent {
        Ok(Outcome::Message)
    } else {
        Err(format!("written back as {back}"))
    }
}

fn is_deliberate(kind: MalformedKind, scenario: &str) -> bool {
    match kind {
        MalformedKind::User(_) => scenario.starts_with("bad_user_"),
        MalformedKind::Field | MalformedKind::NoRequest => {
            BROKEN_REQUESTS.contains(&scenario) || KNOWN_GAPS.contains(&scenario)
        }
        _ => false,
    }
}

fn known_to_host(message: &ToHost) -> Result<(), String> {
    let blocks: &[Block] = match message {
        ToHost::Unknown(it) => return Err(format!("unknown type {}", it.ty)),
        ToHost::System(system) => match &**system {
            System::Unknown(it) => return Err(format!("unknown subtype {:?}", it.subtype)),
            _ => &[],
        },
        ToHost::ControlRequest(it) => return known_request(&it.request),
        ToHost::ControlResponse(it) => match &it.response {
            Response::Unknown(it) => return Err(format!("unknown response {:?}", it.tag)),
            _ => &[],
        },
        ToHost::Assistant(it) => &it.message.content,
        ToHost::User(it) => match &it.message.content {
            Content::Blocks(blocks) => blocks,
            Content::Text(_) => &[],
        },
        _ => &[],
    };
    match blocks.iter().find(|it| matches!(it, Block::Other(_))) {
        Some(block) => Err(format!("unknown block {}", block.kind())),
        None => Ok(()),
    }
}

fn known_request(request: &Request) -> Result<(), String> {
    match request {
        Request::Unknown(it) => Err(format!("unknown request {:?}", it.tag)),
        Request::HookCallback(it) => match &it.input {
            HookInput::Unknown(it) => Err(format!("unknown hook {:?}", it.tag)),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn known_to_agent(message: &ToAgent, scenario: &str) -> Result<(), String> {
    match message {
        // These scenarios deliberately send unknown messages.
        ToAgent::Unknown(_) | ToAgent::ControlRequest(_) if is_probe(scenario) => Ok(()),
        ToAgent::Unknown(it) => Err(format!("unknown type {}", it.ty)),
        ToAgent::ControlRequest(it) => known_request(&it.request),
        _ => Ok(()),
    }
}

fn is_probe(scenario: &str) -> bool {
    [
        "bad_",
        "ctl_",
        "control_misc",
        "in_assistant",
        "in_system",
        "shapes",
        "tasks_stop",
    ]
    .iter()
    .any(|it| scenario.starts_with(it))
}

#[test]
fn every_recorded_response_matches_its_request() {
    let Some(root) = shared::root() else { return };
    let mut requests: HashMap<(std::path::PathBuf, String), String> = HashMap::new();
    let recordings = shared::recordings(&root);
    let entries = || {
        recordings.iter().flat_map(|recording| {
            let folder = if recording.path.ends_with("stdout.ndjson") || recording.path.ends_with("stdin.ndjson") {
                recording.path.parent().unwrap().to_owned()
            } else {
                recording.path.clone()
            };
            recording.lines.iter().filter_map(move |line| {
                let value: Value = serde_json::from_str(line).ok()?;
                Some((folder.clone(), value))
            })
        })
    };
    for (folder, value) in entries() {
        if let (Some(id), Some(subtype)) = (value["request_id"].as_str(), value["request"]["subtype"].as_str()) {
            requests.insert((folder, id.to_owned()), subtype.to_owned());
        }
    }
    let (mut read, mut problems) = (0, Vec::new());
    for (folder, value) in entries() {
        let Some(response) = value["response"].get("response") else {
            continue;
        };
        let Some(id) = value["response"]["request_id"].as_str() else {
            continue;
        };
        let Some(subtype) = requests.get(&(folder.clone(), id.to_owned())) else {
            continue;
        };
        let Some(written) = answers::round_trip(subtype, response) else {
            continue;
        };
        read += 1;
        // The reference agents reject a deny answer without a message too.
        match written {
            Ok(written) if written == *response => {}
            Err(_) if folder.to_string_lossy().contains("perm_deny_empty_message") => {}
            other => problems.push(format!("{}: {subtype}: {other:?}\n    {response}", folder.display())),
        }
    }
    println!("{read} answers");
    assert!(read > 300, "only {read} answers");
    assert!(
        problems.is_empty(),
        "{} answers:\n{}",
        problems.len(),
        problems[..problems.len().min(20)].join("\n")
    );
}
