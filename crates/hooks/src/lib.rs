//! Hooks: commands, HTTP endpoints, prompts, agents, MCP tools and callbacks of the host that run at events of a
//! session.
//!
//! This crate has no access to a conversation. A hook gets one event as JSON, and its only effect is its output. The
//! code that raises the event (the session, or a door without a session) applies the output.
//!
//! In reading order:
//!
//! * [`event`]: the events and their properties;
//! * [`config`], `matcher`: the configuration of hooks, and the events and calls that they match;
//! * `list`: the effective hooks, from the weakest origin to the strongest; `listing`: the response to
//!   `get_hooks_listing`;
//! * [`output`]: parses the output of a hook; [`merge`]: merges the outputs of all hooks of an event. Both are pure.
//!   Deny has precedence over ask, and ask over allow, independent of the order;
//! * `run`: the context of a run ([`HookRun`]), and the messages `hook_started`, `hook_progress` and `hook_response`;
//!   [`command`], [`http`], [`prompt`], [`agent`], [`tool`]: run hooks of each type;
//! * [`tool_output`]: replaces the output of a tool;
//! * [`HookClient`]: runs hooks of the session for code outside it.

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
#[cfg(test)]
mod reference;

pub use client::{Consultation, HookClient};
pub use config::{Handler, Hook, Origin};
pub use event::Event;
pub use list::{HookList, InheritedHooks, meant};
pub use merge::{Merged, merge};
pub use run::{Due, HookModel, HookReport, HookReports, HookRun, Late, name_of, run, untrusted};
