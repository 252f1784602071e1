//! EnterPlanMode and ExitPlanMode: think first, write the plan down, have it approved, then work.

mod enter;
mod exit;

pub(crate) use enter::EnterPlanMode;
pub(crate) use exit::ExitPlanMode;
