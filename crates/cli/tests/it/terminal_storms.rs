//! Journey 32 and random resizing: after any sequence of sizes, the live region is correct and every row occurs once.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::binary::Lab;
use crate::terminal::Terminal;
use crate::terminal_asks::send;
use crate::terminal_fuzz::Dice;
use crate::terminal_journeys::{IDLE, leave};

/// Returns screen and scrollback.
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

/// Pauses the process, reads its pending output, and changes both sizes at once. Pending output is thus drawn for its
/// intended size, as in a terminal that reads faster than windows are resized.
fn size_in_order(terminal: &Terminal, columns: u16, rows: u16) {
    terminal.signal(Signal::STOP);
    let status = format!("/proc/{}/stat", terminal.child.id());
    while !std::fs::read_to_string(&status).unwrap().contains(") T ") {
        std::thread::yield_now();
    }
    let mut seen = terminal.seen.0.lock().unwrap();
    loop {
        let before = seen.bytes.len();
        let (now, waited) = terminal.seen.1.wait_timeout(seen, Duration::from_millis(10)).unwrap();
        seen = now;
        let unread = rustix::io::ioctl_fionread(&*terminal.pty).unwrap_or(0);
        if waited.timed_out() && seen.bytes.len() == before && unread == 0 {
            break;
        }
    }
    // This emulator drops its last rows when it shrinks; terminals move the first ones to their history.
    let (height, width) = seen.screen.screen().size();
    let used = seen
        .screen
        .screen()
        .rows(0, width.get())
        .collect::<Vec<_>>()
        .iter()
        .rposition(|row| !row.trim_end().is_empty())
        .map_or(0, |at| u16::try_from(at).unwrap() + 1);
    let over = used.saturating_sub(rows);
    if over > 0 {
        let (row, column) = seen.screen.screen().cursor_position();
        let mut push = format!("\x1b[{};1H", height.get());
        push.push_str(&"\n".repeat(over.into()));
        push.push_str(&format!("\x1b[{};{}H", row.saturating_sub(over) + 1, column + 1));
        seen.screen.process(push.as_bytes());
    }
    let screen = seen.screen.screen_mut();
    screen.set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
    terminal.pty.resize(pty_process::Size::new(rows, columns)).unwrap();
    drop(seen);
    terminal.signal(Signal::CONT);
}

/// Starts a session that prints four hundred lines of code. A complete line of code is committed immediately, so it was
/// never in the live region, of which a pending frame may leave a row behind when the size changes.
fn listing() -> Terminal {
    let rows: String = (0..400).map(|number| format!("row {number} end\n")).collect();
    let text = format!("```\n{rows}```\n\nThat is all.");
    let lab = Lab::new(&json!([{"delay": 0.002, "content": [{"type": "text", "text": text}]}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    // This emulator does not reflow long rows when it becomes narrower, like XTerm.
    terminal.keys("\x1bP>|XTerm(390)\x1b\\");
    send(&terminal, "list");
    // Any row: on a slow machine the first ones have scrolled out of view.
    terminal.until("a row of the list", |rows| {
        rows.iter().any(|row| row.starts_with("row ") && row.ends_with(" end"))
    });
    terminal
}

/// Restores the usual size; checks that every row occurs once and in order, and that the live region is correct.
fn is_whole(terminal: Terminal) {
    size_in_order(&terminal, 80, 24);
    terminal.until("the end of the list", |rows| {
        rows.iter().any(|row| row == "That is all.") && !rows.iter().any(|row| row.contains("esc stops"))
    });
    // Removes the pasted text.
    terminal.keys("\x03");
    let rows = terminal.until("the region", |rows| {
        rows.iter().any(|row| row.starts_with("› ask for something"))
    });
    let all = everything(&terminal);
    let whole: Vec<&str> = all
        .iter()
        .filter_map(|row| row.strip_prefix("row ")?.strip_suffix(" end"))
        .collect();
    let wanted: Vec<String> = (0..400).map(|number| number.to_string()).collect();
    assert_eq!(whole, wanted, "every row once, in order");
    let composers = all.iter().filter(|row| row.starts_with("› ask for")).count();
    assert_eq!(composers, 1, "{all:?}");
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

#[test]
fn journey_32_after_two_hundred_widths_the_region_is_correct_and_rows_occur_once() {
    let terminal = listing();
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for _ in 0..200 {
        size_in_order(&terminal, 20 + u16::try_from(dice.roll(181)).unwrap(), 24);
        if dice.roll(9) == 0 {
            terminal.keys("\x1b[200~pasted \x1b[201~");
        }
    }
    is_whole(terminal);
}

#[test]
fn rows_occur_once_after_many_size_changes_and_pastes() {
    let terminal = listing();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for number in 0..150 {
        // Some sizes are too small for drawing.
        let small = number % 10 == 9;
        let columns = if small { 12 + dice.roll(8) } else { 20 + dice.roll(181) };
        let rows = if small { 3 + dice.roll(4) } else { 6 + dice.roll(50) };
        size_in_order(&terminal, u16::try_from(columns).unwrap(), u16::try_from(rows).unwrap());
        match dice.roll(6) {
            0 => terminal.keys("\x1b[200~pasted \x1b[201~"),
            1 => terminal.keys(&format!("\x1b[200~{}\x1b[201~", "a long line\r\n".repeat(40))),
            2 => terminal.keys("two\nlines\n"),
            _ => {}
        }
    }
    is_whole(terminal);
}
