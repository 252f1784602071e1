//! Effects of variables and settings on model requests.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::binary::{Lab, Ran};

/// A received request.
struct Received {
    headers: Vec<(String, String)>,
    body: Value,
}

impl Received {
    fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Returns the number of blocks with a cache mark of this duration.
    fn marks(&self, ttl: Option<&str>) -> usize {
        let mark = match ttl {
            Some(ttl) => json!({"type": "ephemeral", "ttl": ttl}),
            None => json!({"type": "ephemeral"}),
        };
        self.body
            .to_string()
            .matches(&format!("\"cache_control\":{mark}"))
            .count()
    }
}

/// A model that records requests. It refuses one for each status and answers the others.
struct Recorder {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Recorder {
    fn new(refusals: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (log, mut refusals) = (received.clone(), VecDeque::from(refusals.to_vec()));
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let Some(request) = receive(&socket) else { continue };
                let model = request.body["model"].clone();
                log.lock().unwrap().push(request);
                answer(&socket, &model, refusals.pop_front());
            }
        });
        Self { address, received }
    }

    fn received(&self) -> std::sync::MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap()
    }
}

fn receive(socket: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(socket);
    let mut lines = std::iter::from_fn(|| {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).ok()?;
        // Headers are Latin-1.
        let line: String = line.iter().map(|byte| char::from(*byte)).collect();
        Some(line.trim_end().to_owned()).filter(|line| !line.is_empty())
    });
    lines.next()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    let (_, length) = headers.iter().find(|(name, _)| name == "content-length")?;
    let mut body = vec![0; length.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).ok()?;
    Some(Received { headers, body })
}

fn answer(mut socket: &TcpStream, model: &Value, refusal: Option<u16>) {
    let (status, kind, body) = match refusal {
        Some(status) => {
            let error = json!({"type": "error", "error": {"type": "api_error", "message": "no"}});
            (status, "application/json", error.to_string())
        }
        None => (200, "text/event-stream", events(model)),
    };
    let length = body.len();
    write!(
        socket,
        "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .ok();
}

fn events(model: &Value) -> String {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

/// Runs one prompt with these variables and arguments.
fn run(recorder: &Recorder, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    run_in(&Lab::new(&json!([])), recorder, variables, args)
}

fn run_in(lab: &Lab, recorder: &Recorder, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = lab.command(&[&["-p", "hi", "--output-format", "stream-json", "--verbose"], args].concat());
    command.env("ANTHROPIC_BASE_URL", &recorder.address);
    command.envs(variables.iter().copied());
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    Ran::from(child.wait_with_output().unwrap())
}

/// Returns the only request of a run with these variables and arguments.
fn request(variables: &[(&str, &str)], args: &[&str]) -> Received {
    let recorder = Recorder::new(&[]);
    run(&recorder, variables, args).clean();
    let mut received = recorder.received();
    assert_eq!(received.len(), 1);
    received.remove(0)
}

#[test]
fn prompt_caching_is_disabled_or_lasts_an_hour() {
    let usual = request(&[], &[]);
    assert_eq!((usual.marks(None), usual.header("anthropic-beta")), (3, None));
    assert_eq!(request(&[("DISABLE_PROMPT_CACHING", "1")], &[]).marks(None), 0);
    let hour = request(&[("ENABLE_PROMPT_CACHING_1H", "true")], &[]);
    assert_eq!((hour.marks(Some("1h")), hour.marks(None)), (3, 0));
    assert_eq!(hour.header("anthropic-beta"), Some("extended-cache-ttl-2025-04-11"));
}

#[test]
fn thinking_is_left_out_and_tool_input_is_streamed_on_request() {
    assert_eq!(request(&[], &[]).body["thinking"], json!({"type": "adaptive"}));
    let silent = request(&[("CLAUDE_CODE_DISABLE_THINKING", "1")], &[]);
    assert_eq!(silent.body.get("thinking"), None);
    let eager = request(&[("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING", "1")], &[]);
    let tools = eager.body["tools"].as_array().unwrap();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool["eager_input_streaming"] == true));
}

#[test]
fn fields_of_the_extra_body_are_added_and_replace_ours() {
    let body = r#"{"max_tokens": 77, "safety": {"level": 2}}"#;
    let sent = request(&[("CLAUDE_CODE_EXTRA_BODY", body)], &[]).body;
    assert_eq!((&sent["max_tokens"], &sent["safety"]["level"]), (&json!(77), &json!(2)));
    for (body, part) in [("[1]", "JSON object"), (r#"{"messages": []}"#, "`messages`")] {
        let recorder = Recorder::new(&[]);
        let ran = run(&recorder, &[("CLAUDE_CODE_EXTRA_BODY", body)], &[]);
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.stderr.contains("CLAUDE_CODE_EXTRA_BODY") && ran.stderr.contains(part),
            "{ran:?}"
        );
        assert!(recorder.received().is_empty());
    }
}

#[test]
fn an_overridden_model_is_sent_by_its_id_of_the_provider() {
    for name in ["opus", "claude-opus-5-5"] {
        let (lab, recorder) = (Lab::new(&json!([])), Recorder::new(&[]));
        std::fs::create_dir_all(lab.home().join(".claude")).unwrap();
        let settings = json!({"modelOverrides": {"claude-opus-5-5": "deployment-7"}});
        std::fs::write(lab.home().join(".claude/settings.json"), settings.to_string()).unwrap();
        let ran = run_in(&lab, &recorder, &[], &["--model", name]);
        assert_eq!(ran.lines()[0]["model"], "claude-opus-5-5");
        assert_eq!(recorder.received()[0].body["model"], "deployment-7");
    }
}

#[test]
fn a_large_window_is_billed_under_the_requested_name() {
    let args = ["--model", "claude-sonnet-4-5[1m]"];
    let recorder = Recorder::new(&[]);
    let lines = run(&recorder, &[], &args).lines();
    let usage = &lines.last().unwrap()["modelUsage"];
    assert_eq!(usage["claude-sonnet-4-5[1m]"]["contextWindow"], 1_000_000, "{usage}");
    assert_eq!(recorder.received()[0].body["model"], "claude-sonnet-4-5");
    assert_eq!(
        recorder.received()[0].header("anthropic-beta"),
        Some("context-1m-2025-08-07")
    );

    let usual = request(&[("CLAUDE_CODE_DISABLE_1M_CONTEXT", "1")], &args);
    assert_eq!(usual.header("anthropic-beta"), None);
}

#[test]
fn custom_headers_are_latin_and_add_betas() {
    let headers = "X-Name: Ren\u{e9}\nanthropic-beta: mine";
    let sent = request(
        &[("ANTHROPIC_CUSTOM_HEADERS", headers), ("ANTHROPIC_BETAS", "other")],
        &[],
    );
    assert_eq!(sent.header("x-name"), Some("Ren\u{e9}"));
    assert_eq!(sent.header("anthropic-beta"), Some("other,mine"));

    let recorder = Recorder::new(&[]);
    let ran = run(&recorder, &[("ANTHROPIC_CUSTOM_HEADERS", "X-Name: caf\u{2019}e")], &[]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("X-Name") && ran.stderr.contains("character 4 (U+2019)"),
        "{ran:?}"
    );
    assert!(recorder.received().is_empty());
}

#[test]
fn an_unavailable_model_is_replaced_at_once() {
    let recorder = Recorder::new(&[503]);
    let ran = run(&recorder, &[], &["--fallback-model", "claude-sonnet-4-6"]);
    let lines = ran.lines();
    let fallback = lines.iter().find(|line| line["subtype"] == "model_fallback").unwrap();
    assert_eq!(fallback["trigger"], "server_error");
    assert!(lines.iter().all(|line| line["subtype"] != "api_retry"), "{lines:?}");
    let models: Vec<Value> = recorder
        .received()
        .iter()
        .map(|sent| sent.body["model"].clone())
        .collect();
    assert_eq!(models, ["claude-opus-5-5", "claude-sonnet-4-6"]);
}
