//! The interactive door: a person at a terminal, line by line.
//!
//! It is a host like any other: it has an [`Agent`] to say things to and to hear from, and knows
//! nothing of the engine behind it. What is heard becomes lines ([`show`], pure); what is typed
//! becomes prompts and answers ([`answer`], pure); [`run`] carries both.

pub mod answer;
pub mod run;
pub mod show;

pub use run::{Agent, Heading, run};
