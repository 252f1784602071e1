//! The trust dialog appears where it is needed, and only there.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::terminal::Terminal;
use crate::terminal_journeys::{IDLE, leave, saying, stop_bridge};

#[test]
fn a_folder_that_brings_nothing_is_not_asked_about() {
    let lab = saying(&["Hello"]);
    let settings = json!({"theme": "dark", "outputStyle": "Concise", "permissions": {"deny": ["Bash(rm:*)"]}});
    fs::create_dir_all(lab.work().join(".claude/commands")).unwrap();
    fs::write(lab.work().join(".claude/settings.json"), settings.to_string()).unwrap();
    fs::write(lab.work().join(".claude/commands/go.md"), "Go.").unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    let bytes = leave(terminal);
    assert!(
        !bytes.contains("New folder") && !bytes.contains("not trusted"),
        "{bytes}"
    );
}

#[test]
fn an_untrusted_folder_with_rules_is_asked_about() {
    let lab = saying(&["Hello"]);
    fs::create_dir_all(lab.work().join(".claude/commands")).unwrap();
    let command = "---\nallowed-tools: Bash(ls:*)\n---\nGo.";
    fs::write(lab.work().join(".claude/commands/go.md"), command).unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows("? New folder");
    terminal.shows("allowed-tools   .claude/commands/go.md");
    terminal.keys("1");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_worktree_of_an_untrusted_repository_is_asked_about() {
    let lab = saying(&["Hello"]);
    for args in [
        "init -q",
        "-c user.name=n -c user.email=e commit -q --allow-empty -m x",
        "config filter.x.smudge cat",
    ] {
        let git = Command::new("git")
            .args(args.split(' '))
            .current_dir(lab.work())
            .status();
        assert!(git.unwrap().success(), "{args}");
    }
    let (work, home) = (lab.work(), lab.home());
    let mut terminal = Terminal::start(lab, &["-w", "one"], 80, 24, &[]);
    terminal.shows("? New folder");
    terminal.shows("2  Trust this folder");
    assert!(!work.join(".claude/worktrees/one").exists());
    terminal.keys("2");
    terminal.shows(IDLE);
    assert!(work.join(".claude/worktrees/one/.git").exists());
    let global = fs::read_to_string(home.join(".claude.json")).unwrap();
    assert!(global.contains("hasTrustDialogAccepted"), "{global}");
    terminal.keys("\x04\x04");
    terminal.shows("1  Keep it");
    terminal.keys("1");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn the_folder_of_a_served_session_is_asked_about_in_attach() {
    let lab = saying(&["one", "two"]);
    let (home, state) = (lab.home(), lab.home().join("state"));
    // Below the home folder, where the bridge may start sessions.
    let shop = home.join("shop");
    fs::create_dir_all(shop.join(".claude")).unwrap();
    let (folder, place) = (shop.display().to_string(), state.display().to_string());
    let first = Terminal::start_in(lab, &[], &folder, 100, 24, &[("XDG_STATE_HOME", &place)]);
    first.shows(IDLE);
    first.keys("first\r");
    first.shows("one");
    first.shows(IDLE);
    first.keys("/serve\r");
    first.shows("served at http://");
    first.shows(IDLE);
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    fs::write(shop.join(".claude/settings.json"), hook.to_string()).unwrap();
    let own = home.display().to_string();
    let variables = [("XDG_STATE_HOME", &*place), ("HOME", &*own)];
    let second = Terminal::start_in(saying(&[]), &["attach"], &own, 100, 24, &variables);
    second.shows("? Attach");
    second.keys("\r");
    second.shows("? New folder");
    second.shows("1 hook");
    second.keys("2");
    second.shows(IDLE);
    let global = fs::read_to_string(home.join(".claude.json")).unwrap();
    assert!(global.contains("hasTrustDialogAccepted"), "{global}");
    leave(second);
    stop_bridge(&home, &state);
    leave(first);
}
