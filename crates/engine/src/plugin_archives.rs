//! Plugins in archives: fetched from an address, or read from a file, and laid out for one session.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use sluice_catalogue::plugins::PluginDir;
use sluice_catalogue::plugins::archive::unpack;
use sluice_tools::{WebConfig, download};

/// How large an archive may be.
const LARGEST: usize = 64 << 20;
/// How long an address may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longer names of folders help nobody.
const LONGEST_NAME: usize = 40;

/// Where a plugin's archive is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginArchive {
    /// At this address.
    Url(String),
    /// In this file.
    File(PathBuf),
}

/// Brings archives into a folder that is there, all at once. One that cannot be had is told as a plugin that failed; it
/// takes nothing from the others.
pub async fn unpack_plugins(archives: &[PluginArchive], into: &Path, web: &WebConfig) -> Vec<PluginDir> {
    let all = archives.iter().enumerate().map(|(number, archive)| async move {
        let folder = into.join(name(number, archive));
        let brought = bring(archive, folder.clone(), web).await;
        match brought {
            Ok(path) => PluginDir::new(path),
            Err(why) => PluginDir {
                failed: Some(format!("{}: {why}", told(archive))),
                ..PluginDir::new(folder)
            },
        }
    });
    join_all(all).await
}

async fn bring(archive: &PluginArchive, folder: PathBuf, web: &WebConfig) -> Result<PathBuf, String> {
    let bytes = match archive {
        PluginArchive::Url(url) => download(web.clone(), url, LARGEST, PATIENCE).await?,
        PluginArchive::File(path) => {
            sluice_settings::read_regular(path, LARGEST as u64).map_err(|error| error.to_string())?
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

/// What its folder is called, and with it a plugin without a name.
fn name(number: usize, archive: &PluginArchive) -> String {
    let (kind, place) = match archive {
        PluginArchive::Url(url) => ("url", bare(url)),
        PluginArchive::File(path) => ("file", path.to_str().unwrap_or_default()),
    };
    let last = place.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = last.strip_suffix(".zip").unwrap_or(last);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let stem: String = stem
        .chars()
        .filter(|letter| plain(*letter))
        .take(LONGEST_NAME)
        .collect();
    format!("{kind}-{number}-{stem}")
}

/// An address without what may be a secret in it.
fn bare(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn told(archive: &PluginArchive) -> String {
    match archive {
        PluginArchive::Url(url) => {
            let bare = bare(url);
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
    fn folders_have_plain_names_and_messages_no_secrets() {
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
            assert_eq!(told(&archive), text);
        }
    }
}
