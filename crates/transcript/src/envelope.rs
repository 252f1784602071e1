//! The envelope of a line: its kind and its links to other entries, without its content.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::json_fields;

/// The identity of an entry: the bits of its uuid, or a hash of the text if it is not a lower-case hyphenated uuid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64, u64);

impl Key {
    /// Returns the key of the entry with this uuid.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text.len() == 36
            && let Ok(id) = uuid::Uuid::try_parse(text)
            && !text.bytes().any(|byte| byte.is_ascii_uppercase())
        {
            let (high, low) = id.as_u64_pair();
            return Self(high, low);
        }
        Self(hash(text), hash(&text.len()))
    }

    /// Returns the uuid, or another uuid that has the same key.
    pub(super) fn to_uuid(self) -> String {
        uuid::Uuid::from_u64_pair(self.0, self.1).to_string()
    }

    /// Returns a hash value for the hash table.
    pub(super) fn hash_value(self) -> u64 {
        (self.0 ^ self.1.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The fields of a line as raw JSON.
#[derive(Debug, Default)]
struct Fields<'a> {
    kind: RawField<'a>,
    uuid: RawField<'a>,
    parent: RawField<'a>,
    is_sidechain: RawField<'a>,
    is_meta: RawField<'a>,
    team_name: RawField<'a>,
    source: RawField<'a>,
    message: RawField<'a>,
    leaf: RawField<'a>,
}

/// The raw JSON of a field, if the field exists.
pub(super) type RawField<'a> = Option<&'a [u8]>;

impl<'a> Fields<'a> {
    /// Finds the fields. All other fields are skipped without being parsed.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields = Self::default();
        let whole = json_fields::fields(line, |key, value| {
            let field = match key {
                b"type" => &mut fields.kind,
                b"uuid" => &mut fields.uuid,
                b"parentUuid" => &mut fields.parent,
                b"isSidechain" => &mut fields.is_sidechain,
                b"isMeta" => &mut fields.is_meta,
                b"teamName" => &mut fields.team_name,
                b"sourceToolAssistantUUID" => &mut fields.source,
                b"message" => &mut fields.message,
                b"leafUuid" => &mut fields.leaf,
                _ => return true,
            };
            *field = Some(value);
            true
        });
        whole.then_some(fields)
    }
}

/// The kind of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Envelope {
    /// An entry of the conversation.
    Entry(Entry),
    /// The cost of the session so far.
    Cost,
    /// A title or a tag.
    Name,
    /// The system prompt.
    SystemPrompt,
    /// A record of the messages sent to the model up to the entry with this key.
    Shown(Key),
    /// The conversation was rewound to the entry with this key.
    Rewound(Key),
    /// Another line, which is ignored.
    Other,
    /// A line that cannot be parsed.
    Broken,
}

/// The properties of an entry that place it in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) parent: Option<Key>,
    /// For a tool result: the entry that contains the call.
    pub(super) source: Option<Key>,
    /// A hash of the id of the model message that this block belongs to.
    pub(super) message: Option<u64>,
    /// A `user` entry.
    pub(super) is_user: bool,
    pub(super) is_message: bool,
    /// A message that is displayed.
    pub(super) is_visible: bool,
    /// A `user` message that the session itself wrote for the model.
    pub(super) is_session_message: bool,
    pub(super) is_result: bool,
    /// A deferred call.
    pub(super) deferred_call: bool,
    /// The boundary of a compaction. The conversation restarts here.
    pub(super) is_compaction: bool,
}

/// Determines the kind of a line in the transcript of a session or of a subagent (`of_agent`). In the transcript of a
/// session, entries of subagents are not part of the conversation.
pub(super) fn classify(line: &[u8], of_agent: bool) -> Envelope {
    let Some(fields) = Fields::of(line) else {
        return Envelope::Broken;
    };
    let Some(kind) = text(fields.kind) else {
        return Envelope::Other;
    };
    match &*kind {
        "cost-state" => return Envelope::Cost,
        "custom-title" | "tag" => return Envelope::Name,
        super::other_lines::SYSTEM_PROMPT => return Envelope::SystemPrompt,
        super::other_lines::SHOWN => {
            let leaf = text(fields.leaf).map(|leaf| Envelope::Shown(Key::of(&leaf)));
            return leaf.unwrap_or(Envelope::Other);
        }
        super::other_lines::REWOUND => {
            let leaf = text(fields.leaf).map(|leaf| Envelope::Rewound(Key::of(&leaf)));
            return leaf.unwrap_or(Envelope::Other);
        }
        "user" | "assistant" | "system" | "attachment" | "progress" => {}
        _ => return Envelope::Other,
    }
    let is_true = |field: RawField<'_>| field == Some(b"true");
    let (Some(uuid), false) = (text(fields.uuid), !of_agent && is_true(fields.is_sidechain)) else {
        return Envelope::Other;
    };
    let parent = text(fields.parent).map(|parent| Key::of(&parent));
    let is_user = kind == "user";
    let is_message = is_user || kind == "assistant";
    // Quotes inside strings are escaped, so this only matches a complete string.
    let results = |message: &[u8]| memchr::memmem::find(message, b"\"tool_result\"").is_some();
    let source = text(fields.source).map(|source| Key::of(&source));
    let is_result = is_user && (source.is_some() || fields.message.is_some_and(results));
    let message = fields.message.filter(|_| kind == "assistant").and_then(message_id);
    Envelope::Entry(Entry {
        key: Key::of(&uuid),
        parent,
        source: source.or(parent).filter(|_| is_result),
        message: message.map(|id| hash(&*id)),
        is_user,
        is_message,
        is_visible: is_message && !is_true(fields.is_meta) && text(fields.team_name).is_none(),
        is_session_message: is_user && is_true(fields.is_meta) && text(fields.team_name).is_none(),
        is_result,
        is_compaction: kind == "system"
            && parent.is_none()
            && memchr::memmem::find(line, b"\"compact_boundary\"").is_some(),
        deferred_call: kind == "attachment" && memchr::memmem::find(line, b"\"hook_deferred_tool\"").is_some(),
    })
}

fn message_id(message: &[u8]) -> Option<Cow<'_, str>> {
    let mut id = None;
    json_fields::fields(message, |key, value| {
        if key == b"id" {
            id = Some(value);
        }
        id.is_none()
    });
    text(id)
}

/// Returns the text of a field if it is a string.
pub(super) fn text(field: RawField<'_>) -> Option<Cow<'_, str>> {
    let raw = field?;
    let plain = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match memchr::memchr(b'\\', plain) {
        None => std::str::from_utf8(plain).ok().map(Cow::Borrowed),
        Some(_) => serde_json::from_slice(raw).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

    use serde_json::json;

    use super::*;

    fn envelope_of(line: &[u8]) -> Envelope {
        classify(line, false)
    }

    fn entry(line: &serde_json::Value) -> Entry {
        match classify(line.to_string().as_bytes(), false) {
            Envelope::Entry(entry) => entry,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn different_ids_have_different_keys() {
        let id = "11111111-2222-4333-8444-55555555abcd";
        assert_eq!(Key::of(id), Key::of(id));
        for other in [id.to_uppercase().as_str(), "u1", "u2", ""] {
            assert_ne!(Key::of(id), Key::of(other));
        }
        assert_ne!(Key::of("u1"), Key::of("u2"));
    }

    #[test]
    fn text_about_a_result_is_not_a_result() {
        let line = |content| json!({"type": "user", "uuid": "u", "message": {"content": content}});
        assert!(!entry(&line(json!("{\"type\":\"tool_result\"}"))).is_result);
        assert!(entry(&line(json!([{"type": "tool_result", "tool_use_id": "t"}]))).is_result);
        let mut named = line(json!("done"));
        named["sourceToolAssistantUUID"] = json!("a");
        assert_eq!(
            (entry(&named).is_result, entry(&named).source),
            (true, Some(Key::of("a")))
        );
    }

    #[test]
    fn fields_of_the_wrong_type_are_treated_as_missing() {
        let line = json!({"type": "assistant", "uuid": "a\"", "parentUuid": 7, "isSidechain": "true", "isMeta": null,
            "message": {"id": 3}});
        let seen = entry(&line);
        assert_eq!(
            (seen.key, seen.parent, seen.message, seen.is_visible),
            (Key::of("a\""), None, None, true)
        );
        assert_eq!(envelope_of(b"{\"type\":\"user\",\"uuid\":1}"), Envelope::Other);
        assert_eq!(envelope_of(b"{\"type\":\"cost-state\"}"), Envelope::Cost);
        for broken in [
            &b"[1]"[..],
            b"{\"type\":\"user\",\"uu",
            b"\0\0",
            b"{\"type\":\"user\"}x",
        ] {
            assert_eq!(envelope_of(broken), Envelope::Broken);
        }
    }
}
