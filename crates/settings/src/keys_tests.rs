#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use serde_json::json;

use super::*;
use crate::writers::Writer;

#[test]
fn keys_are_unique() {
    let names: HashSet<&str> = TABLE.iter().map(|key| key.name).collect();
    assert_eq!(names.len(), TABLE.len());
    let names: HashSet<&str> = permissions::TABLE.iter().map(|key| key.name).collect();
    assert_eq!(names.len(), permissions::TABLE.len());
}

/// Keys that can run a program, redirect requests or allow a call only apply in a trusted folder.
#[test]
fn settings_that_run_or_allow_something_need_trust() {
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
fn scopes_limit_who_may_set_a_key() {
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
fn values_of_the_wrong_type_are_found() {
    let changes =
        json!({"model": 1, "hooks": {}, "verbose": "yes", "language": null, "fallbackModel": ["a"], "none": 1});
    let names: Vec<&str> = misshapen(changes.as_object().unwrap())
        .iter()
        .map(|key| key.name)
        .collect();
    assert_eq!(names, ["model", "verbose"]);
}

#[test]
fn typed_text_is_parsed_by_the_type_of_the_setting() {
    assert_eq!(Shape::Text.read("true"), Some(json!("true")));
    assert_eq!(Shape::Flag.read("true"), Some(json!(true)));
    assert_eq!(Shape::Flag.read("maybe"), None);
    assert_eq!(Shape::Number.read("1.5"), Some(json!(1.5)));
    assert_eq!(Shape::List.read("1"), None);
    assert_eq!(Shape::Any.read("word"), Some(json!("word")));
}

/// The settings that the terminal's `/config` shows, and those that its other dialogs save.
#[test]
fn own_hosts_may_write_the_settings_of_config() {
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
