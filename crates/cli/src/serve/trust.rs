//! Folder trust for clients of the bridge: what a folder would bring into effect, and trusting it.

use std::path::Path;

use sluice_bridge::TrustStore;
use sluice_bridge::api::{FolderTrust, HeldBack};
use sluice_engine::mcp::scopes::PROJECT_FILE;
use sluice_engine::settings::{Layer, Settings, trust};

use crate::approval::{self, Waiting};
use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::Place;
use crate::trusting;

/// The maximum number of characters of a file's content that are shown.
const MAX_TEXT: usize = 16 * 1024;

/// The trust list in the files of the person who started the bridge.
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
    fn look(&self, folder: &Path) -> Result<FolderTrust, String> {
        let place = self.place(folder);
        let servers = approval::waiting(&place, &Flags::default());
        let held = trusting::held_back(&Flags::default(), &place);
        Ok(FolderTrust {
            folder: trust::key(folder).to_string_lossy().into_owned(),
            trusted: place.settings.trusted(),
            held_back: held
                .into_iter()
                .map(|held| HeldBack {
                    text: content(&place.settings, &servers, &held.file),
                    file: held.file.to_string_lossy().into_owned(),
                    what: held.what,
                })
                .collect(),
        })
    }

    fn trust(&self, folder: &Path) -> Result<(), String> {
        // As in the terminal: a person who trusts the folder has seen the MCP servers in the same list.
        let trusted = trusting::trust(&Flags::default(), &self.place(folder));
        trusted.map(drop).map_err(|error| error.to_string())
    }
}

/// The settings of a file, or what its MCP servers run; none for files with text for the model.
fn content(settings: &Settings, servers: &[Waiting], file: &Path) -> Option<String> {
    let text = if file == Path::new(PROJECT_FILE) {
        let lines: Vec<String> = servers.iter().map(|(name, reach)| format!("{name}: {reach}")).collect();
        lines.join("\n")
    } else {
        let path = settings.places().cwd.join(file);
        let same = |layer: &&Layer| layer.path.as_ref() == Some(&path);
        let layer = settings.layers().iter().find(same)?;
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
        let looked = trust_in(home.path()).look(&folder).unwrap();
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
        let before = trust.look(&folder).unwrap();
        let held = |file: &str| before.held_back.iter().find(|held| held.file == file).unwrap();
        let listed = held(".claude/settings.json");
        assert_eq!(listed.what, ["env (A)", "permissions.allow (1)"]);
        assert!(listed.text.as_ref().unwrap().contains("Bash(ls)"));
        assert_eq!(held(".mcp.json").text.as_deref(), Some("tracker: npx tracker-mcp"));
        assert!(!before.trusted);

        trust.trust(&folder).unwrap();
        let after = trust.look(&folder).unwrap();
        assert_eq!((after.trusted, after.held_back), (true, Vec::new()));
        let place = trust.place(&folder);
        assert_eq!(
            approval::waiting(&place, &Flags::default()),
            [],
            "its servers are approved"
        );
    }
}
