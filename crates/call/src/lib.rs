//! The state machine of a tool call, from its `tool_use` to its `tool_result`. Pure: it performs no I/O and never
//! waits.
//!
//! In reading order:
//!
//! * `state`: a call and its state;
//! * `machine`: the events of a call, and the effects that the caller has to carry out;
//! * `verdict`: how `PreToolUse` hooks change a permission decision;
//! * `answer`: the answers to a permission request;
//! * `end`: the outcome of a call and the reason for it; `deferred`: a call that a hook deferred.
//!
//! Two callers drive the machine: a session (`tool_calls`) and `sluice_engine::Guarded`.

mod answer;
mod deferred;
mod end;
mod machine;
mod state;
mod verdict;

pub use answer::{Change, Changed, Denial, Grant, PermissionAnswer};
pub use deferred::Deferred;
pub use end::{Basis, End, for_model, result_block};
pub use machine::{CallEffect, CallEvent, Rules};
pub use state::{AskedOf, Call};
pub use verdict::{HookVerdict, Permission, Silence};
