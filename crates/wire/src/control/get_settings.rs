//! `get_settings`: the settings that hold.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for the settings that hold.
    pub struct GetSettings ["subtype" = "get_settings"] {}
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
        sources: Vec<Raw>,
        applied: Option<AppliedSettings>,
    }
}
