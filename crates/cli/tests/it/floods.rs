//! MCP servers and hooks with excessive output: the turn still ends with one result, within limits of memory and time.

use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::Lab;
use crate::peak;

/// An MCP server whose only tool responds according to `$1`.
pub(crate) const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
begin() { printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"; }
while IFS= read -r line; do
  id=; [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"server/discover"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"go","description":"d","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*)
      case $1 in
        small) answer '{"content":[{"type":"text","text":"ok"}]}' ;;
        giant) begin; head -c 250000000 /dev/zero | tr '\0' x; say '"}]}}' ;;
        endless) begin; tr '\0' x </dev/zero ;;
        blocks)
          printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[' "$id"
          yes '{"type":"text","text":""},' | head -n 100000 | tr -d '\n'
          say '{"type":"text","text":"last"}]}}' ;;
        lines) yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}' ;;
        babble) yes 'this is no JSON at all' ;;
      esac ;;
  esac
done
"#;

/// Peak memory of a run in MiB, its duration, and its results.
struct Ran {
    memory: u64,
    took: Duration,
    results: Vec<Value>,
}

fn run(lab: &Lab, args: &[&str]) -> Ran {
    let began = Instant::now();
    let mut child = lab
        .command(args)
        .env("MCP_TOOL_TIMEOUT", "20000")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let memory = peak::memory_of(&mut child);
    let text = reader.join().unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Ran {
        memory,
        took: began.elapsed(),
        results: messages.filter(|message| message["type"] == "result").collect(),
    }
}

/// Checks that the turn completes within the limit of a message, 64 MiB, and the usual memory of a process.
fn ends(what: &str, ran: &Ran, limit: u64) {
    assert_eq!(ran.results.len(), 1, "{what}");
    assert_eq!(ran.results[0]["result"], "The end", "{what}: {}", ran.results[0]);
    assert!(ran.memory < limit + 64 + 96, "{what}: {} MiB", ran.memory);
    assert!(ran.took < Duration::from_mins(2), "{what}: {:?}", ran.took);
}

fn served(how: &str) -> Ran {
    let lab = Lab::new(&json!([
        [{"type": "tool_use", "id": "t1", "name": "mcp__flood__go", "input": {}}],
        [{"type": "text", "text": "The end"}],
        [{"type": "text", "text": "The end"}]
    ]));
    let script = lab.home().join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    let servers = json!({"mcpServers": {"flood": {"command": "bash", "args": [script, how]}}}).to_string();
    let args = [
        "-p",
        "go",
        "--output-format",
        "stream-json",
        "--verbose",
        "--mcp-config",
        &servers,
        "--allowedTools",
        "mcp__flood",
    ];
    run(&lab, &args)
}

#[test]
fn a_server_that_answers_250_megabytes_or_without_end_costs_no_more_than_its_limit() {
    ends("250 MB in one answer", &served("giant"), 16);
    ends("an answer without end", &served("endless"), 16);
}

#[test]
fn a_server_that_answers_100_000_empty_blocks_costs_no_more_than_its_limit() {
    ends("100,000 empty blocks", &served("blocks"), 16);
}

#[test]
fn a_server_that_never_stops_talking_costs_no_more_than_its_limit() {
    ends("notifications without end", &served("lines"), 16);
    ends("babble without end", &served("babble"), 16);
}

fn hooked(event: &str, command: &str) -> Ran {
    let lab = Lab::new(&json!([
        [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pwd", "description": "d"}}],
        [{"type": "text", "text": "The end"}],
        [{"type": "text", "text": "The end"}]
    ]));
    let hook = json!([{"hooks": [{"type": "command", "command": command, "timeout": 20}]}]);
    let home = lab.home().join(".claude");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("settings.json"), json!({"hooks": {event: hook}}).to_string()).unwrap();
    run(&lab, &["-p", "go", "--output-format", "stream-json", "--verbose"])
}

#[test]
fn a_hook_that_prints_250_megabytes_or_without_end_costs_no_more_than_its_limit() {
    for event in ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionStart"] {
        let ran = hooked(event, "head -c 250000000 /dev/zero | tr '\\0' x");
        ends(&format!("250 MB of {event}"), &ran, 1);
    }
    ends("words without end", &hooked("PreToolUse", "tr '\\0' x </dev/zero"), 1);
    ends("complaints without end", &hooked("PostToolUse", "yes x >&2"), 1);
}

#[test]
fn a_hook_that_answers_100_000_times_costs_no_more_than_its_limit() {
    let ran = hooked("PreToolUse", "yes '{}' | head -n 100000");
    ends("100,000 empty answers", &ran, 1);
}
