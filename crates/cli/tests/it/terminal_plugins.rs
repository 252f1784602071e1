//! `/plugin`: plugins are installed after confirmation, enabled, disabled and removed.

use std::fs;

use serde_json::{Value, json};

use crate::binary::Lab;
use crate::terminal::Terminal;
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave, saying};

/// Creates a lab with a plugin in the folder `tools` that contains a hook and a command.
fn with_plugin() -> Lab {
    let lab = saying(&["done"]);
    for (path, text) in [
        (
            ".claude-plugin/plugin.json",
            r#"{"name": "review", "version": "1.0.0"}"#,
        ),
        ("commands/look.md", "Look at it."),
        (
            "hooks/hooks.json",
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]}}"#,
        ),
    ] {
        let path = lab.home().join("tools").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    lab
}

fn enabled(lab: &Lab) -> Value {
    let text = fs::read_to_string(lab.home().join(".claude/settings.json")).unwrap_or_default();
    let settings: Value = serde_json::from_str(&text).unwrap_or_default();
    settings["enabledPlugins"].clone()
}

#[test]
fn plugin_is_installed_after_a_question_and_works_at_once() {
    let terminal = Terminal::open(with_plugin(), 100, 30, &[]);
    terminal.shows(IDLE);
    send(&terminal, "/plugin install ~/tools");
    terminal.shows("Install review@local 1.0.0");
    terminal.shows("hook Stop: runs `touch hooked`");
    // An accidental enter installs nothing.
    terminal.shows("› 2  Do not install it");
    terminal.keys("\r");
    terminal.shows(IDLE);
    assert_eq!(enabled(&terminal.lab), Value::Null);
    send(&terminal, "/plugin install ~/tools");
    terminal.shows("› 2  Do not install it");
    terminal.keys("1\r");
    terminal.shows("review@local is installed and enabled");
    assert_eq!(enabled(&terminal.lab), json!({"review@local": true}));
    send(&terminal, "/review:look");
    terminal.shows("done");
    terminal.shows(IDLE);
    assert!(terminal.lab.has("hooked"), "the hook of the plugin runs");
    send(&terminal, "/plugin");
    terminal.shows("› review@local  enabled   1.0.0");
    terminal.keys(" ");
    terminal.shows("review@local is disabled");
    assert_eq!(enabled(&terminal.lab), json!({"review@local": false}));
    send(&terminal, "/plugin remove review");
    terminal.shows("› 2  Keep it");
    terminal.keys("1\r");
    terminal.shows("review@local is removed");
    assert_eq!(enabled(&terminal.lab), json!({}));
    let cache = terminal.lab.home().join(".claude/plugins/cache/local/review/1.0.0");
    assert!(!cache.exists());
    leave(terminal);
}

#[test]
fn plugin_is_installed_line_by_line() {
    let terminal = Terminal::start(with_plugin(), &["--ax-screen-reader"], 100, 40, &[]);
    terminal.shows("mode ask");
    terminal.keys("/plugin\r");
    terminal.shows("plugin: none");
    terminal.keys("/plugin install ~/missing\r");
    terminal.shows("neither a folder nor a .zip file");
    terminal.keys("/plugin install ~/tools\r");
    terminal.shows("plugin contains: hook Stop: runs `touch hooked`");
    terminal.shows("list 2 of 2: install and enable it");
    terminal.keys("2\r");
    terminal.shows("notice: review@local is installed and enabled");
    terminal.keys("/plugin disable review\r");
    terminal.shows("notice: review@local is disabled");
    terminal.keys("/plugin list\r");
    terminal.shows("plugin 1 of 1: review@local, disabled, 1.0.0");
    terminal.keys("/plugin remove review\r");
    terminal.shows("list 2 of 2: remove review@local");
    terminal.keys("2\r");
    terminal.shows("notice: review@local is removed");
    assert_eq!(enabled(&terminal.lab), json!({}));
}
