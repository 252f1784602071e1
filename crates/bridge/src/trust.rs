//! Folder trust: what a project would bring into effect, and the decision of a person to trust it.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use crate::api::{Code, FolderTrust, Problem};

/// Reads and records which folders are trusted. The program that starts the bridge provides it, because the bridge does
/// not read the settings of agents. Both methods read files and block.
pub trait TrustStore: Debug + Send + Sync {
    /// Returns what the folder would bring into effect if it were trusted.
    fn look(&self, folder: &Path) -> FolderTrust;

    /// Records that a person trusts the folder.
    ///
    /// # Errors
    /// A sentence that says why the decision could not be saved.
    fn trust(&self, folder: &Path) -> Result<(), String>;
}

/// Looks at the folder, after trusting it if `accept` is set.
pub(crate) async fn run(
    store: Option<&Arc<dyn TrustStore>>,
    folder: &Path,
    accept: bool,
) -> Result<FolderTrust, Problem> {
    let missing = || Problem::new(Code::Internal, "folder trust is not available in this process");
    let (store, folder) = (Arc::clone(store.ok_or_else(missing)?), folder.to_owned());
    let looked = tokio::task::spawn_blocking(move || {
        if accept {
            store.trust(&folder)?;
        }
        Ok(store.look(&folder))
    });
    let looked = looked.await.map_err(Problem::internal)?;
    looked.map_err(|reason: String| Problem::new(Code::Storage, reason))
}
