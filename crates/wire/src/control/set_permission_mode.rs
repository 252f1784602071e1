//! `set_permission_mode`: change the permission mode.

use crate::mode::PermissionMode;
use crate::record::wire_struct;

wire_struct! {
    /// Changes the permission mode.
    pub struct SetPermissionMode ["subtype" = "set_permission_mode"] {
        mode: PermissionMode,
    }
}

wire_struct! {
    /// The current permission mode.
    pub struct SetPermissionModeResponse {
        mode: Option<PermissionMode>,
    }
}
