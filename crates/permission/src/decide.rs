//! The order in which everything is asked.
use crate::{Behavior, Call, Decision, Paths, Policy, Reason};
use std::path::Path;

/// May this call run?
pub fn decide(_policy: &Policy, call: &Call<'_>, _paths: &dyn Paths) -> Decision {
    Decision::ask(Reason::default(), format!("{} needs approval", call.tool))
}

/// Whether a bare-name deny takes the tool out of the list.
#[must_use]
pub fn tool_removed(policy: &Policy, tool: &str) -> bool {
    policy
        .rules_of(Behavior::Deny)
        .any(|rule| rule.whole() && rule.tool == tool)
}

/// Whether a deny rule hides `path` from searches.
pub fn hidden(_policy: &Policy, _path: &Path, _paths: &dyn Paths) -> bool {
    false
}

/// Whether a command line only reads, provably.
#[must_use]
pub fn read_only(_command: &str) -> bool {
    false
}
