//! Who may: whether a call may run, must be asked about, or is refused, and why.
//!
//! Everything here is a function from values to values. What touches the world is behind
//! [`Paths`], through which links are resolved. It fails closed: what cannot be proven harmless is
//! asked about, and a deny rule holds in every mode and at every limit of the analysis.
//!
//! In reading order:
//!
//! * [`touches`]: what a tool says its calls touch;
//! * [`rule`]: what a person wrote down, `Bash(npm run *)`, and from where;
//! * [`names`]: the names rules are written with;
//! * [`mode`]: what the session's mode adds to or takes from the rules;
//! * [`path`]: comparing paths by their parts, lexically and with links resolved;
//! * [`disk`]: where paths really lead, on this machine;
//! * [`protect`]: the places that are asked about whatever the mode;
//! * [`shell`]: a command line taken apart: its commands, wrappers, effects, and what is unprovable;
//! * [`matching`]: rules held against commands, paths, hosts and servers;
//! * [`decide`]: the order in which all of it is asked;
//! * [`quiet`]: what a line that only reads is run with;
//! * [`suggest`]: what a host can offer next to "allow";
//! * [`update`]: changes of the policy.

pub mod decide;
pub mod decision;
pub mod disk;
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
pub use path::{Found, Lexical, Linked, Paths};
pub use policy::{Call, Policy};
pub use rule::{Behavior, Rule, RuleError, Source, parse_rule, print_rule, split_rules};
pub use touches::{Key, ToolFacts, Touches};
pub use update::{FileChange, UpdateError, apply};

pub use sluice_wire::mode::PermissionMode;
pub use sluice_wire::permission_update::{Destination, PermissionUpdate};
