#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use sluice_wire::Frame;

use super::*;

fn record(seq: i64, what: &Value) -> Value {
    json!({"type": "line", "sessionId": "s", "epoch": 1, "seq": seq, "what": what})
}

fn screen() -> Translation {
    let mut screen = Translation::new("s");
    screen.heard(&json!({"type": "welcome", "device": {"id": "me"}}));
    screen
}

fn values(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn heard(screen: &mut Translation, message: &Value) -> Vec<Value> {
    values(&screen.heard(message))
}

fn said(screen: &mut Translation, line: &Value) -> (Vec<Value>, Vec<Value>) {
    let frame = Frame::parse(&line.to_string()).unwrap();
    let (commands, answers) = screen.said(&frame);
    (commands, values(&answers))
}

#[test]
fn lines_of_the_agent_are_passed_on_once() {
    let mut screen = screen();
    let line = json!({"type": "assistant", "message": {"content": []}});
    assert_eq!(heard(&mut screen, &record(1, &line)), std::slice::from_ref(&line));
    assert!(heard(&mut screen, &record(1, &line)).is_empty(), "it was there before");
    assert_eq!(heard(&mut screen, &record(2, &line)).len(), 1);
    assert_eq!(screen.subscribe()["after"], json!({"epoch": 1, "seq": 2}));
}

#[test]
fn a_prompt_of_another_client_names_it_and_ours_is_confirmed() {
    let mut screen = screen();
    let (commands, _) = said(
        &mut screen,
        &json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": "go"}}),
    );
    assert_eq!(commands[0]["type"], "input");
    assert_eq!(commands[0]["sessionId"], "s");
    let prompt = |uuid: &str| json!({"type": "sluice_prompt", "uuid": uuid, "text": "go", "state": "delivered", "by": "phone", "device": "p"});
    assert_eq!(heard(&mut screen, &record(1, &prompt("u1")))[0]["isReplay"], true);
    let other = heard(&mut screen, &record(2, &prompt("u2")));
    assert_eq!(other[0]["sluice_by"], "phone");
    assert!(other[0].get("isReplay").is_none());
}

#[test]
fn streamed_text_is_passed_on() {
    let mut screen = screen();
    let event = json!({"type": "stream_event", "event": {"type": "message_start"}});
    let streamed = json!({"type": "line", "sessionId": "s", "epoch": 1, "seq": null, "what": event});
    assert_eq!(heard(&mut screen, &streamed), std::slice::from_ref(&event));
    assert_eq!(heard(&mut screen, &streamed), [event], "it has no number");
}

fn state(asks: &Value) -> Value {
    json!({"type": "state", "sessionId": "s", "permissionMode": "default", "providerSessionIds": ["a", "b"], "asks": asks})
}

#[test]
fn asks_come_once_are_answered_and_are_withdrawn_when_somebody_else_was_faster() {
    let mut screen = screen();
    let suggestion = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls:*"}], "behavior": "allow",
        "destination": "localSettings"});
    let asks = json!([{"ask": "r1", "kind": "tool", "toolName": "Bash", "request": {"subtype": "can_use_tool",
        "tool_name": "Bash", "input": {}, "permission_suggestions": [suggestion]}}]);
    let lines = heard(&mut screen, &state(&asks));
    assert!(
        lines
            .iter()
            .any(|line| line["type"] == "control_request" && line["request_id"] == "r1"),
        "{lines:?}"
    );
    assert_eq!(screen.provider.as_deref(), Some("b"));
    assert!(heard(&mut screen, &state(&asks)).is_empty());
    let mut kept = suggestion;
    kept["destination"] = "userSettings".into();
    let answer = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "allow", "updatedPermissions": [kept]}}});
    let (commands, _) = said(&mut screen, &answer);
    assert_eq!(commands[0]["decision"], "allow");
    assert_eq!(commands[0]["suggestions"], json!([0]));
    assert_eq!(commands[0]["destination"], "userSettings");
    let gone = heard(&mut screen, &state(&json!([])));
    assert_eq!(gone, [json!({"type": "control_cancel_request", "request_id": "r1"})]);
}

#[test]
fn requests_are_commands_and_receipts_their_answers() {
    let mut screen = screen();
    let ask = |subtype: &str| json!({"type": "control_request", "request_id": "q", "request": {"subtype": subtype, "mode": "plan"}});
    assert_eq!(
        said(&mut screen, &ask("initialize")),
        (Vec::new(), Vec::new()),
        "it waits for the state"
    );
    heard(
        &mut screen,
        &json!({"type": "facts", "models": [{"value": "opus", "name": "Opus"}]}),
    );
    let greeted = heard(&mut screen, &state(&json!([])));
    assert_eq!(greeted[0]["response"]["request_id"], "q");
    let models = &greeted[0]["response"]["response"]["models"];
    assert_eq!(models[0]["displayName"], "Opus");
    let (commands, _) = said(&mut screen, &ask("set_permission_mode"));
    assert_eq!(commands[0]["mode"], "plan");
    let id = commands[0]["id"].clone();
    let done = heard(
        &mut screen,
        &json!({"type": "receipt", "id": id, "ok": true, "data": {"mode": "plan"}}),
    );
    assert_eq!(done[0]["response"]["response"]["mode"], "plan");
    for refused in ["get_plan", "seed_read_state"] {
        let (commands, answers) = said(&mut screen, &ask(refused));
        assert!(commands.is_empty());
        assert_eq!(answers[0]["response"]["subtype"], "error", "{refused}");
        assert_eq!(answers[0]["response"]["request_id"], "q", "{refused}");
    }
}

#[test]
fn a_heavy_body_is_shown_by_its_ends() {
    let folded = json!({"type": "user", "text": {"$blob": {"head": "a", "tail": "z", "hash": "h"}}});
    assert_eq!(unfolded(folded)["text"], "a\n⋯\nz");
}
