//! `ConfigChange`: a settings file changed.

use super::base::hook_input;

hook_input! {
    /// Input of the `ConfigChange` hook, which runs when a settings file changed.
    pub struct ConfigChangeInput = "ConfigChange" {
        source: String,
        file_path: Option<String>,
    }
}
