//! EnterPlanMode and ExitPlanMode: plan first, have the plan approved, then work.

mod enter;
mod exit;

pub(crate) use enter::EnterPlanMode;
pub(crate) use exit::ExitPlanMode;
