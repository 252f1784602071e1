//! `update_settings`: write a settings file.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Writes a settings file.
    pub struct UpdateSettings ["subtype" = "update_settings"] {
        /// `localSettings` or `userSettings`.
        source: String,
        settings: Raw,
    }
}
