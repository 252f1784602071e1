//! Everything that is neither the shell nor a file.

use sluice_wire::permission_update::Destination;

use super::{asked_by, denied_by, names, whole_rule};
use crate::decision::{Decision, Reason, ReasonKind};
use crate::matching::{domain, mcp};
use crate::mode::{Stance, stance};
use crate::policy::{Call, Policy};
use crate::rule::{Behavior, Rule};
use crate::suggest;

pub(super) fn decide(policy: &Policy, call: &Call<'_>) -> Decision {
    match call.tool {
        "AskUserQuestion" | "ExitPlanMode" => for_a_person(call),
        "WebFetch" => fetch(policy, call),
        "Agent" | "Task" => named(policy, call, call.text("subagent_type").unwrap_or("general-purpose")),
        "Skill" | "SlashCommand" => {
            let name = call.text("skill").or_else(|| call.text("command")).unwrap_or_default();
            named(policy, call, name.trim().trim_start_matches('/'))
        }
        "TodoWrite"
        | "TaskCreate"
        | "TaskUpdate"
        | "TaskList"
        | "TaskGet"
        | "TaskOutput"
        | "TaskStop"
        | "BashOutput"
        | "KillShell"
        | "EnterPlanMode"
        | "ToolSearch"
        | "StructuredOutput"
        | "SendMessage"
        | "ListAgents"
        | "ListMcpResourcesTool" => harmless(policy, call),
        "ReadMcpResourceTool" | "ReadMcpResourceDirTool" => of_server(policy, call),
        _ => asked(policy, call),
    }
}

/// No rule, mode or hook answers for the person.
fn for_a_person(call: &Call<'_>) -> Decision {
    Decision::ask(
        Reason::default(),
        format!("{} needs an answer from a person.", call.tool),
    )
    .for_a_person()
}

fn harmless(policy: &Policy, call: &Call<'_>) -> Decision {
    match whole_rule(policy, Behavior::Ask, call.tool) {
        Some(rule) => asked_by(rule, ReasonKind::Rule, call.tool),
        None => Decision::allow(Reason::default()),
    }
}

/// What a server has to read: whoever forbids the server forbids this too.
fn of_server(policy: &Policy, call: &Call<'_>) -> Decision {
    let server = call.text("server").unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let plain: String = server
        .chars()
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    let whole = format!("mcp__{plain}__");
    let speaks = |rule: &&Rule| mcp::covers(&rule.tool, &whole);
    if let Some(rule) = policy.rules_of(Behavior::Deny).find(speaks) {
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("Reading from {server} is denied by the rule {}.", rule.text()),
        );
    }
    match policy.rules_of(Behavior::Ask).find(speaks) {
        Some(rule) => asked_by(rule, ReasonKind::Rule, server),
        None => harmless(policy, call),
    }
}

/// Tools whose rules name one of several: an agent's type, a skill. What is forbidden is so in capitals, too.
fn named(policy: &Policy, call: &Call<'_>, name: &str) -> Decision {
    let speaks = |rule: &&Rule| {
        names(rule, call.tool)
            && rule.content.as_deref().is_none_or(|content| {
                let content = content.trim();
                content.eq_ignore_ascii_case(name)
                    || content.strip_suffix(":*").is_some_and(|prefix| {
                        name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':'))
                    })
            })
    };
    if let Some(rule) = policy.rules_of(Behavior::Deny).find(speaks) {
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("{} with {name} is denied by the rule {}.", call.tool, rule.text()),
        );
    }
    if let Some(rule) = policy.rules_of(Behavior::Ask).find(speaks) {
        return asked_by(rule, ReasonKind::Rule, name);
    }
    if !policy.lends || call.tool != "Skill" {
        return Decision::allow(Reason::default());
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    if let Some(rule) = policy.rules_of(Behavior::Allow).find(speaks) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    let offer = [name.to_owned(), format!("{name}:*")]
        .map(|rule| suggest::rules("Skill", vec![Some(rule)], Destination::LocalSettings));
    let why = format!("The skill {name} brings rules or hooks of its own: it needs approval.");
    Decision::ask(Reason::default(), why).offering(offer.into())
}

fn fetch(policy: &Policy, call: &Call<'_>) -> Decision {
    let host = call.text("url").and_then(domain::host);
    let speaks = |rule: &&Rule| {
        rule.tool == "WebFetch"
            && match (rule.content.as_deref(), host.as_deref()) {
                (None, _) => true,
                (Some(content), Some(host)) => {
                    domain::named(content).is_some_and(|pattern| domain::covers(pattern, host))
                }
                (Some(_), None) => rule.behavior == Behavior::Deny,
            }
    };
    let said = host.as_deref().unwrap_or("an address without a host");
    if let Some(rule) = policy.rules_of(Behavior::Deny).find(speaks) {
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("Fetching from {said} is denied by the rule {}.", rule.text()),
        );
    }
    if let Some(rule) = policy.rules_of(Behavior::Ask).find(speaks) {
        return asked_by(rule, ReasonKind::Rule, said);
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    if let Some(rule) = policy.rules_of(Behavior::Allow).find(speaks) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    let offer = host.as_deref().map(|host| {
        suggest::rules(
            "WebFetch",
            vec![Some(format!("domain:{host}"))],
            Destination::LocalSettings,
        )
    });
    Decision::ask(Reason::default(), format!("Fetching from {said} needs approval."))
        .offering(offer.into_iter().collect())
}

/// Servers' tools, searches, and whatever else there is.
fn asked(policy: &Policy, call: &Call<'_>) -> Decision {
    if let Some(rule) = policy.rules_of(Behavior::Deny).find(|rule| names(rule, call.tool)) {
        // What the content of such a rule means is not known: it denies all of it.
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("{} is denied by the rule {}.", call.tool, rule.text()),
        );
    }
    if let Some(rule) = policy.rules_of(Behavior::Ask).find(|rule| names(rule, call.tool)) {
        return asked_by(rule, ReasonKind::Rule, call.tool);
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    if let Some(rule) = whole_rule(policy, Behavior::Allow, call.tool) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    Decision::ask(Reason::default(), format!("{} needs approval.", call.tool)).offering(vec![suggest::rules(
        call.tool,
        vec![None],
        Destination::LocalSettings,
    )])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::decision::Verdict;
    use crate::path::Lexical;
    use crate::rule::Source;
    use sluice_wire::mode::PermissionMode;

    fn denied(rule: &str, tool: &str, input: &Value) -> bool {
        let mut policy = Policy::new(Path::new("/p").to_owned(), Path::new("/h").to_owned());
        let rule = Rule::parse(Behavior::Deny, Source::User, Path::new("/p"), rule);
        policy.rules.extend(rule.ok());
        decide(&policy, &Call::new(tool, input, Path::new("/p"))).behavior == Verdict::Deny
    }

    #[test]
    fn a_skill_that_brings_rules_or_hooks_is_asked_about() {
        let input = json!({"skill": "deploy"});
        let verdict = |lends: bool, mode: PermissionMode, rule: Option<&str>| {
            let mut policy = Policy::new(Path::new("/p").to_owned(), Path::new("/h").to_owned());
            let rule = rule.map(|rule| Rule::parse(Behavior::Allow, Source::User, Path::new("/p"), rule));
            policy.rules.extend(rule.and_then(Result::ok));
            (policy.lends, policy.mode) = (lends, mode);
            crate::decide(&policy, &Call::new("Skill", &input, Path::new("/p")), &Lexical).behavior
        };
        assert_eq!(verdict(false, PermissionMode::Default, None), Verdict::Allow);
        assert_eq!(verdict(true, PermissionMode::Default, None), Verdict::Ask);
        assert_eq!(verdict(true, PermissionMode::DontAsk, None), Verdict::Deny);
        assert_eq!(verdict(true, PermissionMode::BypassPermissions, None), Verdict::Allow);
        for rule in ["Skill(deploy)", "Skill(deploy:*)", "Skill"] {
            assert_eq!(
                verdict(true, PermissionMode::Default, Some(rule)),
                Verdict::Allow,
                "{rule}"
            );
        }
        assert_eq!(verdict(true, PermissionMode::Default, Some("Skill(dep)")), Verdict::Ask);
    }

    #[test]
    fn a_name_that_is_denied_is_so_however_it_is_written() {
        for name in ["Explore", "explore", "EXPLORE"] {
            assert!(
                denied("Agent(Explore)", "Agent", &json!({"subagent_type": name})),
                "{name}"
            );
        }
        for name in ["deploy", " deploy ", "/deploy", "Deploy"] {
            assert!(denied("Skill(deploy)", "Skill", &json!({"skill": name})), "{name}");
        }
        assert!(!denied("Skill(deploy)", "Skill", &json!({"skill": "deployed"})));
    }

    #[test]
    fn what_a_denied_server_has_to_read_is_denied() {
        let read = |server: &str| json!({"server": server, "uri": "x://y"});
        for rule in ["mcp__my_server", "mcp__my_server__*"] {
            assert!(denied(rule, "ReadMcpResourceTool", &read("my server")), "{rule}");
            assert!(denied(rule, "ReadMcpResourceDirTool", &read("my server")), "{rule}");
            assert!(!denied(rule, "ReadMcpResourceTool", &read("other")), "{rule}");
        }
        assert!(!denied(
            "mcp__my_server__tool",
            "ReadMcpResourceTool",
            &read("my server")
        ));
    }
}
