//! Every documented message has a sample line, is known, and survives a round trip.

use std::collections::BTreeSet;

use serde_json::Value;
use sluice_wire::content::{Block, Source};
use sluice_wire::control::{Request, Response};
use sluice_wire::hook::{HookInput, HookOutput, HookSpecificOutput};
use sluice_wire::permission_update::PermissionUpdate;
use sluice_wire::stdout::System;
use sluice_wire::{Frame, ToAgent, ToHost};

const AGENT: &str = include_str!("lines/agent.ndjson");
const HOST: &str = include_str!("lines/host.ndjson");
const HOOK_OUTPUT: &str = include_str!("lines/hook_output.ndjson");

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn set(known: &[&'static str]) -> BTreeSet<String> {
    known.iter().map(|&it| it.to_owned()).collect()
}

/// Collects every string under the key `name`, at any depth.
fn words(value: &Value, name: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                if let (true, Some(word)) = (key == name, inner.as_str()) {
                    found.insert(word.to_owned());
                }
                words(inner, name, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|it| words(it, name, found)),
        _ => {}
    }
}

#[test]
fn every_message_type_of_the_agent_is_known() {
    let (mut types, mut subtypes) = (BTreeSet::new(), BTreeSet::new());
    for line in AGENT.lines() {
        let message = Frame::parse(line).unwrap().to_host().unwrap();
        assert_eq!(value(&message.to_line()), value(line));
        match &message {
            ToHost::Unknown(_) => panic!("unknown: {line}"),
            ToHost::System(system) => {
                assert!(!matches!(**system, System::Unknown(_)), "unknown: {line}");
                subtypes.insert(system.kind().to_owned());
            }
            ToHost::ControlRequest(it) => {
                assert!(!matches!(it.request, Request::Unknown(_)), "unknown: {line}");
            }
            ToHost::ControlResponse(it) => {
                assert!(!matches!(it.response, Response::Unknown(_)), "unknown: {line}");
            }
            _ => {}
        }
        types.insert(message.kind().to_owned());
    }
    assert_eq!(types, set(ToHost::KNOWN));
    assert_eq!(subtypes, set(System::KNOWN));
}

#[test]
fn every_message_type_of_the_host_is_known() {
    let mut types = BTreeSet::new();
    for line in HOST.lines() {
        let message = Frame::parse(line).unwrap().to_agent().unwrap();
        assert_eq!(value(&message.to_line()), value(line));
        assert!(!matches!(message, ToAgent::Unknown(_)), "unknown: {line}");
        types.insert(message.kind().to_owned());
    }
    assert_eq!(types, set(ToAgent::KNOWN));
}

#[test]
fn every_request_has_a_sample_line() {
    let mut found = BTreeSet::new();
    for line in AGENT.lines().chain(HOST.lines()) {
        let line = value(line);
        if let Some(request) = line.get("request") {
            let request: Request = serde_json::from_str(&request.to_string()).unwrap();
            assert!(!matches!(request, Request::Unknown(_)), "{line}");
            found.insert(request.kind().to_owned());
        }
    }
    assert_eq!(found, set(Request::KNOWN));
}

#[test]
fn every_member_of_the_inner_unions_has_a_sample_line() {
    let (mut types, mut events) = (BTreeSet::new(), BTreeSet::new());
    for line in AGENT.lines().chain(HOST.lines()) {
        words(&value(line), "type", &mut types);
        words(&value(line), "hook_event_name", &mut events);
    }
    assert_eq!(events, set(HookInput::KNOWN));
    for known in [Block::KNOWN, Source::KNOWN, PermissionUpdate::KNOWN] {
        assert!(set(known).is_subset(&types), "{known:?} in {types:?}");
    }
}

#[test]
fn every_hook_output_is_known() {
    let mut events = BTreeSet::new();
    for line in HOOK_OUTPUT.lines() {
        let output: HookOutput = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_value(&output).unwrap(), value(line));
        match output.hook_specific_output {
            Some(HookSpecificOutput::Unknown(it)) => assert_eq!(it.tag.as_deref(), Some("Eclipse")),
            Some(specific) => {
                events.insert(specific.kind().to_owned());
            }
            None => {}
        }
    }
    assert_eq!(events, set(HookSpecificOutput::KNOWN));
}
