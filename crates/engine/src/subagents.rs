//! Subagents: sessions that work for a session.
//!
//! A subagent has a conversation, tools, a model and a system prompt of its own, and runs in a task of its own. It
//! shares with the session that started it the account, the commands that run, the web and the rules: whatever is denied
//! above is denied below, and what a person allows below is allowed everywhere. Each ends once: in the result of the
//! call that started it, or in a notification and a turn of its own. What a session keeps of all this is `agents`.
//!
//! * `roster`: the kinds there are, and following what the session above changes;
//! * `call`: the tool that starts one (`Agent`); `message`: the tool that goes on with one (`SendMessage`); `list`: the tool
//!   that says who works (`ListAgents`);
//! * `begin`, `stop`: where in a message one begins, and what an interrupt ends;
//! * `brief`: what the session gives one; `child`: the session it is; `supervise`: its life;
//! * `mouth`: what it says goes through the session above; `report`: what its call comes to;
//! * `equip`: skills and servers its kind brings; `forks`: skills an agent of their own carries out;
//! * `revive`: going on with those of an earlier process;
//! * `summaries`: asking what one is at;
//! * `lead`: a session led by one; `inspect`: one that answers a hook;

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
mod mouth;
mod report;
mod revive;
mod roster;
mod stop;
mod summaries;
mod supervise;

pub(crate) use child::Part;
pub(crate) use forks::call as call_fork;
pub(crate) use inspect::inspect;
pub(crate) use roster::{in_context, infos};
