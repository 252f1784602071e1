//! Writes a stored session to files for an agent that resumes it.

use std::collections::HashSet;
use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_wire::Raw;

use super::folder::plain;
use super::{SessionKey, SessionStore, StoreError};
use crate::error::{Error, ErrorKind};
use crate::options::Options;
use crate::sessions::project_key;

/// A temporary configuration folder for one agent. It is removed on drop.
#[derive(Debug)]
pub(crate) struct Layout(PathBuf);

impl Drop for Layout {
    fn drop(&mut self) {
        // Errors cannot be reported here; the folder is in a location that is cleaned up regularly.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Writes the session to resume, if it is in the store, to a temporary folder, and sets this folder in the options. A
/// session that is not in the store is left to the agent, which may have saved it.
pub(crate) async fn write_session(options: &mut Options) -> Result<Option<Layout>, Error> {
    let Some(store) = options.session_store.clone() else {
        return Ok(None);
    };
    let wanted = options.resume.is_some() || options.continue_conversation;
    if wanted && options.enable_file_checkpointing {
        let text = "a session of a store has no file checkpoints; disable file checkpointing to resume it";
        return Err(Error::new(ErrorKind::Options, text));
    }
    let project = project_key(options.cwd.as_deref())?;
    let failed = |error: StoreError| Error::new(ErrorKind::Session, format!("session store: {error}"));
    let session = match &options.resume {
        Some(session) => Some(session.clone()),
        None if options.continue_conversation => newest(&*store, &project).await.map_err(failed)?,
        None => None,
    };
    let Some(session) = session else { return Ok(None) };
    let key = SessionKey::new(project, session);
    let Some(entries) = store.load(&key).await.map_err(failed)?.filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    let mut transcripts = vec![(key.clone(), entries)];
    for part in store.list_subkeys(&key).await.map_err(failed)? {
        let part = key.clone().part(part);
        if let Some(entries) = store.load(&part).await.map_err(failed)? {
            transcripts.push((part, entries));
        }
    }
    let parent = options.scratch_dir.clone().unwrap_or_else(|| PathBuf::from("/tmp"));
    let config = options.config_dir.clone();
    let layout = tokio::task::spawn_blocking(move || write(&parent, config.as_deref(), &transcripts));
    let layout = layout.await.map_err(|error| failed(error.into()))?.map_err(failed)?;
    options.resume = Some(key.session_id);
    options.continue_conversation = false;
    options
        .env
        .insert("CLAUDE_CONFIG_DIR".into(), Some(layout.0.clone().into()));
    Ok(Some(layout))
}

async fn newest(store: &dyn SessionStore, project: &str) -> Result<Option<String>, StoreError> {
    let Some(sessions) = store.list_sessions(project).await? else {
        return Err("this store cannot list its sessions; specify the session to resume".into());
    };
    let newest = sessions.into_iter().max_by_key(|session| session.last_modified);
    Ok(newest.map(|session| session.session_id))
}

fn write(parent: &Path, config: Option<&Path>, transcripts: &[(SessionKey, Vec<Raw>)]) -> Result<Layout, StoreError> {
    let root = parent.join(format!("sluice-session-{}", uuid::Uuid::new_v4()));
    // Only readable by the owner: it contains the conversation and credentials.
    DirBuilder::new().mode(0o700).create(&root)?;
    let layout = Layout(root);
    for (key, entries) in transcripts {
        let mut path = layout.0.join("projects").join(plain(&key.project_key)?);
        match &key.subpath {
            None => path.push(format!("{}.jsonl", plain(&key.session_id)?)),
            Some(part) => {
                path.push(plain(&key.session_id)?);
                for name in part.split('/') {
                    path.push(plain(name)?);
                }
                path.as_mut_os_string().push(".jsonl");
            }
        }
        let (lines, metadata) = split_metadata(entries);
        write_private(&path, &lines)?;
        if let Some(metadata) = metadata {
            write_private(&path.with_extension("meta.json"), &metadata)?;
        }
    }
    if let Some(config) = config {
        copy(config, &layout.0)?;
    }
    Ok(layout)
}

/// Returns the lines of a transcript without duplicates, and the metadata of a subagent.
fn split_metadata(entries: &[Raw]) -> (String, Option<String>) {
    let (mut lines, mut metadata) = (String::new(), None);
    let mut seen = HashSet::new();
    for entry in entries {
        let fields: Map<String, Value> = entry.parse().unwrap_or_default();
        if fields.get("type").and_then(Value::as_str) == Some("agent_metadata") {
            // The last metadata entry is the most complete.
            let mut fields = fields;
            fields.shift_remove("type");
            metadata = Some(Value::Object(fields).to_string());
            continue;
        }
        let uuid = fields.get("uuid").and_then(Value::as_str);
        if uuid.is_none_or(|uuid| seen.insert(uuid.to_owned())) {
            lines.push_str(entry.get());
            lines.push('\n');
        }
    }
    (lines, metadata)
}

/// Removes fields from a configuration file.
type Change = fn(&mut Map<String, Value>);

/// Copies the files of the person's configuration that the agent needs, without parts that must not exist twice.
fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let files: [(&str, Change); 4] = [
        (".credentials.json", |file| {
            // With a copied refresh token, a refresh by one program would sign out the other.
            if let Some(Value::Object(login)) = file.get_mut("claudeAiOauth") {
                login.shift_remove("refreshToken");
            }
        }),
        (".claude.json", |_| {}),
        ("settings.json", clean_settings),
        ("cowork_settings.json", clean_settings),
    ];
    for (name, change) in files {
        let text = match fs::read_to_string(from.join(name)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        // The agent ignores an invalid file too.
        if let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(&text) {
            change(&mut object);
            write_private(&to.join(name), &Value::Object(object).to_string())?;
        }
    }
    Ok(())
}

fn clean_settings(settings: &mut Map<String, Value>) {
    settings.shift_remove("enabledPlugins");
    settings.shift_remove("extraKnownMarketplaces");
    if let Some(Value::Object(env)) = settings.get_mut("env") {
        env.shift_remove("CLAUDE_CONFIG_DIR");
    }
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    sluice_transcript::private::create(path)?.write_all(text.as_bytes())
}
