//! A store in a folder of its own, and rows to put into it.

use std::path::PathBuf;

use sluice_store::{AskRow, DeviceRow, NewRecord, Options, PromptRow, Record, SessionRow, Store};
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
}

pub(crate) fn open() -> Fixture {
    open_with(Options::default())
}

pub(crate) fn open_with(options: Options) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(&folder.path().join("bridge.db"), options).unwrap();
    Fixture { folder, store }
}

impl Fixture {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("bridge.db")
    }

    /// Closed and opened again.
    pub(crate) async fn reopen(self) -> Self {
        self.store.close().await.unwrap();
        let (store, _) = Store::open(&self.path(), Options::default()).unwrap();
        Self {
            folder: self.folder,
            store,
        }
    }
}

/// A store with the session `s`.
pub(crate) async fn with_session() -> Fixture {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    fixture
}

pub(crate) fn session(id: &str) -> SessionRow {
    SessionRow {
        id: id.to_owned(),
        folder: "/work".to_owned(),
        agent: "{}".to_owned(),
        permission_mode: "default".to_owned(),
        started_at: 1,
        last_activity_at: 1,
        status: "idle".to_owned(),
        epoch: 1,
        extra: "{}".to_owned(),
        ..SessionRow::default()
    }
}

/// A shown record.
pub(crate) fn record(seq: i64) -> NewRecord {
    NewRecord {
        seq: Some(seq),
        at: seq * 10,
        kind: 1,
        turn: Some(1),
        body: format!("{{\"seq\":{seq}}}"),
        ..NewRecord::default()
    }
}

pub(crate) fn in_turn(seq: i64, turn: Option<i64>) -> NewRecord {
    NewRecord { turn, ..record(seq) }
}

pub(crate) fn internal(body: &str) -> NewRecord {
    NewRecord {
        seq: None,
        body: body.to_owned(),
        ..record(0)
    }
}

pub(crate) fn said(seq: i64, role: &str, text: &str) -> NewRecord {
    NewRecord {
        text: Some(text.to_owned()),
        role: Some(role.to_owned()),
        ..record(seq)
    }
}

pub(crate) fn seqs(records: &[Record]) -> Vec<i64> {
    records.iter().filter_map(|record| record.seq).collect()
}

pub(crate) fn prompt(uuid: &str, position: f64) -> PromptRow {
    PromptRow {
        uuid: uuid.to_owned(),
        session: "s".to_owned(),
        position,
        at: 1,
        by: "d".to_owned(),
        by_name: "phone".to_owned(),
        state: "queued".to_owned(),
        content: "[]".to_owned(),
        text: "do it".to_owned(),
        since: 1,
        turn: None,
        extra: "{}".to_owned(),
    }
}

pub(crate) fn ask(request_id: &str) -> AskRow {
    AskRow {
        session: "s".to_owned(),
        request_id: request_id.to_owned(),
        tool_use_id: Some(format!("tool-{request_id}")),
        kind: "permission".to_owned(),
        tool_name: "Bash".to_owned(),
        input: "{}".to_owned(),
        opened_at: 1,
        state: "pending".to_owned(),
        ..AskRow::default()
    }
}

pub(crate) fn device(id: &str) -> DeviceRow {
    DeviceRow {
        id: id.to_owned(),
        name: format!("the {id}"),
        kind: "cookie".to_owned(),
        token_hash: format!("hash of {id}"),
        scopes: "view".to_owned(),
        created_at: 1,
        last_seen_at: 1,
        ..DeviceRow::default()
    }
}
