//! Uploaded images that wait for their prompt.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::api::{Code, Problem};
use crate::body::hash;

/// How long an image waits.
const WAITS: Duration = Duration::from_secs(24 * 3600);
/// How much may wait.
const BYTES: u64 = 512 * 1024 * 1024;

/// Uploaded images by their hash.
#[derive(Debug)]
pub(crate) struct Uploads {
    folder: PathBuf,
    known: Mutex<HashMap<String, Upload>>,
}

#[derive(Debug, Clone)]
struct Upload {
    mime: String,
    bytes: u64,
    at: Instant,
}

impl Uploads {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            known: Mutex::default(),
        }
    }

    /// Keeps an image and gives its hash.
    pub(crate) async fn put(&self, bytes: Vec<u8>, mime: &str) -> Result<String, Problem> {
        self.forget_old();
        let name = hash(&bytes);
        let length = bytes.len() as u64;
        let all: u64 = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.values().map(|upload| upload.bytes).sum()
        };
        if all + length > BYTES {
            return Err(Problem::new(Code::Limit, "too many images wait to be sent"));
        }
        let path = self.folder.join(&name);
        let written = tokio::task::spawn_blocking(move || sluice_host::private::write(&path, bytes));
        let failed =
            |error: std::io::Error| Problem::new(Code::Storage, format!("an image could not be kept: {error}"));
        written.await.map_err(Problem::internal)?.map_err(failed)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let upload = Upload {
            mime: mime.to_owned(),
            bytes: length,
            at: Instant::now(),
        };
        known.insert(name.clone(), upload);
        Ok(name)
    }

    pub(crate) fn path(&self, hash: &str) -> Option<PathBuf> {
        self.get(hash).map(|(path, _, _)| path)
    }

    pub(crate) fn get(&self, hash: &str) -> Option<(PathBuf, String, u64)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let upload = known.get(hash)?;
        Some((self.folder.join(hash), upload.mime.clone(), upload.bytes))
    }

    fn forget_old(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|name, upload| {
            let keep = upload.at.elapsed() < WAITS;
            if !keep {
                std::fs::remove_file(self.folder.join(name)).ok();
            }
            keep
        });
    }
}
