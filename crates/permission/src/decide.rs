//! The permission decision for a tool call: deny rules, ask rules, the tool's own checks, the permission mode, allow
//! rules, in this order.

mod bash;
mod files;
mod others;

use std::path::Path;

use crate::decision::{Decision, Reason, ReasonKind, Verdict};
use crate::matching::{mcp, path};
use crate::mode::{Stance, stance};
use crate::names;
use crate::path::{Located, Paths};
use crate::policy::{Call, Policy};
use crate::rule::{Behavior, Rule};
use crate::shell;
use crate::touches::{ToolFacts, Touches};

/// May this call run?
///
/// The caller has validated the input and asks again whenever it, the mode or a rule changes. A
/// hook that allows skips neither deny nor ask: see [`after_hook`].
#[must_use]
pub fn decide(policy: &Policy, call: &Call<'_>, paths: &dyn Paths) -> Decision {
    if let Some(rule) = whole_rule(policy, Behavior::Deny, call.tool) {
        return denied_by(rule, call.tool.name);
    }
    let decision = match call.tool.touches {
        Touches::Shell { command, sandbox } => bash::decide(policy, call, (command, sandbox.is_some()), paths),
        Touches::Reads { path } => files::read(policy, call, path, paths),
        Touches::Searches { path, pattern } => files::search(policy, call, (path, pattern), paths),
        Touches::Edits { path } => files::edit(policy, call, path, paths),
        Touches::Fetches { url } => others::fetch(policy, call, url),
        Touches::Agent { kind, usual } => others::agent(policy, call, call.text(kind).unwrap_or(usual)),
        Touches::Skill { name } => others::skill(policy, call, call.text(name).unwrap_or_default()),
        Touches::Resource { server } => others::resource(policy, call, call.text(server).unwrap_or_default()),
        Touches::Person => others::for_a_person(call),
        Touches::Nothing => others::harmless(policy, call),
        Touches::SearchesWeb { .. } | Touches::Anything => others::asked(policy, call),
    };
    match (stance(&policy.mode), decision.behavior) {
        (Stance::DontAsk, Verdict::Ask) => refuse_to_ask(call, decision),
        _ => decision,
    }
}

/// The decision after a hook said "allow": the call is allowed unless a rule denies or asks about it or it needs a
/// person.
#[must_use]
pub fn after_hook(decision: &Decision) -> Verdict {
    match decision.behavior {
        Verdict::Deny => Verdict::Deny,
        Verdict::Ask if decision.requires_user_interaction || decision.reason.rule.is_some() => Verdict::Ask,
        Verdict::Ask | Verdict::Allow => Verdict::Allow,
    }
}

/// Whether a bare-name deny takes the tool out of the list. One of `Bash` takes out every tool that runs commands.
#[must_use]
pub fn tool_removed(policy: &Policy, tool: ToolFacts<'_>) -> bool {
    let bash = matches!(tool.touches, Touches::Shell { .. }).then(|| ToolFacts::unknown(names::BASH));
    let mut named = std::iter::once(tool).chain(bash);
    named.any(|tool| whole_rule(policy, Behavior::Deny, tool).is_some())
}

/// Whether a deny rule hides `path` from searches.
#[must_use]
pub fn hidden(policy: &Policy, path: &Path, paths: &dyn Paths) -> bool {
    let cwd = policy.roots.first().map_or(Path::new("/"), |root| root.as_path());
    let path = Located::new(path, paths);
    path_rule(policy, Behavior::Deny, Access::Read, &path, cwd, paths).is_some()
}

/// Whether a command line may run beside others: it only reads, provably, and leaves the session where it is.
#[must_use]
pub fn side_by_side(command: &str) -> bool {
    let analysis = shell::analyse(command);
    !analysis.commands.is_empty() && bash::only_reads(&analysis) && !bash::moves(&analysis)
}

fn refuse_to_ask(call: &Call<'_>, decision: Decision) -> Decision {
    let why = decision.message;
    let mode = "the permission mode dontAsk denies calls that need approval";
    Decision {
        blocked_path: decision.blocked_path,
        ..Decision::deny(
            Reason {
                kind: Some(ReasonKind::Mode),
                ..decision.reason
            },
            format!("{} was not run: {mode}. {why}", call.tool.name),
        )
    }
}

/// Whether a rule is written for this tool, by any of its names.
fn names(rule: &Rule, tool: ToolFacts<'_>) -> bool {
    // The name of a tool of a server says less than which server it is of.
    (!tool.name.starts_with("mcp__") && names::canonical(&rule.tool) == names::canonical(tool.name))
        || tool.aliases.contains(&rule.tool.as_str())
        || mcp::covers(rule, tool)
}

/// The rule of that behaviour for the whole tool.
fn whole_rule<'a>(policy: &'a Policy, behavior: Behavior, tool: ToolFacts<'_>) -> Option<&'a Rule> {
    policy.rules_of(behavior).find(|rule| rule.whole() && names(rule, tool))
}

/// How a file is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// The path rule of that behaviour that covers `path`.
///
/// A denied read denies the write as well: an edit shows what it changes. Denies written for any
/// file tool count; allows only for `Read` and `Edit`.
fn path_rule<'a>(
    policy: &'a Policy,
    behavior: Behavior,
    access: Access,
    at: &Located,
    cwd: &Path,
    paths: &dyn Paths,
) -> Option<&'a Rule> {
    path_rules(policy, behavior, access).find(|rule| path::covers(policy, rule, at, cwd, paths))
}

fn path_rules(policy: &Policy, behavior: Behavior, access: Access) -> impl Iterator<Item = &Rule> {
    policy.rules_of(behavior).filter(move |rule| {
        let (reads, edits) = (names::reads(&rule.tool), names::edits(&rule.tool));
        let speaks = match (behavior, access) {
            (Behavior::Allow, Access::Read) => rule.tool == names::READ,
            (Behavior::Allow, Access::Write) => rule.tool == names::EDIT,
            (Behavior::Ask | Behavior::Deny, Access::Read) => reads,
            (Behavior::Ask, Access::Write) => edits,
            (Behavior::Deny, Access::Write) => reads || edits,
        };
        speaks && !rule.whole()
    })
}

/// The same for the file a call is about. A rule that denies or asks may be written with the tool's own name as well.
fn path_rule_of_call<'a>(
    policy: &'a Policy,
    behavior: Behavior,
    access: Access,
    (call, at): (&Call<'_>, &Located),
    paths: &dyn Paths,
) -> Option<&'a Rule> {
    let own = || {
        let mut rules = policy
            .rules_of(behavior)
            .filter(|rule| behavior != Behavior::Allow && !rule.whole() && names(rule, call.tool));
        rules.find(|rule| path::covers(policy, rule, at, call.cwd, paths))
    };
    path_rule(policy, behavior, access, at, call.cwd, paths).or_else(own)
}

fn denied_by(rule: &Rule, what: &str) -> Decision {
    let message = format!("{what} is denied by the rule {}.", rule.text());
    Decision::deny(Reason::rule(ReasonKind::Rule, rule), message)
}

fn asked_by(rule: &Rule, kind: ReasonKind, what: &str) -> Decision {
    let message = format!("The rule {} asks about {what}.", rule.text());
    Decision::ask(Reason::rule(kind, rule), message)
}

/// Allowed by the mode, where it allows everything, or by a rule.
fn permitted(policy: &Policy, rule: Option<&Rule>) -> Option<Decision> {
    if stance(&policy.mode) == Stance::Bypass {
        return Some(Decision::allow(Reason::kind(ReasonKind::Mode)));
    }
    rule.map(|rule| Decision::allow(Reason::rule(ReasonKind::Rule, rule)))
}
