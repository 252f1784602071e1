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
//! Whoever makes calls drives the machine: a session (`tool_calls`) and [`crate::Guarded`].

mod answer;
mod deferred;
mod end;
mod machine;
mod state;
mod verdict;

pub(crate) use answer::{Change, Changed, Denial, Grant, PermissionAnswer};
pub(crate) use deferred::Deferred;
pub(crate) use end::{Basis, End, for_model, result_block};
pub(crate) use machine::{CallEffect, CallEvent, Rules};
pub(crate) use state::{AskedOf, Call};
pub(crate) use verdict::{HookVerdict, Permission, Silence};
