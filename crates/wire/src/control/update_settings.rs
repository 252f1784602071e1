//! `update_settings`: write a settings file.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Writes a settings file.
    pub struct UpdateSettings ["subtype" = "update_settings"] {
        /// `localSettings` or `userSettings`; the hosts of Sluice itself also send `projectSettings`.
        source: String,
        settings: Raw,
    }
}

wire_struct! {
    /// The saved settings. Hosts other than the terminal and the page of Sluice get an empty response.
    pub struct UpdateSettingsResponse {
        /// The file that contains the settings now.
        path: Option<String>,
        /// The keys that were saved.
        keys: Option<Vec<String>>,
        /// Which of them do not apply yet, and why.
        warning: Option<String>,
    }
}
