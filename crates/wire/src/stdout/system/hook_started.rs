//! `hook_started`: a command hook started.

use crate::record::wire_struct;

wire_struct! {
    /// A command hook started.
    pub struct HookStarted ["type" = "system", "subtype" = "hook_started"] {
        hook_id: String,
        /// The name in the form `Event:matcher`.
        hook_name: String,
        hook_event: String,
        uuid: String,
        session_id: String,
    }
}
