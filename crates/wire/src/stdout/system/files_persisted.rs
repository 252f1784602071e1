//! `files_persisted`: files were stored elsewhere.

use crate::record::wire_struct;

wire_struct! {
    /// A stored file.
    pub struct PersistedFile {
        filename: String,
        file_id: String,
    }
}

wire_struct! {
    /// A file that could not be stored.
    pub struct FailedFile {
        filename: String,
        error: String,
    }
}

wire_struct! {
    /// Files were stored.
    pub struct FilesPersisted ["type" = "system", "subtype" = "files_persisted"] {
        files: Vec<PersistedFile>,
        failed: Vec<FailedFile>,
        processed_at: String,
        uuid: String,
        session_id: String,
    }
}
