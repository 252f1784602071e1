//! Reading and writing files.

use std::path::PathBuf;

use super::{Access, asked_by, denied_by, path_rule, whole_rule};
use crate::decision::{Decision, Reason, ReasonKind};
use crate::mode::{Stance, stance};
use crate::path::{Located, Paths, absolute};
use crate::policy::{Call, Policy};
use crate::protect;
use crate::rule::Behavior;
use crate::suggest;

const OUTSIDE: &str = "The path is outside the working directories";

fn target(policy: &Policy, call: &Call<'_>) -> PathBuf {
    let given = ["file_path", "notebook_path", "path"]
        .iter()
        .find_map(|key| call.text(key));
    match given {
        None | Some("") => call.cwd.to_path_buf(),
        Some(path) => match path.strip_prefix("~/") {
            Some(rest) => policy.home.join(rest),
            None if path == "~" => policy.home.clone(),
            // Not normalised: `link/../x` leads elsewhere than it reads.
            None => call.cwd.join(path),
        },
    }
}

/// A search has a pattern that may itself be a path.
fn targets(policy: &Policy, call: &Call<'_>) -> Vec<PathBuf> {
    let mut all = vec![target(policy, call)];
    if call.tool == "Glob"
        && let Some(pattern) = call.text("pattern")
    {
        let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let directory = fixed.rsplit_once('/').map_or("", |(directory, _)| directory);
        if fixed.starts_with('/') || fixed.split('/').any(|part| part == "..") || fixed.starts_with('~') {
            let base = all.first().cloned().unwrap_or_default();
            let directory = if directory.is_empty() && fixed.starts_with('/') {
                "/"
            } else {
                directory
            };
            all.push(absolute(&base, directory));
        }
    }
    all
}

pub(super) fn read(policy: &Policy, call: &Call<'_>, paths: &dyn Paths) -> Decision {
    let all: Vec<Located> = targets(policy, call)
        .iter()
        .map(|path| Located::new(path, paths))
        .collect();
    let rule = |behavior| {
        all.iter()
            .find_map(|at| path_rule(policy, behavior, Access::Read, at, call.cwd, paths).map(|rule| (rule, at)))
    };
    if let Some((rule, at)) = rule(Behavior::Deny) {
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!(
                "Reading {} is denied by the rule {}.",
                at.lexical.display(),
                rule.text()
            ),
        );
    }
    if let Some(outside) = all.iter().find(|at| policy.confined && !may_read(policy, at, paths)) {
        return confined(policy, outside);
    }
    if let Some(rule) = whole_rule(policy, Behavior::Ask, call.tool) {
        return asked_by(rule, ReasonKind::Rule, call.tool);
    }
    if let Some((rule, at)) = rule(Behavior::Ask) {
        return asked_by(rule, ReasonKind::Rule, &format!("reading {}", at.lexical.display()));
    }
    if stance(&policy.mode) == Stance::Bypass {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    let outside = all.iter().find(|at| !may_read(policy, at, paths));
    let Some(outside) = outside else {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    };
    if let Some(rule) = whole_rule(policy, Behavior::Allow, call.tool) {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    let covered = |at: &Located| may_read(policy, at, paths) || allowed_read(policy, at, call, paths);
    if all.iter().all(covered) {
        let rule = path_rule(policy, Behavior::Allow, Access::Read, outside, call.cwd, paths);
        return Decision::allow(rule.map_or_else(
            || Reason::kind(ReasonKind::Rule),
            |rule| Reason::rule(ReasonKind::Rule, rule),
        ));
    }
    if stance(&policy.mode) == Stance::Plan && !all.iter().any(protect::is_secret) {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    let is_dir = call.tool != "Read" || paths.is_dir(&outside.lexical);
    let directories = outside.forms().map(|form| suggest::directory_of(form, is_dir));
    let offer = directories
        .filter_map(|directory| suggest::read_directory(&directory))
        .collect();
    match linked(outside) {
        Some(why) => Decision::ask(Reason::said(ReasonKind::WorkingDir, &why), why)
            .offering(offer)
            .blocked_by(&outside.resolved),
        None => Decision::ask(
            Reason::said(ReasonKind::WorkingDir, OUTSIDE),
            format!("{} lies outside the working directories.", outside.lexical.display()),
        )
        .offering(offer),
    }
}

/// Where a path that reads otherwise leads, in words; none where it is what it reads.
fn linked(at: &Located) -> Option<String> {
    (at.lexical != at.resolved).then(|| {
        format!(
            "{} leads through a link to {}, outside the working directories",
            at.lexical.display(),
            at.resolved.display()
        )
    })
}

/// No file outside the roots, whoever would allow it.
fn confined(policy: &Policy, at: &Located) -> Decision {
    let root = policy.roots.first().map(|root| root.display().to_string());
    Decision::deny(
        Reason::said(
            ReasonKind::Other,
            "--restricted: the path is outside the working directories",
        ),
        format!(
            "{} is outside {}; --restricted confines the file tools to the working directories.",
            at.lexical.display(),
            root.unwrap_or_default(),
        ),
    )
}

/// An allow for `x/**` lets `x` itself be searched.
fn allowed_read(policy: &Policy, at: &Located, call: &Call<'_>, paths: &dyn Paths) -> bool {
    if path_rule(policy, Behavior::Allow, Access::Read, at, call.cwd, paths).is_some() {
        return true;
    }
    call.tool != "Read" && {
        let inside = Located {
            lexical: at.lexical.join("x"),
            resolved: at.resolved.join("x"),
        };
        path_rule(policy, Behavior::Allow, Access::Read, &inside, call.cwd, paths)
            .is_some_and(|rule| rule.content.as_deref().is_some_and(|content| content.ends_with("/**")))
    }
}

pub(super) fn may_read(policy: &Policy, at: &Located, paths: &dyn Paths) -> bool {
    let free = [policy.roots.as_slice(), &policy.readable, policy.notes.as_slice()];
    if free.iter().any(|dirs| at.inside(dirs, paths)) {
        return true;
    }
    policy
        .plan_file
        .as_deref()
        .is_some_and(|plan| at.forms().all(|form| form == plan))
}

pub(super) fn edit(policy: &Policy, call: &Call<'_>, paths: &dyn Paths) -> Decision {
    let at = Located::new(&target(policy, call), paths);
    let shown = at.lexical.display();
    if let Some(rule) = path_rule(policy, Behavior::Deny, Access::Write, &at, call.cwd, paths) {
        return denied_by(
            rule,
            ReasonKind::Rule,
            format!("Changing {shown} is denied by the rule {}.", rule.text()),
        );
    }
    let inside = at.inside(&policy.roots, paths);
    let plan = policy.plan_file.as_deref();
    let is_plan = plan.is_some_and(|plan| at.forms().all(|form| form == plan));
    if policy.confined && !inside && !is_plan {
        return confined(policy, &at);
    }
    let ask = whole_rule(policy, Behavior::Ask, call.tool)
        .or_else(|| path_rule(policy, Behavior::Ask, Access::Write, &at, call.cwd, paths));
    if let Some(rule) = ask {
        return asked_by(rule, ReasonKind::Rule, &format!("changing {shown}"));
    }
    let stance = stance(&policy.mode);
    let offer = || {
        let mut offer = Vec::new();
        if !stance.edits() {
            offer.push(suggest::accept_edits());
        }
        let parents = at.forms().filter_map(std::path::Path::parent);
        let parents: Vec<&std::path::Path> = parents.filter(|parent| parent.parent().is_some()).collect();
        if !inside && !parents.is_empty() {
            offer.push(suggest::directories(&parents));
        }
        offer
    };
    match stance {
        Stance::Bypass => return Decision::allow(Reason::kind(ReasonKind::Mode)),
        Stance::Plan => {
            if is_plan {
                return Decision::allow(Reason::kind(ReasonKind::Other));
            }
            return Decision::ask(
                Reason::kind(ReasonKind::Mode),
                format!("Plan mode asks before {shown} is changed."),
            );
        }
        Stance::Default | Stance::AcceptEdits | Stance::DontAsk => {}
    }
    if at.inside(policy.notes.as_slice(), paths) {
        return Decision::allow(Reason::kind(ReasonKind::Other));
    }
    if protect::is_protected(policy, &at, paths) {
        let text = format!("{shown} is a protected file: it can change what runs later");
        let mut asked = Decision::ask(
            Reason::said(ReasonKind::SafetyCheck, text),
            format!("{shown} is protected and needs approval."),
        )
        .offering(offer());
        asked.requires_user_interaction = policy.confined;
        return asked;
    }
    if stance.edits() && inside {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    let allow = whole_rule(policy, Behavior::Allow, call.tool)
        .or_else(|| path_rule(policy, Behavior::Allow, Access::Write, &at, call.cwd, paths));
    if let Some(rule) = allow {
        return Decision::allow(Reason::rule(ReasonKind::Rule, rule));
    }
    if let Some(why) = linked(&at).filter(|_| !inside) {
        return Decision::ask(Reason::said(ReasonKind::SafetyCheck, &why), why)
            .offering(offer())
            .blocked_by(&at.resolved);
    }
    let reason = if inside {
        Reason::default()
    } else {
        Reason::said(ReasonKind::WorkingDir, OUTSIDE)
    };
    Decision::ask(reason, format!("Changing {shown} needs approval.")).offering(offer())
}
