//! `files_persisted`: files were uploaded.

use crate::record::wire_struct;

wire_struct! {
    /// A file that was uploaded.
    pub struct PersistedFile {
        filename: String,
        file_id: String,
    }
}

wire_struct! {
    /// A file that could not be uploaded.
    pub struct FailedFile {
        filename: String,
        error: String,
    }
}

wire_struct! {
    /// Files were uploaded.
    pub struct FilesPersisted ["type" = "system", "subtype" = "files_persisted"] {
        files: Vec<PersistedFile>,
        failed: Vec<FailedFile>,
        processed_at: String,
        uuid: String,
        session_id: String,
    }
}
