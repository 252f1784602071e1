//! `TeammateIdle`: when a teammate has nothing to do.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a teammate has nothing to do.
    pub struct TeammateIdleInput = "TeammateIdle" {
        teammate_name: String,
        team_name: String,
    }
}
