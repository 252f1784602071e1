//! `ConfigChange`: when a settings file changed.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a settings file changed.
    pub struct ConfigChangeInput = "ConfigChange" {
        source: String,
        file_path: Option<String>,
    }
}
