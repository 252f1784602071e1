//! Properties that hold for arbitrary settings files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::update::{Edit, List};
use sluice_permission::{Behavior, FileChange, Rule};

use super::*;
use crate::write::write;

const FILES: [Source; 4] = [Source::User, Source::Project, Source::Local, Source::Policy];

fn with_folders<T>(body: impl FnOnce(&Places) -> T) -> T {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["proj/.claude", "home/.claude", "etc"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    body(&Places {
        cwd: root.join("proj"),
        home: root.join("home"),
        config_dir: root.join("home/.claude"),
        managed: root.join("etc/managed-settings.json"),
        global: root.join("home/.claude.json"),
    })
}

fn rule_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "(Bash|Read|Edit|mcp__s__t)(\\([a-z*:/. \"\\\\\u{e9}]{1,12}\\))?",
        "(Bash|Read)\\([a-z ]{0,5}",
        "[ -~]{0,12}",
    ]
}

fn permissions() -> impl Strategy<Value = Value> {
    let list = || prop::collection::vec(rule_text(), 0..4);
    let mode = prop::option::of(prop::sample::select(vec![
        "plan",
        "bypassPermissions",
        "acceptEdits",
        "x",
    ]));
    (list(), list(), list(), mode, any::<bool>()).prop_map(|(deny, ask, allow, mode, managed)| {
        json!({
            "permissions": {"deny": deny, "ask": ask, "allow": allow, "defaultMode": mode},
            "allowManagedPermissionRulesOnly": managed,
        })
    })
}

/// Generates the text of a valid, truncated or invalid file.
fn file_text() -> impl Strategy<Value = String> {
    let whole = permissions().prop_map(|value| value.to_string());
    let cut = (permissions(), any::<prop::sample::Index>()).prop_map(|(value, at)| {
        let text = value.to_string();
        let end = at.index(text.len());
        text.chars().take(end).collect()
    });
    prop_oneof![4 => whole, 1 => cut, 1 => "[ -~\n]{0,40}"]
}

fn put(places: &Places, files: &BTreeMap<usize, String>) {
    for (index, text) in files {
        fs::write(places.file(FILES[*index]).unwrap(), text).unwrap();
    }
}

fn forbidding(settings: &Settings) -> Vec<Rule> {
    let mut rules = settings.rules();
    rules.retain(|rule| rule.behavior != Behavior::Allow);
    rules
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_additional_file_never_removes_a_deny_rule(
        files in prop::collection::btree_map(0..FILES.len(), file_text(), 0..4),
        added in 0..FILES.len(),
        text in file_text(),
        inline in prop::option::of(file_text()),
    ) {
        with_folders(|places| {
            let mut files = files;
            files.remove(&added);
            put(places, &files);
            let before = Settings::load(places, &Chosen::ALL, None, None);
            fs::write(places.file(FILES[added]).unwrap(), text).unwrap();
            let flag = inline.clone().map(FlagSettings::Inline);
            let after = Settings::load(places, &Chosen::ALL, flag, inline.as_deref());
            let have = forbidding(&after);
            for rule in forbidding(&before) {
                prop_assert!(have.contains(&rule), "{rule:?}");
            }
            Ok(())
        })?;
    }

    #[test]
    fn an_untrusted_project_never_allows_anything(text in file_text(), mode in "(default|plan|dontAsk)") {
        with_folders(|places| {
            let user = json!({"permissions": {"defaultMode": mode}});
            fs::write(places.file(Source::User).unwrap(), user.to_string()).unwrap();
            fs::write(places.file(Source::Project).unwrap(), text).unwrap();
            let settings = Settings::load(places, &Chosen::ALL, None, None).opened_by(Opener::Host);
            prop_assert!(settings.rules().iter().all(|rule| rule.behavior != Behavior::Allow));
            let mode = settings.default_mode().unwrap();
            prop_assert!(["default", "plan", "dontAsk"].contains(&mode.as_str()));
            Ok(())
        })?;
    }

    #[test]
    fn written_rules_are_read_back_and_the_rest_is_unchanged(
        value in permissions(),
        entries in prop::collection::vec("(Bash|Read)\\([a-z*:/. \"\\\\\u{e9}\n\t]{1,12}\\)", 1..4),
        which in 0..2usize,
        file in 0..3usize,
    ) {
        with_folders(|places| {
            let source = FILES[file];
            let key = ["deny", "ask"][which];
            let behavior = [Behavior::Deny, Behavior::Ask][which];
            let list = List::Rules(behavior);
            let path = places.file(source).unwrap();
            fs::write(&path, value.to_string()).unwrap();
            let before = Settings::load(places, &Chosen::ALL, None, None);
            let change = FileChange { destination: source, edit: Edit::Add { list, entries: entries.clone() } };
            prop_assert_eq!(&write(places, &change).unwrap(), &path);
            let after = Settings::load(places, &Chosen::ALL, None, None);
            let have = after.rules();
            for rule in before.rules() {
                prop_assert!(have.contains(&rule), "{rule:?}");
            }
            for entry in &entries {
                let rule = Rule::parse(behavior, source, places.root(source), entry).unwrap();
                prop_assert!(have.contains(&rule), "{rule:?}");
            }
            let keys = |settings: &Settings| -> Vec<String> {
                settings.layers().iter().flat_map(|layer| layer.value.keys().cloned()).collect()
            };
            prop_assert_eq!(keys(&after), keys(&before));
            let remove = FileChange { destination: source, edit: Edit::Replace {
                list,
                entries: value["permissions"][key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect(),
            } };
            write(places, &remove).unwrap();
            let restored: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            prop_assert_eq!(restored, value);
            Ok(())
        })?;
    }

    #[test]
    fn a_file_applies_completely_or_not_at_all(text in "[\\[\\]{}:,\"a-c0-9/# \n]{0,24}") {
        with_folders(|places| {
            fs::write(places.file(Source::User).unwrap(), &text).unwrap();
            let settings = Settings::load(places, &Chosen::ALL, None, None);
            let theirs: Result<Value, _> = serde_json::from_str(&text);
            let fine = text.trim_ascii().is_empty() || theirs.as_ref().is_ok_and(Value::is_object);
            prop_assert_eq!(settings.layers().len(), usize::from(fine));
            let left_out = settings.problems().iter().filter(|problem| problem.effect == Effect::LeftOut);
            prop_assert_eq!(left_out.count(), usize::from(!fine));
            for problem in settings.problems() {
                let row = text.split('\n').nth(problem.line - 1).unwrap();
                prop_assert!(problem.column <= row.chars().count() + 1, "{problem}");
            }
            Ok(())
        })?;
    }
}
