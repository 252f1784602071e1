//! Permission decisions for all other tools: web, MCP servers, subagents, skills and tools that ask a person.

use sluice_wire::permission_update::Destination;

use super::{asked_by, denied_by, names, permitted, whole_rule};
use crate::decision::{Decision, Reason, ReasonKind};
use crate::matching::{domain, mcp};
use crate::names::WEB_FETCH;
use crate::policy::{Call, Policy};
use crate::rule::{Behavior, Rule};
use crate::suggest;
use crate::touches::Key;

/// A permission request that no rule, mode or hook answers.
pub(super) fn for_a_person(call: &Call<'_>) -> Decision {
    let message = format!("{} needs an answer from a person.", call.tool.name);
    Decision::ask(Reason::default(), message).for_a_person()
}

pub(super) fn harmless(policy: &Policy, call: &Call<'_>) -> Decision {
    match whole_rule(policy, Behavior::Ask, call.tool) {
        Some(rule) => asked_by(rule, ReasonKind::Rule, call.tool.name),
        None => Decision::allow(Reason::default()),
    }
}

/// The decision of a deny or ask rule that `applies`: about an action (`denied`) on a thing (`asked`).
fn objection(policy: &Policy, applies: &dyn Fn(&Rule) -> bool, denied: &str, asked: &str) -> Option<Decision> {
    let rule = |behavior| policy.rules_of(behavior).find(|rule| applies(rule));
    let deny = rule(Behavior::Deny).map(|rule| denied_by(rule, denied));
    deny.or_else(|| Some(asked_by(rule(Behavior::Ask)?, ReasonKind::Rule, asked)))
}

/// Resources of an MCP server: a rule that denies the server denies these too.
pub(super) fn resource(policy: &Policy, call: &Call<'_>, server: &str) -> Decision {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let letters = server.chars().map(|letter| if fits(letter) { letter } else { '_' });
    let whole = format!("{}__", letters.collect::<String>());
    let applies = |rule: &Rule| mcp::may_mean(&rule.tool, &whole);
    objection(policy, &applies, &format!("Reading from {server}"), server).unwrap_or_else(|| harmless(policy, call))
}

/// Whether a rule is about this agent type or skill. A deny rule ignores upper and lower case.
fn is_about(rule: &Rule, call: &Call<'_>, name: &str) -> bool {
    names(rule, call.tool)
        && rule.content.as_deref().is_none_or(|content| {
            let content = content.trim();
            content.eq_ignore_ascii_case(name)
                || content.strip_suffix(":*").is_some_and(|prefix| {
                    name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':'))
                })
        })
}

/// A subagent: allowed, unless a rule names its type.
pub(super) fn agent(policy: &Policy, call: &Call<'_>, kind: &str) -> Decision {
    named(policy, call, kind).unwrap_or_else(|| Decision::allow(Reason::default()))
}

/// The decision of a deny or ask rule that is about this agent type or skill.
fn named(policy: &Policy, call: &Call<'_>, name: &str) -> Option<Decision> {
    let denied = format!("{} with {name}", call.tool.name);
    objection(policy, &|rule| is_about(rule, call, name), &denied, name)
}

/// A skill: allowed, unless it contains permission rules or hooks.
pub(super) fn skill(policy: &Policy, call: &Call<'_>, name: &str) -> Decision {
    let name = name.trim().trim_start_matches('/');
    if let Some(decision) = named(policy, call, name) {
        return decision;
    }
    if !policy.lends {
        return Decision::allow(Reason::default());
    }
    let allow = policy.rules_of(Behavior::Allow).find(|rule| is_about(rule, call, name));
    permitted(policy, allow).unwrap_or_else(|| {
        let offer = [name.to_owned(), format!("{name}:*")]
            .map(|rule| suggest::rules(call.tool.name, vec![Some(rule)], Destination::LocalSettings));
        let why = format!("The skill {name} contains permission rules or hooks: it needs approval.");
        Decision::ask(Reason::default(), why).offering(offer.into())
    })
}

pub(super) fn fetch(policy: &Policy, call: &Call<'_>, url: Key) -> Decision {
    let host = call.text(url).and_then(domain::host);
    let applies = |rule: &Rule| {
        (rule.tool == WEB_FETCH || names(rule, call.tool))
            && match (rule.content.as_deref(), host.as_deref()) {
                (None, _) => true,
                (Some(content), Some(host)) => {
                    domain::named(content).is_some_and(|pattern| domain::covers(pattern, host))
                }
                (Some(_), None) => rule.behavior == Behavior::Deny,
            }
    };
    let shown = host.as_deref().unwrap_or("an address without a host");
    let action = format!("Fetching from {shown}");
    let allow = || policy.rules_of(Behavior::Allow).find(|rule| applies(rule));
    let decision = objection(policy, &applies, &action, shown).or_else(|| permitted(policy, allow()));
    decision.unwrap_or_else(|| {
        let rule = |host: &String| vec![Some(format!("domain:{host}"))];
        let offer = host
            .iter()
            .map(|host| suggest::rules(WEB_FETCH, rule(host), Destination::LocalSettings));
        Decision::ask(Reason::default(), format!("{action} needs approval.")).offering(offer.collect())
    })
}

/// MCP tools, searches of the web, and all tools that do not say what they touch.
pub(super) fn asked(policy: &Policy, call: &Call<'_>) -> Decision {
    let name = call.tool.name;
    // The meaning of the content of such a rule is not known: it denies all calls.
    let objection = objection(policy, &|rule| names(rule, call.tool), name, name);
    let decision = objection.or_else(|| permitted(policy, whole_rule(policy, Behavior::Allow, call.tool)));
    decision.unwrap_or_else(|| {
        let offer = suggest::rules(name, vec![None], Destination::LocalSettings);
        Decision::ask(Reason::default(), format!("{name} needs approval.")).offering(vec![offer])
    })
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
