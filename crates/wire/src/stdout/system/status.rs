//! `status`: what the session is doing.

use crate::mode::PermissionMode;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// What the session is busy with.
    pub enum Activity {
        Requesting = "requesting",
        Compacting = "compacting",
    }
}

wire_struct! {
    /// The session's activity or mode changed; `None` is nothing in particular.
    pub struct Status ["type" = "system", "subtype" = "status"] {
        status: Option<Activity> = null,
        permission_mode: Option<PermissionMode> as "permissionMode",
        compact_output_chars: Option<u64>,
        compact_result: Option<String>,
        compact_error: Option<String>,
        session_id: String,
        uuid: String,
        user_message_uuids: Option<Vec<String>>,
    }
}
