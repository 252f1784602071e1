//! Plugins in archives: downloaded or read from a file, and unpacked for one session.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use sluice_catalogue::plugins::PluginDir;
use sluice_catalogue::plugins::archive::unpack;
use sluice_tools::{WebConfig, download};

/// The maximum size of an archive, in bytes.
const MAX_ARCHIVE_BYTES: usize = 64 << 20;
/// The maximum time for a download.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum length of a folder name.
const MAX_NAME_LEN: usize = 40;

/// The location of a plugin archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginArchive {
    /// A URL.
    Url(String),
    /// A file.
    File(PathBuf),
}

/// Unpacks archives concurrently into an existing folder. An archive that cannot be unpacked becomes a plugin with an
/// error and does not affect the others.
pub async fn unpack_plugins(archives: &[PluginArchive], into: &Path, web: &WebConfig) -> Vec<PluginDir> {
    let all = archives.iter().enumerate().map(|(number, archive)| async move {
        let folder = into.join(name(number, archive));
        let brought = fetch_and_unpack(archive, folder.clone(), web).await;
        match brought {
            Ok(path) => PluginDir::new(path),
            Err(why) => PluginDir {
                failed: Some(format!("{}: {why}", location(archive))),
                ..PluginDir::new(folder)
            },
        }
    });
    join_all(all).await
}

async fn fetch_and_unpack(archive: &PluginArchive, folder: PathBuf, web: &WebConfig) -> Result<PathBuf, String> {
    let bytes = match archive {
        PluginArchive::Url(url) => download(web.clone(), url, MAX_ARCHIVE_BYTES, DOWNLOAD_TIMEOUT).await?,
        PluginArchive::File(path) => {
            sluice_settings::read_regular(path, MAX_ARCHIVE_BYTES as u64).map_err(|error| error.to_string())?
        }
    };
    let work = move || {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|error| error.to_string())?;
        unpack(&bytes, &folder).map_err(|error| error.to_string())
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(error.to_string()))
}

/// The name of the folder for an archive, which is also the name of a plugin without one.
fn name(number: usize, archive: &PluginArchive) -> String {
    let (kind, place) = match archive {
        PluginArchive::Url(url) => ("url", without_query(url)),
        PluginArchive::File(path) => ("file", path.to_str().unwrap_or_default()),
    };
    let last = place.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = last.strip_suffix(".zip").unwrap_or(last);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let stem: String = stem
        .chars()
        .filter(|letter| plain(*letter))
        .take(MAX_NAME_LEN)
        .collect();
    format!("{kind}-{number}-{stem}")
}

/// A URL without query and fragment, which may contain secrets.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// The location of an archive for messages, without credentials.
fn location(archive: &PluginArchive) -> String {
    match archive {
        PluginArchive::Url(url) => {
            let bare = without_query(url);
            match bare.split_once("://") {
                Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or_default()),
                None => bare.to_owned(),
            }
        }
        PluginArchive::File(path) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_are_plain_and_messages_contain_no_secrets() {
        for (url, folder, text) in [
            (
                "https://x.org/a/tool.zip?token=s",
                "url-3-tool",
                "https://x.org/a/tool.zip",
            ),
            ("https://u:p@x.org/..", "url-3-..", "https://x.org/.."),
            ("https://x.org/", "url-3-x.org", "https://x.org/"),
            ("nonsense", "url-3-nonsense", "nonsense"),
        ] {
            let archive = PluginArchive::Url(url.to_owned());
            assert_eq!(name(3, &archive), folder);
            assert_eq!(location(&archive), text);
        }
    }
}
