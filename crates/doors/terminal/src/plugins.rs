//! Installed plugins, as the terminal sees them. Files are read and written by the [`PluginStore`] that it is given.

use std::fmt;
use std::path::{Path, PathBuf};

/// The user's installed plugins. `cli` implements it.
pub trait PluginStore: fmt::Debug + Send + Sync {
    /// All installed plugins, by id.
    fn list(&self) -> Vec<PluginEntry>;

    /// Copies the plugin in a folder or a zip archive, without installing it. A plugin staged before is discarded.
    ///
    /// # Errors
    /// An error message for the user.
    fn stage(&self, source: &Path) -> Result<PluginOffer, String>;

    /// Installs the staged plugin, which must have this id.
    ///
    /// # Errors
    /// An error message for the user.
    fn install(&self, id: &str) -> Result<(), String>;

    /// Removes the staged plugin.
    fn discard(&self);

    /// Removes an installed plugin.
    ///
    /// # Errors
    /// An error message for the user.
    fn remove(&self, id: &str) -> Result<(), String>;
}

/// An installed plugin, or one that is enabled without being installed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginEntry {
    /// `name@marketplace`.
    pub id: String,
    /// Version from its manifest.
    pub version: Option<String>,
    /// The parts of the plugin, one line for each kind.
    pub contents: Vec<String>,
    /// The reason it cannot be loaded.
    pub problem: Option<String>,
    /// True if the settings enable it.
    pub enabled: bool,
}

/// A plugin that can be installed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginOffer {
    /// `name@marketplace`.
    pub id: String,
    /// Version from its manifest.
    pub version: Option<String>,
    /// The parts of the plugin, one line for each kind.
    pub contents: Vec<String>,
    /// True if it replaces an installed plugin.
    pub replaces: bool,
}

impl PluginOffer {
    /// Returns the text of the confirmation.
    pub(crate) fn question(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {version}"));
        let instead = if self.replaces {
            ", replacing the installed copy"
        } else {
            ""
        };
        format!("Install {}{}{instead}", self.id, version.unwrap_or_default())
    }

    /// Returns the contents shown with the confirmation.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.contents.is_empty() {
            return vec!["it contains nothing for sessions".to_owned()];
        }
        self.contents.clone()
    }
}

/// An action of `/plugin`. A name is an id, or the part of it before the `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginAct {
    /// Lists the plugins.
    List,
    /// Enables or disables a plugin.
    Switch { name: String, on: bool },
    /// Copies a plugin from a folder or a zip archive and shows what it contains.
    Stage(PathBuf),
    /// Installs and enables the plugin that was shown.
    Install(String),
    /// Removes the copy of the plugin that was shown.
    Discard,
    /// Asks whether to remove a plugin.
    AskRemoval(String),
    /// Removes a plugin.
    Remove(String),
}

impl PluginAct {
    /// Reads the argument of `/plugin`.
    ///
    /// # Errors
    /// An error message for the user that lists the valid arguments.
    pub(crate) fn parse(argument: &str, folder: &Path, home: &Path) -> Result<Self, String> {
        let (verb, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        let name = rest.trim();
        let named = |act: Self| match name {
            "" => Err(format!("missing name: /plugin {verb} review-tools")),
            _ => Ok(act),
        };
        match verb {
            "" | "list" => Ok(Self::List),
            "enable" | "disable" => named(Self::Switch {
                name: name.to_owned(),
                on: verb == "enable",
            }),
            "remove" | "uninstall" => named(Self::AskRemoval(name.to_owned())),
            "install" if name.is_empty() => {
                Err("missing folder or zip file: /plugin install ../review-tools".to_owned())
            }
            "install" => Ok(Self::Stage(path(name, folder, home))),
            _ => Err(format!(
                "/plugin {verb} is unknown; use list, enable, disable, install or remove"
            )),
        }
    }
}

/// Resolves a typed path: `~` is the home folder; relative paths start at the folder of the session.
pub(crate) fn path(typed: &str, folder: &Path, home: &Path) -> PathBuf {
    match typed.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => folder.join(typed),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn argument_of_the_command_is_parsed() {
        let parse = |argument| PluginAct::parse(argument, Path::new("/folder"), Path::new("/home/ann"));
        assert_eq!(parse(""), Ok(PluginAct::List));
        let switched = |name: &str, on| PluginAct::Switch {
            name: name.to_owned(),
            on,
        };
        assert_eq!(parse("enable a@b"), Ok(switched("a@b", true)));
        assert_eq!(parse("disable  a"), Ok(switched("a", false)));
        assert_eq!(parse("install ~/p.zip"), Ok(PluginAct::Stage("/home/ann/p.zip".into())));
        assert_eq!(parse("install my plug"), Ok(PluginAct::Stage("/folder/my plug".into())));
        assert_eq!(parse("remove a"), Ok(PluginAct::AskRemoval("a".to_owned())));
        for wrong in ["enable", "install", "remove ", "frobnicate x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
