//! The bridge (`sluice serve`): runs many agent sessions and shows them on many screens. A screen is a client of the
//! WebSocket: a browser page, a terminal, another program.
//!
//! In reading order:
//!
//! * [`api`]: the messages of the WebSocket, level 1, as types; `level0`: those of level 0; `problem`:
//!   errors;
//! * `agents`: which agents can be started; `link`: the connection to a runner; `rules`: permission rules in settings
//!   files; `trust`: folder trust; `templates`: prompt templates; `git`: steps in git that a person makes; `worktree`: a
//!   git worktree for a session;
//! * `session`: one session: a task that owns its conversation, records and prompt queue; `hub`: all sessions;
//! * `body`: large bodies, stored separately; `history`: transcripts of other programs as records; `outbox`: what waits
//!   to be sent to one screen; `day`: days in local time;
//! * `screen`: one connected screen; `look`: what it can query (files, changes, timeline); `bridge`: the interface to
//!   the web server.

// The messages of the WebSocket.
pub mod api;
mod level0;
mod problem;

// Agents and their runners.
mod agents;
mod git;
mod image;
mod link;
mod rules;
mod templates;
mod trust;
mod worktree;

// Sessions.
mod body;
mod day;
mod history;
mod hub;
mod outbox;
mod session;

// Screens.
mod bridge;
mod look;
mod screen;

pub use agents::{AgentConfig, Agents};
pub use bridge::Bridge;
pub use git::GitCommand;
pub use hub::{Away, Config, Doorkeeper, Hub, Salvage, Waiting};
pub use trust::TrustStore;
pub use worktree::WorktreeMaker;
