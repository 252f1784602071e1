//! `active_goal`: the goal of a session.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// A goal and its progress.
    pub struct Goal {
        condition: String,
        iterations: u64,
        set_at: Number,
        tokens_at_start: u64,
        last_reason: Option<String>,
    }
}

wire_struct! {
    /// The goal changed. `None` if the session has no goal any more.
    pub struct ActiveGoal ["type" = "active_goal"] {
        value: Option<Goal> = null,
        uuid: Option<String>,
        session_id: String,
    }
}
