//! One tool call, from its `tool_use` to its `tool_result`. Pure: nothing here runs, waits or asks.
//!
//! In reading order:
//!
//! * `state`: a call, and where it stands;
//! * `machine`: what may happen to it, and what has to be done then;
//! * `verdict`: what `PreToolUse` hooks may do to a decision;
//! * `answer`: what a permission request is answered with;
//! * `end`: what a call came to, and how that came; `deferred`: one that a hook deferred.
//!
//! Whoever makes calls drives the machine: a session (`tool_calls`) and `sluice_engine::Guarded`.

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
