//! Evaluates permission rules for a command without running it.

use sluice_permission::{Behavior, Call, OnDisk, Policy, Rule, Source, ToolFacts, Verdict, decide};
use sluice_terminal::Facts;
use sluice_wire::control::PermissionRulesState;
use sluice_wire::mode::PermissionMode;

/// Returns the decision for a command and its reason: the rule with its location, or an explanation.
pub(crate) fn decide_command(
    rules: &PermissionRulesState,
    mode: &PermissionMode,
    facts: &Facts,
    command: &str,
) -> (&'static str, String) {
    let mut policy = Policy::new(&facts.folder, &facts.home);
    policy.mode = mode.clone();
    let folders = rules
        .workspace_directories
        .iter()
        .map(|folder| folder.path.clone().into());
    policy.roots.extend(folders.filter(|folder| *folder != facts.folder));
    // Rules that are not in effect because the folder is not trusted are ignored.
    let held = rules.rules.iter().filter(|rule| rule.not_in_effect != Some(true));
    policy.rules.extend(held.filter_map(|rule| {
        let behavior = match rule.behavior.as_str() {
            "allow" => Behavior::Allow,
            "deny" => Behavior::Deny,
            _ => Behavior::Ask,
        };
        Rule::parse(behavior, source(&rule.source), &facts.folder, &rule.rule).ok()
    }));
    let input = serde_json::json!({ "command": command });
    let call = Call::new(ToolFacts::command("command"), &input, &facts.folder);
    let decision = decide(&policy, &call, &OnDisk);
    let word = match decision.behavior {
        Verdict::Allow => "runs",
        Verdict::Deny => "refused",
        _ => "asks",
    };
    let reason = &decision.reason;
    let said = reason.text.as_deref().unwrap_or(&decision.message).trim();
    let rule = reason.rule.clone().or_else(|| match decision.behavior {
        Verdict::Allow => allowing(&policy, &call),
        _ => None,
    });
    let why = match (rule, said.lines().next()) {
        (Some(rule), _) => format!("{}, {}", rule.text(), rule.source.as_str()),
        (None, Some(said)) => said.to_owned(),
        (None, None) => "no rule or mode forbids it".to_owned(),
    };
    (word, why)
}

/// Finds the allow rule that is decisive for a call, because an approval does not name its rule.
fn allowing(policy: &Policy, call: &Call<'_>) -> Option<Rule> {
    let allows = policy.rules.iter().filter(|rule| rule.behavior == Behavior::Allow);
    let mut decisive = allows.filter(|rule| {
        let mut without = policy.clone();
        without.rules.retain(|known| known != *rule);
        decide(&without, call, &OnDisk).behavior != Verdict::Allow
    });
    decisive.next().cloned()
}

fn source(word: &str) -> Source {
    const ALL: [Source; 9] = [
        Source::Policy,
        Source::Flag,
        Source::Local,
        Source::Project,
        Source::User,
        Source::CliArg,
        Source::Session,
        Source::Command,
        Source::Server,
    ];
    ALL.into_iter()
        .find(|source| source.as_str() == word)
        .unwrap_or(Source::Session)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_is_decided_by_effective_rules() {
        let rules: PermissionRulesState = serde_json::from_value(json!({"rules": [
            {"behavior": "allow", "source": "localSettings", "rule": "Bash(cargo test:*)"},
            {"behavior": "allow", "source": "projectSettings", "rule": "Bash(npm run *)", "notInEffect": true},
            {"behavior": "deny", "source": "userSettings", "rule": "Bash(rm:*)"}],
            "workspaceDirectories": [], "originalCwd": "/", "managedOnly": false}))
        .unwrap();
        let place = tempfile::tempdir().unwrap();
        let facts = Facts {
            folder: place.path().to_owned(),
            home: place.path().to_owned(),
            ..Facts::default()
        };
        let tried = |command: &str| decide_command(&rules, &PermissionMode::Default, &facts, command);
        assert_eq!(
            tried("cargo test -p wire"),
            ("runs", "Bash(cargo test:*), localSettings".to_owned())
        );
        assert_eq!(
            tried("rm -rf target"),
            ("refused", "Bash(rm:*), userSettings".to_owned())
        );
        assert_eq!(tried("npm run dev").0, "asks", "its rule waits for trust");
    }
}
