//! What deny rules cover on the disk, for a sandbox that enforces them without knowing what a command does.

use std::path::Path;

use crate::matching::bash;
pub use crate::matching::path::{DeniedPattern, Reach};
use crate::names;
use crate::path::Paths;
use crate::policy::Policy;
use crate::rule::Behavior;

/// The patterns of files that may not be read.
#[must_use]
pub fn unreadable(policy: &Policy, cwd: &Path, paths: &dyn Paths) -> Vec<DeniedPattern> {
    patterns(policy, names::reads, cwd, paths)
}

/// The patterns of files that may not be changed.
#[must_use]
pub fn unwritable(policy: &Policy, cwd: &Path, paths: &dyn Paths) -> Vec<DeniedPattern> {
    patterns(policy, names::edits, cwd, paths)
}

/// Returns the programs that are denied with any arguments, as names or paths.
#[must_use]
pub fn programs(policy: &Policy) -> Vec<&str> {
    let rules = policy.rules_of(Behavior::Deny);
    let contents = rules
        .filter(|rule| rule.tool == names::BASH)
        .filter_map(|rule| rule.content.as_deref());
    contents.filter_map(bash::whole_program).collect()
}

fn patterns(policy: &Policy, of_tool: fn(&str) -> bool, cwd: &Path, paths: &dyn Paths) -> Vec<DeniedPattern> {
    let rules = policy.rules_of(Behavior::Deny);
    let of_paths = rules.filter(|rule| of_tool(&rule.tool) && !rule.whole());
    of_paths
        .filter_map(|rule| DeniedPattern::new(policy, rule, cwd, paths))
        .collect()
}
