//! A store in a folder with the same layout as that of agents: `KEY/ID.jsonl`, and `KEY/ID/PART.jsonl`.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use sluice_wire::Raw;

use super::{SessionKey, SessionStore, StoreError, StoredSession};
use crate::transport::BoxFuture;

/// A store of sessions as files in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderStore {
    root: PathBuf,
}

impl FolderStore {
    /// Creates a store in this folder. The folder is created on the first write.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the file of a transcript. Keys can only refer to files below the folder.
    fn file(&self, key: &SessionKey) -> Result<PathBuf, StoreError> {
        let mut path = self.root.join(plain(&key.project_key)?);
        match &key.subpath {
            None => path.push(format!("{}.jsonl", plain(&key.session_id)?)),
            Some(part) => {
                path.push(plain(&key.session_id)?);
                for name in part.split('/') {
                    path.push(plain(name)?);
                }
                path.as_mut_os_string().push(".jsonl");
            }
        }
        Ok(path)
    }
}

/// Returns the name if it is a plain file name.
pub(super) fn plain(name: &str) -> Result<&str, StoreError> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(name),
        _ => Err(format!("`{name}` cannot be the name of a transcript").into()),
    }
}

impl SessionStore for FolderStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let file = self.file(key)?;
            let lines: String = entries.iter().map(|entry| format!("{}\n", entry.get())).collect();
            blocking(move || append_lines(&file, lines)).await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>> {
        Box::pin(async move {
            let file = self.file(key)?;
            blocking(move || read(&file)).await
        })
    }

    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredSession>>, StoreError>> {
        Box::pin(async move {
            let folder = self.root.join(plain(project_key)?);
            blocking(move || sessions(&folder)).await.map(Some)
        })
    }

    fn list_subkeys<'a>(&'a self, session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let folder = self
                .root
                .join(plain(&session.project_key)?)
                .join(plain(&session.session_id)?);
            let found = blocking(move || {
                let mut found = Vec::new();
                parts(&folder, "", &mut found)?;
                Ok(found)
            });
            found.await
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let file = self.file(key)?;
            let whole = key.subpath.is_none();
            blocking(move || {
                ignore_missing(fs::remove_file(&file))?;
                if whole {
                    ignore_missing(fs::remove_dir_all(file.with_extension("")))?;
                }
                Ok(())
            })
            .await
        })
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, StoreError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

fn append_lines(file: &Path, mut lines: String) -> io::Result<()> {
    let mut open = sluice_transcript::private::append(file)?;
    // An interrupted write left an incomplete line; the next entry must not become part of it.
    if !ends_with_newline(&mut open)? {
        lines.insert(0, '\n');
    }
    open.write_all(lines.as_bytes())
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn read(file: &Path) -> io::Result<Option<Vec<Raw>>> {
    let text = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&text);
    // Incomplete lines are ignored.
    let entries = text.lines().filter_map(|line| Raw::from_text(line.to_owned()).ok());
    Ok(Some(entries.collect()))
}

fn sessions(folder: &Path) -> io::Result<Vec<StoredSession>> {
    let mut found = Vec::new();
    for entry in read_folder(folder)? {
        let path = entry.path();
        let (Some(name), Some("jsonl")) = (
            path.file_stem().and_then(|name| name.to_str()),
            path.extension().and_then(|end| end.to_str()),
        ) else {
            continue;
        };
        let changed = entry.metadata().and_then(|data| data.modified()).ok();
        let since = changed
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .unwrap_or_default();
        found.push(StoredSession {
            session_id: name.to_owned(),
            last_modified: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        });
    }
    Ok(found)
}

fn parts(folder: &Path, before: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in read_folder(folder)? {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if entry.file_type()?.is_dir() {
            parts(&entry.path(), &format!("{before}{name}/"), found)?;
        } else if let Some(name) = name.strip_suffix(".jsonl") {
            found.push(format!("{before}{name}"));
        }
    }
    found.sort();
    Ok(())
}

fn read_folder(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
