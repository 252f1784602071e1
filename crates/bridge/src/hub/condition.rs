//! The condition of the bridge: storage failures, repaired damage, and the notices to clients about both.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sluice_store::{Lost, Store, StoreError};

use super::Hub;
use crate::api::{Code, ErrorMessage, Problem, ServerMessage};
use crate::session::now;

/// A damaged database that was repaired when the bridge started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvage {
    /// The damaged file.
    pub damaged: std::path::PathBuf,
    pub lost: Lost,
}

/// How long after a repair each device gets its notice once, in milliseconds.
const TELL_FOR: i64 = 7 * 24 * 3600 * 1000;
/// How long after a repair every connection gets its notice, in milliseconds: a device may have several clients.
const TELL_EVERYBODY_FOR: i64 = 10 * 60 * 1000;
/// Key of the last repair in the store.
const REPAIR: &str = "bridge.repair";
/// A disk with less free space counts as full, in bytes.
const MIN_FREE: u64 = 1024 * 1024;

/// The notice of a repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Repair {
    at: i64,
    text: String,
}

#[derive(Debug, Default)]
pub(crate) struct Condition {
    repair: Option<Repair>,
    /// Devices that got the notice of the repair.
    told: Mutex<HashSet<String>>,
    gaps: AtomicU64,
}

impl Condition {
    pub(super) async fn open(store: &Store, salvage: Option<&Salvage>) -> Result<Self, Problem> {
        let repair = match salvage {
            Some(salvage) => {
                let repair = Repair {
                    at: now(),
                    text: describe(salvage),
                };
                let text = serde_json::to_string(&repair).unwrap_or_default();
                store.meta_set(REPAIR, Some(&text)).await?;
                Some(repair)
            }
            None => {
                let text = store.meta_get(REPAIR).await?;
                let repair = text.and_then(|text| serde_json::from_str::<Repair>(&text).ok());
                repair.filter(|repair| now() - repair.at < TELL_FOR)
            }
        };
        Ok(Self {
            repair,
            ..Self::default()
        })
    }

    /// Counts a client whose cursor could not be continued.
    pub(crate) fn count_gap(&self) {
        self.gaps.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }

    /// The notice of a repair: for every connection at first, later once for each device.
    fn repair_for(&self, device: &str, at: i64) -> Option<Problem> {
        let repair = self.repair.as_ref()?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = told.insert(device.to_owned());
        (is_new || at - repair.at < TELL_EVERYBODY_FOR).then(|| Problem::new(Code::Storage, repair.text.clone()))
    }
}

/// Returns the notice of a repair: the tables and histories with lost rows.
fn describe(salvage: &Salvage) -> String {
    let words = |table: &&str| match *table {
        "sessions" | "provider_ids" => Some("entries of the session list (rebuilt from the logs of the agents)"),
        "records" | "segments" | "texts" => None,
        "receipts" => Some("receipts of commands"),
        "prompts" => Some("queued prompts"),
        "asks" => Some("answers to permission requests"),
        "devices" => Some("devices: pair them again"),
        "folders" => Some("recent folders"),
        "audit" => Some("entries of the audit log"),
        "turns" => Some("usage"),
        "blobs" | "blob_refs" => Some("large texts and images"),
        "push" => Some("push subscriptions"),
        _ => Some("settings of the bridge"),
    };
    let lost = &salvage.lost;
    let parts: BTreeSet<&str> = lost.tables.iter().filter_map(words).collect();
    let mut parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
    if !lost.histories.is_empty() {
        parts.push(format!(
            "the history of {} sessions (rebuilt from logs and transcripts, as far as they go back)",
            lost.histories.len()
        ));
    }
    let lost = match parts.is_empty() {
        true => "Nothing was lost".to_owned(),
        false => format!("Lost, in part: {}", parts.join("; ")),
    };
    format!(
        "The database of the bridge was damaged and has been repaired. {lost}. The damaged file is {}.",
        salvage.damaged.display()
    )
}

/// Free bytes on the disk of a folder, where that is known.
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

impl Hub {
    /// What prevents the bridge from storing what clients send.
    pub(crate) fn storage_problem(&self) -> Option<Problem> {
        let shared = &self.shared;
        let free = free_space(&shared.config.state);
        let full = free.is_some_and(|free| free < MIN_FREE);
        let failure = shared.store.failure().borrow().clone();
        match failure {
            // There is room again; the next write confirms it.
            Some(StoreError::Full { .. }) if !full && free.is_some() => None,
            Some(failure) => Some(failure.into()),
            None if full => Some(
                Problem::new(Code::Storage, "the disk of the bridge is full")
                    .hint("free disk space; nothing that was acknowledged is lost"),
            ),
            None => None,
        }
    }

    /// Returns the notices for a client that connects.
    pub(crate) fn notices(&self, device: &str) -> Vec<Problem> {
        let repair = self.shared.condition.repair_for(device, now());
        repair.into_iter().chain(self.storage_problem()).collect()
    }

    /// Sends an `error` message to all clients when the storage begins to fail. It cannot be a record: nothing can be
    /// stored then.
    pub(super) async fn watch_storage(self) {
        let mut failure = self.shared.store.failure();
        while failure.changed().await.is_ok() {
            let Some(error) = failure.borrow_and_update().clone() else {
                tracing::warn!("the storage works again");
                continue;
            };
            tracing::error!(%error, "the storage fails");
            let problem = Problem::from(error);
            self.shared.list.tell_all(&ServerMessage::Error(ErrorMessage {
                message: problem.message,
                code: problem.code,
                request_id: None,
                session_id: None,
                hint: problem.hint,
                resolved: None,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_named_once_each() {
        let salvage = Salvage {
            damaged: "/state/bridge.db.damaged-1".into(),
            lost: Lost {
                tables: ["provider_ids", "records", "receipts", "sessions"].into(),
                histories: vec!["s".to_owned()],
            },
        };
        let text = describe(&salvage);
        for part in [
            "receipts of commands",
            "entries of the session list",
            "1 sessions",
            "bridge.db.damaged-1",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{text}");
        }
    }

    #[test]
    fn a_repair_is_announced_to_every_connection_and_later_once_to_each_device() {
        let repair = Repair {
            at: 1000,
            text: "repaired".to_owned(),
        };
        let condition = Condition {
            repair: Some(repair),
            ..Condition::default()
        };
        let soon = 1000 + TELL_EVERYBODY_FOR - 1;
        assert!(condition.repair_for("a", soon).is_some());
        assert!(
            condition.repair_for("a", soon).is_some(),
            "another client of this device"
        );
        assert_eq!(condition.repair_for("a", soon + 1), None);
        assert!(condition.repair_for("b", soon + 1).is_some());
        assert_eq!(condition.repair_for("b", soon + 1), None);
    }
}
