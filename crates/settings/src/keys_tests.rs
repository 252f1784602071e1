#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use serde_json::json;

use super::*;
use crate::writers::Writer;

#[test]
fn no_setting_has_two_rows() {
    let names: HashSet<&str> = TABLE.iter().map(|key| key.name).collect();
    assert_eq!(names.len(), TABLE.len());
    let names: HashSet<&str> = permissions::TABLE.iter().map(|key| key.name).collect();
    assert_eq!(names.len(), permissions::TABLE.len());
}

/// Keys that can run a program, redirect requests or allow a call take effect only in a trusted folder.
#[test]
fn what_runs_or_allows_waits_for_trust() {
    for key in [
        PERMISSIONS,
        ENV,
        SANDBOX,
        API_KEY_HELPER,
        STATUS_LINE,
        ENABLED_PLUGINS,
        DISABLE_ALL_HOOKS,
    ] {
        assert_eq!(key.untrusted, Untrusted::Waits, "{}", key.name);
        assert!(!key.writable.allows(Writer::Page, Source::User), "{}", key.name);
    }
    assert_eq!(HOOKS.untrusted, Untrusted::CountsForHosts);
    assert_eq!(HOOKS.writable, Writable::Never);
}

#[test]
fn who_may_say_what() {
    let scopes = [
        Source::User,
        Source::Project,
        Source::Local,
        Source::Flag,
        Source::Policy,
    ];
    let of = |key: &Key| scopes.map(|source| key.scopes.hold(source));
    assert_eq!(of(&MODEL), [true; 5]);
    assert_eq!(of(&AUTO_MEMORY_DIRECTORY), [true, false, false, true, true]);
    assert_eq!(of(&TRUSTED_FOLDERS), [true, false, false, false, true]);
    assert_eq!(of(&ALLOW_MANAGED_HOOKS_ONLY), [false, false, false, false, true]);
}

#[test]
fn a_value_of_another_kind_is_found() {
    let said = json!({"model": 1, "hooks": {}, "verbose": "yes", "language": null, "fallbackModel": ["a"], "none": 1});
    let names: Vec<&str> = misshapen(said.as_object().unwrap())
        .iter()
        .map(|key| key.name)
        .collect();
    assert_eq!(names, ["model", "verbose"]);
}

#[test]
fn a_typed_word_becomes_what_the_setting_holds() {
    assert_eq!(Shape::Text.read("true"), Some(json!("true")));
    assert_eq!(Shape::Flag.read("true"), Some(json!(true)));
    assert_eq!(Shape::Flag.read("maybe"), None);
    assert_eq!(Shape::Number.read("1.5"), Some(json!(1.5)));
    assert_eq!(Shape::List.read("1"), None);
    assert_eq!(Shape::Any.read("word"), Some(json!("word")));
}

/// The settings that the terminal's `/config` shows, and those that its other dialogs save.
#[test]
fn own_hosts_write_what_config_shows() {
    let shown = [
        "theme",
        "model",
        "editorMode",
        "prefersReducedMotion",
        "alwaysThinkingEnabled",
        "autoCompactEnabled",
        "preferredNotifChannel",
        "sluice",
        "verbose",
        "showTurnDuration",
        "showMessageTimestamps",
        "timeFormat",
        "syntaxHighlightingDisabled",
        "terminalProgressBarEnabled",
        "terminalTitleFromRename",
        "respondToBashCommands",
    ];
    let configurable = TABLE.iter().filter(|key| key.configurable.is_some());
    for name in shown.into_iter().chain(configurable.map(|key| key.name)) {
        let key = find(name).unwrap();
        for writer in [Writer::Page, Writer::Terminal] {
            assert!(key.writable.allows(writer, Source::User), "{name}");
        }
    }
}
