//! Measures time and memory of processing a long session: `cargo bench -p sluice-host --bench fold`.
//!
//! Each row contains the number of messages, the size of their text, the time of the state machine alone and including
//! parsing, and the resident memory it uses. Times are the median turn multiplied by the number of turns, so that other
//! load on the machine has little effect.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::{Duration, Instant};

use sluice_host::conversation::{ConversationEvent, ConversationState, Submit, What, step};
use sluice_wire::Frame;
use sluice_wire::stdin::User;

const MESSAGES: usize = 100_000;

/// Prints the table.
pub fn main() {
    println!("messages  text MB  step ms  read+step ms  held MB  held/text");
    for words in [4, 40, 400] {
        let before = resident();
        let run = fold(words);
        let held = resident().saturating_sub(before);
        println!(
            "{:8}  {:7.1}  {:7.0}  {:12.0}  {:7.1}  {:9.2}",
            run.messages,
            megabytes(run.text),
            median_total(&run.step),
            median_total(&run.all),
            megabytes(held),
            megabytes(held) / megabytes(run.text),
        );
        drop(run.state);
    }
}

struct Run {
    state: ConversationState,
    messages: usize,
    text: usize,
    /// Time per turn.
    step: Vec<Duration>,
    all: Vec<Duration>,
}

fn fold(words: usize) -> Run {
    let mut run = Run {
        state: ConversationState::default(),
        messages: 0,
        text: 0,
        step: Vec::new(),
        all: Vec::new(),
    };
    step(&mut run.state, ConversationEvent::new(0, What::Up));
    let mut turn = 0;
    while run.messages < MESSAGES {
        turn += 1;
        let prompt = uuid(turn, 0);
        let submit = Submit::new(prompt.as_str(), User::new("go on"));
        step(
            &mut run.state,
            ConversationEvent::new(turn as u64, What::Submit(submit)),
        );
        let (mut stepping, mut all) = (Duration::ZERO, Duration::ZERO);
        for line in lines(turn, &prompt, words) {
            let started = Instant::now();
            let frame = Frame::parse(&line).unwrap();
            let read = Instant::now();
            let effects = step(&mut run.state, ConversationEvent::said(turn as u64, frame));
            let ended = Instant::now();
            drop(effects);
            stepping += ended - read;
            all += ended - started;
            run.messages += 1;
            run.text += line.len();
        }
        run.step.push(stepping);
        run.all.push(all);
    }
    run
}

/// Returns the lines of one turn of a current agent: twelve calls, each with some text before it and a result.
fn lines(turn: usize, prompt: &str, words: usize) -> Vec<String> {
    let text = "some words \\\"quoted\\\" and\\n ".repeat(words);
    let common = format!(r#""session_id":"{}","parent_tool_use_id":null"#, uuid(0, 0));
    let named = format!(r#""user_message_uuid":"{prompt}","user_message_uuids":["{prompt}"]"#);
    let mut lines = Vec::new();
    let mut say = |line: &str| {
        let id = uuid(turn, lines.len() + 1);
        lines.push(line.replace("$UUID", &id));
    };
    say(&format!(
        r#"{{"type":"command_lifecycle","command_uuid":"{prompt}","state":"started","uuid":"$UUID","session_id":"s"}}"#
    ));
    say(&format!(
        r#"{{"type":"system","subtype":"init","cwd":"/work","session_id":"s","tools":["Bash","Read","Edit"],"mcp_servers":[],"model":"m","permissionMode":"default","slash_commands":["compact"],"apiKeySource":"none","claude_code_version":"2.1.325","output_style":"default","capabilities":["msg_lifecycle_v1"],"uuid":"$UUID","user_message_uuids":["{prompt}"]}}"#
    ));
    for call in 0..12 {
        let message = format!(r#""id":"msg_{turn}_{call}","type":"message","role":"assistant","model":"m""#);
        let usage = r#""stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":100,"cache_read_input_tokens":20000,"output_tokens":5}"#;
        say(&format!(
            r#"{{"type":"assistant","message":{{{message},"content":[{{"type":"text","text":"{text}"}}],{usage}}},{common},"uuid":"$UUID",{named}}}"#
        ));
        say(&format!(
            r#"{{"type":"assistant","message":{{{message},"content":[{{"type":"tool_use","id":"toolu_{turn}_{call}","name":"Bash","input":{{"command":"{text}"}}}}],{usage}}},{common},"uuid":"$UUID",{named}}}"#
        ));
        say(&format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{turn}_{call}","content":"{text}","is_error":false}}]}},{common},"uuid":"$UUID","tool_use_result":{{"stdout":"{text}","stderr":"","interrupted":false}}}}"#
        ));
    }
    say(&format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":13,"result":"{text}","session_id":"s","total_cost_usd":{turn},"usage":{{"input_tokens":10,"output_tokens":5}},"modelUsage":{{"m":{{"costUSD":1,"contextWindow":200000}}}},"permission_denials":[],"uuid":"$UUID",{named}}}"#
    ));
    say(&format!(
        r#"{{"type":"command_lifecycle","command_uuid":"{prompt}","state":"completed","uuid":"$UUID","session_id":"s"}}"#
    ));
    lines
}

fn uuid(turn: usize, line: usize) -> String {
    format!("{turn:08x}-0000-4000-8000-{line:012x}")
}

/// Returns the resident memory of this process in bytes; 0 if unknown.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilo = line.and_then(|it| it.split_whitespace().next()?.parse::<usize>().ok());
    kilo.unwrap_or_default() * 1024
}

#[allow(clippy::cast_precision_loss)]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// Returns the median time of a turn multiplied by the number of turns, in milliseconds.
#[allow(clippy::cast_precision_loss)]
fn median_total(turns: &[Duration]) -> f64 {
    let mut turns = turns.to_vec();
    turns.sort();
    let median_total = turns.get(turns.len() / 2).copied().unwrap_or_default();
    median_total.as_secs_f64() * 1e3 * turns.len() as f64
}
