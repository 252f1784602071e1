//! A process that is started before its session is known (`--await-claim`).

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::binary::{Lab, says};

const PARKED: [&str; 7] = [
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
    "--await-claim",
    "--permission-mode=default",
];

struct Host {
    child: std::process::Child,
    stdin: Option<ChildStdin>,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Host {
    fn new(lab: &Lab) -> Self {
        let mut child = lab.command(&PARKED).spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, stdin, lines }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, id: &str, request: &Value) {
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
    }

    /// Reads messages until one of this type.
    fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = self.lines.next().expect("the process still speaks").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["type"] == kind || message["subtype"] == kind {
                return message;
            }
        }
    }

    fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        while self.lines.next().is_some() {}
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_claimed_process_works_in_the_claimed_folder() {
    let lab = Lab::new(&json!([says("Hello")]));
    let claimed = lab.work().join("claimed");
    std::fs::create_dir_all(claimed.join(".claude")).unwrap();
    std::fs::create_dir_all(lab.home().join(".claude")).unwrap();
    let hook =
        json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "pwd >> \"$HOME/started\""}]}]}});
    std::fs::write(lab.home().join(".claude/settings.json"), hook.to_string()).unwrap();
    let mut host = Host::new(&lab);
    host.request("i", &json!({"subtype": "initialize", "systemPrompt": ["Be kind."]}));
    let greeted = host.until("control_response");
    assert_eq!(greeted["response"]["request_id"], "i");
    assert!(!lab.home().join("started").exists());
    let claim = json!({"subtype": "claim_session", "cwd": claimed, "title": "T", "append_system_prompt": "Be brief.",
        "include_initialize": true});
    host.request("c", &claim);
    host.send(&json!({"type": "user", "message": {"role": "user", "content": "hi"}, "session_id": "", "parent_tool_use_id": null}));
    let answer = host.until("control_response")["response"].clone();
    assert_eq!(
        (&answer["request_id"], &answer["subtype"]),
        (&json!("c"), &json!("success"))
    );
    assert_eq!(
        (&answer["response"]["status"], &answer["response"]["cwd"]),
        (&json!("ok"), &json!(claimed))
    );
    assert!(answer["response"]["initialize"]["commands"].is_array());
    let init = host.until("init");
    assert_eq!(
        (&init["cwd"], &init["session_id"]),
        (&json!(claimed), &answer["response"]["session_id"])
    );
    assert_eq!(host.until("result")["result"], "Hello");
    assert_eq!(host.end(), Some(0));
    let started = std::fs::read_to_string(lab.home().join("started")).unwrap();
    assert_eq!(started.trim(), claimed.display().to_string());
}

#[test]
fn a_process_that_waits_for_a_claim_refuses_prompts_and_claims_it_cannot_serve() {
    let lab = Lab::new(&json!([]));
    let mut host = Host::new(&lab);
    host.send(&json!({"type": "user", "message": {"role": "user", "content": "hi"}, "session_id": "", "parent_tool_use_id": null}));
    assert_eq!(host.until("result")["startup_failure_reason"], "not_claimed");
    assert_eq!(host.end(), Some(1));
    for (claim, why) in [
        (json!({"cwd": lab.work().join("missing")}), "not an existing folder"),
        (
            json!({"cwd": lab.work(), "permission_mode": "bypassPermissions"}),
            "permission_mode_not_claimable",
        ),
        (
            json!({"cwd": lab.work(), "env": {"PATH": "/"}}),
            "cannot set the environment variable PATH",
        ),
    ] {
        let mut host = Host::new(&lab);
        let mut request = json!({"subtype": "claim_session"});
        request
            .as_object_mut()
            .unwrap()
            .extend(claim.as_object().unwrap().clone());
        host.request("c", &request);
        let answer = host.until("control_response")["response"].clone();
        assert_eq!(answer["subtype"], "error");
        assert!(answer["error"].as_str().unwrap().contains(why), "{answer}");
        // A refused claim has no other effect.
        host.request("d", &json!({"subtype": "claim_session", "cwd": lab.work()}));
        assert_eq!(host.until("control_response")["response"]["subtype"], "success");
        assert_eq!(host.end(), Some(0));
    }
}

#[test]
fn an_unclaimed_process_ends_with_its_input() {
    let lab = Lab::new(&json!([]));
    let mut host = Host::new(&lab);
    host.request("i", &json!({"subtype": "initialize"}));
    host.until("control_response");
    assert_eq!(host.end(), Some(0));
}
