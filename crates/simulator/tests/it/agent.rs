//! Tests of the scripted agent. The test is the host.

use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::agent::play;
use sluice_simulator::{AgentScript, Error, run_agent};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

/// The host's end of the pipes, and the task of the agent.
pub(crate) struct Host {
    to_agent: Option<DuplexStream>,
    from_agent: BufReader<DuplexStream>,
    agent: JoinHandle<Result<i32, Error>>,
}

impl Host {
    pub(crate) fn of(script: AgentScript) -> Self {
        let (to_agent, input) = tokio::io::duplex(1 << 16);
        let (output, from_agent) = tokio::io::duplex(1 << 16);
        let agent = tokio::spawn(async move { play(&script, input, output).await });
        Self {
            to_agent: Some(to_agent),
            from_agent: BufReader::new(from_agent),
            agent,
        }
    }

    fn of_steps(steps: Value) -> Self {
        let mut script = json!({"seed": 1, "session_id": "s"});
        match steps {
            Value::Object(own) => script.as_object_mut().unwrap().extend(own),
            list => script["steps"] = list,
        }
        Self::of(AgentScript::parse(&script.to_string(), Path::new(".")).unwrap())
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.to_agent
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .await
            .unwrap();
    }

    async fn control(&mut self, id: &str, subtype: &str) {
        self.send(json!({"type": "control_request", "request_id": id, "request": {"subtype": subtype}}))
            .await;
    }

    /// Reads the next line as bytes; `None` if the agent has exited.
    async fn bytes(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.from_agent.read_until(b'\n', &mut line).await.unwrap();
        (!line.is_empty()).then_some(line)
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = self.bytes().await.expect("the agent has exited");
        serde_json::from_slice(&line).unwrap()
    }

    /// Reads the next lines and returns a summary of each.
    async fn summaries(&mut self, count: usize) -> Vec<String> {
        let mut summaries = Vec::new();
        for _ in 0..count {
            let line = self.bytes().await.expect("the agent has exited");
            summaries.push(summary(&line));
        }
        summaries
    }

    fn disconnect(&mut self) {
        self.to_agent = None;
    }

    /// Disconnects. Returns summaries of the remaining lines and the exit code.
    async fn end(mut self) -> (Vec<String>, i32) {
        self.disconnect();
        let mut rest = Vec::new();
        while let Some(line) = self.bytes().await {
            rest.push(summary(&line));
        }
        (rest, self.agent.await.unwrap().unwrap())
    }
}

/// Returns a summary of a line: type, subtype and text.
fn summary(line: &[u8]) -> String {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return format!("not JSON, {} bytes", line.len());
    };
    let part = |path: &str| message.pointer(path).and_then(Value::as_str).unwrap_or("");
    let text = part("/message/content/0/text");
    let text = if text.len() > 40 {
        format!("{} letters", text.len())
    } else {
        text.to_owned()
    };
    let parts = [
        part("/type"),
        part("/subtype"),
        part("/event/type"),
        part("/request/subtype"),
        part("/response/request_id"),
        part("/response/subtype"),
        part("/message/content/0/type"),
        &text,
    ];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/agent")
}

fn script(name: &str) -> Host {
    Host::of(AgentScript::load(&scripts().join(name)).unwrap())
}

#[tokio::test]
async fn the_hello_script_replies_to_prompts_and_answers_requests() {
    let mut host = script("hello.json");
    host.control("i1", "initialize").await;
    let init = host.next().await;
    assert_eq!(init["response"]["request_id"], "i1");
    assert_eq!(init["response"]["response"]["output_style"], "default");
    let mut session = None;
    for _ in 0..2 {
        host.send(prompt("hi")).await;
        let init = host.next().await;
        assert_eq!(init["subtype"], "init");
        let id = init["session_id"].as_str().unwrap().to_owned();
        assert_eq!(session.get_or_insert_with(|| id.clone()), &id);
        assert_ne!(init["uuid"], init["session_id"]);
        assert_eq!(
            host.summaries(10).await,
            [
                "stream_event message_start",
                "stream_event content_block_start",
                "stream_event content_block_delta",
                "stream_event content_block_delta",
                "stream_event content_block_delta",
                "stream_event content_block_delta",
                "stream_event content_block_delta",
                "assistant text Hello from the scripted agent.",
                "stream_event content_block_stop",
                "stream_event message_delta",
            ]
        );
        assert_eq!(host.summaries(2).await, ["stream_event message_stop", "result success"]);
    }
    host.control("m", "mcp_status").await;
    assert_eq!(host.next().await["response"]["response"], json!({"mcpServers": []}));
    assert_eq!(host.end().await, (vec![], 0));
}

#[tokio::test]
async fn the_approval_script_depends_on_the_answer() {
    let mut host = script("approval.json");
    for (behavior, results) in [
        ("allow", ["user tool_result", "assistant text It is done."]),
        ("deny", ["user tool_result", "assistant text Then not."]),
    ] {
        host.send(prompt("go")).await;
        assert_eq!(host.summaries(2).await, ["system init", "assistant tool_use"]);
        let ask = host.next().await;
        assert_eq!(ask["request"]["input"], json!({"command": "touch here.txt"}));
        let answer = json!({"behavior": behavior, "message": "no", "updatedInput": {}});
        let response = json!({"subtype": "success", "request_id": ask["request_id"], "response": answer});
        // An answer to another request is ignored.
        host.send(json!({"type": "control_response", "response": {"subtype": "success", "request_id": "other"}}))
            .await;
        host.send(json!({"type": "control_response", "response": response}))
            .await;
        assert_eq!(host.summaries(3).await, [results[0], results[1], "result success"]);
    }
    assert_eq!(host.end().await.1, 0);
}

#[tokio::test]
async fn an_interrupt_withdraws_the_permission_request_and_ends_the_turn() {
    let mut host = script("approval.json");
    host.send(prompt("go")).await;
    assert_eq!(host.summaries(2).await, ["system init", "assistant tool_use"]);
    let ask = host.next().await;
    host.control("int", "interrupt").await;
    assert_eq!(
        host.next().await,
        json!({"type": "control_cancel_request", "request_id": ask["request_id"]})
    );
    assert_eq!(
        host.summaries(3).await,
        [
            "control_response int success",
            "user tool_result",
            "result error_during_execution"
        ]
    );
    // Without a running turn an interrupt is only answered.
    host.control("int2", "interrupt").await;
    host.send(prompt("again")).await;
    assert_eq!(
        host.summaries(2).await,
        ["control_response int2 success", "system init"]
    );
    host.agent.abort();
}

#[tokio::test]
async fn the_tools_script_plays_a_complete_turn() {
    let mut host = script("tools.json");
    host.send(prompt("go")).await;
    let summaries = host.summaries(7).await;
    assert_eq!(summaries.last().unwrap(), "result success");
    assert_eq!(
        summaries
            .iter()
            .filter(|summary| *summary == "user tool_result")
            .count(),
        2
    );
    assert_eq!(host.end().await, (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn slow_and_silent_faults_delay_and_suppress_output() {
    let mut host = script("slow.json");
    let begin = tokio::time::Instant::now();
    host.send(prompt("go")).await;
    assert_eq!(host.summaries(1).await, ["system init"]);
    assert_eq!(begin.elapsed().as_millis(), 0);
    assert_eq!(host.summaries(1).await, ["assistant text Slow."]);
    assert!(begin.elapsed().as_secs() >= 1, "{:?}", begin.elapsed());
    host.control("m", "mcp_status").await;
    host.control("int", "interrupt").await;
    // Requests during the silence are ignored; only the one that ends it is answered.
    assert_eq!(
        host.summaries(2).await,
        ["control_response int success", "result error_during_execution"]
    );
    assert_eq!(host.end().await, (vec![], 0));
}

#[tokio::test]
async fn a_crash_leaves_a_partial_line_and_an_exit_code() {
    let mut host = script("crash-mid-turn.json");
    host.send(prompt("go")).await;
    assert_eq!(
        host.summaries(2).await,
        ["system init", "assistant text All is well so far."]
    );
    let half = host.bytes().await.unwrap();
    assert!(half.starts_with(b"{\"type\":\"assistant\"") && !half.ends_with(b"\n"));
    assert_eq!(host.end().await, (vec![], 139));
}

#[tokio::test]
async fn invalid_duplicate_and_swapped_lines_are_written() {
    let mut host = script("noisy.json");
    host.send(prompt("go")).await;
    assert_eq!(
        host.summaries(9).await,
        [
            "system init",
            "not JSON, 26 bytes",
            "not JSON, 36 bytes",
            "assistant text twice",
            "assistant text twice",
            "assistant text first",
            "assistant text second",
            "assistant text 2000000 letters",
            "result success",
        ]
    );
    assert_eq!(host.end().await, (vec![], 0));
}

#[tokio::test]
async fn a_held_back_line_is_written_before_a_wait() {
    let mut host = Host::of_steps(json!([
        {"fault": "out_of_order"}, {"text": "alone"}, {"expect": {"type": "user"}}, {"text": "after"}, {"exit": 3},
    ]));
    assert_eq!(host.summaries(1).await, ["assistant text alone"]);
    host.send(prompt("go")).await;
    assert_eq!(host.end().await, (vec!["assistant text after".to_owned()], 3));
}

#[tokio::test]
async fn scripted_requests_are_not_answered_automatically() {
    let mut host = Host::of_steps(json!({
        "answers": {"set_model": {"$error": "no such model"}, "interrupt": null, "mcp_status": {"mcpServers": [{"name": "x"}]}},
        "steps": [
            {"expect": {"type": "control_request", "request": {"subtype": "initialize"}}, "as": "i"},
            {"reply_to": "i", "with": {"commands": [], "echo": "${i.request.hooks}"}},
            {"expect": {"type": "control_request", "request": {"subtype": "rewind_files"}}, "as": "r"},
            {"reply_to": "r", "error": "no checkpoint"},
        ],
    }));
    host.send(json!({"type": "control_request", "request_id": "a", "request": {"subtype": "initialize", "hooks": {"Stop": []}}})).await;
    assert_eq!(
        host.next().await["response"]["response"],
        json!({"commands": [], "echo": {"Stop": []}})
    );
    host.control("b", "initialize").await;
    host.control("c", "interrupt").await;
    host.control("d", "set_model").await;
    host.control("e", "mcp_status").await;
    host.control("f", "rewind_files").await;
    assert_eq!(
        host.summaries(4).await,
        [
            "control_response b success",
            "control_response d error",
            "control_response e success",
            "control_response f error"
        ]
    );
    assert_eq!(host.end().await, (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn an_unmet_expectation_is_an_error_with_its_position() {
    let host = Host::of_steps(json!([{"sleep": 1}, {"expect": {"type": "user"}, "timeout": 2.5}]));
    let error = host.agent.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "steps[1]: the host did not send {\"type\":\"user\"} within 2.5 s"
    );
}

#[tokio::test]
async fn raw_text_repeats_and_signals_are_played() {
    let mut host = Host::of_steps(json!([
        {"repeat": 2, "steps": [{"raw": "{\"a\":"}, {"raw": "1}\n"}]},
        {"say": {"type": "x", "id": "$UUID", "sid": "$SID"}},
        {"text": "one"},
        {"text": "two"},
        {"fault": "crash", "signal": "SIGKILL"},
        {"text": "never"},
    ]));
    assert_eq!(
        [host.next().await, host.next().await],
        [json!({"a": 1}), json!({"a": 1})]
    );
    assert_eq!(
        host.next().await,
        json!({"type": "x", "id": "00000000-0000-4001-8000-000000000001", "sid": "s"})
    );
    for id in ["msg_sim_2", "msg_sim_3"] {
        assert_eq!(host.next().await["message"]["id"], id);
    }
    assert_eq!(host.end().await, (vec![], 137));
}

#[test]
fn errors_in_a_script_have_a_position() {
    let cases = [
        ("[", "line 1, column 1"),
        ("[]", "script"),
        ("{}", "steps"),
        (r#"{"steps": {}}"#, "steps"),
        (r#"{"step": []}"#, "step"),
        (r#"{"steps": [{"about": "x"}]}"#, "steps[0]"),
        (r#"{"steps": [{"text": 1}]}"#, "steps[0].text"),
        (r#"{"steps": [{"text": "x", "as": "y"}]}"#, "steps[0].as"),
        (r#"{"steps": [{"expect": {"a": "~("}}]}"#, "steps[0].expect.a"),
        (r#"{"steps": [{"when": {}}]}"#, "steps[0].of"),
        (
            r#"{"steps": [{"repeat": "forever", "steps": [{"text": "x"}]}]}"#,
            "steps[0].steps",
        ),
        (
            r#"{"steps": [{"repeat": 1, "steps": [{"sleep": -1}]}]}"#,
            "steps[0].steps[0].sleep",
        ),
        (r#"{"steps": [{"fault": "tired"}]}"#, "steps[0].fault"),
        (
            r#"{"steps": [{"fault": "crash", "signal": "STOP"}]}"#,
            "steps[0].signal",
        ),
        (r#"{"steps": [{"fault": "huge", "say": {}}]}"#, "steps[0].say"),
        (r#"{"steps": [{"fault": "garbage", "b64": "?"}]}"#, "steps[0].b64"),
        (r#"{"steps": [{"exit": 256}]}"#, "steps[0].exit"),
        (
            r#"{"steps": [], "faults": [{"fault": "crash", "after": "x"}]}"#,
            "faults[0].after",
        ),
    ];
    for (text, place) in cases {
        match AgentScript::parse(text, Path::new(".")) {
            Err(Error::Script(error)) => assert_eq!(error.at, place, "{text}: {error}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn the_error_for_a_missing_script_contains_its_path() {
    let error = run_agent(Path::new("no/such.json"), tokio::io::empty(), tokio::io::sink())
        .await
        .unwrap_err();
    assert!(error.to_string().starts_with("cannot read no/such.json: "), "{error}");
}
