//! `Read(…)` and `Edit(…)`: patterns as in a `.gitignore`, matched against a path as written and with links resolved.

use std::path::{Path, PathBuf};

use crate::path::{Located, Paths, normal, within};
use crate::policy::Policy;
use crate::rule::{Behavior, Rule};

/// Where a pattern begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Anchor {
    /// At a directory.
    At(PathBuf),
    /// At any depth beneath these directories.
    Beneath(Vec<PathBuf>),
    /// Anywhere.
    Anywhere,
}

/// Whether the path rule covers `path`.
///
/// A deny or ask holds when it matches the path as named *or* where it leads, an allow only when
/// it matches *both*. Denies without an anchor match at any depth, allows with a slash in them
/// only at the working directory.
#[must_use]
pub fn covers(policy: &Policy, rule: &Rule, path: &Located, cwd: &Path, paths: &dyn Paths) -> bool {
    let Some(content) = rule.content.as_deref() else {
        return true;
    };
    let Some((anchor, pattern)) = place(policy, rule, content, cwd) else {
        return false;
    };
    let matches = |form: &Path| {
        starts(&anchor, form, paths)
            .iter()
            .any(|rest| segments_match(&pattern, rest, rule.behavior != Behavior::Allow))
    };
    match rule.behavior {
        Behavior::Allow => path.forms().all(matches),
        Behavior::Deny | Behavior::Ask => path.forms().any(matches),
    }
}

/// Whether the rule may cover something beneath `directory`.
#[must_use]
pub fn reaches_beneath(policy: &Policy, rule: &Rule, directory: &Located, cwd: &Path, paths: &dyn Paths) -> bool {
    let Some(content) = rule.content.as_deref() else {
        return true;
    };
    let Some((anchor, pattern)) = place(policy, rule, content, cwd) else {
        return false;
    };
    let Anchor::At(base) = anchor else {
        return true;
    };
    let fixed: PathBuf = pattern
        .iter()
        .take_while(|segment| !segment.contains(['*', '?', '[']))
        .collect();
    let target = Located::new(&base.join(fixed), paths);
    directory.forms().any(|form| {
        target
            .forms()
            .any(|target| within(target, form) || within(form, target))
    })
}

/// Where on the disk a pattern may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Only this path, and everything beneath it.
    Itself(PathBuf),
    /// Something beneath this directory.
    Beneath(PathBuf),
    /// Something at any depth, wherever.
    Anywhere,
}

/// The pattern of a deny rule, ready to be compared with many paths.
#[derive(Debug, Clone)]
pub struct DeniedPattern {
    /// The directories it begins at, as written and with links resolved; `None` where it begins anywhere.
    starts: Option<Vec<PathBuf>>,
    /// Whether it may begin at any depth beneath them.
    deep: bool,
    segments: Vec<String>,
}

impl DeniedPattern {
    /// `None` where the rule covers nothing.
    pub(crate) fn new(policy: &Policy, rule: &Rule, cwd: &Path, paths: &dyn Paths) -> Option<Self> {
        let (anchor, segments) = place(policy, rule, rule.content.as_deref()?, cwd)?;
        let both = |dir: &PathBuf| [normal(dir), normal(&paths.resolve(dir))];
        let (starts, deep) = match &anchor {
            Anchor::At(dir) => (Some(both(dir).to_vec()), false),
            Anchor::Beneath(dirs) => (Some(dirs.iter().flat_map(both).collect()), true),
            Anchor::Anywhere => (None, true),
        };
        Some(Self { starts, deep, segments })
    }

    /// Returns true if the pattern covers `path` or a parent directory of `path`. Links are not resolved.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        let root = [PathBuf::from("/")];
        let starts = self.starts.as_deref().unwrap_or(&root);
        starts.iter().filter_map(|dir| path.strip_prefix(dir).ok()).any(|rest| {
            let parts = parts(rest);
            let last = if self.deep { parts.len().max(1) } else { 1 };
            (0..last).any(|at| {
                let rest = parts.get(at..).unwrap_or_default();
                segments_match(&self.segments, rest, true)
            })
        })
    }

    /// Returns the places where the pattern may match.
    #[must_use]
    pub fn reach(&self) -> Vec<Reach> {
        let Some(starts) = &self.starts else {
            return vec![Reach::Anywhere];
        };
        if self.deep {
            return starts.iter().cloned().map(Reach::Beneath).collect();
        }
        let fixed: Vec<&String> = self
            .segments
            .iter()
            .take_while(|segment| !has_wildcard(segment))
            .collect();
        let rest = self.segments.get(fixed.len()..).unwrap_or_default();
        let whole = rest.iter().all(|segment| segment == "**");
        let at = |dir: &PathBuf| dir.join(fixed.iter().map(|segment| segment.as_str()).collect::<PathBuf>());
        let reach = if whole { Reach::Itself } else { Reach::Beneath };
        starts.iter().map(at).map(reach).collect()
    }
}

fn has_wildcard(segment: &str) -> bool {
    segment.contains(['*', '?', '[', '\\'])
}

/// Splits a rule's content into where it begins and its segments.
fn place(policy: &Policy, rule: &Rule, content: &str, cwd: &Path) -> Option<(Anchor, Vec<String>)> {
    let content = content.trim();
    let here = policy.roots.first().cloned().unwrap_or_else(|| cwd.to_path_buf());
    let (anchor, rest) = if let Some(rest) = content.strip_prefix("//") {
        (Anchor::At(PathBuf::from("/")), rest)
    } else if content == "~" {
        (Anchor::At(policy.home.clone()), "")
    } else if let Some(rest) = content.strip_prefix("~/") {
        (Anchor::At(policy.home.clone()), rest)
    } else if let Some(rest) = content.strip_prefix('/') {
        (Anchor::At(rule.root.clone()), rest)
    } else if let Some(rest) = content.strip_prefix("./") {
        (Anchor::At(here), rest)
    } else if content.starts_with("../") {
        let mut base = here;
        let mut rest = content;
        while let Some(up) = rest.strip_prefix("../") {
            base.pop();
            rest = up;
        }
        (Anchor::At(base), rest)
    } else {
        let inner = content.trim_end_matches('/').contains('/');
        let anchor = match (rule.behavior, inner && !content.starts_with("**/")) {
            (Behavior::Allow, true) => Anchor::At(here),
            (Behavior::Allow, false) => Anchor::Beneath(policy.roots.clone()),
            (Behavior::Deny | Behavior::Ask, true) => {
                let mut dirs = policy.roots.clone();
                dirs.push(cwd.to_path_buf());
                Anchor::Beneath(dirs)
            }
            (Behavior::Deny | Behavior::Ask, false) => Anchor::Anywhere,
        };
        (anchor, content)
    };
    let segments: Vec<String> = rest
        .split('/')
        .filter(|segment| !segment.is_empty() && *segment != ".")
        .map(str::to_owned)
        .collect();
    if segments.iter().any(|segment| segment == "..") {
        return None;
    }
    Some((anchor, segments))
}

fn parts(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect()
}

/// The parts of `form` after each place where the pattern may begin.
fn starts(anchor: &Anchor, form: &Path, paths: &dyn Paths) -> Vec<Vec<String>> {
    let beneath = |dir: &Path| -> Option<Vec<String>> {
        // A rule whose path contains a link also covers the target of the link.
        let dir = normal(dir);
        let direct = form.strip_prefix(&dir).ok().map(parts);
        direct.or_else(|| form.strip_prefix(normal(&paths.resolve(&dir))).ok().map(parts))
    };
    let tails = |all: &[String]| -> Vec<Vec<String>> {
        (0..all.len().max(1))
            .filter_map(|at| all.get(at..).map(<[String]>::to_vec))
            .collect()
    };
    match anchor {
        Anchor::At(dir) => beneath(dir).into_iter().collect(),
        Anchor::Beneath(dirs) => dirs
            .iter()
            .filter_map(|dir| beneath(dir))
            .flat_map(|all| tails(&all))
            .collect(),
        Anchor::Anywhere => tails(&parts(form)),
    }
}

/// Whether `pattern` matches `path`, or a parent directory of `path`. With `itself`, `x/**` covers
/// `x` too.
fn segments_match(pattern: &[String], path: &[String], itself: bool) -> bool {
    let Some((last, before)) = pattern.split_last() else {
        return true;
    };
    // `x/**` as an allow: something beneath, not `x`.
    let beneath = last == "**" && !itself;
    // One row per pattern segment of which path lengths are reachable: no backtracking.
    let mut reach = vec![false; path.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for segment in if beneath { before } else { pattern } {
        let mut next = vec![false; path.len() + 1];
        if segment == "**" {
            let mut open = false;
            for (slot, was) in next.iter_mut().zip(&reach) {
                open |= was;
                *slot = open;
            }
        } else {
            for ((part, was), slot) in path.iter().zip(&reach).zip(next.iter_mut().skip(1)) {
                *slot = *was && segment_matches(segment, part);
            }
        }
        reach = next;
    }
    if beneath {
        reach.pop();
    }
    reach.iter().any(|hit| *hit)
}

/// `*`, `?`, `[a-z]` and `\x` within one segment.
pub(crate) fn segment_matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                back = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern, p, text.get(t).copied()),
            Some('\\') => (pattern.get(p + 1) == text.get(t)).then_some(2),
            Some(c) => (Some(c) == text.get(t)).then_some(1),
            None => None,
        };
        match (step, back) {
            (Some(width), _) => {
                p += width;
                t += 1;
            }
            (None, Some((star, at))) => {
                p = star;
                t = at + 1;
                back = Some((star, at + 1));
            }
            (None, None) => return false,
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// How wide the class at `at` is, if it holds `c`. Without an end it is a plain bracket.
fn class(pattern: &[char], at: usize, c: Option<char>) -> Option<usize> {
    let c = c?;
    // The first character of a class, also behind a negation, does not end it.
    let negates = matches!(pattern.get(at + 1), Some('!' | '^'));
    let mut end = at + 2 + usize::from(negates);
    while pattern.get(end).is_some_and(|c| *c != ']') {
        end += 1;
    }
    if pattern.get(end).is_none() {
        return (c == '[').then_some(1);
    }
    let mut inner = pattern.get(at + 1..end)?;
    let negated = matches!(inner.first(), Some('!' | '^'));
    if negated {
        inner = inner.get(1..)?;
    }
    let mut held = false;
    let mut rest = inner;
    while let Some((first, tail)) = rest.split_first() {
        match tail {
            ['-', last, tail @ ..] => {
                held |= (*first..=*last).contains(&c);
                rest = tail;
            }
            _ => {
                held |= *first == c;
                rest = tail;
            }
        }
    }
    (held != negated).then_some(end + 1 - at)
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
