//! Settings files that cannot be parsed: a session starts without them only if a person decides so.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::binary::Lab;
use crate::terminal::Terminal;
use crate::terminal_journeys::{IDLE, leave, saying};

const STREAM: [&str; 4] = ["-p", "--output-format", "stream-json", "--verbose"];

/// Writes a user settings file with an extra comma in line 2.
fn break_user_settings(lab: &Lab) -> PathBuf {
    let file = lab.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{\"permissions\": {\"deny\": [\"Bash\"]},\n}").unwrap();
    file
}

#[test]
fn print_mode_refuses_and_names_file_line_and_column() {
    let lab = saying(&["Hello"]);
    let file = break_user_settings(&lab);
    let place = format!("{}:2:1: ", file.display());
    let ran = lab.run(&["-p", "hi"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(&place), "{ran:?}");
    assert!(ran.stderr.contains("--ignore-invalid-settings"), "{ran:?}");
    assert_eq!(ran.stdout, "");

    let ran = lab.run(&STREAM, "hi");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines = ran.lines();
    let result = lines.last().unwrap();
    assert_eq!((&result["type"], &result["is_error"]), (&json!("result"), &json!(true)));
    assert_eq!(result["startup_failure_reason"], "config_file_invalid");
    assert!(result["errors"][0].as_str().unwrap().contains(&place), "{result}");

    let ran = lab.run(&["-p", "hi", "--ignore-invalid-settings"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn invalid_project_and_flag_settings_also_refuse_the_start() {
    let lab = saying(&["Hello"]);
    fs::create_dir_all(lab.work().join(".claude")).unwrap();
    fs::write(lab.work().join(".claude/settings.json"), "{").unwrap();
    let ran = lab.run(&["-p", "hi"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(".claude/settings.json:1:2: "), "{ran:?}");
    // A file named by the flag cannot be ignored.
    let args = ["-p", "hi", "--settings", "{]", "--ignore-invalid-settings"];
    let ran = lab.run(&args, "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("--settings"), "{ran:?}");
}

#[test]
fn the_terminal_shows_the_error_and_opens_the_file() {
    let lab = saying(&["Hello"]);
    let file = break_user_settings(&lab);
    // This editor fixes the file.
    let editor = lab.home().join("editor");
    fs::write(&editor, "#!/bin/sh\necho '{\"verbose\": true}' > \"$1\"\n").unwrap();
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let editor = editor.display().to_string();
    let terminal = Terminal::open(lab, 100, 24, &[("EDITOR", &editor)]);
    terminal.shows("? Invalid settings");
    terminal.shows("line 2, column 1: ");
    let rows = terminal.shows("1  Fix it");
    for choice in ["2  Start without it", "3  Quit"] {
        assert!(rows.iter().any(|row| row.contains(choice)), "{rows:?}");
    }
    terminal.keys("1");
    terminal.shows(IDLE);
    assert_eq!(fs::read_to_string(file).unwrap(), "{\"verbose\": true}\n");
    leave(terminal);
}

#[test]
fn the_terminal_starts_without_the_file_when_a_person_says_so() {
    let lab = saying(&["Hello"]);
    break_user_settings(&lab);
    let terminal = Terminal::open(lab, 100, 24, &[]);
    terminal.shows("2  Start without it");
    terminal.keys("2");
    terminal.shows(IDLE);
    leave(terminal);
}
