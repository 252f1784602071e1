//! `get_settings`: the effective settings and their sources.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Requests the effective settings.
    pub struct GetSettings ["subtype" = "get_settings"] {}
}

wire_struct! {
    /// The settings of one scope.
    pub struct SettingsSource {
        source: String,
        settings: Raw,
    }
}

wire_struct! {
    /// An error in a settings file.
    pub struct SettingsError {
        file: String,
        path: String,
        message: String,
    }
}

wire_struct! {
    /// Values that the session uses as a result of the settings.
    pub struct AppliedSettings {
        model: Option<String>,
        effort: Option<Raw>,
    }
}

wire_struct! {
    /// The effective settings and their sources.
    pub struct GetSettingsResponse {
        effective: Raw,
        /// A list of [`SettingsSource`].
        sources: Vec<Raw>,
        applied: Option<AppliedSettings>,
        /// A list of [`SettingsError`].
        errors: Option<Vec<Raw>>,
    }
}
