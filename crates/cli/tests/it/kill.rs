//! A session killed at any time: reported messages are saved exactly once, and the session can be resumed.
//!
//! `SLUICE_KILLS` is the number of attempts, `SLUICE_SEED` the seed of the random times.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::Lab;

const KILLS: u64 = 20;
const SEED: u64 = 20_26;
const STREAM: &[&str] = &[
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--allowedTools",
    "Bash,Write",
];

/// A pseudo-random number generator with a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn number(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => usual,
    }
}

/// Script of a turn with parallel calls, a written file and text in between.
fn busy() -> Vec<Value> {
    let bash = |command: &str| json!({"type": "tool_use", "name": "Bash", "input": {"command": command}});
    let write = json!({"type": "tool_use", "name": "Write", "input": {"file_path": "note.txt", "content": "kept\n"}});
    let text = |words: &str| json!({"type": "text", "text": words});
    vec![
        json!({"delay": 0.001, "content": [text("I look around first"), bash("echo one"), bash("sleep 0.01; echo two")]}),
        json!({"delay": 0.001, "content": [text("Now I write it down"), write]}),
        json!({"delay": 0.001, "content": [text("All of it is done")]}),
    ]
}

/// Messages received before the process died, and its session.
struct Heard {
    session: Option<String>,
    uuids: Vec<String>,
}

/// Runs a session and kills it a moment after the given number of lines.
fn killed(lab: &Lab, lines: u64, moment: Duration) -> Heard {
    let mut child = lab.command(STREAM).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for turn in ["one", "two"] {
        // Write errors are ignored: the process may have ended.
        writeln!(stdin, "{}", prompt(turn)).ok();
    }
    // At the end of input the session ends as well, if it was not killed.
    drop(stdin);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut heard = Vec::new();
    for _ in 0..lines {
        let mut line = String::new();
        if output.read_line(&mut line).unwrap() == 0 {
            break;
        }
        heard.push(line);
    }
    let until = Instant::now() + moment;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Complete lines in the pipe were reported as well.
    for line in output.split(b'\n').map_while(Result::ok) {
        heard.push(String::from_utf8_lossy(&line).into_owned());
    }
    let messages: Vec<Value> = heard
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    Heard {
        session: messages
            .iter()
            .find_map(|message| Some(message["session_id"].as_str()?.to_owned())),
        uuids: announced(&messages),
    }
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn announced(messages: &[Value]) -> Vec<String> {
    let said = messages.iter().filter(|message| {
        matches!(message["type"].as_str(), Some("assistant" | "user")) && message["isReplay"] != true
    });
    said.map(|message| message["uuid"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the ids in a transcript in order. An invalid line must have been cut off by a kill.
fn kept(lab: &Lab, session: &str, kills: usize) -> Vec<String> {
    let Some(file) = lab.transcript(session) else {
        return Vec::new();
    };
    let text = fs::read(file).unwrap();
    let mut torn = 0;
    let mut uuids = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Value>(line) {
            Ok(line) => uuids.extend(line["uuid"].as_str().map(str::to_owned)),
            Err(_) => torn += 1,
        }
    }
    assert!(torn <= kills, "{torn} lines of {kills} kills cannot be read");
    uuids
}

fn is_whole(announced: &[String], kept: &[String], when: &str) {
    let distinct: HashSet<&String> = kept.iter().collect();
    assert_eq!(distinct.len(), kept.len(), "{when}: an entry is there twice");
    for uuid in announced {
        assert!(distinct.contains(uuid), "{when}: {uuid} was announced and is not kept");
    }
}

#[test]
fn a_session_killed_at_any_time_loses_and_repeats_nothing_and_resumes() {
    let (kills, seed) = (number("SLUICE_KILLS", KILLS), number("SLUICE_SEED", SEED));
    println!("SLUICE_KILLS={kills} SLUICE_SEED={seed}");
    let mut dice = Dice(seed.max(1));
    let mut resumed = 0;
    for kill in 0..kills {
        let (lines, micros) = (dice.below(110), dice.below(4_000));
        let when = format!("kill {kill} of seed {seed}: after {lines} lines and {micros} µs");
        let mut replies = busy();
        replies.extend(busy());
        let lab = Lab::new(&json!(replies));
        let heard = killed(&lab, lines, Duration::from_micros(micros));
        let Some(session) = heard.session else { continue };
        let before = kept(&lab, &session, 1);
        is_whole(&heard.uuids, &before, &when);
        if before.is_empty() {
            continue;
        }

        let mut args = STREAM.to_vec();
        args.extend(["--resume", &session]);
        let ran = lab.run(&args, &format!("{}\n", prompt("go on")));
        assert_eq!(ran.code, Some(0), "{when}: {ran:?}");
        let messages = ran.lines();
        let last = messages.last().unwrap_or_else(|| panic!("{when}: silence"));
        assert_eq!(last["subtype"], "success", "{when}: {last}");
        let after = kept(&lab, &session, 1);
        assert_eq!(after[..before.len()], before[..], "{when}: what was kept has changed");
        let all: Vec<String> = heard.uuids.into_iter().chain(announced(&messages)).collect();
        is_whole(&all, &after, &when);
        resumed += 1;
    }
    assert!(
        resumed * 2 > kills,
        "only {resumed} of {kills} came far enough to be resumed"
    );
}
