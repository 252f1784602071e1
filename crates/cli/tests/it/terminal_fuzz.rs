//! Random keys, pastes, sizes, terminal replies and signals in any order. The terminal is restored, and no draft is
//! lost. `SLUICE_FUZZ_SECONDS` sets the duration, `SLUICE_FUZZ_SEED` repeats a run.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::binary::{Lab, says};
use crate::terminal::{Terminal, is_clean};

/// A pseudo-random number generator with a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.roll(list.len() as u64)).unwrap()]
    }
}

const KEYS: &[&str] = &[
    "a",
    "b",
    " ",
    "é",
    "日",
    "1",
    "2",
    "y",
    "n",
    "j",
    "k",
    "q",
    "x",
    "?",
    "/",
    "@",
    "#",
    "!",
    "\r",
    "\r",
    "\n",
    "\t",
    "\x1b",
    "\x7f",
    "\x01",
    "\x02",
    "\x05",
    "\x0b",
    "\x0c",
    "\x0f",
    "\x12",
    "\x13",
    "\x14",
    "\x15",
    "\x17",
    "\x18",
    "\x19",
    "\x1f",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[H",
    "\x1b[F",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[Z",
    "\x1bp",
    "\x1by",
    "\x1bb",
    "\x1b[27;5;13~",
    "\x1b[13;5u",
    "\x1b[I",
    "\x1b[O",
    "\x1b[?62c",
    "\x1b[10;20R",
    "\x1b]11;rgb:ffff/ffff/ffff\x07",
    "\x1bP>|tmux 3.4\x1b\\",
    "\x1b[200~pasted\r\ntext\x1b[201~",
    "\x1b[200~\x1b[31m\x07\u{202e}\x1b[201~",
    "/mode\r",
    "/theme\r",
    "/help\r",
    "/tasks\r",
    "/context\r",
    "/rewind\r",
    "/config\r",
    "/permissions\r",
    "/vim\r",
    "/resume\r",
    "/mcp\r",
    "/agents\r",
    "\x1br",
    "\x1b[1;3A",
    "\x1b[1;3B",
    "\x1b[99;99;99~",
    "\x1b[",
];

#[test]
fn the_terminal_is_restored_and_no_draft_is_lost() {
    let seconds = std::env::var("SLUICE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = std::env::var("SLUICE_FUZZ_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let mut seed = seed.unwrap_or(0x5eed_1234_u64);
    loop {
        run(seed);
        run(seed + 1);
        seed += 2;
        if Instant::now() >= end {
            return;
        }
    }
}

/// Starts an agent that answers every prompt with messages of all kinds in any order, including invalid ones.
fn rambling(dice: &mut Dice) -> serde_json::Value {
    let edit = json!({"file_path": "a.rs", "old_string": "a", "new_string": "b"});
    let said = |id: u64, block: serde_json::Value| {
        json!({"say": {"type": "assistant", "message": {"id": format!("m{id}"), "type": "message", "role": "assistant", "model": "x",
            "content": [block], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}},
            "parent_tool_use_id": null, "session_id": "$SID", "uuid": format!("u{id}")}})
    };
    let mut turns = Vec::new();
    for turn in 0..12_u64 {
        let mut steps = vec![json!({"expect": {"type": "user"}}), json!({"init": {}})];
        for step in 0..dice.roll(8) {
            let id = turn * 100 + step;
            steps.push(match dice.roll(14) {
                0 => json!({"text": "\u{1b}[2J\u{202e}right to left\u{7}\ttab 日本語 👩\u{200d}👩\u{200d}👧"}),
                1 => json!({"stream": "A long answer.\n\n- one\n- two\n\n```\ncode"}),
                2 => json!({"tool": {"id": format!("t{id}"), "name": "Bash", "input": {"command": "true"}}}),
                3 => json!({"tool_result": {"tool_use_id": "nobody", "content": "?", "is_error": true}}),
                4 => json!({"tool": {"id": "same", "name": "Read", "input": {"file_path": "/etc/hosts"}}}),
                5 => json!({"tool_result": {"tool_use_id": "same", "content": "127.0.0.1"}}),
                6 => json!({"say": {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 3, "retry_delay_ms": 50,
                    "error": "overloaded", "error_status": 529, "session_id": "$SID", "uuid": format!("r{id}")}}),
                7 => json!({"say": {"type": "system", "subtype": "compact_boundary", "session_id": "$SID", "uuid": format!("c{id}"),
                    "compact_metadata": {"trigger": "auto", "pre_tokens": 168_000}}}),
                8 => json!({"say": {"type": "nobody knows", "of": [1, 2, {}]}}),
                9 => json!({"raw": "this is no json\n"}),
                10 => json!({"ask": {"tool_name": "Edit", "input": edit}, "as": "a"}),
                11 => said(id, json!({"type": "thinking", "thinking": "hm\n\nhm", "signature": "s"})),
                12 => said(id, json!({"type": "hologram", "beam": 1})),
                _ => json!({"sleep": 0.02}),
            });
        }
        steps.push(json!({"result": {}}));
        turns.extend(steps);
    }
    turns.push(json!({"repeat": "forever", "steps": [{"expect": {"type": "user"}}, {"init": {}}, {"text": "enough"}, {"result": {}}]}));
    json!({"steps": turns, "on_interrupt": [{"result": {"terminal_reason": "aborted_streaming"}}]})
}

fn run(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let call = json!([{"type": "text", "text": "Let me write it.\n\n- one\n- two"}, {"type": "tool_use", "name": "Write", "input":
        {"file_path": "notes.md", "content": "hello\n"}}]);
    let bash = json!([{"type": "tool_use", "name": "Bash", "input": {"command": "echo hi; sleep 0.2", "description": "say hi"}}]);
    let replies: Vec<_> = (0..40)
        .map(|number| match number % 4 {
            0 => call.clone(),
            1 => says("| a | b |\n|---|---|\n| 1 | `2` |\n\n```rust\nfn main() {}\n```\n"),
            2 => bash.clone(),
            _ => json!({"delay": 0.005, "content": [{"type": "text", "text": "word ".repeat(80)}]}),
        })
        .collect();
    let lab = Lab::new(&json!(replies));
    // Every other run uses an agent with random messages.
    let mut args = Vec::new();
    let agent;
    if seed % 2 == 1 {
        let script = lab.home().join("agent.json");
        fs::write(&script, rambling(&mut dice).to_string()).unwrap();
        agent = format!("{} sim agent {} #", env!("CARGO_BIN_EXE_sluice"), script.display());
        args.extend(["--agent-command", &agent]);
    }
    let mut terminal = Terminal::start(lab, &args, 80, 24, &[("EDITOR", "true")]);
    terminal.shows("ask for something");
    for _ in 0..300 {
        match dice.roll(20) {
            0 => terminal.size(
                20 + u16::try_from(dice.roll(160)).unwrap(),
                6 + u16::try_from(dice.roll(40)).unwrap(),
            ),
            1 => terminal.signal(Signal::CONT),
            2 => terminal.signal(Signal::WINCH),
            _ => {
                let key = dice.of(KEYS);
                // The terminal has ended early.
                if terminal.seen.0.lock().unwrap().ended {
                    break;
                }
                terminal.keys(key);
            }
        }
        if dice.roll(4) == 0 {
            // Lets the program process some inputs separately.
            let seen = terminal.seen.0.lock().unwrap();
            drop(
                terminal
                    .seen
                    .1
                    .wait_timeout(seen, Duration::from_millis(dice.roll(40)))
                    .unwrap(),
            );
        }
    }
    // Closes all dialogs and types a draft, which must be found again after the process ends.
    terminal.size(80, 24);
    let marker = format!("unlost{seed}");
    for _ in 0..20 {
        let rows = quiet(&terminal);
        let idle = rows.iter().any(|row| row.starts_with("› ask for something"));
        let asked = rows.iter().any(|row| row.starts_with("? "));
        if idle && !asked {
            break;
        }
        let last = rows.iter().rev().find(|row| row.starts_with('›'));
        let draft = last.is_some_and(|row| row.trim_end().chars().count() > 2);
        let dialog = asked || rows.iter().any(|row| row.contains(" ∙ esc"));
        if draft && !dialog {
            // A second ctrl+c before the first is processed would exit the program.
            terminal.keys("\x03");
            terminal.until("the effect of ctrl+c", |now| now != rows);
        } else {
            terminal.keys("\x1b");
        }
    }
    assert!(
        !terminal.seen.0.lock().unwrap().ended,
        "seed {seed}: it ended by itself: {}",
        tail(&terminal)
    );
    // In vim mode: cancels an incomplete command and returns to insert mode.
    terminal.keys("\x1b");
    quiet(&terminal);
    terminal.keys("i\x15");
    terminal.keys(&marker);
    terminal.until("the draft", |rows| rows.iter().any(|row| row.contains(&marker)));
    terminal.signal(Signal::TERM);
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(143), "seed {seed}: {}", tail(&terminal));
    is_clean(&bytes);
    let history = fs::read_to_string(terminal.lab.home().join(".claude/history.jsonl")).unwrap_or_default();
    assert!(history.contains(&marker), "seed {seed}: the draft is lost");
}

/// Returns the screen once there was no output for long enough that two escapes are not combined.
fn quiet(terminal: &Terminal) -> Vec<String> {
    let mut seen = terminal.seen.0.lock().unwrap();
    loop {
        let before = seen.bytes.len();
        let (now, waited) = terminal.seen.1.wait_timeout(seen, Duration::from_millis(1000)).unwrap();
        seen = now;
        // A spinner or timer never stops; escape stops its turn.
        let busy = seen.screen.screen().rows(0, 80).any(|row| row.contains("esc stops"));
        if waited.timed_out() || seen.ended || busy || seen.bytes.len() == before {
            return Terminal::rows(seen.screen.screen());
        }
    }
}

fn tail(terminal: &Terminal) -> String {
    let bytes = terminal.bytes();
    let from = bytes.len().saturating_sub(2000);
    bytes.get(from..).unwrap_or(&bytes).to_owned()
}
