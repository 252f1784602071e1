//! Git as a person uses it from the page: what differs from the last commit, and steps such as commit, discard and push.
//!
//! `run`: one run of git; `repository`: the repository of a session and its settings; `status`: what git reports, parsed;
//! `plan`: the commands of a step, a pure function; `step`: carries a plan out; `tree`: the working tree as clients see it.

mod plan;
mod repository;
mod run;
mod status;
mod step;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use repository::Repository;
pub use run::GitCommand;
pub(crate) use run::Runner;
pub(crate) use step::carry_out;
pub(crate) use tree::working_tree;
