//! Plugins from archives, unpacked for the lifetime of this process: `--plugin-url`, and `--plugin-dir` with a zip
//! file.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use sluice_engine::settings::read_named;
use sluice_engine::{PluginArchive, WebConfig, unpack_plugins};

use crate::environment::Environment;
use crate::flags::Flags;
use crate::warn;

/// The temporary folder with the plugins; deleted on drop.
pub(crate) struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // If it cannot be deleted, it remains in the temporary folder of the system.
        let _left = fs::remove_dir_all(&self.0);
    }
}

/// Unpacks the plugins and adds their folders to the flags.
pub(crate) async fn bring(flags: &mut Flags, environment: &Environment) -> Option<Folder> {
    let (files, folders): (Vec<String>, Vec<String>) = std::mem::take(&mut flags.plugin_dir)
        .into_iter()
        .partition(|path| path.ends_with(".zip") && environment.cwd.join(path).is_file());
    flags.plugin_dir = folders;
    let urls = std::mem::take(&mut flags.plugin_url);
    let files = files.iter().map(|path| PluginArchive::File(environment.cwd.join(path)));
    let archives: Vec<PluginArchive> = files.chain(urls.into_iter().map(PluginArchive::Url)).collect();
    if archives.is_empty() {
        return None;
    }
    let folder = environment
        .temp_dir
        .join(format!("sluice-plugins-{}", uuid::Uuid::new_v4()));
    // A new folder with a unique name, which cannot contain files of others.
    if let Err(error) = fs::DirBuilder::new().mode(0o700).create(&folder) {
        warn(&format!("plugins cannot be unpacked: {}: {error}", folder.display()));
        return None;
    }
    let folder = Folder(folder);
    let proxy = &environment.proxy;
    let web = WebConfig {
        extra_roots: environment.extra_certs.as_ref().and_then(|path| read_named(path).ok()),
        proxy: proxy.https.clone().or_else(|| proxy.all.clone()),
        no_proxy: proxy.no_proxy.clone(),
    };
    flags.plugins_brought = unpack_plugins(&archives, &folder.0, &web).await;
    for why in flags.plugins_brought.iter().filter_map(|dir| dir.failed.as_ref()) {
        warn(&format!("a plugin is skipped: {why}"));
    }
    Some(folder)
}
