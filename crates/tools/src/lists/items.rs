//! The task list: tasks with numbers, owners and dependencies.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Progress;

/// One entry of the task list.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Number, counted from 1 and never reused.
    pub id: u64,
    /// Title.
    pub subject: String,
    /// Description of the work.
    pub description: String,
    /// Title in the present continuous.
    pub active_form: Option<String>,
    /// Its status.
    pub status: Progress,
    /// Agent that works on it.
    pub owner: Option<String>,
    /// Numbers of the tasks that wait for this one.
    pub blocks: Vec<u64>,
    /// Numbers of the tasks that this one waits for.
    pub blocked_by: Vec<u64>,
    /// Additional data.
    pub metadata: Map<String, Value>,
}

/// Changes to a task; fields that are `None` or empty keep their value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Update {
    pub(crate) subject: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) active_form: Option<String>,
    pub(crate) owner: Option<String>,
    /// A `null` value removes a key.
    pub(crate) metadata: Map<String, Value>,
    pub(crate) status: Option<Progress>,
    pub(crate) add_blocks: Vec<String>,
    pub(crate) add_blocked_by: Vec<String>,
}

/// Result of an update.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Names of the changed fields.
    pub(crate) fields: Vec<&'static str>,
    /// Old and new status, if it changed.
    pub(crate) status: Option<(Progress, Progress)>,
}

/// Why an update was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("Task not found")]
    NotFound,
    #[error("Task #{0} not found")]
    OtherNotFound(String),
    #[error("Task #{0} and task #{1} would wait for each other")]
    Circle(u64, u64),
}

/// Tasks by number.
#[derive(Debug, Default)]
pub(crate) struct ItemList {
    items: BTreeMap<u64, Item>,
    last: u64,
}

impl ItemList {
    /// Returns all tasks, oldest first.
    pub(crate) fn all(&self) -> Vec<Item> {
        self.items.values().cloned().collect()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Item> {
        self.items.get(&number(id)?)
    }

    pub(crate) fn add(
        &mut self,
        subject: String,
        description: String,
        active_form: Option<String>,
        metadata: Map<String, Value>,
    ) -> &Item {
        self.last += 1;
        let item = Item {
            id: self.last,
            subject,
            description,
            active_form,
            status: Progress::Pending,
            owner: None,
            blocks: Vec::new(),
            blocked_by: Vec::new(),
            metadata,
        };
        self.items.entry(self.last).or_insert(item)
    }

    /// Removes a task and all dependencies on it.
    pub(crate) fn remove(&mut self, id: &str) -> Option<Item> {
        let item = self.items.remove(&number(id)?)?;
        for other in self.items.values_mut() {
            other.blocks.retain(|id| *id != item.id);
            other.blocked_by.retain(|id| *id != item.id);
        }
        Some(item)
    }

    /// Applies an update completely or not at all.
    pub(crate) fn update(&mut self, id: &str, update: Update) -> Result<Change, Refusal> {
        let id = self.get(id).ok_or(Refusal::NotFound)?.id;
        let blocks = self.known(&update.add_blocks)?;
        let blocked_by = self.known(&update.add_blocked_by)?;
        let mut edges: Vec<(u64, u64)> = blocks.iter().map(|other| (id, *other)).collect();
        edges.extend(blocked_by.iter().map(|other| (*other, id)));
        self.acyclic_with(&edges)?;
        let mut fields = Vec::new();
        let Some(item) = self.items.get_mut(&id) else {
            return Err(Refusal::NotFound);
        };
        let texts = [
            ("subject", &mut item.subject, update.subject),
            ("description", &mut item.description, update.description),
        ];
        for (name, old, new) in texts {
            if let Some(new) = new.filter(|new| new != old) {
                *old = new;
                fields.push(name);
            }
        }
        let options = [
            ("activeForm", &mut item.active_form, update.active_form),
            ("owner", &mut item.owner, update.owner),
        ];
        for (name, old, new) in options {
            if new.is_some() && new != *old {
                *old = new;
                fields.push(name);
            }
        }
        if merge(&mut item.metadata, update.metadata) {
            fields.push("metadata");
        }
        let status = update
            .status
            .map(|to| (item.status, to))
            .filter(|(from, to)| from != to);
        if let Some((_, to)) = status {
            item.status = to;
            fields.push("status");
        }
        for (name, forward, others) in [("blocks", true, blocks), ("blockedBy", false, blocked_by)] {
            let mut added = false;
            for other in others {
                let (first, then) = if forward { (id, other) } else { (other, id) };
                added |= self.link(first, then);
            }
            if added {
                fields.push(name);
            }
        }
        Ok(Change { fields, status })
    }

    /// Returns the numbers of unfinished tasks that a task waits for.
    pub(crate) fn open_blockers(&self, item: &Item) -> Vec<u64> {
        let open = |id: &&u64| {
            self.items
                .get(id)
                .is_some_and(|other| other.status != Progress::Completed)
        };
        item.blocked_by.iter().filter(open).copied().collect()
    }

    fn known(&self, ids: &[String]) -> Result<Vec<u64>, Refusal> {
        ids.iter()
            .map(|id| {
                self.get(id)
                    .map(|item| item.id)
                    .ok_or_else(|| Refusal::OtherNotFound(id.clone()))
            })
            .collect()
    }

    /// Makes `then` wait for `first`. Returns true if that is new.
    fn link(&mut self, first: u64, then: u64) -> bool {
        let mut news = false;
        for (id, other, forward) in [(first, then, true), (then, first, false)] {
            if let Some(item) = self.items.get_mut(&id) {
                let list = if forward {
                    &mut item.blocks
                } else {
                    &mut item.blocked_by
                };
                if !list.contains(&other) {
                    list.push(other);
                    news = true;
                }
            }
        }
        news
    }

    /// Checks that adding these (first, then) pairs creates no cycle.
    fn acyclic_with(&self, edges: &[(u64, u64)]) -> Result<(), Refusal> {
        for (first, then) in edges {
            let mut seen = vec![*then];
            let mut at = 0;
            while let Some(id) = seen.get(at).copied() {
                at += 1;
                let next = self.items.get(&id).into_iter().flat_map(|item| item.blocks.iter());
                let added = edges.iter().filter(|(from, _)| *from == id).map(|(_, to)| to);
                let reached: Vec<u64> = next.chain(added).copied().collect();
                seen.extend(reached.into_iter().filter(|id| !seen.contains(id)).collect::<Vec<_>>());
            }
            if seen.contains(first) {
                return Err(Refusal::Circle(*first, *then));
            }
        }
        Ok(())
    }
}

/// Parses the number of a task; models also write `#1`.
fn number(id: &str) -> Option<u64> {
    id.trim().trim_start_matches('#').parse().ok()
}

/// Merges metadata. Returns true if anything changed.
fn merge(old: &mut Map<String, Value>, new: Map<String, Value>) -> bool {
    let before = old.clone();
    for (key, value) in new {
        if value.is_null() {
            old.shift_remove(&key);
        } else {
            old.insert(key, value);
        }
    }
    *old != before
}
