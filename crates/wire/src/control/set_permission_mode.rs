//! `set_permission_mode`: switch the mode.

use crate::mode::PermissionMode;
use crate::record::wire_struct;

wire_struct! {
    /// Switches the mode.
    pub struct SetPermissionMode ["subtype" = "set_permission_mode"] {
        mode: PermissionMode,
    }
}

wire_struct! {
    /// The mode that holds now.
    pub struct SetPermissionModeResponse {
        mode: Option<PermissionMode>,
    }
}
