//! Queries: commands that change nothing, so their receipts are not kept.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::Value;
use sluice_host::wire::control::FileSuggestions;
use sluice_store::{SearchFilter, UsageBy, UsageFilter};

use super::Connection;
use crate::api::{
    Audit, AuditEntry, BridgeStatus, ClientMessage, Code, Device, DeviceKind, Devices, DriftLine, DriftLines, Exported,
    FoundItem, PathInfo, Problem, RawLines, SearchHit, SearchHits, Sessions, TimelineData, UsageInfo, UsageTable,
};
use sluice_host::items::ItemBody;

use crate::look;
use crate::session::{Command, TURNS, now};
use crate::trust;

/// How long an agent may take to say what its servers have to read.
const RESOURCES: Duration = Duration::from_millis(500);
/// How many slices a time line has.
const SLICES: usize = 240;

pub(super) fn data<T: serde::Serialize>(value: T) -> Result<Value, Problem> {
    serde_json::to_value(value).map_err(Problem::internal)
}

impl Connection {
    pub(super) async fn look(&self, message: ClientMessage) -> Result<Value, Problem> {
        use ClientMessage as M;
        match message {
            M::ItemsBefore {
                session_id,
                before,
                turns,
            } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                let turns = turns.map_or(TURNS, |turns| turns.clamp(1, 200) as usize);
                let page = self.hub.ask(&id, |reply| Command::ItemsBefore { before, turns, reply });
                data(page.await?)
            }
            M::ItemRaw { session_id, item } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                let lines = self.hub.ask(&id, |reply| Command::RawLines { item, reply }).await?;
                data(RawLines { lines })
            }
            M::FindItem { session_id, record } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                let item = self.hub.ask(&id, |reply| Command::FindItem { record, reply }).await?;
                data(FoundItem { item })
            }
            M::ListRecentSessions {
                limit,
                project_path,
                archived,
            } => {
                let sessions = self.hub.sessions().into_iter();
                let here = sessions
                    .filter(|info| project_path.as_ref().is_none_or(|folder| info.project_path == *folder))
                    .filter(|info| archived.is_none_or(|archived| info.archived == archived));
                let sessions = here.take(limit.unwrap_or(500) as usize).collect();
                data(Sessions { sessions })
            }
            M::Export { session_id, format } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                if !matches!(format.as_str(), "md" | "html" | "jsonl") {
                    return Err(Problem::new(Code::Field, "format is md, html or jsonl"));
                }
                data(Exported {
                    url: format!("/api/sessions/{id}/export.{format}"),
                })
            }
            M::Files {
                session_id,
                folder,
                query,
                limit,
            } => self.files(session_id, folder, query, limit).await,
            M::Folders { prefix } => self.folders(prefix).await,
            M::FolderTrust { path } => self.folder_trust(&path, false).await,
            M::Search {
                text,
                session_id,
                limit,
            } => self.search(&text, session_id, limit).await,
            M::Usage {
                by,
                split,
                session_id,
                from,
                to,
            } => self.usage(&by, split.as_deref(), session_id, from, to).await,
            M::Highlight { lang, text } => {
                let lines = self.hub.shared.renderings.highlight(lang, text).await?;
                data(&*lines)
            }
            M::Diff {
                session_id,
                tool_use_id,
                input,
            } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                data(look::changes::of_call(&self.hub, &id, &tool_use_id, input).await?)
            }
            M::Changes { session_id, turn } => {
                let id = self.hub.known(&session_id, &self.person.by).await?;
                data(look::changes::of_session(&self.hub, &id, turn).await?)
            }
            M::WorkingTree { session_id } => self.working_tree(&session_id).await,
            M::Folder { session_id, path } => self.folder_entries(&session_id, &path).await,
            M::File { session_id, path } => self.file_text(&session_id, path).await,
            M::Templates {} => self.templates().await,
            M::Drift { session_id } => self.drift(&session_id).await,
            M::Timeline { session_id } => self.timeline(&session_id).await,
            M::Devices {} => {
                let devices = self.hub.shared.store.devices().await?;
                let devices = devices.iter().filter(|row| row.revoked_at.is_none());
                data(Devices {
                    devices: devices.map(|row| self.device_of(row)).collect(),
                })
            }
            M::Audit { before } => {
                let rows = self.hub.shared.store.audit_page(before, 100).await?;
                let entries = rows.into_iter().map(|row| AuditEntry {
                    at: row.at,
                    device: row.device.unwrap_or_default(),
                    name: row.device_name.unwrap_or_default(),
                    action: row.action,
                    session_id: row.session,
                    detail: row.detail,
                });
                data(Audit {
                    entries: entries.collect(),
                })
            }
            M::Check { what, value } => data(look::check::check(&self.hub, &what, value.as_deref()).await?),
            M::Status {} => data(self.status().await?),
            other => Err(Problem::new(Code::Type, format!("`{other:?}` is not a query"))),
        }
    }

    async fn files(
        &self,
        session: Option<String>,
        folder: Option<String>,
        query: String,
        limit: Option<u32>,
    ) -> Result<Value, Problem> {
        let limit = limit.unwrap_or(30).clamp(1, 200) as usize;
        if let Some(folder) = folder {
            let folder = self.hub.shared.roots.resolve(&folder)?;
            return data(self.hub.shared.files.search(folder, query, limit).await?);
        }
        let id = self.session(session.as_deref()).await?;
        let row = self.hub.row(&id).await?;
        let folder = self.hub.shared.roots.resolve(&row.folder)?;
        let (files, resources) = tokio::join!(
            self.hub.shared.files.search(folder, query.clone(), limit),
            self.resources(&id, &query)
        );
        let mut found = files?;
        found.paths.extend(resources);
        data(found)
    }

    /// What the servers of the session's agent have to read. Only the agent knows, and nobody waits long for it.
    async fn resources(&self, session: &str, query: &str) -> Vec<PathInfo> {
        let has_servers = self
            .hub
            .look(session, |state, _| {
                state
                    .session()
                    .servers
                    .iter()
                    .any(|server| &*server.status == "connected")
            })
            .await;
        if !matches!(has_servers, Ok(true)) {
            return Vec::new();
        }
        let request = FileSuggestions {
            query: query.to_owned(),
            ..FileSuggestions::default()
        };
        let asked = self.hub.ask(session, |reply| Command::Request {
            request: Box::new(request.clone().into()),
            reply,
        });
        match tokio::time::timeout(RESOURCES, asked).await {
            Ok(Ok(answer)) => look::files::resources(&answer),
            _ => Vec::new(),
        }
    }

    async fn folders(&self, prefix: Option<String>) -> Result<Value, Problem> {
        let recent = self.hub.shared.store.folders(20).await?;
        let roots = self.hub.shared.roots.clone();
        let found = tokio::task::spawn_blocking(move || look::folders::complete(&roots, prefix.as_deref(), &recent));
        data(found.await.map_err(Problem::internal)?)
    }

    /// What a folder brings; with `accept` it is trusted first.
    pub(super) async fn folder_trust(&self, path: &str, accept: bool) -> Result<Value, Problem> {
        let folder = self.hub.shared.roots.resolve(path)?;
        let answer = trust::run(self.hub.shared.agents.trust.as_ref(), &folder, accept).await?;
        if accept {
            self.hub.audit(&self.person.by, "trust", None, &answer.folder).await;
        }
        data(answer)
    }

    async fn search(&self, text: &str, session: Option<String>, limit: Option<u32>) -> Result<Value, Problem> {
        let filter = SearchFilter {
            session,
            limit: Some(limit.unwrap_or(50).clamp(1, 200) as usize),
            ..SearchFilter::default()
        };
        let hits = self.hub.shared.store.search(text, filter).await?;
        let hits = hits.into_iter().map(|hit| {
            let info = self.hub.shared.list.get(&hit.session);
            SearchHit {
                title: info.as_ref().and_then(|info| info.title.clone()),
                project_path: info.map(|info| info.project_path).unwrap_or_default(),
                record: hit.seq,
                at: hit.at,
                role: hit.role.unwrap_or_default(),
                snippet: hit.snippet.split(['\u{2}', '\u{3}']).map(str::to_owned).collect(),
                session_id: hit.session,
            }
        });
        data(SearchHits { hits: hits.collect() })
    }

    async fn usage(
        &self,
        by: &str,
        split: Option<&str>,
        session: Option<String>,
        from: Option<i64>,
        to: Option<i64>,
    ) -> Result<Value, Problem> {
        let of = match by {
            "day" => UsageBy::Day,
            "folder" => UsageBy::Folder,
            "model" => UsageBy::Model,
            "session" => UsageBy::Session,
            "turn" => UsageBy::Turn,
            _ => return Err(Problem::new(Code::Field, "by is turn, session, day, folder or model")),
        };
        let split = match split {
            None => false,
            Some("model") => true,
            Some(_) => return Err(Problem::new(Code::Field, "split is model, or is left out")),
        };
        let filter = UsageFilter {
            split,
            from: from.map(crate::day::local),
            to: to.map(crate::day::local),
            session,
        };
        let rows = self.hub.shared.store.usage(of, filter).await?;
        let lasted = self.durations(of, &rows).await?;
        let rows = rows.into_iter().map(|row| UsageInfo {
            duration: lasted.get(&row.key).copied().unwrap_or(0),
            label: match of {
                UsageBy::Session => self.hub.shared.list.get(&row.key).and_then(|info| info.title),
                _ => None,
            },
            key: row.key,
            model: row.model.filter(|_| split).filter(|model| !model.is_empty()),
            cost: row.cost,
            turns: row.turns,
            input: row.input_tokens,
            output: row.output_tokens,
            cache_read: row.cache_read,
            cache_write: row.cache_write,
        });
        data(UsageTable { rows: rows.collect() })
    }

    /// How long turns took, by their key; sums have no duration of their own.
    async fn durations(&self, of: UsageBy, rows: &[sluice_store::UsageRow]) -> Result<HashMap<String, u64>, Problem> {
        let mut lasted = HashMap::new();
        if of != UsageBy::Turn {
            return Ok(lasted);
        }
        let sessions: HashSet<&str> = rows.iter().filter_map(|row| row.key.split('#').next()).collect();
        for session in sessions {
            for turn in self.hub.shared.store.turns(session).await? {
                let took = turn.ended.map_or(0, |ended| ended - turn.began);
                lasted.insert(format!("{session}#{}", turn.turn), u64::try_from(took).unwrap_or(0));
            }
        }
        Ok(lasted)
    }

    async fn drift(&self, session: &str) -> Result<Value, Problem> {
        let id = self.hub.known(session, &self.person.by).await?;
        let lines = self
            .hub
            .look(&id, |state, _| {
                let items: Vec<_> = state.items().collect();
                let unknown = items.into_iter().rev().filter_map(|item| match item.body {
                    ItemBody::Unknown { raw_type } => Some((item.id, item.at, raw_type)),
                    _ => None,
                });
                let lines = unknown.take(200).map(|(item, at, what)| DriftLine {
                    at: i64::try_from(at.0).unwrap_or(0),
                    item: Some(item),
                    what: what.unwrap_or_else(|| "not JSON".to_owned()),
                    raw: state.lines_of(item).first().copied().unwrap_or_default().to_owned(),
                });
                lines.collect::<Vec<_>>()
            })
            .await?;
        data(DriftLines { lines })
    }

    async fn timeline(&self, session: &str) -> Result<Value, Problem> {
        let id = self.hub.known(session, &self.person.by).await?;
        let (turns, breaks) = self
            .hub
            .look(&id, |state, _| {
                (look::timeline::turns(state), look::timeline::breaks(state))
            })
            .await?;
        let row = self.hub.row(&id).await?;
        let moments = look::timeline::moments(&self.hub, &id, row.epoch).await?;
        let from = moments.first().copied().unwrap_or(row.started_at);
        let to = moments.last().copied().unwrap_or(from).max(from + 1);
        let mut flow = vec![0_u32; SLICES];
        for at in moments {
            let slice = usize::try_from((at - from) * (SLICES as i64 - 1) / (to - from)).unwrap_or(0);
            if let Some(count) = flow.get_mut(slice) {
                *count += 1;
            }
        }
        data(TimelineData {
            turns,
            flow,
            breaks,
            from,
            to,
        })
    }

    async fn status(&self) -> Result<BridgeStatus, Problem> {
        let stats = self.hub.shared.store.stats().await?;
        let sessions = self.hub.sessions();
        let live = sessions.iter().filter(|info| info.is_active()).count();
        Ok(BridgeStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime: u64::try_from(now() - self.hub.shared.began).unwrap_or(0),
            sessions: u32::try_from(sessions.len()).unwrap_or(u32::MAX),
            live: u32::try_from(live).unwrap_or(u32::MAX),
            clients: u32::try_from(self.hub.shared.list.screens()).unwrap_or(u32::MAX),
            store_bytes: stats.database_bytes,
            addresses: self.hub.shared.doors.addresses(),
            state_folder: self.hub.shared.config.state.to_string_lossy().into_owned(),
            memory: look::memory::resident(),
        })
    }

    pub(super) async fn device(&self) -> Device {
        let row = self
            .hub
            .shared
            .store
            .device(&self.person.by.device)
            .await
            .ok()
            .flatten();
        match row {
            Some(row) => self.device_of(&row),
            None => Device {
                id: self.person.by.device.clone(),
                name: self.person.by.name.clone(),
                kind: DeviceKind::of(&self.person.kind),
                scope: self.person.scope,
                created_at: now(),
                last_seen_at: now(),
                online: true,
            },
        }
    }

    fn device_of(&self, row: &sluice_store::DeviceRow) -> Device {
        let scope = crate::api::Scope::ALL
            .into_iter()
            .find(|scope| scope.as_str() == row.scopes);
        Device {
            id: row.id.clone(),
            name: row.name.clone(),
            kind: DeviceKind::of(&row.kind),
            scope: scope.unwrap_or(crate::api::Scope::View),
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            online: self.hub.shared.list.is_online(&row.id),
        }
    }
}
