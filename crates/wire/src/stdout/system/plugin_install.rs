//! `plugin_install`: the progress of a plugin installation.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The state of a plugin installation.
    pub enum PluginInstallStatus {
        Started = "started",
        Installed = "installed",
        Failed = "failed",
        Completed = "completed",
    }
}

wire_struct! {
    /// The state of a plugin installation changed.
    pub struct PluginInstall ["type" = "system", "subtype" = "plugin_install"] {
        status: PluginInstallStatus,
        name: Option<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
}
