//! Many sessions to many screens, nothing lost.

// What is said to screens: by types, and in the seed's dialect.
pub mod api;
mod level0;
mod problem;

// Agents, and the way to their runners.
mod agents;
mod link;
mod rules;
mod worktree;

// One session, and all of them.
mod body;
mod day;
mod history;
mod hub;
mod outbox;
mod session;

// A screen, what it can look at, and the door it comes through.
mod bridge;
mod look;
mod screen;

pub use agents::{Agent, Agents};
pub use bridge::Bridge;
pub use hub::{Away, Config, Doorkeeper, Hub, Waiting};
