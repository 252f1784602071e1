//! `status`: the activity of the session.

use crate::mode::PermissionMode;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The activity of the session.
    pub enum Activity {
        Requesting = "requesting",
        Compacting = "compacting",
    }
}

wire_struct! {
    /// The activity or the permission mode of the session changed. `status` is `None` if no activity is to be shown.
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
