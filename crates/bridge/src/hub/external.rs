//! Sessions of other programs: found on disk, listed, noticed as they appear.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecursiveMode, Watcher as _};
use sluice_host::sessions::{SessionInfo as OnDisk, Sessions};
use tokio::sync::mpsc;

use super::Hub;
use crate::api::{SessionInfo, SimpleStatus, Standing};

/// How long news are collected before they are looked at.
const COLLECTS: Duration = Duration::from_millis(200);
/// How many sessions of others are listed.
const LISTED: usize = 2000;

/// Where agents keep their sessions.
#[derive(Debug, Clone)]
pub(crate) struct External {
    root: PathBuf,
}

impl External {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::under(&self.root)
    }

    fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }
}

/// A session of another program, as it is listed.
pub(crate) fn listed(found: &OnDisk) -> SessionInfo {
    let at = i64::try_from(found.last_modified).unwrap_or(0);
    SessionInfo {
        session_id: found.session_id.clone(),
        project_path: found.cwd.clone().unwrap_or_default(),
        title: Some(found.summary.clone()),
        status: SimpleStatus::Idle,
        standing: Standing::External,
        about: found.entrypoint.clone(),
        since: at,
        last_sign: None,
        model: None,
        permission_mode: "default".to_owned(),
        started_at: found.created_at.and_then(|at| i64::try_from(at).ok()).unwrap_or(at),
        last_activity_at: at,
        pending_asks: 0,
        queue: 0,
        cost: 0.0,
        turns: 0,
        provider_session_id: Some(found.session_id.clone()),
        agent: String::new(),
        archived: found.archived,
        external: true,
        preview: found.first_prompt.clone(),
        activity: Vec::new(),
        revision: 0,
        finished_at: None,
        ask: None,
        // What git says where there is no branch.
        branch: found.git_branch.clone().filter(|branch| branch != "HEAD"),
        context: None,
    }
}

impl Hub {
    /// Lists what is there, then watches until the bridge ends.
    pub(crate) async fn watch_external(self) {
        let (news, mut changed) = mpsc::channel::<PathBuf>(1024);
        let _watcher = self.watcher(news);
        let all = {
            let sessions = self.shared.external.sessions();
            tokio::task::spawn_blocking(move || sessions.list(None)).await
        };
        match all {
            Ok(Ok(all)) => {
                for found in all.iter().take(LISTED) {
                    self.show_external(found).await;
                }
            }
            Ok(Err(error)) => tracing::warn!(%error, "sessions of other programs cannot be listed"),
            Err(error) => tracing::warn!(%error, "sessions of other programs cannot be listed"),
        }
        while let Some(first) = changed.recv().await {
            let mut files = HashSet::from([first]);
            // A file that is being written is told of many times.
            tokio::time::sleep(COLLECTS).await;
            while let Ok(more) = changed.try_recv() {
                files.insert(more);
            }
            for file in files {
                self.look_at(&file).await;
            }
        }
    }

    fn watcher(&self, news: mpsc::Sender<PathBuf>) -> Option<notify::RecommendedWatcher> {
        let projects = self.shared.external.projects();
        // Watched from its first session on.
        std::fs::create_dir_all(&projects).ok();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            for path in event.map(|event| event.paths).unwrap_or_default() {
                // When too much happens at once, what is left out is looked at when it changes again.
                if path.extension().is_some_and(|end| end == "jsonl") {
                    news.try_send(path).ok();
                }
            }
        });
        let mut watcher = watcher
            .inspect_err(|error| tracing::warn!(%error, "sessions of other programs are not watched"))
            .ok()?;
        if let Err(error) = watcher.watch(&projects, RecursiveMode::Recursive) {
            tracing::warn!(%error, "sessions of other programs are not watched");
        }
        Some(watcher)
    }

    async fn look_at(&self, file: &Path) {
        let Some(id) = file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else {
            return;
        };
        let sessions = self.shared.external.sessions();
        let of = id.clone();
        let found = tokio::task::spawn_blocking(move || sessions.info(&of, None)).await;
        match found {
            Ok(Ok(Some(found))) => self.show_external(&found).await,
            Ok(Ok(None)) if self.shared.list.get(&id).is_some_and(|info| info.external) => self.shared.list.remove(&id),
            _ => {}
        }
    }

    /// Lists it, unless it is one of ours.
    async fn show_external(&self, found: &OnDisk) {
        let ours = self.shared.store.session_by_provider(&found.session_id).await;
        if matches!(ours, Ok(None)) {
            let info = listed(found);
            if self.shared.list.get(&info.session_id).as_ref() != Some(&info) {
                self.shared.list.publish(info);
            }
        }
    }
}
