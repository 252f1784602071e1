//! Permission modes.

use crate::open::open_enum;

open_enum! {
    /// How much an agent may do without asking.
    pub enum PermissionMode {
        Default = "default",
        AcceptEdits = "acceptEdits",
        BypassPermissions = "bypassPermissions",
        Plan = "plan",
        DontAsk = "dontAsk",
        Auto = "auto",
        /// Sent up to 2.1.44 only.
        Delegate = "delegate",
    }
}
