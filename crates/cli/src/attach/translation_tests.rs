#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

fn record(seq: i64, what: &Value) -> Value {
    json!({"type": "record", "sessionId": "s", "epoch": 1, "seq": seq, "at": 0, "what": what})
}

fn screen() -> Translation {
    let mut screen = Translation::new("s");
    screen.heard(&json!({"type": "welcome", "device": {"id": "me"}}));
    screen
}

#[test]
fn records_are_the_agents_lines_and_none_comes_twice() {
    let mut screen = screen();
    let line = json!({"type": "assistant", "message": {"content": []}});
    assert_eq!(screen.heard(&record(1, &line)), std::slice::from_ref(&line));
    assert!(screen.heard(&record(1, &line)).is_empty(), "it was there before");
    let snapshot = json!({"type": "snapshot", "sessionId": "s", "records": [record(1, &line), record(2, &line)]});
    assert_eq!(screen.heard(&snapshot).len(), 1);
    assert_eq!(screen.hello()["cursors"]["s"], json!({"epoch": 1, "seq": 2}));
}

#[test]
fn a_prompt_of_another_screen_says_whose_it_is_and_ours_is_only_confirmed() {
    let mut screen = screen();
    let (commands, _) =
        screen.said(&json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": "go"}}));
    assert_eq!(commands[0]["type"], "input");
    assert_eq!(commands[0]["sessionId"], "s");
    let prompt = |uuid: &str| json!({"type": "sluice_prompt", "uuid": uuid, "text": "go", "state": "delivered", "by": "phone", "device": "p"});
    assert_eq!(screen.heard(&record(1, &prompt("u1")))[0]["isReplay"], true);
    let other = screen.heard(&record(2, &prompt("u2")));
    assert_eq!(other[0]["sluice_by"], "phone");
    assert!(other[0].get("isReplay").is_none());
}

#[test]
fn what_is_written_streams() {
    let mut screen = screen();
    let block = json!({"type": "block", "s": 1, "b": 7, "message": "m", "index": 0, "kind": "text", "text": "He"});
    let kinds: Vec<Value> = screen
        .heard(&block)
        .iter()
        .map(|line| line["event"]["type"].clone())
        .collect();
    assert_eq!(kinds, ["message_start", "content_block_start", "content_block_delta"]);
    let more = screen.heard(&json!({"type": "delta", "s": 1, "b": 7, "text": "llo"}));
    assert_eq!(more[0]["event"]["delta"]["text"], "llo");
    assert!(
        screen
            .heard(&json!({"type": "delta", "s": 1, "b": 8, "text": "x"}))
            .is_empty()
    );
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
    let lines = screen.heard(&state(&asks));
    assert!(
        lines
            .iter()
            .any(|line| line["type"] == "control_request" && line["request_id"] == "r1"),
        "{lines:?}"
    );
    assert_eq!(screen.provider.as_deref(), Some("b"));
    assert!(screen.heard(&state(&asks)).is_empty());
    let mut kept = suggestion;
    kept["destination"] = "userSettings".into();
    let answer = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "allow", "updatedPermissions": [kept]}}});
    let (commands, _) = screen.said(&answer);
    assert_eq!(commands[0]["decision"], "allow");
    assert_eq!(commands[0]["suggestions"], json!([0]));
    assert_eq!(commands[0]["destination"], "userSettings");
    let gone = screen.heard(&state(&json!([])));
    assert_eq!(gone, [json!({"type": "control_cancel_request", "request_id": "r1"})]);
}

#[test]
fn requests_are_commands_and_receipts_their_answers() {
    let mut screen = screen();
    let ask = |subtype: &str| json!({"type": "control_request", "request_id": "q", "request": {"subtype": subtype, "mode": "plan"}});
    assert_eq!(
        screen.said(&ask("initialize")),
        (Vec::new(), Vec::new()),
        "it waits for the state"
    );
    let greeted = screen.heard(&state(&json!([])));
    assert_eq!(greeted[0]["response"]["request_id"], "q");
    let (commands, _) = screen.said(&ask("set_permission_mode"));
    assert_eq!(commands[0]["mode"], "plan");
    let id = commands[0]["id"].clone();
    let done = screen.heard(&json!({"type": "receipt", "id": id, "ok": true, "data": {"mode": "plan"}}));
    assert_eq!(done[0]["response"]["response"]["mode"], "plan");
    let (commands, answers) = screen.said(&ask("seed_read_state"));
    assert!(commands.is_empty());
    assert_eq!(answers[0]["response"]["subtype"], "error");
}

#[test]
fn a_heavy_body_is_shown_by_its_ends() {
    let folded = json!({"type": "user", "text": {"$blob": {"head": "a", "tail": "z", "hash": "h"}}});
    assert_eq!(unfolded(folded)["text"], "a\n⋯\nz");
}
