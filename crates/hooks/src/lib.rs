//! Hooks: commands, HTTP endpoints, prompts, agents, MCP tools and callbacks of the host that run at events of a session.
//!
//! This crate cannot see a conversation. A hook is told one event, as JSON; all it can change is what its answer says.
//! Whoever raises the event (the session, or a door without one) carries that out.
//!
//! In reading order:
//!
//! * [`event`]: the events, and what is true of each;
//! * [`config`], `matcher`: hooks as settings files write them, and which occasions they are for;
//! * `list`: the hooks in force, from the weakest origin to the strongest; `listing`: the answer to `get_hooks_listing`;
//! * [`output`]: what one hook says; [`merge`]: what all hooks of an event say together. Both pure: deny before ask before
//!   allow, whatever the order;
//! * `run`: what hooks are run with ([`HookRun`]), and the reports `hook_started`, `hook_progress` and `hook_response`;
//!   [`command`], [`http`], [`prompt`], [`agent`], [`tool`]: how each kind is run;
//! * [`tool_output`]: a tool's output that a hook replaces;
//! * [`HookClient`]: for work beside the session that has to ask its hooks.

pub mod config;
pub mod event;
mod list;
mod listing;
mod matcher;

pub mod merge;
pub mod output;
pub mod tool_output;

pub mod agent;
pub mod command;
pub mod http;
pub mod prompt;
mod run;
pub mod tool;

mod client;

pub use client::{Consultation, HookClient};
pub use config::{Handler, Hook, Origin};
pub use event::Event;
pub use list::{HookList, InheritedHooks, meant};
pub use merge::{Merged, merge};
pub use run::{Due, HookModel, HookReport, HookReports, HookRun, Late, name_of, run, untrusted};
