//! Subagents: sessions that a session starts.
//!
//! A subagent has its own conversation, tools, model, system prompt and task. It shares the account, background tasks,
//! web access and rules with the session that started it: calls denied there are denied for the subagent too, and
//! rules that a person adds apply to all of them. Its end is reported once: as the result of the call that started it,
//! or as a notification. `agents` contains the state.
//!
//! * `roster`: the available kinds, and applying changes of the parent session;
//! * `call`: the tool that starts one (`Agent`); `message`: the tool that sends one a message (`SendMessage`); `list`:
//!   the
//!   tool that lists them (`ListAgents`);
//! * `begin`, `stop`: starting subagents within a message, and stopping them on an interrupt;
//! * `brief`: the snapshot of the parent session; `child`: the session of a subagent; `supervise`: its execution;
//! * `output`: forwarding its messages; `report`: the result of its call;
//! * `equip`: skills and MCP servers of its kind; `forks`: skills that run in a subagent;
//! * `revive`: continuing subagents of an earlier process;
//! * `summaries`: progress summaries;
//! * `lead`: an agent definition for the main session; `inspect`: agents that run for hooks.

mod begin;
mod brief;
mod call;
mod child;
mod equip;
mod forks;
mod inspect;
mod lead;
mod list;
mod message;
mod output;
mod report;
mod revive;
mod roster;
mod stop;
mod summaries;
mod supervise;

pub(crate) use child::SubagentTurn;
pub(crate) use forks::call as call_fork;
pub(crate) use inspect::inspect;
pub(crate) use roster::{in_context, infos};
