//! Many sessions to many screens, nothing lost.

// What is said to screens: by types, and in the seed's dialect.
pub mod api;
mod level0;
mod problem;

// Agents, and the way to their runners.
mod agents;
mod link;
mod worktree;

// One session, and all of them.
mod body;
mod day;
mod history;
mod hub;
mod outbox;
mod session;

pub use agents::{Agent, Agents};
pub use hub::{Config, Hub};
