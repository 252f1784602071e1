//! What a transcript says: its lines, and the one branch of them that is the conversation.
//!
//! Pure. Lines that cannot be read or are not known are passed over, a uuid counts where it stands first, and what no
//! longer leads to the end of the conversation is left out.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// An entry of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) uuid: String,
    parent: Option<String>,
    pub(crate) fields: Map<String, Value>,
}

impl Line {
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.fields.get(key).and_then(Value::as_bool) == Some(true)
    }

    pub(crate) fn is(&self, kind: &str) -> bool {
        self.text("type") == Some(kind)
    }

    /// Something the model or the user's side said.
    pub(crate) fn speaks(&self) -> bool {
        self.is("user") || self.is("assistant")
    }

    pub(crate) fn content(&self) -> &Value {
        self.fields
            .get("message")
            .and_then(|message| message.get("content"))
            .unwrap_or(&Value::Null)
    }

    /// The id of the model's message this is a block of.
    pub(crate) fn message_id(&self) -> Option<&str> {
        let message = self.fields.get("message").filter(|_| self.is("assistant"))?;
        message.get("id").and_then(Value::as_str)
    }

    /// Whether this brings the result of a call.
    pub(crate) fn is_result(&self) -> bool {
        let is_result = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
        self.is("user")
            && self
                .content()
                .as_array()
                .is_some_and(|blocks| blocks.iter().any(is_result))
    }

    /// The entry that holds the call this is the result of.
    fn source(&self) -> Option<&str> {
        let source = || self.text("sourceToolAssistantUUID").or(self.parent.as_deref());
        self.is_result().then(source).flatten()
    }
}

/// The names a session was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) title: Option<String>,
    pub(crate) tag: Option<String>,
}

impl Names {
    fn take(&mut self, line: &Map<String, Value>) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        match line.get("type").and_then(Value::as_str) {
            Some("custom-title") => self.title = text("customTitle").or_else(|| self.title.take()),
            Some("tag") => self.tag = text("tag").or_else(|| self.tag.take()),
            _ => {}
        }
    }

    /// These, where newer ones say nothing.
    pub(crate) fn or(self, older: Self) -> Self {
        Self {
            title: self.title.or(older.title),
            tag: self.tag.or(older.tag),
        }
    }
}

/// A transcript, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record {
    pub(crate) lines: Vec<Line>,
    pub(crate) names: Names,
    /// The last word about the cost.
    pub(crate) cost: Option<Value>,
}

/// The names given in this text.
pub(crate) fn names(text: &[u8]) -> Names {
    let mut names = Names::default();
    for line in text.split(|byte| *byte == b'\n') {
        // Most lines are entries, and long: they need not be understood for this.
        if (line.starts_with(b"{\"type\":\"custom-title\"") || line.starts_with(b"{\"type\":\"tag\""))
            && let Ok(line) = serde_json::from_slice(line)
        {
            names.take(&line);
        }
    }
    names
}

/// Reads a transcript.
pub(crate) fn parse(text: &[u8]) -> Record {
    let mut record = Record::default();
    let mut known = HashSet::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(line) else {
            continue;
        };
        record.names.take(&fields);
        match fields.get("type").and_then(Value::as_str) {
            Some("cost-state") => record.cost = Some(Value::Object(fields)),
            Some("user" | "assistant" | "system" | "attachment" | "progress") => {
                let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
                let Some(uuid) = text("uuid") else { continue };
                let aside = fields.get("isSidechain").and_then(Value::as_bool) == Some(true);
                if !aside && known.insert(uuid.clone()) {
                    record.lines.push(Line {
                        uuid,
                        parent: text("parentUuid"),
                        fields,
                    });
                }
            }
            _ => {}
        }
    }
    record
}

impl Record {
    /// The last thing said that anything leads to.
    pub(crate) fn leaf(&self) -> Option<&str> {
        let index = self.index();
        let parents: HashSet<&str> = self.lines.iter().filter_map(|line| line.parent.as_deref()).collect();
        let ends = self.lines.iter().filter(|line| !parents.contains(line.uuid.as_str()));
        let said = ends.filter_map(|end| {
            self.up(&end.uuid, &index)
                .find(|at| self.lines.get(*at).is_some_and(is_said))
        });
        let last = said.max()?;
        self.lines.get(last).map(|line| line.uuid.as_str())
    }

    /// The conversation that ends with this entry, from its beginning or from the last compaction on.
    pub(crate) fn branch(&self, leaf: &str) -> Vec<&Line> {
        let index = self.index();
        let mut seen = HashSet::new();
        let mut chain: Vec<usize> = self.up(leaf, &index).take_while(|at| seen.insert(*at)).collect();
        chain.reverse();
        let chain = self.with_preserved(chain, &index);
        self.with_parallel(&chain)
    }

    fn index(&self) -> HashMap<&str, usize> {
        let places = self.lines.iter().enumerate();
        places.map(|(at, line)| (line.uuid.as_str(), at)).collect()
    }

    /// From an entry up to its root, step by step. A chain that bites its tail has as many steps as there are entries.
    fn up(&self, from: &str, index: &HashMap<&str, usize>) -> impl Iterator<Item = usize> {
        let parent = move |at: &usize| {
            let parent = self.lines.get(*at)?.parent.as_deref()?;
            index.get(parent).copied()
        };
        std::iter::successors(index.get(from).copied(), parent).take(self.lines.len())
    }

    /// What a compaction kept in its own words stands behind the summary.
    fn with_preserved(&self, chain: Vec<usize>, index: &HashMap<&str, usize>) -> Vec<usize> {
        let root = chain.first().and_then(|at| self.lines.get(*at));
        let kept = root
            .and_then(|line| line.fields.get("compactMetadata"))
            .and_then(|meta| meta.get("preservedMessages"));
        let Some(kept) = kept else { return chain };
        let anchor = kept.get("anchorUuid").and_then(Value::as_str);
        let uuids = kept.get("uuids").and_then(Value::as_array).into_iter().flatten();
        let places: Vec<usize> = uuids
            .filter_map(|uuid| index.get(uuid.as_str()?).copied())
            .filter(|at| !chain.contains(at))
            .collect();
        let mut all = Vec::with_capacity(chain.len() + places.len());
        for at in chain {
            all.push(at);
            if self.lines.get(at).map(|line| line.uuid.as_str()) == anchor {
                all.extend(&places);
            }
        }
        all
    }

    /// Calls made side by side have one parent each, so that a walk sees one of them: where it passes through a result,
    /// the whole message and all its results belong to it.
    fn with_parallel(&self, chain: &[usize]) -> Vec<&Line> {
        let index = self.index();
        let first_of = |line: &Line| self.first_block(line.source().unwrap_or(&line.uuid), &index);
        let lines = || chain.iter().filter_map(|at| self.lines.get(*at));
        let passed: HashSet<usize> = lines().filter(|line| line.is_result()).filter_map(first_of).collect();
        let mut members: HashMap<usize, (Vec<&Line>, Vec<&Line>)> = HashMap::new();
        for line in self.lines.iter().filter(|line| line.speaks()) {
            if let Some(first) = first_of(line).filter(|first| passed.contains(first)) {
                let (blocks, results) = members.entry(first).or_default();
                if line.is_result() {
                    results.push(line);
                } else {
                    blocks.push(line);
                }
            }
        }
        let mut all = Vec::with_capacity(chain.len());
        for line in lines() {
            match first_of(line).filter(|first| passed.contains(first)) {
                Some(first) => {
                    if let Some((blocks, results)) = members.remove(&first) {
                        all.extend(blocks);
                        all.extend(results);
                    }
                }
                None => all.push(line),
            }
        }
        all
    }

    /// Where the model's message begins that this entry is a block of.
    fn first_block(&self, uuid: &str, index: &HashMap<&str, usize>) -> Option<usize> {
        let mut first = *index.get(uuid)?;
        let id = self.lines.get(first)?.message_id()?;
        let same = |at: &usize| self.lines.get(*at).and_then(Line::message_id) == Some(id);
        self.up(uuid, index).take_while(same).for_each(|at| first = at);
        Some(first)
    }
}

fn is_said(line: &Line) -> bool {
    line.speaks() && !line.flag("isMeta") && line.text("teamName").is_none()
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
