//! The task list: tasks with numbers, owners and dependencies.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Progress;

/// One entry of the task list.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its number, counted from 1 and never used again.
    pub id: u64,
    /// A few words.
    pub subject: String,
    /// What is to be done.
    pub description: String,
    /// The subject as something being done.
    pub active_form: Option<String>,
    /// Its status.
    pub status: Progress,
    /// Who does it.
    pub owner: Option<String>,
    /// What waits for it, by number.
    pub blocks: Vec<u64>,
    /// What it waits for, by number.
    pub blocked_by: Vec<u64>,
    /// Whatever else is known about it.
    pub metadata: Map<String, Value>,
}

/// What may change about an entry. What is `None` or empty stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct Update {
    pub(crate) subject: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) active_form: Option<String>,
    pub(crate) owner: Option<String>,
    /// `null` removes a key.
    pub(crate) metadata: Map<String, Value>,
    pub(crate) status: Option<Progress>,
    pub(crate) add_blocks: Vec<String>,
    pub(crate) add_blocked_by: Vec<String>,
}

/// What an update changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The names of the changed fields.
    pub(crate) fields: Vec<&'static str>,
    /// The status before and after, where it changed.
    pub(crate) status: Option<(Progress, Progress)>,
}

/// Why an update changed nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("Task not found")]
    NotFound,
    #[error("Task #{0} not found")]
    OtherNotFound(String),
    #[error("Task #{0} and task #{1} would wait for each other")]
    Circle(u64, u64),
}

/// The entries by number.
#[derive(Debug, Default)]
pub(crate) struct ItemList {
    items: BTreeMap<u64, Item>,
    last: u64,
}

impl ItemList {
    /// Oldest first.
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

    /// Takes an entry out; nothing waits for it any more.
    pub(crate) fn remove(&mut self, id: &str) -> Option<Item> {
        let item = self.items.remove(&number(id)?)?;
        for other in self.items.values_mut() {
            other.blocks.retain(|id| *id != item.id);
            other.blocked_by.retain(|id| *id != item.id);
        }
        Some(item)
    }

    /// Changes an entry, wholly or not at all.
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

    /// The numbers of what an entry waits for and is not done.
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

    /// `first` must be done before `then`. Gives whether that is news.
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

    /// That nothing would wait for itself were these (first, then) pairs added.
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

/// The number of an entry, which models also write as `#1`.
fn number(id: &str) -> Option<u64> {
    id.trim().trim_start_matches('#').parse().ok()
}

/// Gives whether anything changed.
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
