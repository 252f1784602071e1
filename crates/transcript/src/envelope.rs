//! The envelope of a line: the fields that put it in its place, without its content.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::json_fields;

/// The identity of an entry: the bits of its uuid, or a hash of the text if that is not a usual uuid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64, u64);

impl Key {
    /// The key of the entry of this uuid.
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

    /// The uuid, or one that leads to the same key.
    pub(super) fn name(self) -> String {
        uuid::Uuid::from_u64_pair(self.0, self.1).to_string()
    }

    /// Spread evenly over all numbers, as far as it goes.
    pub(super) fn spread(self) -> u64 {
        (self.0 ^ self.1.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The fields of a line as they are spelled there.
#[derive(Debug, Default)]
struct Fields<'a> {
    kind: Spelled<'a>,
    uuid: Spelled<'a>,
    parent: Spelled<'a>,
    is_sidechain: Spelled<'a>,
    is_meta: Spelled<'a>,
    team_name: Spelled<'a>,
    source: Spelled<'a>,
    message: Spelled<'a>,
    leaf: Spelled<'a>,
}

/// A field as it is spelled.
pub(super) type Spelled<'a> = Option<&'a [u8]>;

impl<'a> Fields<'a> {
    /// All that is not asked for is skipped, not read.
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

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Envelope {
    /// An entry of the conversation.
    Entry(Entry),
    /// The cost so far.
    Cost,
    /// A title or a tag.
    Name,
    /// The system prompt.
    SystemPrompt,
    /// What the model was really shown up to the entry of this key.
    Shown(Key),
    /// The conversation was rewound to the entry of this key.
    Rewound(Key),
    /// Something else.
    Other,
    /// Nothing that can be read.
    Broken,
}

/// An entry's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) parent: Option<Key>,
    /// The entry that holds the call this is the result of.
    pub(super) source: Option<Key>,
    /// Tells apart the messages the model's blocks belong to.
    pub(super) message: Option<u64>,
    /// A `user` entry.
    pub(super) is_user: bool,
    pub(super) speaks: bool,
    /// A visible message.
    pub(super) said: bool,
    /// A message of the session to the model, on the user's side.
    pub(super) aside: bool,
    pub(super) is_result: bool,
    /// A deferred call.
    pub(super) deferred_call: bool,
    /// A compaction: the conversation begins anew.
    pub(super) begins_anew: bool,
}

/// What a line is, in the file of a session or in that of a subagent: what its subagents said is no part of a session's
/// own conversation.
pub(super) fn look_at(line: &[u8], of_agent: bool) -> Envelope {
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
    let is_true = |field: Spelled<'_>| field == Some(b"true");
    let (Some(uuid), false) = (text(fields.uuid), !of_agent && is_true(fields.is_sidechain)) else {
        return Envelope::Other;
    };
    let parent = text(fields.parent).map(|parent| Key::of(&parent));
    let is_user = kind == "user";
    let speaks = is_user || kind == "assistant";
    // A quote inside a text is never bare, so that this is a key and its value.
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
        speaks,
        said: speaks && !is_true(fields.is_meta) && text(fields.team_name).is_none(),
        aside: is_user && is_true(fields.is_meta) && text(fields.team_name).is_none(),
        is_result,
        begins_anew: kind == "system"
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

/// The text of a field, if it is one.
pub(super) fn text(field: Spelled<'_>) -> Option<Cow<'_, str>> {
    let spelled = field?;
    let plain = spelled.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match memchr::memchr(b'\\', plain) {
        None => std::str::from_utf8(plain).ok().map(Cow::Borrowed),
        Some(_) => serde_json::from_slice(spelled).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

    use serde_json::json;

    use super::*;

    fn look(line: &[u8]) -> Envelope {
        look_at(line, false)
    }

    fn entry(line: &serde_json::Value) -> Entry {
        match look_at(line.to_string().as_bytes(), false) {
            Envelope::Entry(entry) => entry,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_uuid_and_any_other_text_are_told_apart() {
        let id = "11111111-2222-4333-8444-55555555abcd";
        assert_eq!(Key::of(id), Key::of(id));
        for other in [id.to_uppercase().as_str(), "u1", "u2", ""] {
            assert_ne!(Key::of(id), Key::of(other));
        }
        assert_ne!(Key::of("u1"), Key::of("u2"));
    }

    #[test]
    fn words_about_results_make_no_result() {
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
    fn fields_of_the_wrong_kind_are_as_if_missing() {
        let line = json!({"type": "assistant", "uuid": "a\"", "parentUuid": 7, "isSidechain": "true", "isMeta": null,
            "message": {"id": 3}});
        let seen = entry(&line);
        assert_eq!(
            (seen.key, seen.parent, seen.message, seen.said),
            (Key::of("a\""), None, None, true)
        );
        assert_eq!(look(b"{\"type\":\"user\",\"uuid\":1}"), Envelope::Other);
        assert_eq!(look(b"{\"type\":\"cost-state\"}"), Envelope::Cost);
        for broken in [
            &b"[1]"[..],
            b"{\"type\":\"user\",\"uu",
            b"\0\0",
            b"{\"type\":\"user\"}x",
        ] {
            assert_eq!(look(broken), Envelope::Broken);
        }
    }
}
