//! The built-in tools, one file each.
//!
//! A tool is a [`Tool`]: a [`Descriptor`] for the model, a `check` of the input, and a `run`. It receives a [`Context`]
//! (working directory, roots, file state, output folder, cancellation, events) and returns an [`Outcome`]: the text for
//! the model and the `tool_use_result` for the host. It has no access to the session.
//!
//! The engine handles a call in these steps:
//!
//! 1. [`find`] the tool. Results for an unknown name: [`Outcome::unknown_tool`]; for input that is not JSON:
//! 2. [`Tool::fill`]: the input with defaults, as the `assistant` frame shows it.
//! 3. [`Tool::check`]: the input with absolute paths, as a permission request shows it, or [`Invalid`].
//! 4. [`Tool::vet`]: a call that cannot succeed fails here, before a permission request.
//! 5. [`Tool::present`]: if it returns an input, that replaces the result of steps 2 and 3.
//! 6. the permission decision (not here), then [`Tool::run`] with the filled or presented input, or with the input the
//!    host changed it to.
//! 7. [`Outcome::effects`]: what the session does before it reports the result.
//!
//! Adding a tool: one file with a unit struct that implements [`Tool`], one line in `registry.rs`. Its [`Descriptor`] says
//! what its calls touch; from that follow the permission decision, the checkpoint before a file is changed, where its path
//! is looked up, and how it is shown. Calls of a tool that states nothing need permission.

// an outcome is created once per call and passed on immediately
#![allow(clippy::result_large_err)]

// interface between tools and the engine
mod activity;
mod context;
mod file_state;
mod input;
mod lists;
mod outcome;
mod output_schema;
mod registry;
mod services;
mod tasks;
mod tool;

// tools
mod ask_user_question;
mod bash;
mod edit;
mod glob;
mod grep;
mod notebook_edit;
mod plan_mode;
mod read;
mod set_goal;
mod task_list;
mod task_output;
mod task_stop;
mod todo_write;
mod tool_search;
mod web_fetch;
mod web_search;
mod write;

// shared by the tools
mod atomic;
mod capture;
pub mod git;
mod ids;
mod image;
mod notebook;
mod patch;
mod paths;
mod pins;
mod piped;
mod process;
mod program;
pub mod sandbox;
mod supervisor;
mod text;
mod truncate;
mod walk;
mod web;
pub mod worktree;
mod world;

pub use activity::using;
pub use capture::Printing;
pub use context::{Context, Cwd, Hidden, ToolEvent};
pub use file_state::{FileState, Freshness};
pub use lists::{Item, Lists, Progress, Todo};
pub use outcome::{Effect, Invalid, Outcome};
pub use output_schema::{OutputSchema, SchemaError};
pub use paths::{open_checked, settled};
pub use pins::{Pin, Pins, all_names_below, open_unlinked};
pub use piped::{Piped, Streams};
pub use program::{Launch, Printed, Program, Running};
pub use registry::{Toolbox, find, registry};
pub use services::{DeferredTool, NoServices, SearchHit, SearchPart, SearchReply, SearchRequest, Services};
pub use tasks::{AgentTask, Enlisted, TaskStatus, TaskView, Tasks, agent_id};
pub use tool::{Activity, AnyTool, Changes, Descriptor, ListKind, Pending, Provenance, Tool};
pub use truncate::stand_in;
pub use web::{Posted, Web, WebConfig, download, post};
pub use world::{Pinned, World};
