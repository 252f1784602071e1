//! The conversation machine: each test is named after what goes wrong without it.

pub(crate) mod play;
pub(crate) mod shared;

mod asks;
mod chaos;
mod drafts;
mod facts;
mod identity;
mod interrupts;
mod liveness;
mod prompts;
mod recordings;
mod turns;
