//! The conversation in a transcript: one branch of a tree, with what parallel calls hang beside it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use sluice_wire::Raw;

/// Who says a message of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// The person, or a result of a call.
    User,
    /// The model.
    Assistant,
}

/// One message of a session on disk.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// Who says it.
    pub kind: MessageKind,
    /// Its id.
    pub uuid: String,
    /// The session it was written in.
    pub session_id: String,
    /// The message of the API.
    pub message: Raw,
    /// What the tool itself gave, beside what the model was shown.
    pub tool_use_result: Option<Raw>,
    /// When it was written, in milliseconds since 1970.
    pub timestamp: Option<u64>,
}

struct Entry {
    value: Value,
    uuid: String,
    parent: Option<String>,
}

impl Entry {
    fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }

    fn flag(&self, key: &str) -> bool {
        self.value.get(key).and_then(Value::as_bool) == Some(true)
    }

    fn kind(&self) -> Option<MessageKind> {
        match self.text("type") {
            Some("user") => Some(MessageKind::User),
            Some("assistant") => Some(MessageKind::Assistant),
            _ => None,
        }
    }

    /// Whether it belongs to the conversation of the person with the model.
    fn is_main(&self) -> bool {
        !self.flag("isSidechain") && self.value.get("teamName").is_none_or(Value::is_null)
    }

    fn is_shown(&self) -> bool {
        self.kind().is_some() && self.is_main() && !self.flag("isMeta")
    }

    fn message_id(&self) -> Option<&str> {
        self.value.pointer("/message/id").and_then(Value::as_str)
    }
}

/// The conversation as it stands.
pub(super) fn conversation(text: &str) -> Vec<SessionMessage> {
    let entries = read(text);
    let by_uuid: HashMap<&str, usize> = entries
        .iter()
        .enumerate()
        .map(|(at, entry)| (&*entry.uuid, at))
        .collect();
    let Some(leaf) = leaf(&entries, &by_uuid) else {
        return Vec::new();
    };
    let mut branch = walk(&entries, &by_uuid, leaf);
    branch.reverse();
    let whole = with_parallel(&entries, &branch);
    let shown = whole
        .into_iter()
        .filter_map(|at| entries.get(at))
        .filter(|entry| entry.is_shown());
    shown.filter_map(message).collect()
}

fn message(entry: &Entry) -> Option<SessionMessage> {
    Some(SessionMessage {
        kind: entry.kind()?,
        uuid: entry.uuid.clone(),
        session_id: entry.text("sessionId").unwrap_or_default().to_owned(),
        message: Raw::from(entry.value.get("message")?),
        tool_use_result: entry.value.get("toolUseResult").map(Raw::from),
        timestamp: entry.text("timestamp").and_then(super::info::milliseconds),
    })
}

/// The entries that make up the tree. One that was written again, as compactions do, counts where it first stood.
fn read(text: &str) -> Vec<Entry> {
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    for line in text.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let kind = value.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("user" | "assistant" | "progress" | "system" | "attachment")) {
            continue;
        }
        let Some(uuid) = value.get("uuid").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        if !seen.insert(uuid.clone()) {
            continue;
        }
        let parent = value.get("parentUuid").and_then(Value::as_str).map(str::to_owned);
        entries.push(Entry { value, uuid, parent });
    }
    entries
}

/// The last word of the conversation: the latest message that an entry nobody goes on from leads to.
fn leaf(entries: &[Entry], by_uuid: &HashMap<&str, usize>) -> Option<usize> {
    let parents: HashSet<&str> = entries.iter().filter_map(|entry| entry.parent.as_deref()).collect();
    let ends = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !parents.contains(&*entry.uuid));
    ends.filter_map(|(at, _)| {
        // Most are shown themselves, or soon: there may be thousands of ends, and the way to the root is long.
        let mut up = std::iter::successors(Some(at), |at| parent(entries, by_uuid, *at)).take(entries.len());
        up.find(|at| entries.get(*at).is_some_and(Entry::is_shown))
    })
    .max()
}

fn parent(entries: &[Entry], by_uuid: &HashMap<&str, usize>, at: usize) -> Option<usize> {
    let parent = entries.get(at)?.parent.as_deref()?;
    by_uuid.get(parent).copied()
}

/// From an entry up to the root; a ring ends where it closes.
fn walk(entries: &[Entry], by_uuid: &HashMap<&str, usize>, from: usize) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut path = Vec::new();
    let mut next = Some(from);
    while let Some(at) = next {
        if !seen.insert(at) {
            break;
        }
        path.push(at);
        next = parent(entries, by_uuid, at);
    }
    path
}

/// Puts back what one line of parents misses: the other blocks of a message, and the results of their calls.
fn with_parallel(entries: &[Entry], branch: &[usize]) -> Vec<usize> {
    let on_branch: HashSet<usize> = branch.iter().copied().collect();
    let mut siblings: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut results: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_main()) {
        if let (Some(MessageKind::Assistant), Some(id)) = (entry.kind(), entry.message_id()) {
            siblings.entry(id).or_default().push(at);
        }
        if let Some(source) = entry.text("sourceToolAssistantUUID") {
            results.entry(source).or_default().push(at);
        }
    }
    let last_of_message: HashMap<&str, usize> = branch
        .iter()
        .filter_map(|at| Some((entries.get(*at)?.message_id()?, *at)))
        .collect();
    let mut whole = Vec::new();
    for at in branch {
        whole.push(*at);
        let Some(entry) = entries.get(*at) else { continue };
        let Some(id) = entry.message_id() else { continue };
        if entry.kind() != Some(MessageKind::Assistant) || last_of_message.get(id) != Some(at) {
            continue;
        }
        let blocks = siblings.get(id).map(Vec::as_slice).unwrap_or_default();
        let mut missed: Vec<usize> = blocks.iter().copied().filter(|it| !on_branch.contains(it)).collect();
        let of_blocks = blocks
            .iter()
            .filter_map(|at| results.get(&*entries.get(*at)?.uuid))
            .flatten();
        missed.extend(of_blocks.copied().filter(|it| !on_branch.contains(it)));
        missed.sort_by_key(|at| {
            let entry = entries.get(*at);
            let is_result = entry.and_then(Entry::kind) == Some(MessageKind::User);
            let time = entry
                .and_then(|entry| entry.text("timestamp"))
                .unwrap_or_default()
                .to_owned();
            (is_result, time, *at)
        });
        whole.extend(missed);
    }
    whole
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use serde_json::{Value, json};

    use super::conversation;

    fn file(entries: &[Value]) -> String {
        entries.iter().map(|entry| format!("{entry}\n")).collect()
    }

    fn said(kind: &str, uuid: &str, parent: Option<&str>) -> Value {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": uuid,
            "message": {"role": kind, "content": uuid}})
    }

    fn uuids(text: &str) -> Vec<String> {
        conversation(text).into_iter().map(|message| message.uuid).collect()
    }

    #[test]
    fn the_branch_that_was_gone_on_with_counts() {
        let text = file(&[
            said("user", "1", None),
            said("assistant", "2", Some("1")),
            said("user", "3a", Some("2")),
            said("user", "3b", Some("2")),
            said("assistant", "4", Some("3b")),
            json!({"type": "last-prompt", "lastPrompt": "x"}),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3b", "4"]);
    }

    #[test]
    fn a_compaction_begins_anew_and_its_summary_stays() {
        let mut boundary = said("system", "5", None);
        boundary["logicalParentUuid"] = json!("2");
        let mut summary = said("user", "6", Some("5"));
        summary["isCompactSummary"] = json!(true);
        let text = file(&[
            said("user", "1", None),
            said("assistant", "2", Some("1")),
            boundary,
            summary,
        ]);
        assert_eq!(uuids(&text), ["6"]);
    }

    #[test]
    fn parallel_calls_and_their_results_are_put_back() {
        let block = |uuid: &str, parent: &str| {
            let mut entry = said("assistant", uuid, Some(parent));
            entry["message"]["id"] = json!("m");
            entry
        };
        let result = |uuid: &str, of: &str| {
            let mut entry = said("user", uuid, Some(of));
            entry["sourceToolAssistantUUID"] = json!(of);
            entry
        };
        let text = file(&[
            said("user", "1", None),
            block("2", "1"),
            block("3", "2"),
            result("4", "2"),
            result("5", "3"),
            said("assistant", "6", Some("5")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4", "5", "6"]);
    }

    #[test]
    fn what_was_written_again_counts_once_and_parents_may_come_later() {
        let text = file(&[
            said("assistant", "2", Some("1")),
            said("user", "1", None),
            said("user", "3", Some("2")),
            said("assistant", "2", Some("1")),
            said("user", "3", Some("2")),
            said("assistant", "4", Some("3")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4"]);
    }

    #[test]
    fn many_dead_ends_on_a_long_way_cost_little() {
        let mut entries = vec![said("user", "0", None)];
        for at in 1..4_000 {
            entries.push(said("assistant", &at.to_string(), Some(&(at - 1).to_string())));
            entries.push(json!({"type": "progress", "uuid": format!("p{at}"), "parentUuid": at.to_string()}));
        }
        assert_eq!(uuids(&file(&entries)).len(), 4_000);
    }

    #[test]
    fn rings_and_broken_lines_do_no_harm() {
        let text = format!(
            "{}not json\n",
            file(&[said("user", "1", Some("2")), said("assistant", "2", Some("1"))])
        );
        assert_eq!(uuids(&text), Vec::<String>::new());
    }
}
