//! `mirror_error`: a mirrored transcript could not be stored; hosts make it themselves.

use crate::record::wire_struct;

wire_struct! {
    /// Which transcript; one official host spells the names in snake case, which `extra` keeps.
    pub struct MirrorKey {
        project_key: Option<String> as "projectKey",
        session_id: Option<String> as "sessionId",
        subpath: Option<String>,
    }
}

wire_struct! {
    /// A mirrored transcript could not be stored.
    pub struct MirrorError ["type" = "system", "subtype" = "mirror_error"] {
        error: String,
        key: Option<MirrorKey> = null,
        uuid: String,
        session_id: String,
    }
}
