//! `TeammateIdle`: when a teammate becomes idle.

use super::base::hook_input;

hook_input! {
    /// Input of the `TeammateIdle` hook, which runs when a teammate becomes idle.
    pub struct TeammateIdleInput = "TeammateIdle" {
        teammate_name: String,
        team_name: String,
    }
}
