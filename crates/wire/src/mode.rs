//! Permission modes.

use crate::open::open_enum;

open_enum! {
    /// The permission mode: which tool calls need a permission request.
    pub enum PermissionMode {
        Default = "default",
        AcceptEdits = "acceptEdits",
        BypassPermissions = "bypassPermissions",
        Plan = "plan",
        DontAsk = "dontAsk",
        Auto = "auto",
        /// Only sent by CLI versions up to 2.1.44.
        Delegate = "delegate",
    }
}
