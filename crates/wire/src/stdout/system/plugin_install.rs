//! `plugin_install`: a plugin is being installed.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// How far it is.
    pub enum PluginInstallStatus {
        Started = "started",
        Installed = "installed",
        Failed = "failed",
        Completed = "completed",
    }
}

wire_struct! {
    /// An installation went on.
    pub struct PluginInstall ["type" = "system", "subtype" = "plugin_install"] {
        status: PluginInstallStatus,
        name: Option<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
}
