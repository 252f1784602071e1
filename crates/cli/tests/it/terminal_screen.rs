//! Journeys 26, 35, 37 and 41: many sessions, no colours, wide characters, idling.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::binary::{Lab, says};
use crate::terminal::{Terminal, answering};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave, saying};

/// The time until the first rows (50 ms) is measured without other load: `make bench-terminal`.
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
    let rows = terminal.shows("Resume  retr   1 of 10000 here");
    let at = rows
        .iter()
        .position(|row| row == "Resume  retr   1 of 10000 here")
        .unwrap();
    assert!(
        rows[at + 1].starts_with("› 6d ago ") && rows[at + 1].contains(" why does it retry for ever?"),
        "{rows:?}"
    );
    assert_eq!(
        rows[at + 2],
        "  enter resume ∙ ctrl+f fork ∙ ctrl+o read ∙ ctrl+r rename ∙ ctrl+a all folders"
    );
    terminal.keys("\x1b");
    terminal.shows("10000 of 10000 here");
    terminal.keys("\x1b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_session_is_previewed_renamed_and_found_by_its_conversation() {
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
    // Found by the conversation; the title does not contain the text.
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

#[test]
fn journey_35_without_colour_in_ascii_at_forty_columns_everything_is_there() {
    let call = json!([{"type": "tool_use", "name": "Write", "input": {"file_path": "notes.md", "content": "hello"}}]);
    let lab = Lab::new(&json!([call, says("- one\n- two ∙ three"), says("more")]));
    let settings = [("NO_COLOR", "1"), ("LANG", "C"), ("LC_ALL", "C"), ("EDITOR", "true")];
    let terminal = Terminal::open(lab, 40, 24, &settings);
    terminal.shows(IDLE);
    terminal.keys("go");
    terminal.shows("> go");
    terminal.keys("\rx");
    terminal.shows("tab answers");
    terminal.keys("\t");
    terminal.shows("esc deny");
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
        ("/memory", "Memory"),
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
    // Commands that only print or briefly open another program.
    for command in [
        "/btw hi",
        "/copy",
        "/diff",
        "/export out.md",
        "/keybindings",
        "/rename A title",
        "/reprint",
        "/stash",
        "/take",
        "/vim",
        "/vim",
        "/fork",
        "/clear",
    ] {
        terminal.keys(command);
        terminal.shows(&format!("> {command}"));
        let before = terminal.bytes().len();
        terminal.keys("\r");
        if ["/keybindings", "/fork", "/clear"].contains(&command) {
            // The terminal is released for a moment; keys typed in between are lost.
            terminal.writes(before, &["\x1b[?2004h"]);
        }
        terminal.until("the composer is empty again", |rows| {
            let composer = rows.iter().rfind(|row| row.starts_with("> "));
            composer.is_some_and(|row| row.contains(IDLE)) && !rows.iter().any(|row| row.contains("esc stops"))
        });
    }
    for (command, shown) in [("/help", "> /add-dir"), ("/login", "> 1  Paste a key")] {
        terminal.keys(command);
        terminal.shows(&format!("> {command}"));
        terminal.keys("\r");
        terminal.shows(shown);
        terminal.keys("\x1b");
        terminal.until("it is closed", |rows| {
            !rows.iter().any(|row| row.contains(shown)) && rows.iter().any(|row| row.contains(IDLE))
        });
    }
    // Without tasks and servers these commands show either a list or a notice.
    for command in ["/tasks", "/mcp"] {
        terminal.keys(command);
        terminal.shows(&format!("> {command}"));
        terminal.keys("\r");
        terminal.until("it is gone", |rows| !rows.iter().any(|row| row.starts_with("> /")));
        terminal.keys("\x15");
    }
    terminal.keys("\x1b");
    terminal.shows(IDLE);
    let bytes = leave(terminal);
    assert!(!bytes.contains(".\r\n..\r\n"), "a row is too wide for its end");
    let foreign: Vec<&str> = bytes.lines().filter(|line| !line.is_ascii()).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    for colour in 30..48 {
        for form in [format!("\x1b[{colour}m"), format!(";{colour}m"), format!("[{colour};")] {
            assert!(!bytes.contains(&form), "{form:?} in {bytes}");
        }
    }
}

#[test]
fn journey_37_the_cursor_position_matches_the_terminal() {
    let terminal = Terminal::open(answering("fine"), 80, 24, &[]);
    terminal.shows(IDLE);
    // Two wide characters, one with a combining accent, one plain.
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
fn journey_37_joined_emoji_have_the_width_reported_by_the_terminal() {
    let terminal = Terminal::open(answering("fine"), 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.writes(0, &["\x1b[c"]);
    // Replies to each cursor query with the position at that time.
    let bytes = terminal.bytes();
    let mut screen = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    let asked: Vec<&str> = bytes.split("\x1b[6n").collect();
    assert!(asked.len() > 2, "nothing was asked: {bytes:?}");
    for piece in &asked[..asked.len() - 1] {
        screen.process(piece.as_bytes());
        let (row, column) = screen.screen().cursor_position();
        terminal.keys(&format!("\x1b[{};{}R", row + 1, column + 1));
    }
    terminal.keys("\x1b[?62c");
    let family = "👩\u{200d}👩\u{200d}👧";
    let mut alone = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    alone.process(family.as_bytes());
    let wide = alone.screen().cursor_position().1;
    terminal.keys(&format!("a{family}x"));
    terminal.cursor_in(2 + 1 + wide + 1);
    for wanted in [2 + 1 + wide, 3, 2] {
        terminal.keys("\x1b[D");
        terminal.cursor_in(wanted);
    }
    terminal.keys("\x1b[F");
    terminal.cursor_in(2 + 1 + wide + 1);
    terminal.keys("\x1b[H");
    terminal.cursor_in(2);
    terminal.keys("\x0b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn character_widths_follow_the_terminal() {
    let terminal = Terminal::open(answering("fine"), 80, 24, &[]);
    terminal.shows(IDLE);
    // Characters of ambiguous width take two cells here, and joined emoji are drawn separately.
    terminal.keys("\x1b[1;3R\x1b[1;3R\x1b[1;7R\x1b[?62c");
    terminal.keys("±x");
    terminal.shows("› ±x");
    let before = terminal.bytes().len();
    terminal.keys("\x1b[D\x1b[D");
    // Moves from after both to before both characters: one cell and two cells.
    terminal.writes(before, &["\x1b[2D", "\x1b[3D", "\r\x1b[2C"]);
    terminal.keys("\x0b");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn links_and_marks_are_written_only_where_the_terminal_knows_them() {
    let answer = "See https://example.org/a for more.";
    // The turn waits for a file, so that it is visibly running on any machine.
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

/// Returns the number of wake-ups of all threads. A thread that exits counts once.
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
fn journey_41_idle_means_no_write_and_no_wake_up() {
    let terminal = Terminal::open(saying(&["one"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("one");
    terminal.shows(IDLE);
    // Remaining output of the turn is written.
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
    assert_eq!(woken, 0, "it was woken");
    leave(terminal);
}

#[test]
fn a_folder_is_added_skills_are_named_and_rules_are_tried() {
    // The path of the file is only known once the home folder exists.
    let elsewhere = tempfile::tempdir().unwrap();
    let guide = elsewhere.path().canonicalize().unwrap().join("guide.md");
    fs::write(&guide, "the guide\n").unwrap();
    let call = json!([{"type": "tool_use", "name": "Read", "input": {"file_path": guide}}]);
    let lab = Lab::new(&json!([call, says("It was read.")]));
    let skill = lab.home().join(".claude/skills/deploy");
    fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: deploy\ndescription: Bring it out\n---\nDo it.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    let rules = json!({"permissions": {"allow": ["Bash(cargo test:*)"]}});
    fs::write(lab.home().join(".claude/settings.json"), rules.to_string()).unwrap();
    let terminal = Terminal::open(lab, 120, 30, &[]);
    terminal.shows(IDLE);
    let command = |line: &str| {
        terminal.keys(line);
        terminal.until(line, |rows| {
            rows.iter().any(|row| row.starts_with("› ") && row.ends_with(line))
        });
        terminal.keys("\r");
    };
    command("/skills");
    terminal.shows("/deploy  Bring it out");
    command("/permissions");
    terminal.shows("Bash(cargo test:*)");
    terminal.keys("t");
    terminal.shows("enter shows the decision");
    terminal.keys("cargo test -p wire");
    terminal.shows("› cargo test -p wire");
    terminal.keys("\r");
    terminal.shows("~ cargo test -p wire  runs: Bash(cargo test:*), you, everywhere");
    command(&format!("/add-dir {}", elsewhere.path().display()));
    terminal.shows("working folder for this session: ");
    // Files outside of the folder need permission; this one no longer does.
    send(&terminal, "read it");
    terminal.shows("It was read.");
    terminal.shows(IDLE);
    let bytes = leave(terminal);
    assert!(!bytes.contains("? Read"), "it was asked about");
}
