//! A cheap look at a line: what it takes to put it in its place, and nothing of what it says.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::value::RawValue;

/// Tells entries apart: the bits of a uuid as they are usually spelled, or else a hash of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(u128);

impl Key {
    pub(super) fn of(text: &str) -> Self {
        if text.len() == 36
            && let Ok(id) = uuid::Uuid::try_parse(text)
            && !text.bytes().any(|byte| byte.is_ascii_uppercase())
        {
            return Self(id.as_u128());
        }
        Self(u128::from(hash(text)) << 64 | u128::from(hash(&text.len())))
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The fields of a line as they stand there. All that is not asked for is skipped, not read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    uuid: Option<&'a RawValue>,
    #[serde(borrow)]
    parent_uuid: Option<&'a RawValue>,
    #[serde(borrow)]
    is_sidechain: Option<&'a RawValue>,
    #[serde(borrow)]
    is_meta: Option<&'a RawValue>,
    #[serde(borrow)]
    team_name: Option<&'a RawValue>,
    #[serde(borrow, rename = "sourceToolAssistantUUID")]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
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
    /// Something else, or nothing that can be read.
    Other,
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
    /// The uuid of something the user's side said.
    pub(super) user: Option<String>,
    pub(super) speaks: bool,
    /// Said, and meant to be seen.
    pub(super) said: bool,
    pub(super) is_result: bool,
}

pub(super) fn look(line: &[u8]) -> Envelope {
    let Ok(fields) = serde_json::from_slice::<Fields<'_>>(line) else {
        return Envelope::Other;
    };
    let Some(kind) = text(fields.kind) else {
        return Envelope::Other;
    };
    match &*kind {
        "cost-state" => return Envelope::Cost,
        "custom-title" | "tag" => return Envelope::Name,
        "user" | "assistant" | "system" | "attachment" | "progress" => {}
        _ => return Envelope::Other,
    }
    let is_true = |field: Option<&RawValue>| field.is_some_and(|value| value.get() == "true");
    let (Some(uuid), false) = (text(fields.uuid), is_true(fields.is_sidechain)) else {
        return Envelope::Other;
    };
    let parent = text(fields.parent_uuid).map(|parent| Key::of(&parent));
    let speaks = matches!(&*kind, "user" | "assistant");
    let is_user = kind == "user";
    // A quote inside a text is never bare, so that this is a key and its value.
    let results = |message: &RawValue| memchr::memmem::find(message.get().as_bytes(), b"\"tool_result\"").is_some();
    let is_result = is_user && fields.message.is_some_and(results);
    let source = || text(fields.source).map(|source| Key::of(&source)).or(parent);
    let message = fields.message.filter(|_| kind == "assistant");
    let message = message.and_then(|message| text(serde_json::from_str::<Message<'_>>(message.get()).ok()?.id));
    Envelope::Entry(Entry {
        key: Key::of(&uuid),
        parent,
        source: is_result.then(source).flatten(),
        message: message.map(|id| hash(&*id)),
        user: is_user.then(|| uuid.into_owned()),
        speaks,
        said: speaks && !is_true(fields.is_meta) && text(fields.team_name).is_none(),
        is_result,
    })
}

/// The text of a field, if it is one.
fn text(field: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let text = field?.get();
    let plain = text.strip_prefix('"')?.strip_suffix('"')?;
    match plain.contains('\\') {
        false => Some(Cow::Borrowed(plain)),
        true => serde_json::from_str(text).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    fn entry(line: &serde_json::Value) -> Entry {
        match look(line.to_string().as_bytes()) {
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
        assert_eq!(look(b"[1]"), Envelope::Other);
    }
}
