//! Permission rules and flags that would allow a call.

use sluice_permission::{Decision, PermissionUpdate, print_rule};

pub(crate) use sluice_engine::for_now;

/// Describes what "allow from now on" would additionally allow; `None` if nothing can be offered.
pub(crate) fn offered(suggestions: &[PermissionUpdate]) -> Option<String> {
    let words: Vec<String> = suggestions.iter().filter_map(described).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn described(update: &PermissionUpdate) -> Option<String> {
    match update {
        PermissionUpdate::AddRules(add) => {
            let rules = add
                .rules
                .iter()
                .map(|rule| print_rule(&rule.tool_name, rule.rule_content.as_deref()));
            Some(rules.collect::<Vec<_>>().join(", "))
        }
        PermissionUpdate::SetMode(set) => Some(format!("everything the mode {} allows", set.mode.as_str())),
        PermissionUpdate::AddDirectories(add) => Some(format!("work in {}", add.directories.join(", "))),
        _ => None,
    }
}

/// Describes how to start the server so that the call runs without a permission request.
pub(crate) fn remedy(tool: &str, decision: &Decision) -> String {
    if let Some(rule) = &decision.reason.rule {
        return format!(
            "The rule {} of {} asks about it; without that rule, or with a client that can ask, it can run.",
            rule.text(),
            rule.source.as_str()
        );
    }
    allowing_flags(tool, decision.suggestions.as_deref().unwrap_or_default())
}

/// Describes the flags that would allow the suggested rules.
pub(crate) fn allowing_flags(tool: &str, suggestions: &[PermissionUpdate]) -> String {
    let flags: Vec<String> = suggestions.iter().filter_map(flag).collect();
    if flags.is_empty() {
        return format!(
            "No narrow rule fits it: use a client that can ask, do it in smaller steps, or allow every {tool} with \
             --allowedTools {tool}."
        );
    }
    format!(
        "To allow it, start the server with {}; a rule can also stand in permissions.allow of a settings file.",
        flags.join(" and ")
    )
}

fn flag(update: &PermissionUpdate) -> Option<String> {
    match update {
        PermissionUpdate::AddRules(_) => described(update).map(|rules| format!("--allowedTools \"{rules}\"")),
        PermissionUpdate::SetMode(set) => Some(format!("--permission-mode {}", set.mode.as_str())),
        PermissionUpdate::AddDirectories(add) => Some(format!("--add-dir {}", add.directories.join(" "))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sluice_permission::{Behavior, Destination, Reason, ReasonKind, Rule, Source, suggest};

    use super::*;

    #[test]
    fn denial_names_the_flags_that_would_allow_it() {
        let ask = Decision::ask(Reason::kind(ReasonKind::Other), "asks");
        assert!(remedy("Bash", &ask).contains("--allowedTools Bash."));
        let rule = suggest::rules("Bash", vec![Some("npm run *".to_owned())], Destination::LocalSettings);
        let ask = ask.offering(vec![rule, suggest::directory(Path::new("/data"))]);
        let said = remedy("Bash", &ask);
        assert!(
            said.contains("--allowedTools \"Bash(npm run *)\" and --add-dir /data"),
            "{said}"
        );
        let offered = offered(ask.suggestions.as_deref().unwrap_or_default());
        assert_eq!(offered.as_deref(), Some("Bash(npm run *); work in /data"));
    }

    #[test]
    fn ask_rule_is_named() {
        let rule = Rule {
            behavior: Behavior::Ask,
            source: Source::Project,
            root: "/".into(),
            tool: "Bash".to_owned(),
            content: Some("git push *".to_owned()),
        };
        let ask = Decision::ask(Reason::rule(ReasonKind::Rule, &rule), "asks");
        assert!(remedy("Bash", &ask).contains("Bash(git push *) of projectSettings"));
    }
}
