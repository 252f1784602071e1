//! `hook_started`: a command hook starts.

use crate::record::wire_struct;

wire_struct! {
    /// A command hook starts.
    pub struct HookStarted ["type" = "system", "subtype" = "hook_started"] {
        hook_id: String,
        /// `Event:matcher`.
        hook_name: String,
        hook_event: String,
        uuid: String,
        session_id: String,
    }
}
