//! `get_settings`: the settings that hold.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for the settings that hold.
    pub struct GetSettings ["subtype" = "get_settings"] {}
}

wire_struct! {
    /// What one scope says.
    pub struct SettingsSource {
        source: String,
        settings: Raw,
    }
}

wire_struct! {
    /// What is wrong with a settings file.
    pub struct SettingsError {
        file: String,
        path: String,
        message: String,
    }
}

wire_struct! {
    /// What came of the settings.
    pub struct AppliedSettings {
        model: Option<String>,
        effort: Option<Raw>,
    }
}

wire_struct! {
    /// The settings that hold, and where they come from.
    pub struct GetSettingsResponse {
        effective: Raw,
        /// Each a [`SettingsSource`].
        sources: Vec<Raw>,
        applied: Option<AppliedSettings>,
        /// Each a [`SettingsError`].
        errors: Option<Vec<Raw>>,
    }
}
