//! Folder trust for clients of the bridge: what a folder would bring into effect, and trusting it.

use std::path::Path;

use sluice_bridge::TrustStore;
use sluice_bridge::api::{FolderTrust, HeldBack};
use sluice_engine::mcp::scopes::PROJECT_FILE;
use sluice_engine::settings::{Layer, trust};

use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::Place;
use crate::mcp_list::reach;
use crate::trusting;

/// Maximum number of characters shown of a file.
const MAX_TEXT: usize = 16 * 1024;

/// Trust list in the files of the user who runs the bridge.
#[derive(Debug)]
pub(crate) struct Trust {
    environment: Environment,
}

impl Trust {
    pub(crate) fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
        }
    }

    fn place(&self, folder: &Path) -> Place {
        trusting::place_of(&Flags::default(), &self.environment, folder)
    }
}

impl TrustStore for Trust {
    fn look(&self, folder: &Path) -> FolderTrust {
        let place = self.place(folder);
        let held = trusting::held_back(&Flags::default(), &place)
            .into_iter()
            .map(|held| HeldBack {
                text: content(&place, &held.file),
                file: held.file.to_string_lossy().into_owned(),
                what: held.what,
            });
        FolderTrust {
            folder: trust::key(folder).to_string_lossy().into_owned(),
            trusted: place.settings.trusted(),
            held_back: held.collect(),
        }
    }

    fn trust(&self, folder: &Path) -> Result<(), String> {
        let trusted = trusting::trust(&Flags::default(), &self.place(folder));
        trusted.map(drop).map_err(|error| error.to_string())
    }
}

/// Returns the settings of a file or the commands of its MCP servers; `None` for files with instructions for the model.
fn content(place: &Place, file: &Path) -> Option<String> {
    let text = if file == Path::new(PROJECT_FILE) {
        let servers = trusting::waiting_servers(&Flags::default(), place).into_iter();
        let lines = servers.map(|named| {
            format!(
                "{}: {}",
                named.name,
                named.config.as_ref().map(reach).unwrap_or_default()
            )
        });
        lines.collect::<Vec<String>>().join("\n")
    } else {
        let path = place.settings.places().cwd.join(file);
        let same = |layer: &&Layer| layer.path.as_ref() == Some(&path);
        let layer = place.settings.layers().iter().find(same)?;
        serde_json::to_string_pretty(&layer.value).ok()?
    };
    Some(text.chars().take(MAX_TEXT).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    fn trust_in(home: &Path) -> Trust {
        let mut environment = Environment::read();
        environment.home = home.to_owned();
        environment.config_dir = home.join(".claude");
        environment.global_config = home.join(".claude.json");
        Trust::new(&environment)
    }

    #[test]
    fn folder_that_brings_nothing_has_nothing_to_trust() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("plain");
        fs::create_dir_all(folder.join(".claude")).unwrap();
        fs::write(
            folder.join(".claude/settings.json"),
            r#"{"permissions": {"deny": ["Read"]}}"#,
        )
        .unwrap();
        let looked = trust_in(home.path()).look(&folder);
        assert_eq!((looked.trusted, looked.held_back), (false, Vec::new()));
    }

    #[test]
    fn trusting_a_folder_lists_what_it_brings_first_and_nothing_after() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project");
        fs::create_dir_all(folder.join(".claude")).unwrap();
        let settings = r#"{"env": {"A": "1"}, "permissions": {"allow": ["Bash(ls)"]}}"#;
        fs::write(folder.join(".claude/settings.json"), settings).unwrap();
        let servers = r#"{"mcpServers": {"tracker": {"command": "npx", "args": ["tracker-mcp"]}}}"#;
        fs::write(folder.join(".mcp.json"), servers).unwrap();
        let trust = trust_in(home.path());
        let before = trust.look(&folder);
        let held = |file: &str| before.held_back.iter().find(|held| held.file == file).unwrap();
        let listed = held(".claude/settings.json");
        assert_eq!(listed.what, ["env (A)", "permissions.allow (1)"]);
        assert!(listed.text.as_ref().unwrap().contains("Bash(ls)"));
        assert_eq!(held(".mcp.json").text.as_deref(), Some("tracker: npx tracker-mcp"));
        assert!(!before.trusted);

        trust.trust(&folder).unwrap();
        let after = trust.look(&folder);
        assert_eq!((after.trusted, after.held_back), (true, Vec::new()));
        let place = trust.place(&folder);
        let waiting = trusting::waiting_servers(&Flags::default(), &place);
        assert!(waiting.is_empty(), "its servers are approved");
    }
}
