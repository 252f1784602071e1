//! Permission decisions for tools that read and write files.

use std::path::{Path, PathBuf};

use super::{Access, asked_by, denied_by, path_rule, path_rule_of_call, permitted, whole_rule};
use crate::decision::{Decision, Reason, ReasonKind};
use crate::mode::{Stance, stance};
use crate::path::{Located, Paths, absolute};
use crate::policy::{Call, Policy};
use crate::protect;
use crate::rule::{Behavior, Rule};
use crate::suggest;
use crate::touches::Key;

const OUTSIDE: &str = "The path is outside the working directories";

fn target(policy: &Policy, call: &Call<'_>, key: Key) -> PathBuf {
    match call.text(key) {
        None | Some("") => call.cwd.to_path_buf(),
        Some(path) => match path.strip_prefix("~/") {
            Some(rest) => policy.home.join(rest),
            None if path == "~" => policy.home.clone(),
            // Not normalised: `link/../x` leads elsewhere than it reads.
            None => call.cwd.join(path),
        },
    }
}

/// The folder the pattern of a search leads to, if that may not be below `base`.
fn elsewhere(pattern: &str, base: &Path) -> Option<PathBuf> {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let leaves = fixed.starts_with('/') || fixed.split('/').any(|part| part == "..") || fixed.starts_with('~');
    let directory = match fixed.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => "",
    };
    leaves.then(|| absolute(base, directory))
}

/// What of the disk is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    File,
    /// Everything below a folder.
    Folder,
}

pub(super) fn read(policy: &Policy, call: &Call<'_>, path: Key, paths: &dyn Paths) -> Decision {
    reading(policy, call, Extent::File, &[target(policy, call, path)], paths)
}

/// A search has a pattern that may itself be a path.
pub(super) fn search(
    policy: &Policy,
    call: &Call<'_>,
    (path, pattern): (Key, Option<Key>),
    paths: &dyn Paths,
) -> Decision {
    let base = target(policy, call, path);
    let pattern = pattern.and_then(|key| call.text(key));
    let elsewhere = pattern.and_then(|pattern| elsewhere(pattern, &base));
    let all: Vec<PathBuf> = std::iter::once(base).chain(elsewhere).collect();
    reading(policy, call, Extent::Folder, &all, paths)
}

fn reading(policy: &Policy, call: &Call<'_>, what: Extent, targets: &[PathBuf], paths: &dyn Paths) -> Decision {
    let all: Vec<Located> = targets.iter().map(|path| Located::new(path, paths)).collect();
    let rule = |behavior| {
        all.iter()
            .find_map(|at| path_rule_of_call(policy, behavior, Access::Read, (call, at), paths).map(|rule| (rule, at)))
    };
    if let Some((rule, at)) = rule(Behavior::Deny) {
        return denied_by(rule, &format!("Reading {}", at.lexical.display()));
    }
    if let Some(outside) = all.iter().find(|at| policy.confined && !may_read(policy, at, paths)) {
        return confined(policy, outside);
    }
    if let Some(rule) = whole_rule(policy, Behavior::Ask, call.tool) {
        return asked_by(rule, ReasonKind::Rule, call.tool.name);
    }
    if let Some((rule, at)) = rule(Behavior::Ask) {
        return asked_by(rule, ReasonKind::Rule, &format!("reading {}", at.lexical.display()));
    }
    let Some(outside) = all.iter().find(|at| !may_read(policy, at, paths)) else {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    };
    if let Some(decision) = permitted(policy, whole_rule(policy, Behavior::Allow, call.tool)) {
        return decision;
    }
    let covered = |at: &Located| may_read(policy, at, paths) || allowed_read(policy, (call, at), what, paths);
    if all.iter().all(covered) {
        let rule = path_rule(policy, Behavior::Allow, Access::Read, outside, call.cwd, paths);
        return Decision::allow(Reason {
            rule: rule.cloned(),
            ..Reason::kind(ReasonKind::Rule)
        });
    }
    if stance(&policy.mode) == Stance::Plan && !all.iter().any(protect::is_secret) {
        return Decision::allow(Reason::kind(ReasonKind::Mode));
    }
    let is_dir = what == Extent::Folder || paths.is_dir(&outside.lexical);
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

/// Denies a file outside the roots, regardless of rules and modes.
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
fn allowed_read(policy: &Policy, (call, at): (&Call<'_>, &Located), what: Extent, paths: &dyn Paths) -> bool {
    let rule = |at: &Located| path_rule(policy, Behavior::Allow, Access::Read, at, call.cwd, paths);
    rule(at).is_some() || (what == Extent::Folder && rule(&at.child()).is_some_and(Rule::covers_below))
}

pub(super) fn may_read(policy: &Policy, at: &Located, paths: &dyn Paths) -> bool {
    let free = [policy.roots.as_slice(), &policy.readable, policy.notes.as_slice()];
    if free.iter().any(|dirs| at.inside(dirs, paths)) {
        return true;
    }
    policy.is_plan(at)
}

pub(super) fn edit(policy: &Policy, call: &Call<'_>, path: Key, paths: &dyn Paths) -> Decision {
    let at = Located::new(&target(policy, call, path), paths);
    let shown = at.lexical.display();
    if let Some(rule) = path_rule_of_call(policy, Behavior::Deny, Access::Write, (call, &at), paths) {
        return denied_by(rule, &format!("Changing {shown}"));
    }
    let inside = at.inside(&policy.roots, paths);
    let is_plan = policy.is_plan(&at);
    if policy.confined && !inside && !is_plan {
        return confined(policy, &at);
    }
    let ask = whole_rule(policy, Behavior::Ask, call.tool)
        .or_else(|| path_rule_of_call(policy, Behavior::Ask, Access::Write, (call, &at), paths));
    if let Some(rule) = ask {
        return asked_by(rule, ReasonKind::Rule, &format!("changing {shown}"));
    }
    let stance = stance(&policy.mode);
    let offer = || {
        let mut offer = Vec::new();
        if !stance.edits() {
            offer.push(suggest::accept_edits());
        }
        let parents = at.forms().filter_map(Path::parent);
        let parents: Vec<&Path> = parents.filter(|parent| parent.parent().is_some()).collect();
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
