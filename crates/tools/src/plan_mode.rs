//! EnterPlanMode and ExitPlanMode: write a plan, have it approved, then carry it out.

mod enter;
mod exit;

pub(crate) use enter::EnterPlanMode;
pub(crate) use exit::ExitPlanMode;
