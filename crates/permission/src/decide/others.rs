//! Permission decisions for all other tools: web, MCP servers, subagents, skills and tools that ask a person.

use sluice_wire::permission_update::Destination;

use super::{asked_by, denied_by, names, whole_rule};
use crate::decision::{Decision, Reason, ReasonKind};
use crate::matching::{domain, mcp};
use crate::mode::{Stance, stance};
use crate::names::WEB_FETCH;
use crate::policy::{Call, Policy};
use crate::rule::{Behavior, Rule};
use crate::suggest;
use crate::touches::Key;

/// No rule, mode or hook answers for the person.
pub(super) fn for_a_person(call: &Call<'_>) -> Decision {
    Decision::ask(
        Reason::default(),
        format!("{} needs an answer from a person.", call.tool.name),
    )
    .for_a_person()
}

pub(super) fn harmless(policy: &Policy, call: &Call<'_>) -> Decision {
    match whole_rule(policy, Behavior::Ask, call.tool) {
        Some(rule) => asked_by(rule, ReasonKind::Rule, call.tool.name),
        None => Decision::allow(Reason::default()),
    }
}

/// Resources of an MCP server: a rule that denies the server denies these too.
pub(super) fn resource(policy: &Policy, call: &Call<'_>, server: &str) -> Decision {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let plain: String = server
        .chars()
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    let whole = format!("{plain}__");
    let speaks = |rule: &&Rule| mcp::may_mean(&rule.tool, &whole);
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

/// Whether a rule is about this agent type or skill. A deny rule ignores upper and lower case.
fn speaks(rule: &Rule, call: &Call<'_>, name: &str) -> bool {
    names(rule, call.tool)
        && rule.content.as_deref().is_none_or(|content| {
            let content = content.trim();
            content.eq_ignore_ascii_case(name)
                || content.strip_suffix(":*").is_some_and(|prefix| {
                    name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':'))
                })
        })
}

/// An agent's type: free, but for rules that name it.
pub(super) fn agent(policy: &Policy, call: &Call<'_>, kind: &str) -> Decision {
    objection(policy, call, kind).unwrap_or_else(|| Decision::allow(Reason::default()))
}

/// What a rule has against one of several.
fn objection(policy: &Policy, call: &Call<'_>, name: &str) -> Option<Decision> {
    let rule = |behavior| policy.rules_of(behavior).find(|rule| speaks(rule, call, name));
    if let Some(rule) = rule(Behavior::Deny) {
        return Some(denied_by(
            rule,
            ReasonKind::Rule,
            format!("{} with {name} is denied by the rule {}.", call.tool.name, rule.text()),
        ));
    }
    rule(Behavior::Ask).map(|rule| asked_by(rule, ReasonKind::Rule, name))
}

/// A skill: free as well, unless it brings something of its own.
pub(super) fn skill(policy: &Policy, call: &Call<'_>, name: &str) -> Decision {
    let name = name.trim().trim_start_matches('/');
    if let Some(decision) = objection(policy, call, name) {
        return decision;
    }
    if !policy.lends {
        return Decision::allow(Reason::default());
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    let mut allows = policy.rules_of(Behavior::Allow);
    if let Some(rule) = allows.find(|rule| speaks(rule, call, name)) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    let offer = [name.to_owned(), format!("{name}:*")]
        .map(|rule| suggest::rules(call.tool.name, vec![Some(rule)], Destination::LocalSettings));
    let why = format!("The skill {name} contains permission rules or hooks: it needs approval.");
    Decision::ask(Reason::default(), why).offering(offer.into())
}

pub(super) fn fetch(policy: &Policy, call: &Call<'_>, url: Key) -> Decision {
    let host = call.text(url).and_then(domain::host);
    let speaks = |rule: &&Rule| {
        (rule.tool == WEB_FETCH || names(rule, call.tool))
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
            WEB_FETCH,
            vec![Some(format!("domain:{host}"))],
            Destination::LocalSettings,
        )
    });
    Decision::ask(Reason::default(), format!("Fetching from {said} needs approval."))
        .offering(offer.into_iter().collect())
}

/// Servers' tools, searches of the web, and whatever else there is.
pub(super) fn asked(policy: &Policy, call: &Call<'_>) -> Decision {
    if let Some(rule) = policy.rules_of(Behavior::Deny).find(|rule| names(rule, call.tool)) {
        // What the content of such a rule means is not known: it denies all of it.
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("{} is denied by the rule {}.", call.tool.name, rule.text()),
        );
    }
    if let Some(rule) = policy.rules_of(Behavior::Ask).find(|rule| names(rule, call.tool)) {
        return asked_by(rule, ReasonKind::Rule, call.tool.name);
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    if let Some(rule) = whole_rule(policy, Behavior::Allow, call.tool) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    Decision::ask(Reason::default(), format!("{} needs approval.", call.tool.name)).offering(vec![suggest::rules(
        call.tool.name,
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
    use crate::touches::{ToolFacts, Touches};
    use sluice_wire::mode::PermissionMode;

    const AGENT: ToolFacts<'static> = ToolFacts {
        name: "Agent",
        aliases: &["Task"],
        touches: Touches::Agent {
            kind: "subagent_type",
            usual: "general-purpose",
        },
        server: None,
    };
    const SKILL: ToolFacts<'static> = ToolFacts {
        name: "Skill",
        aliases: &["SlashCommand"],
        touches: Touches::Skill { name: "skill" },
        server: None,
    };
    const RESOURCE: ToolFacts<'static> = ToolFacts {
        name: "ReadMcpResourceTool",
        aliases: &[],
        touches: Touches::Resource { server: "server" },
        server: None,
    };

    fn denied(rule: &str, tool: ToolFacts<'_>, input: &Value) -> bool {
        let mut policy = Policy::new(Path::new("/p").to_owned(), Path::new("/h").to_owned());
        let rule = Rule::parse(Behavior::Deny, Source::User, Path::new("/p"), rule);
        policy.rules.extend(rule.ok());
        crate::decide(&policy, &Call::new(tool, input, Path::new("/p")), &Lexical).behavior == Verdict::Deny
    }

    #[test]
    fn a_skill_that_brings_rules_or_hooks_is_asked_about() {
        let input = json!({"skill": "deploy"});
        let verdict = |lends: bool, mode: PermissionMode, rule: Option<&str>| {
            let mut policy = Policy::new(Path::new("/p").to_owned(), Path::new("/h").to_owned());
            let rule = rule.map(|rule| Rule::parse(Behavior::Allow, Source::User, Path::new("/p"), rule));
            policy.rules.extend(rule.and_then(Result::ok));
            (policy.lends, policy.mode) = (lends, mode);
            crate::decide(&policy, &Call::new(SKILL, &input, Path::new("/p")), &Lexical).behavior
        };
        assert_eq!(verdict(false, PermissionMode::Default, None), Verdict::Allow);
        assert_eq!(verdict(true, PermissionMode::Default, None), Verdict::Ask);
        assert_eq!(verdict(true, PermissionMode::DontAsk, None), Verdict::Deny);
        assert_eq!(verdict(true, PermissionMode::BypassPermissions, None), Verdict::Allow);
        for rule in ["Skill(deploy)", "Skill(deploy:*)", "Skill", "SlashCommand(deploy)"] {
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
                denied("Agent(Explore)", AGENT, &json!({"subagent_type": name})),
                "{name}"
            );
        }
        for name in ["deploy", " deploy ", "/deploy", "Deploy"] {
            assert!(denied("Skill(deploy)", SKILL, &json!({"skill": name})), "{name}");
        }
        assert!(!denied("Skill(deploy)", SKILL, &json!({"skill": "deployed"})));
    }

    #[test]
    fn what_a_denied_server_has_to_read_is_denied() {
        let read = |server: &str| json!({"server": server, "uri": "x://y"});
        for rule in ["mcp__my_server", "mcp__my_server__*"] {
            assert!(denied(rule, RESOURCE, &read("my server")), "{rule}");
            assert!(!denied(rule, RESOURCE, &read("other")), "{rule}");
        }
        assert!(!denied("mcp__my_server__tool", RESOURCE, &read("my server")));
    }
}
