//! OAuth tokens on disk, keyed by the URL of the MCP server, in one file that only its owner can read.

use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde_json::{Map, Value};

use sluice_settings::WriteError;

/// The stored tokens of one server.
#[derive(Debug, Clone)]
pub(super) struct Store {
    path: PathBuf,
    key: String,
}

impl Store {
    pub(super) fn new(path: PathBuf, url: &Url) -> Self {
        let mut url = url.clone();
        url.set_fragment(None);
        url.set_query(None);
        Self {
            path,
            key: url.to_string(),
        }
    }

    pub(super) fn has_token(&self) -> bool {
        self.read().is_some_and(|stored| stored.token_response.is_some())
    }

    pub(super) fn forget(&self) -> Result<(), WriteError> {
        if !self.path.exists() {
            return Ok(());
        }
        sluice_settings::edit(&self.path, &mut |stored| {
            stored.shift_remove(&self.key);
            Ok(())
        })
    }

    fn read(&self) -> Option<StoredCredentials> {
        let stored: Map<String, Value> = serde_json::from_str(&text(&self.path).ok()??).ok()?;
        serde_json::from_value(stored.get(&self.key)?.clone()).ok()
    }
}

/// Reads a file. If other users can read it, its permissions are restricted first.
fn text(path: &Path) -> io::Result<Option<String>> {
    use std::os::unix::fs::PermissionsExt as _;
    match path.metadata() {
        Ok(metadata) if metadata.permissions().mode() & 0o077 != 0 => {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    sluice_settings::text(path)
}

#[async_trait]
impl CredentialStore for Store {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.read())
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let failed = |error: String| AuthError::CredentialStoreError(error);
        let value = serde_json::to_value(credentials).map_err(|error| failed(error.to_string()))?;
        sluice_settings::edit(&self.path, &mut |stored| {
            stored.insert(self.key.clone(), value.clone());
            Ok(())
        })
        .map_err(|error| failed(error.to_string()))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.forget()
            .map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[tokio::test]
    async fn tokens_are_separated_by_url_and_readable_only_by_the_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp-auth.json");
        let store = |url: &str| Store::new(path.clone(), &Url::parse(url).unwrap());
        let (one, two) = (store("https://a.example/mcp?x=1"), store("https://b.example/mcp"));
        assert!(!one.has_token());
        let stored = |token: &str| {
            let token = serde_json::json!({"access_token": token, "token_type": "bearer"});
            StoredCredentials::new(
                "id".to_owned(),
                Some(serde_json::from_value(token).unwrap()),
                vec![],
                None,
            )
        };
        one.save(stored("a")).await.unwrap();
        two.save(stored("b")).await.unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(
            store("https://a.example/mcp").has_token(),
            "the query is not part of the key"
        );
        one.clear().await.unwrap();
        assert!(!one.has_token() && two.has_token());
        // A file that was made readable for others is restricted before it is read.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(two.has_token());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
