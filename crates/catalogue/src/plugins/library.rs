//! The user's installed plugins: listing, adding from a folder or a zip archive, and removing.
//!
//! A plugin is staged first: it is copied below the configuration folder and read there, so that the user decides about
//! exactly the files that will be installed. The reference CLI uses the same list, `installed_plugins.json`. Whether a
//! plugin is enabled is a setting (`enabledPlugins`), which this module does not change.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use sluice_settings::{WriteError, edit, read_regular};

use super::archive::{ArchiveError, MAX_BYTES, MAX_FILES, unpack};
use super::contents::contents;
use super::installed::InstalledIndex;
use super::{PluginError, manifest};

/// The marketplace name of plugins that were installed from a folder or an archive.
pub const LOCAL: &str = "local";
/// Maximum size of an archive file, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 64 << 20;
/// Staged plugins older than this were left behind by a process that was killed.
const MAX_STAGED_AGE: Duration = Duration::from_hours(24);
const STAGED_PREFIX: &str = "staged-";
const LIST_FILE: &str = "installed_plugins.json";

/// Why a plugin cannot be installed or removed.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The path is neither a folder nor a zip archive.
    #[error("{} is neither a folder nor a .zip file", .0.display())]
    NoPlugin(PathBuf),
    /// The archive cannot be unpacked.
    #[error("{}: {}", .0.display(), .1)]
    Archive(PathBuf, ArchiveError),
    /// The plugin cannot be read.
    #[error("{}", .0.message)]
    Plugin(PluginError),
    /// There is no manifest, and the name of the folder or archive cannot be the name of a plugin.
    #[error("{0:?} cannot be the name of a plugin; add .claude-plugin/plugin.json with a `name`")]
    Name(String),
    /// A file is a link or a device.
    #[error("{} is a link or a device; a plugin can only contain files and folders", .0.display())]
    NoFile(PathBuf),
    /// The folder contains too many files, or they are too large.
    #[error("{} contains more than {MAX_FILES} files, or more than {} MiB", .0.display(), MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// The folder contains the configuration folder.
    #[error("{} contains the configuration folder; name the folder of the plugin itself", .0.display())]
    Outer(PathBuf),
    /// No such plugin is installed.
    #[error("{0} is not installed")]
    Unknown(String),
    /// The list of installed plugins cannot be changed.
    #[error(transparent)]
    List(WriteError),
    /// An I/O operation failed.
    #[error("{}: {}", .0.display(), .1)]
    Disk(PathBuf, io::Error),
}

/// An installed plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// `name@marketplace`.
    pub id: String,
    /// The version in the manifest.
    pub version: Option<String>,
    /// The parts of the plugin, one line for each kind; or the reason why the plugin cannot be read.
    pub contents: Result<Vec<String>, String>,
}

/// A copied plugin that is not installed yet. Dropping it removes the copy.
#[derive(Debug)]
pub struct StagedPlugin {
    /// `name@local`.
    pub id: String,
    /// The version in the manifest.
    pub version: Option<String>,
    /// The parts of the plugin, one line for each kind.
    pub contents: Vec<String>,
    /// Whether a plugin with this id is already installed and will be replaced.
    pub replaces: bool,
    name: String,
    root: PathBuf,
    folder: PathBuf,
}

impl Drop for StagedPlugin {
    fn drop(&mut self) {
        // If this fails, the copy is removed when another plugin is staged later.
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// The plugins below a configuration folder.
#[derive(Debug, Clone)]
pub struct Library {
    folder: PathBuf,
}

impl Library {
    /// Creates the library of a configuration folder.
    #[must_use]
    pub fn new(config_dir: &Path) -> Self {
        Self {
            folder: config_dir.join("plugins"),
        }
    }

    /// Returns all installed plugins, sorted by id.
    #[must_use]
    pub fn list(&self) -> Vec<InstalledPlugin> {
        let index = InstalledIndex::read(&self.folder);
        let mut all: Vec<InstalledPlugin> = index.ids().map(|id| describe(&index, id)).collect();
        all.sort_by(|one, other| one.id.cmp(&other.id));
        all
    }

    /// Copies a plugin from a folder or a zip archive, and reads the copy.
    ///
    /// # Errors
    /// If there is no plugin, or it contains links or too many files, or its name is not valid.
    pub fn stage(&self, source: &Path) -> Result<StagedPlugin, LibraryError> {
        self.remove_old_copies();
        let folder = self.new_folder()?;
        // From here on the copy is removed on every return.
        let mut staged = StagedPlugin {
            id: String::new(),
            version: None,
            contents: Vec::new(),
            replaces: false,
            name: String::new(),
            root: folder.clone(),
            folder,
        };
        staged.root = match fs::metadata(source) {
            Ok(metadata) if metadata.is_dir() => {
                copy(source, &staged.folder)?;
                staged.folder.clone()
            }
            Ok(_)
                if source
                    .extension()
                    .is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) =>
            {
                let bytes = read_regular(source, MAX_ARCHIVE_BYTES);
                let bytes = bytes.map_err(|error| LibraryError::Disk(source.to_owned(), error))?;
                unpack(&bytes, &staged.folder).map_err(|error| LibraryError::Archive(source.to_owned(), error))?
            }
            _ => return Err(LibraryError::NoPlugin(source.to_owned())),
        };
        let name = fallback_name(source);
        let (plugin, errors) = manifest::read(&staged.root, &name, LOCAL).map_err(LibraryError::Plugin)?;
        if let Some(error) = errors.into_iter().next() {
            return Err(LibraryError::Plugin(error));
        }
        if !manifest::is_name(&plugin.name) {
            return Err(LibraryError::Name(plugin.name));
        }
        staged.contents = contents(&plugin);
        staged.replaces = InstalledIndex::read(&self.folder).ids().any(|id| *id == plugin.source);
        (staged.id, staged.version, staged.name) = (plugin.source, plugin.version, plugin.name);
        Ok(staged)
    }

    /// Installs a staged plugin and replaces an older version. `now` is the current time in ISO 8601 format.
    ///
    /// # Errors
    /// If the files or the list cannot be written.
    pub fn install(&self, staged: &StagedPlugin, now: &str) -> Result<String, LibraryError> {
        let version = staged.version.as_deref().filter(|version| is_plain(version));
        let version = version.unwrap_or("unknown").to_owned();
        let place = self.folder.join("cache").join(LOCAL).join(&staged.name);
        create(&place)?;
        let place = place.join(&version);
        match fs::remove_dir_all(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(LibraryError::Disk(place, error)),
            _ => {}
        }
        fs::rename(&staged.root, &place).map_err(|error| LibraryError::Disk(place.clone(), error))?;
        let entry = json!([{
            "scope": "user",
            "installPath": place.to_string_lossy(),
            "version": version,
            "installedAt": now,
            "lastUpdated": now,
        }]);
        self.change_list(|plugins| {
            plugins.insert(staged.id.clone(), entry.clone());
        })?;
        Ok(staged.id.clone())
    }

    /// Removes an installed plugin from the list. Its files are deleted if they are in the cache of the library.
    ///
    /// # Errors
    /// If no plugin with this id is installed, or the files or the list cannot be changed.
    pub fn remove(&self, id: &str) -> Result<(), LibraryError> {
        let index = InstalledIndex::read(&self.folder);
        let place = index
            .installed(id)
            .ok_or_else(|| LibraryError::Unknown(id.to_owned()))?;
        self.change_list(|plugins| {
            plugins.shift_remove(id);
        })?;
        let cache = self.folder.join("cache").canonicalize();
        let place = place.and_then(|place| place.canonicalize().ok());
        if let (Ok(cache), Some(place)) = (cache, place)
            && place != cache
            && place.starts_with(&cache)
        {
            fs::remove_dir_all(&place).map_err(|error| LibraryError::Disk(place, error))?;
        }
        Ok(())
    }

    fn change_list(&self, change: impl Fn(&mut Map<String, Value>)) -> Result<(), LibraryError> {
        create(&self.folder)?;
        let file = self.folder.join(LIST_FILE);
        let wrong = || WriteError::Shape {
            path: file.clone(),
            key: "plugins".to_owned(),
        };
        let changed = edit(&file, &mut |document| {
            document.entry("version").or_insert(json!(2));
            let plugins = document.entry("plugins").or_insert_with(|| json!({}));
            change(plugins.as_object_mut().ok_or_else(wrong)?);
            Ok(())
        });
        changed.map_err(LibraryError::List)
    }

    /// Creates a folder for a copy. Names that another process uses are skipped.
    fn new_folder(&self) -> Result<PathBuf, LibraryError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        create(&self.folder)?;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let folder = self.folder.join(format!("{STAGED_PREFIX}{number}"));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(LibraryError::Disk(folder, error)),
            }
        }
    }

    fn remove_old_copies(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_copy = entry.file_name().to_string_lossy().starts_with(STAGED_PREFIX);
            let changed = entry.metadata().and_then(|metadata| metadata.modified());
            let age = changed.map(|changed| SystemTime::now().duration_since(changed).unwrap_or_default());
            if is_copy && age.is_ok_and(|age| age > MAX_STAGED_AGE) {
                fs::remove_dir_all(entry.path()).ok();
            }
        }
    }
}

fn describe(index: &InstalledIndex, id: &str) -> InstalledPlugin {
    let (name, marketplace) = id.rsplit_once('@').unwrap_or((id, ""));
    let read = index
        .find(name, marketplace)
        .and_then(|root| manifest::read(&root, name, marketplace));
    match read {
        Ok((plugin, _)) => InstalledPlugin {
            id: id.to_owned(),
            contents: Ok(contents(&plugin)),
            version: plugin.version,
        },
        Err(error) => InstalledPlugin {
            id: id.to_owned(),
            version: None,
            contents: Err(error.message),
        },
    }
}

/// Returns the name for a plugin without a manifest: the name of its folder or archive.
fn fallback_name(source: &Path) -> String {
    let resolved = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let name = match resolved.is_dir() {
        true => resolved.file_name(),
        false => resolved.file_stem(),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a version can be the name of a folder.
fn is_plain(version: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_' | '+');
    !version.is_empty() && version.len() <= 64 && !version.starts_with('.') && version.chars().all(plain)
}

fn create(folder: &Path) -> Result<(), LibraryError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| LibraryError::Disk(folder.to_owned(), error))
}

/// Copies a folder without its git data. Links and devices are rejected, and the number and size of files are limited.
fn copy(source: &Path, into: &Path) -> Result<(), LibraryError> {
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |error| LibraryError::Disk(path, error)
    };
    let source = source.canonicalize().map_err(disk(source))?;
    if into.canonicalize().map_err(disk(into))?.starts_with(&source) {
        return Err(LibraryError::Outer(source));
    }
    let (mut files, mut left) = (0, MAX_BYTES);
    let mut folders = vec![(source.clone(), into.to_owned())];
    while let Some((from, to)) = folders.pop() {
        for entry in fs::read_dir(&from).map_err(disk(&from))? {
            let entry = entry.map_err(disk(&from))?;
            let (path, target) = (entry.path(), to.join(entry.file_name()));
            let kind = entry.file_type().map_err(disk(&path))?;
            files += 1;
            if files > MAX_FILES {
                return Err(LibraryError::TooLarge(source));
            }
            if kind.is_dir() {
                if entry.file_name() != ".git" {
                    create(&target)?;
                    folders.push((path, target));
                }
            } else if kind.is_file() {
                let bytes = match read_regular(&path, left) {
                    Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                        return Err(LibraryError::TooLarge(source));
                    }
                    bytes => bytes.map_err(disk(&path))?,
                };
                left = left.saturating_sub(bytes.len() as u64);
                let runs = entry.metadata().is_ok_and(|it| it.permissions().mode() & 0o100 != 0);
                fs::write(&target, bytes).map_err(disk(&target))?;
                let mode = fs::Permissions::from_mode(if runs { 0o700 } else { 0o600 });
                fs::set_permissions(&target, mode).map_err(disk(&target))?;
            } else if entry.file_name() != ".git" {
                return Err(LibraryError::NoFile(path));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod tests;
