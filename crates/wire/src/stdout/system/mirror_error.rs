//! `mirror_error`: a mirrored transcript could not be stored. Host libraries create this message; agents do not send
//! it.

use crate::record::wire_struct;

wire_struct! {
    /// The transcript. One official host writes the names in snake case; those fields are in `extra`.
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
