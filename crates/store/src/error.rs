//! Errors, and what to do about them.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a call was not done. Cheap to clone: one failed commit answers every call that was in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else wrote first. What is given are the numbers as they are now.
    #[error("the session's records end at {actual}, not where the writer thought; read them again")]
    Stale { actual: i64 },
    /// The session's records were begun anew.
    #[error("the session is at epoch {actual}; read it again")]
    StaleEpoch { actual: i64 },
    #[error("no such {what}: {id}")]
    NotFound { what: &'static str, id: String },
    #[error("there is a {what} {id} already")]
    Exists { what: &'static str, id: String },
    /// What was given cannot be kept.
    #[error("{0}")]
    Invalid(String),
    #[error("the database is damaged ({detail})\nhint: start again; what can be read of it is then kept")]
    Damaged { detail: String },
    /// The database is whole, but not what was packed into it.
    #[error("old records of the session cannot be read ({detail})\nhint: build the session again, as a new epoch")]
    DamagedRecords { detail: String },
    #[error("{} is in use by {holder}\nhint: stop that one, or name another folder with --state", .path.display())]
    Locked { path: PathBuf, holder: String },
    #[error("no space for the database ({detail})\nhint: make room; nothing that was acknowledged is lost")]
    Full { detail: String },
    #[error("{} cannot be written ({detail})\nhint: check its rights, or name another folder with --state", .path.display())]
    Unwritable { path: PathBuf, detail: String },
    #[error(
        "{} was written by a newer version (schema {found}, known here: {known})\nhint: use that version, or name another folder with --state",
        .path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} belongs to another program\nhint: name another folder with --state", .path.display())]
    Foreign { path: PathBuf },
    #[error("the database could not be brought from schema {from} to {to}: {detail}\nhint: it is as it was before")]
    Migration { from: i64, to: i64, detail: String },
    #[error("{}: {detail}", .path.display())]
    Io { path: PathBuf, detail: String },
    #[error("the store is closed")]
    Closed,
    #[error("the database refused: {0}")]
    Sqlite(String),
}

impl StoreError {
    pub(crate) fn not_found(what: &'static str, id: &str) -> Self {
        Self::NotFound {
            what,
            id: id.to_owned(),
        }
    }

    /// An error of the file system, told apart by what helps.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        let (path, detail) = (path.to_owned(), error.to_string());
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { detail },
            std::io::ErrorKind::PermissionDenied
            | std::io::ErrorKind::ReadOnlyFilesystem
            | std::io::ErrorKind::NotADirectory
            | std::io::ErrorKind::IsADirectory
            | std::io::ErrorKind::AlreadyExists
            | std::io::ErrorKind::NotFound => Self::Unwritable { path, detail },
            _ => Self::Io { path, detail },
        }
    }

    /// The same, with the file it is about, where SQLite does not say it.
    pub(crate) fn about(self, file: &Path) -> Self {
        match self {
            Self::Unwritable { path, detail } if path.as_os_str().is_empty() => Self::Unwritable {
                path: file.to_owned(),
                detail,
            },
            Self::Locked { path, holder } if path.as_os_str().is_empty() => Self::Locked {
                path: file.to_owned(),
                holder,
            },
            Self::Io { path, detail } if path.as_os_str().is_empty() => Self::Io {
                path: file.to_owned(),
                detail,
            },
            other => other,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        // A value that is not what was written: long values have pages without structure.
        if let rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::InvalidColumnType(..) = error
        {
            return Self::Damaged { detail };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { detail },
            Some(ErrorCode::DiskFull) => Self::Full { detail },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Self::Unwritable {
                path: PathBuf::new(),
                detail,
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Self::Locked {
                    path: PathBuf::new(),
                    holder: "another program".to_owned(),
                }
            }
            Some(ErrorCode::SystemIoFailure) => Self::Io {
                path: PathBuf::new(),
                detail,
            },
            _ => Self::Sqlite(detail),
        }
    }
}
