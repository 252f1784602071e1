//! Files of a stored session, laid out for an agent that resumes it.

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

/// A configuration folder made for one agent. It is removed with this.
#[derive(Debug)]
pub(crate) struct Layout(PathBuf);

impl Drop for Layout {
    fn drop(&mut self) {
        // Nobody is left who could be told; it lies where such things are swept away.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Lays out the session the options name, if it is in their store, and lets them name the folder.
/// A session that is not there is left to the agent, which may have kept it itself.
pub(crate) async fn lay_out(options: &mut Options) -> Result<Option<Layout>, Error> {
    let Some(store) = options.session_store.clone() else {
        return Ok(None);
    };
    let wanted = options.resume.is_some() || options.continue_conversation;
    if wanted && options.enable_file_checkpointing {
        let text = "a session of a store has no copies of files: it is gone on with without file checkpointing";
        return Err(Error::new(ErrorKind::Options, text));
    }
    let project = project_key(options.cwd.as_deref())?;
    let failed = |error: StoreError| Error::new(ErrorKind::Session, format!("the session store: {error}"));
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
    let within = options.scratch_dir.clone().unwrap_or_else(|| PathBuf::from("/tmp"));
    let config = options.config_dir.clone();
    let laid = tokio::task::spawn_blocking(move || write(&within, config.as_deref(), &transcripts));
    let laid = laid.await.map_err(|error| failed(error.into()))?.map_err(failed)?;
    options.resume = Some(key.session_id);
    options.continue_conversation = false;
    options
        .env
        .insert("CLAUDE_CONFIG_DIR".into(), Some(laid.0.clone().into()));
    Ok(Some(laid))
}

async fn newest(store: &dyn SessionStore, project: &str) -> Result<Option<String>, StoreError> {
    let Some(sessions) = store.list_sessions(project).await? else {
        return Err("this store cannot list its sessions; name the one to go on with".into());
    };
    let newest = sessions.into_iter().max_by_key(|session| session.last_modified);
    Ok(newest.map(|session| session.session_id))
}

fn write(within: &Path, config: Option<&Path>, transcripts: &[(SessionKey, Vec<Raw>)]) -> Result<Layout, StoreError> {
    let root = within.join(format!("sluice-session-{}", uuid::Uuid::new_v4()));
    // For nobody else: there is what was said, and what signs in.
    DirBuilder::new().mode(0o700).create(&root)?;
    let laid = Layout(root);
    for (key, entries) in transcripts {
        let mut path = laid.0.join("projects").join(plain(&key.project_key)?);
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
        let (lines, about) = split(entries);
        private(&path, &lines)?;
        if let Some(about) = about {
            private(&path.with_extension("meta.json"), &about)?;
        }
    }
    if let Some(config) = config {
        copy(config, &laid.0)?;
    }
    Ok(laid)
}

/// The lines of a transcript, each once, and what is kept beside that of a subagent.
fn split(entries: &[Raw]) -> (String, Option<String>) {
    let (mut lines, mut about) = (String::new(), None);
    let mut seen = HashSet::new();
    for entry in entries {
        let fields: Map<String, Value> = entry.parse().unwrap_or_default();
        if fields.get("type").and_then(Value::as_str) == Some("agent_metadata") {
            // The last one counts: it knows how it ended.
            let mut fields = fields;
            fields.shift_remove("type");
            about = Some(Value::Object(fields).to_string());
            continue;
        }
        let uuid = fields.get("uuid").and_then(Value::as_str);
        if uuid.is_none_or(|uuid| seen.insert(uuid.to_owned())) {
            lines.push_str(entry.get());
            lines.push('\n');
        }
    }
    (lines, about)
}

/// What is left out of a file.
type Change = fn(&mut Map<String, Value>);

/// What an agent needs of the person's own configuration to be who it is, without what would act twice.
fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let files: [(&str, Change); 4] = [
        (".credentials.json", |file| {
            // Whoever refreshes it last would lock the other out.
            if let Some(Value::Object(login)) = file.get_mut("claudeAiOauth") {
                login.shift_remove("refreshToken");
            }
        }),
        (".claude.json", |_| {}),
        ("settings.json", plain_settings),
        ("cowork_settings.json", plain_settings),
    ];
    for (name, change) in files {
        let text = match fs::read_to_string(from.join(name)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        // One that cannot be read says nothing to the agent either.
        if let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(&text) {
            change(&mut object);
            private(&to.join(name), &Value::Object(object).to_string())?;
        }
    }
    Ok(())
}

fn plain_settings(settings: &mut Map<String, Value>) {
    settings.shift_remove("enabledPlugins");
    settings.shift_remove("extraKnownMarketplaces");
    if let Some(Value::Object(env)) = settings.get_mut("env") {
        env.shift_remove("CLAUDE_CONFIG_DIR");
    }
}

fn private(path: &Path, text: &str) -> io::Result<()> {
    sluice_transcript::private::create(path)?.write_all(text.as_bytes())
}
