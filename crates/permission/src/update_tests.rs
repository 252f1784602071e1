#![allow(clippy::unwrap_used)]
use serde_json::{Value, json};

use super::*;
use crate::path::Lexical;

fn policy() -> Policy {
    Policy::new("/w", "/home/u")
}

fn put(policy: &mut Policy, update: &Value) -> Result<Option<FileChange>, UpdateError> {
    let update: PermissionUpdate = serde_json::from_str(&update.to_string()).unwrap();
    apply(policy, &update, &|_| PathBuf::from("/w"), &Lexical)
}

#[test]
fn rules_come_and_go() {
    let mut policy = policy();
    let add = json!({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm run *"},{"toolName":"Edit","ruleContent":null}],
        "behavior":"allow","destination":"localSettings"});
    let change = put(&mut policy, &add).unwrap().unwrap();
    assert_eq!(policy.rules.len(), 2);
    assert_eq!(change.destination, Source::Local);
    let list = List::Rules(Behavior::Allow);
    let texts = |entries: &[&str]| -> Vec<String> { entries.iter().map(ToString::to_string).collect() };
    let entries = texts(&["Bash(npm run *)", "Edit"]);
    assert_eq!(change.edit, Edit::Add { list, entries });
    put(&mut policy, &add).unwrap();
    assert_eq!(policy.rules.len(), 2, "the same rule is held once");

    let replace =
        json!({"type":"replaceRules","rules":[{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"});
    let change = put(&mut policy, &replace).unwrap().unwrap();
    assert_eq!(policy.rules.iter().map(Rule::text).collect::<Vec<_>>(), ["Read"]);
    let entries = texts(&["Read"]);
    assert_eq!(change.edit, Edit::Replace { list, entries });

    let remove =
        json!({"type":"removeRules","rules":[{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"});
    let change = put(&mut policy, &remove).unwrap().unwrap();
    assert!(policy.rules.is_empty());
    let entries = texts(&["Read"]);
    assert_eq!(change.edit, Edit::Remove { list, entries });
}

#[test]
fn another_destination_is_not_touched() {
    let mut policy = policy();
    let rule = |destination: &str, kind: &str| json!({"type":kind,"rules":[{"toolName":"Bash"}],"behavior":"deny","destination":destination});
    put(&mut policy, &rule("userSettings", "addRules")).unwrap();
    put(&mut policy, &rule("session", "removeRules")).unwrap();
    assert_eq!(policy.rules.len(), 1);
    put(&mut policy, &rule("session", "replaceRules")).unwrap();
    assert_eq!(policy.rules.len(), 2);
}

#[test]
fn the_session_needs_no_file() {
    let mut policy = policy();
    let mode = json!({"type":"setMode","mode":"acceptEdits","destination":"session"});
    assert_eq!(put(&mut policy, &mode), Ok(None));
    assert_eq!(policy.mode, PermissionMode::AcceptEdits);
}

#[test]
fn a_mode_for_a_file_becomes_the_default() {
    let mut policy = policy();
    let mode = json!({"type":"setMode","mode":"manual","destination":"userSettings"});
    let change = put(&mut policy, &mode).unwrap().unwrap();
    assert_eq!(change.edit, Edit::DefaultMode("default".into()));
}

#[test]
fn bypass_needs_the_launch_flag() {
    let mut policy = policy();
    let mode = json!({"type":"setMode","mode":"bypassPermissions","destination":"session"});
    assert_eq!(put(&mut policy, &mode), Ok(None));
    assert_eq!(policy.mode, PermissionMode::Default);
    policy.bypass_launched = true;
    put(&mut policy, &mode).unwrap();
    assert_eq!(policy.mode, PermissionMode::BypassPermissions);
}

#[test]
fn directories_come_and_go_but_the_first_stays() {
    let mut policy = policy();
    let dirs = |kind: &str, list: &[&str]| json!({"type":kind,"directories":list,"destination":"session"});
    put(&mut policy, &dirs("addDirectories", &["/x", "~/y", "/x"])).unwrap();
    assert_eq!(policy.roots, [Path::new("/w"), Path::new("/x"), Path::new("/home/u/y")]);
    put(&mut policy, &dirs("removeDirectories", &["/w", "/x"])).unwrap();
    assert_eq!(policy.roots, [Path::new("/w"), Path::new("/home/u/y")]);
}

#[test]
fn nonsense_changes_nothing() {
    let mut policy = policy();
    for update in [
        json!({"type":"addRules","rules":[{"toolName":"Ba sh"}],"behavior":"allow","destination":"session"}),
        json!({"type":"addRules","rules":[{"toolName":"Bash(x)"}],"behavior":"allow","destination":"session"}),
        json!({"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allways","destination":"session"}),
        json!({"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"moon"}),
        json!({"type":"setMode","mode":"yolo","destination":"session"}),
        json!({"type":"grantAll"}),
    ] {
        assert!(put(&mut policy, &update).is_err(), "{update}");
        assert!(policy.rules.is_empty());
        assert_eq!(policy.mode, PermissionMode::Default);
    }
}

#[test]
fn lists_are_bounded() {
    let rules: Vec<Value> = (0..=MOST_ENTRIES)
        .map(|i| json!({"toolName":format!("T{i}")}))
        .collect();
    let update = json!({"type":"addRules","rules":rules,"behavior":"allow","destination":"session"});
    assert_eq!(put(&mut policy(), &update), Err(UpdateError::TooMany));
}
