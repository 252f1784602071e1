//! Permissions: whether a tool call is allowed, needs a permission request, or is denied, and why.
//!
//! Everything here is a function from values to values. The disk is reached only through [`Paths`], which resolves
//! links and reads names and scripts; [`disk`] implements it. It fails closed: what cannot be proven harmless needs a
//! permission request, and a deny rule applies in every mode and at every limit of the analysis.
//!
//! In reading order:
//!
//! * [`touches`]: what a tool says its calls touch; [`names`]: the names rules are written with;
//! * [`rule`]: permission rules such as `Bash(npm run *)`, and where each comes from;
//! * [`mode`]: permission modes;
//! * [`policy`]: the rules, mode and folders in force, and the call that is decided about; [`decision`]: the result;
//! * [`path`]: comparing paths by their components, as written and with links resolved;
//! * [`git`]: what the installed git reports about a repository;
//! * [`disk`]: paths on this machine's disk;
//! * [`protect`]: protected places (`.git`, `.claude` and the like), which need a permission request;
//! * [`shell`]: the parts of a command line: its commands, wrappers, effects, and what cannot be proven;
//! * [`matching`]: rules compared with commands, paths, hosts and MCP servers;
//! * [`denied`]: what deny rules cover on the disk, for a sandbox;
//! * [`decide`]: the order in which all of these are applied;
//! * [`quiet`]: the environment for a command line that was proven to only read;
//! * [`suggest`]: the rules offered with a permission request;
//! * [`update`]: changes of the policy.

pub mod decide;
pub mod decision;
pub mod denied;
pub mod disk;
pub mod git;
pub mod matching;
pub mod mode;
pub mod names;
pub mod path;
pub mod policy;
pub mod protect;
pub mod quiet;
pub mod rule;
pub mod shell;
pub mod suggest;
pub mod touches;
pub mod update;

pub use decide::{decide, hidden, side_by_side, tool_removed};
pub use decision::{Decision, Reason, ReasonKind, Verdict};
pub use disk::OnDisk;
pub use path::{Found, Lexical, Paths};
pub use policy::{Call, Policy, ProgramFolder};
pub use rule::{Behavior, Rule, RuleError, Source, parse_rule, print_rule, split_rules};
pub use touches::{Key, ToolFacts, Touches};
pub use update::{FileChange, UpdateError, apply};

pub use sluice_wire::mode::PermissionMode;
pub use sluice_wire::permission_update::{Destination, PermissionUpdate};

#[cfg(test)]
extern crate self as sluice_permission;
#[cfg(test)]
#[path = "../tests/it/linked.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use all of it")]
mod linked;
