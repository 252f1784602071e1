//! Permission decisions for shell commands: each command of a line by itself, then the line as a whole.

mod allowed;
mod effects;
mod guard;
mod repository;
mod scan;
mod trees;

use sluice_wire::permission_update::{Destination, PermissionUpdate};

use self::allowed::{Unread, allowed_by_rule, exactly, named_by_rule};
use self::effects::{Blocked, Effects};
use super::whole_rule;
use crate::decision::{Decision, Reason, ReasonKind, Verdict};
use crate::mode::{Stance, stance};
use crate::names::BASH;
use crate::path::Paths;
use crate::policy::{Call, Policy};
use crate::rule::{Behavior, Rule};
use crate::shell::programs::Kind;
use crate::shell::wrappers;
use crate::shell::{self, Analysis, Problem, Simple, programs};
use crate::suggest;
use crate::touches::{Key, ToolFacts};

const APPROVAL: &str = "This command needs approval";

pub(super) fn decide(
    policy: &Policy,
    call: &Call<'_>,
    (command, in_sandbox): (Key, bool),
    paths: &dyn Paths,
) -> Decision {
    let line = call.text(command).unwrap_or_default();
    let analysis = shell::analyse(line);
    let stance = stance(&policy.mode);
    let effects = Effects::of(policy, call, paths, &analysis);

    // Deny, at every level, parsed or not.
    if let Some(rule) = whole(policy, Behavior::Deny, call) {
        return denied(rule, line, ReasonKind::Rule);
    }
    if let Some(rule) = scan::find(policy, Behavior::Deny, &analysis, line) {
        return denied(rule, line, ReasonKind::SubcommandResults);
    }
    if let Some((rule, listing)) = effects.denied() {
        let kind = if listing {
            ReasonKind::Rule
        } else {
            ReasonKind::SubcommandResults
        };
        return denied(rule, line, kind);
    }
    // Ask, likewise.
    if let Some(rule) = whole(policy, Behavior::Ask, call) {
        return asked(rule, &analysis);
    }
    if let Some(rule) = scan::find(policy, Behavior::Ask, &analysis, line).or_else(|| effects.asked()) {
        return asked(rule, &analysis);
    }
    if let Some(path) = effects.critical() {
        let text = format!("This command removes {}", path.display());
        return Decision::ask(Reason::said(ReasonKind::SafetyCheck, text.clone()), text).offering(Vec::new());
    }
    // A line that cannot be read may hold what is denied: no mode and no rule for the whole tool
    // answers for it.
    if let Some(problem) = unknown(policy, &analysis, &effects, paths, Unread::by_rules(policy, line)) {
        // Only the text that would run is unknown: a person may allow it.
        let offer = match unknown(policy, &analysis, &effects, paths, Unread::Trusted) {
            None if analysis.problems.is_empty() && analysis.soft.is_empty() && !effects.lost() => {
                let offered = together(policy, line, &analysis, &effects, stance).suggestions;
                // A rule that covers it without naming its text is there already.
                offered.or_else(|| Some(vec![local_rule(suggest::line(line)?)]))
            }
            _ => None,
        };
        return Decision::ask(Reason::said(ReasonKind::Other, problem.sentence()), problem.sentence())
            .offering(offer.unwrap_or_default());
    }
    if stance == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    if let Some(path) = effects.protected() {
        let text = format!("{} is protected: it can change what runs later", path.display());
        return Decision::ask(Reason::said(ReasonKind::SafetyCheck, text.clone()), text)
            .offering(Vec::new())
            .blocked_by(path);
    }
    if stance == Stance::Plan && effects.writes() {
        return Decision::ask(
            Reason::kind(ReasonKind::Mode),
            "Plan mode asks before anything is changed.",
        );
    }
    if let Some(rule) = whole(policy, Behavior::Allow, call) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    if let Some(rule) = exactly(policy, line) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    if policy.sandboxed && in_sandbox && analysis.parsed {
        return Decision::allow(Reason::kind(ReasonKind::Other));
    }
    if let Some(problem) = analysis.problems.first() {
        return Decision::ask(Reason::said(ReasonKind::Other, problem.sentence()), problem.sentence())
            .offering(Vec::new());
    }
    let said = |problem: &Problem| {
        Decision::ask(Reason::said(ReasonKind::Other, problem.sentence()), problem.sentence()).offering(Vec::new())
    };
    if effects.lost() {
        return said(analysis.soft.first().unwrap_or(&Problem::UnknownDirectory));
    }
    let decision = together(policy, line, &analysis, &effects, stance);
    match (decision.behavior, analysis.soft.first()) {
        (Verdict::Ask, Some(problem)) => said(problem),
        _ => decision,
    }
}

/// The rule for every command line, or for the whole tool.
fn whole<'a>(policy: &'a Policy, behavior: Behavior, call: &Call<'_>) -> Option<&'a Rule> {
    whole_rule(policy, behavior, ToolFacts::unknown(BASH)).or_else(|| whole_rule(policy, behavior, call.tool))
}

fn denied(rule: &Rule, line: &str, kind: ReasonKind) -> Decision {
    let short: String = shell::caps::visible(line.trim()).chars().take(200).collect();
    let mut decision = super::denied_by(rule, &format!("The command `{short}`"));
    decision.reason.kind = Some(kind);
    decision
}

fn asked(rule: &Rule, analysis: &Analysis) -> Decision {
    let kind = if analysis.top > 1 {
        ReasonKind::SubcommandResults
    } else {
        ReasonKind::Rule
    };
    super::asked_by(rule, kind, "this command")
}

/// What keeps rules that deny or ask from being held against all of the line.
fn unknown(
    policy: &Policy,
    analysis: &Analysis,
    effects: &Effects<'_>,
    paths: &dyn Paths,
    unread: Unread<'_>,
) -> Option<Problem> {
    guard::unknown(policy, analysis, effects, paths, unread).or_else(|| {
        if !effects.guarded() {
            return None;
        }
        analysis.problems.first().cloned().or_else(|| effects.unclear(unread))
    })
}

/// Why one command is not allowed.
enum Outcome<'a> {
    Allowed,
    /// Nothing allows it.
    Unknown(&'a Simple),
    /// It touches a path it may not.
    Blocked(Blocked),
    /// Nothing could allow it but this very line.
    Never(String),
}

fn together(policy: &Policy, line: &str, analysis: &Analysis, effects: &Effects<'_>, stance: Stance) -> Decision {
    let outcomes: Vec<Outcome<'_>> = analysis
        .commands
        .iter()
        .enumerate()
        // A line with substitutions does not get here; what else is nested is text for a shell,
        // which only a rule that names the shell's whole command allows.
        .filter(|(_, command)| !command.nested)
        .map(|(at, command)| one(policy, command, effects, at, stance))
        .filter(|outcome| !matches!(outcome, Outcome::Allowed))
        .collect();
    let ask = |reason: Reason| {
        let message = reason.text.clone().unwrap_or_else(|| APPROVAL.to_owned());
        Decision::ask(reason, message)
    };
    if outcomes.is_empty() {
        return Decision::allow(Reason::kind(ReasonKind::SubcommandResults));
    }
    if let Some(why) = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Never(why) => Some(why),
        _ => None,
    }) {
        return ask(Reason::said(ReasonKind::Other, why.clone())).offering(Vec::new());
    }
    let blocked: Vec<&Blocked> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Blocked(blocked) => Some(blocked),
            _ => None,
        })
        .collect();
    let mut top = analysis
        .commands
        .iter()
        .filter(|command| !command.nested && !command.inner && !command.again);
    let single = top.next().filter(|_| top.next().is_none());
    let rule = || match single {
        Some(only) => suggest::command(only, line),
        None => suggest::line(line),
    };
    let same =
        |first: &Blocked| blocked.len() == outcomes.len() && blocked.iter().all(|other| other.path == first.path);
    if let Some(first) = blocked.first().filter(|first| same(first)) {
        let message = format!("Changing or reading {} needs approval.", first.path.display());
        return Decision::ask(Reason::default(), message)
            .offering(offer_for(first, rule(), stance))
            .blocked_by(&first.path);
    }
    if let (Some(only), [Outcome::Unknown(_)]) = (single, outcomes.as_slice()) {
        let offer = suggest::command(only, line).map(local_rule);
        return ask(Reason::said(ReasonKind::Other, APPROVAL)).offering(offer.into_iter().collect());
    }
    let mut contents: Vec<Option<String>> = Vec::new();
    for outcome in &outcomes {
        let content = match outcome {
            Outcome::Unknown(command) => suggest::command(command, &command.raw()),
            Outcome::Blocked(blocked) => blocked.offer.clone(),
            Outcome::Allowed | Outcome::Never(_) => None,
        };
        let Some(content) = content else {
            return ask(Reason::kind(ReasonKind::SubcommandResults)).offering(Vec::new());
        };
        if !contents.contains(&Some(content.clone())) {
            contents.push(Some(content));
        }
    }
    let offer = suggest::rules(BASH, contents, Destination::LocalSettings);
    ask(Reason::kind(ReasonKind::SubcommandResults)).offering(vec![offer])
}

fn local_rule(content: String) -> PermissionUpdate {
    suggest::rules(BASH, vec![Some(content)], Destination::LocalSettings)
}

fn offer_for(blocked: &Blocked, rule: Option<String>, stance: Stance) -> Vec<PermissionUpdate> {
    if blocked.directory.parent().is_none() {
        return Vec::new();
    }
    let mut offer: Vec<PermissionUpdate> = rule.map(local_rule).into_iter().collect();
    if blocked.write {
        offer.push(suggest::directory(&blocked.directory));
        if blocked.accept_edits && !stance.edits() {
            offer.push(suggest::accept_edits());
        }
    } else {
        offer.extend(suggest::read_directory(&blocked.directory));
    }
    offer
}

fn one<'a>(policy: &Policy, command: &'a Simple, effects: &Effects<'_>, at: usize, stance: Stance) -> Outcome<'a> {
    if let Some(blocked) = effects.redirect_blocked(at, stance) {
        return Outcome::Blocked(blocked);
    }
    if command.words.is_empty() {
        return Outcome::Allowed;
    }
    if command.unknown_variable().is_some() {
        // Only a rule that names it, variable and all.
        return match named_by_rule(policy, command) && effects.written_outside(at).is_none() {
            true => Outcome::Allowed,
            false => Outcome::Unknown(command),
        };
    }
    let inner = wrappers::transparent(&command.words);
    if let Some(why) = never(inner).filter(|_| effects.doing(at).is_none()) {
        return Outcome::Never(why);
    }
    // A rule cannot name an unknown word.
    let known = !command.words.iter().any(|word| word.unknown() || word.split);
    if known && allowed_by_rule(policy, command, inner) {
        return match effects.written_outside(at) {
            Some(blocked) => Outcome::Blocked(blocked),
            None => Outcome::Allowed,
        };
    }
    let Some(doing) = effects.doing(at) else {
        return Outcome::Unknown(command);
    };
    if let Some(blocked) = effects.blocked(at, stance) {
        return Outcome::Blocked(blocked);
    }
    if effects.elsewhere(at) {
        return Outcome::Unknown(command);
    }
    if let Some(problem) = effects.obeys(at) {
        return Outcome::Never(problem.sentence());
    }
    match doing.kind {
        Kind::ReadOnly if command.waits() => Outcome::Unknown(command),
        Kind::ReadOnly => Outcome::Allowed,
        Kind::FileOp if stance.edits() => Outcome::Allowed,
        Kind::FileOp => Outcome::Unknown(command),
    }
}

/// `find` that runs or removes is not what a rule for `find` meant.
fn never(words: &[shell::Word]) -> Option<String> {
    let (first, arguments) = words.split_first()?;
    if !matches!(wrappers::known_name(first), Some("find" | "gfind")) {
        return None;
    }
    let option = arguments.iter().filter_map(|word| word.text.as_deref()).find(|text| {
        ["-exec", "-ok", "-delete", "-fprint", "-fls"]
            .iter()
            .any(|bad| text.starts_with(bad))
    })?;
    Some(format!("find with {option} runs programs or changes files"))
}

/// Whether everything on the line is known and only reads.
pub(super) fn only_reads(analysis: &Analysis) -> bool {
    analysis.proven()
        && analysis.parsed
        && analysis.commands.iter().all(|command| {
            let writes = command.redirects.iter().any(|redirect| {
                redirect.direction != shell::Direction::Read && !programs::keeps_nothing(&redirect.target)
            });
            let reads = command.words.is_empty()
                || programs::look_up(wrappers::transparent(&command.words))
                    .is_some_and(|doing| doing.kind == Kind::ReadOnly);
            !writes && reads && command.unknown_variable().is_none()
        })
}

/// Whether something on the line goes to another directory.
pub(super) fn moves(analysis: &Analysis) -> bool {
    analysis.commands.iter().any(|command| {
        let words = wrappers::transparent(&command.words);
        matches!(
            words.first().and_then(wrappers::known_name),
            Some("cd" | "pushd" | "popd")
        )
    })
}
