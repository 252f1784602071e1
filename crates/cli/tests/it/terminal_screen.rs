//! Journeys 26, 32, 33, 34, 35, 37, 39 and 41: very many sessions, sizes, signals, letters, other terminals, silence.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::terminal::{PATIENCE, Terminal, answering, is_clean};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave, saying};

#[test]
fn journey_26_among_ten_thousand_sessions_the_first_are_there_at_once_and_the_oldest_is_found() {
    let lab = saying(&["here again"]);
    let key: String = lab
        .work()
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let folder = lab.home().join(".claude/projects").join(key);
    fs::create_dir_all(&folder).unwrap();
    let write = |number: usize, text: &str| {
        let file = folder.join(format!("aaaaaaaa-0000-4000-8000-{number:012}.jsonl"));
        let said = json!({"type": "user", "uuid": format!("u{number}"), "parentUuid": null, "sessionId": "s", "cwd": lab.work(),
            "timestamp": "2026-01-02T03:04:05.678Z", "message": {"role": "user", "content": text}});
        fs::write(&file, format!("{said}\n")).unwrap();
        let age = Duration::from_secs(60 * (10_000 - number as u64));
        let file = fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    };
    for number in 1..10_000 {
        write(number, &format!("session number {number}"));
    }
    write(0, "why does it retry for ever?");
    let terminal = Terminal::start(lab, &["-r"], 80, 24, &[]);
    let rows = terminal.shows("session number 9999");
    assert!(rows.iter().any(|row| row.starts_with("Resume ")), "{rows:?}");
    terminal.shows("of 10000 here");
    for letter in ["r", "e", "t", "r"] {
        terminal.keys(letter);
    }
    let rows = terminal.shows("1 of 10000 here");
    assert!(
        rows.iter()
            .any(|row| row.starts_with("› ") && row.contains("why does it retry for ever?")),
        "{rows:?}"
    );
    terminal.keys("\x1b");
    terminal.shows("10000 of 10000 here");
    terminal.keys("\x1b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_session_is_read_renamed_and_found_by_what_was_said_in_it() {
    let terminal = Terminal::open(saying(&["The flaky test was the clock.", "two"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("The flaky test");
    terminal.shows(IDLE);
    terminal.keys("/clear\r");
    terminal.until("a new session", |rows| {
        rows.iter().filter(|row| row.starts_with("sluice ")).count() == 2 && rows.iter().any(|row| row.contains(IDLE))
    });
    terminal.keys("/resume\r");
    terminal.shows("1 of 1 here");
    terminal.keys("flaky");
    // Its title does not say so: what was said does.
    terminal.shows("Resume  flaky   1 of 1 here");
    terminal.keys("\x0f");
    terminal.shows("q back");
    terminal.keys("q");
    terminal.shows("1 of 1 here");
    terminal.keys("\x12");
    terminal.until("the title to be changed", |rows| {
        rows.iter().filter(|row| *row == "› first").count() == 2
    });
    terminal.keys("\x15The clock\r");
    terminal.until("the new title", |rows| {
        rows.iter().any(|row| row.contains("ago") && row.contains("The clock"))
    });
    terminal.keys("\r");
    terminal.shows("resumed \"The clock\"");
    terminal.shows(IDLE);
    leave(terminal);
}

/// All that is on the screen and above it.
fn everything(terminal: &Terminal) -> Vec<String> {
    let mut seen = terminal.seen.0.lock().unwrap();
    let screen = seen.screen.screen_mut();
    let (_, columns) = screen.size();
    screen.set_scrollback(usize::MAX);
    let above = screen.scrollback();
    let mut all = Vec::new();
    for offset in (1..=above).rev() {
        screen.set_scrollback(offset);
        all.push(screen.rows(0, columns.get()).next().unwrap().trim_end().to_owned());
    }
    screen.set_scrollback(0);
    all.extend(screen.rows(0, columns.get()).map(|row| row.trim_end().to_owned()));
    all
}

#[test]
fn journey_32_after_two_hundred_sizes_the_region_is_a_fresh_draw_and_every_row_is_there_once() {
    // A line of code is committed at its end: one that is whole was never in the part that is drawn again, of which a frame
    // on its way may leave a row behind when the size changes under it.
    let rows: String = (0..400).map(|number| format!("row {number} end\n")).collect();
    let text = format!("```\n{rows}```\n\nThat is all.");
    let lab = Lab::new(&json!([{"delay": 0.002, "content": [{"type": "text", "text": text}]}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    // This screen does not break long rows in two when it becomes narrower, as XTerm does not.
    terminal.keys("\x1bP>|XTerm(390)\x1b\\");
    send(&terminal, "list");
    terminal.shows("row 3 end");
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..200 {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let columns = 20 + u16::try_from(dice % 181).unwrap();
        // Of one height: this screen drops rows when it becomes lower, where terminals push them into their history.
        size_in_order(&terminal, columns, 24);
        if dice.is_multiple_of(9) {
            terminal.keys("\x1b[200~pasted \x1b[201~");
        }
    }
    size_in_order(&terminal, 80, 24);
    terminal.until("the end of the list", |rows| {
        rows.iter().any(|row| row == "That is all.") && !rows.iter().any(|row| row.contains("esc stops"))
    });
    // What was pasted is taken out, and the region is what a fresh one is.
    terminal.keys("\x03");
    let rows = terminal.until("the region", |rows| {
        rows.iter().any(|row| row.starts_with("› ask for something"))
    });
    let all = everything(&terminal);
    for number in 0..400 {
        let row = format!("row {number} end");
        assert_eq!(all.iter().filter(|it| **it == row).count(), 1, "{row}");
    }
    let order: Vec<&String> = all
        .iter()
        .filter(|row| row.starts_with("row ") && row.ends_with(" end"))
        .collect();
    assert!(
        order.windows(2).all(|pair| number(pair[0]) + 1 == number(pair[1])),
        "out of order"
    );
    terminal.keys("\x0c");
    let fresh = terminal.until("a fresh screen", |rows| {
        rows[0].is_empty() && rows[1].starts_with("› ask for") && !rows[2].is_empty()
    });
    let region = |rows: &[String]| {
        let at = rows.iter().position(|row| row.starts_with("› ask for")).unwrap();
        rows[at..]
            .iter()
            .filter(|row| !row.is_empty())
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(region(&rows), region(&fresh));
    leave(terminal);
}

fn number(row: &str) -> usize {
    let inner = row.trim_start_matches("row ").trim_end_matches(" end");
    inner.parse().unwrap()
}

/// Another size, after what was drawn for the one before is on the screen.
fn size_in_order(terminal: &Terminal, columns: u16, rows: u16) {
    terminal.pty.resize(pty_process::Size::new(rows, columns)).unwrap();
    let mut seen = terminal.seen.0.lock().unwrap();
    loop {
        let before = seen.bytes.len();
        let (now, waited) = terminal.seen.1.wait_timeout(seen, Duration::from_millis(20)).unwrap();
        seen = now;
        if waited.timed_out() && seen.bytes.len() == before {
            break;
        }
    }
    let screen = seen.screen.screen_mut();
    screen.set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
}

/// What it is called, what the model says, and how one gets there.
type State = (&'static str, Value, fn(&Terminal));

#[test]
fn journey_33_whoever_ends_the_process_gets_the_terminal_back_wherever_it_was() {
    let slow = json!({"delay": 0.05, "content": [{"type": "text", "text": "word ".repeat(400)}]});
    let call = json!([{"type": "tool_use", "name": "Write", "input": {"file_path": "notes.md", "content": "hello"}}]);
    let states: [State; 4] = [
        ("streaming", json!([slow]), |terminal| {
            send(terminal, "go");
            terminal.shows("writing ∙ ");
        }),
        ("ask", json!([call]), |terminal| {
            send(terminal, "go");
            terminal.shows("  4  No");
        }),
        ("resume", json!([says("one")]), |terminal| {
            send(terminal, "go");
            terminal.shows("one");
            terminal.shows(IDLE);
            terminal.keys("/resume\r");
            terminal.shows("1 of 1 here");
        }),
        ("pager", json!([says("one")]), |terminal| {
            send(terminal, "go");
            terminal.shows("one");
            terminal.shows(IDLE);
            terminal.keys("\x0f");
            terminal.shows("q back");
        }),
    ];
    for (name, replies, reach) in &states {
        for (signal, expected) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
            let mut terminal = Terminal::open(Lab::new(replies), 80, 24, &[]);
            terminal.shows(IDLE);
            let found = rustix::termios::tcgetattr(&*terminal.pty).unwrap();
            reach(&terminal);
            terminal.signal(signal);
            let (code, bytes) = terminal.end();
            assert_eq!(code, Some(expected), "{name}");
            is_clean(&bytes);
            let left = rustix::termios::tcgetattr(&*terminal.pty).unwrap();
            assert!(
                left.local_modes
                    .contains(rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON),
                "{name}: the line discipline is not what it was"
            );
            assert!(
                !found.local_modes.contains(rustix::termios::LocalModes::ICANON),
                "it was taken at all"
            );
        }
    }
}

#[test]
fn journey_35_without_colour_in_ascii_at_forty_columns_everything_is_there() {
    let call = json!([{"type": "tool_use", "name": "Write", "input": {"file_path": "notes.md", "content": "hello"}}]);
    let lab = Lab::new(&json!([call, says("- one\n- two ∙ three"), says("more")]));
    let settings = [("NO_COLOR", "1"), ("LANG", "C"), ("LC_ALL", "C")];
    let terminal = Terminal::open(lab, 40, 24, &settings);
    terminal.shows(IDLE);
    terminal.keys("go");
    terminal.shows("> go");
    terminal.keys("\rx");
    terminal.shows("tab answers");
    terminal.keys("\t");
    terminal.shows("esc no");
    terminal.keys("\r");
    terminal.shows("- two");
    terminal.keys("\x15");
    terminal.shows(IDLE);
    for (command, shown) in [
        ("/mode", "asks before every"),
        ("/theme", "no colours"),
        ("/config", "type to find"),
        ("/model", "enter this session"),
        ("/permissions", "left/right kind"),
        ("/agents", "enter reads it"),
        ("/resume", "1 of 1 here"),
        ("/rewind", "> now"),
    ] {
        terminal.keys(command);
        terminal.shows(&format!("> {command}"));
        terminal.keys("\r");
        terminal.shows(shown);
        terminal.keys("\x1b");
        terminal.until("it is closed", |rows| {
            !rows.iter().any(|row| row.contains(shown)) && rows.iter().any(|row| row.contains(IDLE))
        });
    }
    for (command, shown) in [
        ("/context", "Context  "),
        ("/cost", "Cost  "),
        ("/status", "Status"),
        ("/hooks", "Hooks"),
    ] {
        terminal.keys(command);
        terminal.shows(&format!("> {command}"));
        terminal.keys("\r");
        terminal.shows(shown);
        terminal.shows(IDLE);
    }
    let bytes = leave(terminal);
    let foreign: Vec<&str> = bytes.lines().filter(|line| !line.is_ascii()).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    for colour in 30..48 {
        for form in [format!("\x1b[{colour}m"), format!(";{colour}m"), format!("[{colour};")] {
            assert!(!bytes.contains(&form), "{form:?} in {bytes}");
        }
    }
}

#[test]
fn journey_37_the_cursor_is_where_the_terminal_says() {
    let terminal = Terminal::open(answering("fine"), 80, 24, &[]);
    terminal.shows(IDLE);
    // Two wide letters, one with a mark over it, one plain.
    terminal.keys("日本e\u{301}x");
    terminal.cursor_in(2 + 2 + 2 + 1 + 1);
    for wanted in [7, 6, 4, 2, 2] {
        terminal.keys("\x1b[D");
        terminal.cursor_in(wanted);
    }
    terminal.keys("\x1b[F");
    terminal.cursor_in(8);
    terminal.keys("\x1b[H");
    terminal.cursor_in(2);
    terminal.keys("\x15\x0b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn what_the_terminal_says_about_its_letters_is_believed() {
    let terminal = Terminal::open(answering("fine"), 80, 24, &[]);
    terminal.shows(IDLE);
    // Letters of ambiguous width take two cells here, emoji that are joined are drawn apart.
    terminal.keys("\x1b[1;3R\x1b[1;3R\x1b[1;7R\x1b[?62c");
    terminal.keys("±x");
    terminal.shows("› ±x");
    let before = terminal.bytes().len();
    terminal.keys("\x1b[D\x1b[D");
    // From behind both to before both: one cell and two.
    terminal.writes(before, &["\x1b[2D", "\x1b[3D", "\r\x1b[2C"]);
    terminal.keys("\x0b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn links_and_marks_are_written_only_where_the_terminal_knows_them() {
    let answer = "See https://example.org/a for more.";
    // The turn waits for a file: however quick or slow the machine is, it is seen to work.
    let replies = json!([[{"type": "tool_use", "name": "Bash", "input":
        {"command": "until [ -e go ]; do sleep 0.05; done", "description": "wait"}}], says(answer)]);
    let turn = |settings: &[(&str, &str)], says_so: &str| {
        let terminal = Terminal::start(Lab::new(&replies), &["--allowedTools", "Bash"], 80, 24, settings);
        terminal.shows(IDLE);
        send(&terminal, "where?");
        terminal.shows("running Bash");
        terminal.writes(0, &[says_so]);
        let working = terminal.bytes().len();
        fs::write(terminal.lab.work().join("go"), "").unwrap();
        terminal.shows("for more.");
        terminal.shows(IDLE);
        (working, leave(terminal))
    };
    let (_, bytes) = turn(&[], "Bash");
    assert!(
        !bytes.contains("\x1b]8;") && !bytes.contains("\x1b]133;") && !bytes.contains("\x1b]9;4"),
        "{bytes}"
    );
    let (working, bytes) = turn(&[("TERM_PROGRAM", "ghostty")], "\x1b]9;4;3;");
    assert!(
        bytes.contains(";https://example.org/a\x1b\\https://example.org/a\x1b]8;;\x1b\\"),
        "{bytes}"
    );
    let (prompt, answer) = (bytes.find("\x1b]133;A"), bytes.find("\x1b]133;C"));
    assert!(prompt.is_some() && answer > prompt, "{bytes}");
    assert!(bytes.rfind("\x1b]133;D") > answer, "{bytes}");
    let rest = bytes.get(working..).unwrap_or_default();
    assert!(
        rest.rfind("\x1b]9;4;0;") > rest.rfind("\x1b]9;4;3;"),
        "it works no longer: {rest}"
    );
}

#[test]
fn journey_39_a_multiplexer_holds_every_row_once() {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("skipped: there is no tmux");
        return;
    }
    let text: String = (0..200).map(|number| format!("- item {number}\n")).collect();
    let lab = Lab::new(&json!([{"delay": 0.002, "content": [{"type": "text", "text": text}]}]));
    let socket = lab.home().join("tmux");
    let tmux = |args: &[&str]| {
        let output = Command::new("tmux").arg("-S").arg(&socket).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let program = lab.command(&[]);
    let mut start = vec!["-f".to_owned(), "/dev/null".to_owned()];
    start.extend(["new-session", "-d", "-x", "80", "-y", "24", "-s", "one"].map(str::to_owned));
    for (name, value) in program.get_envs() {
        let value = value
            .map(|value| value.to_string_lossy().into_owned())
            .unwrap_or_default();
        start.extend(["-e".to_owned(), format!("{}={value}", name.to_string_lossy())]);
    }
    start.extend([
        "-e".to_owned(),
        "LANG=C.UTF-8".to_owned(),
        "-c".to_owned(),
        lab.work().display().to_string(),
    ]);
    start.push(format!("'{}'", env!("CARGO_BIN_EXE_sluice")));
    let start: Vec<&str> = start.iter().map(String::as_str).collect();
    tmux(&start);
    let until = |wanted: &str| {
        let end = Instant::now() + PATIENCE;
        loop {
            let shown = tmux(&["capture-pane", "-p", "-S", "-", "-t", "one"]);
            if shown.contains(wanted) {
                return shown;
            }
            assert!(Instant::now() < end, "{wanted} never came:\n{shown}");
        }
    };
    until(IDLE);
    tmux(&["send-keys", "-t", "one", "list"]);
    until("› list");
    tmux(&["send-keys", "-t", "one", "Enter"]);
    until("- item 199");
    let shown = until(IDLE);
    for number in 0..200 {
        let row = format!("- item {number}");
        assert_eq!(
            shown.lines().filter(|line| line.trim_end() == row).count(),
            1,
            "{row} in {shown}"
        );
    }
    tmux(&["kill-server"]);
}

/// How often the process was woken, all its threads together.
fn wakes(terminal: &Terminal) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{}/task", terminal.child.id()))
        .unwrap()
        .flatten();
    let switches = tasks.filter_map(|task| {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let (_, rest) = status.split_once("\nvoluntary_ctxt_switches:")?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    });
    switches.sum()
}

#[test]
fn journey_41_idle_means_no_write() {
    let terminal = Terminal::open(saying(&["one"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("one");
    terminal.shows(IDLE);
    // Whatever the end of the turn still had to say is said.
    let mut before = terminal.bytes().len();
    let mut quiet = Instant::now();
    while quiet.elapsed() < Duration::from_secs(1) {
        let seen = terminal.seen.0.lock().unwrap();
        let (seen, _) = terminal.seen.1.wait_timeout(seen, Duration::from_millis(200)).unwrap();
        if seen.bytes.len() != before {
            before = seen.bytes.len();
            quiet = Instant::now();
        }
    }
    let woken = wakes(&terminal);
    let seen = terminal.seen.0.lock().unwrap();
    let waited = Duration::from_secs(5);
    let (seen, _) = terminal
        .seen
        .1
        .wait_timeout_while(seen, waited, |seen| seen.bytes.len() == before)
        .unwrap();
    assert_eq!(seen.bytes.len(), before, "something was written");
    drop(seen);
    let woken = wakes(&terminal) - woken;
    // The settings files are still looked at once a second, which is four switches; a spinner would be eight times that.
    assert!(woken <= 40, "{woken} wake-ups in five seconds");
    leave(terminal);
}
