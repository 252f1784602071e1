//! Reading just as much of a line as the machine needs, without copying what it does not.
//!
//! The readers are lenient: a field of another kind than expected counts as one that did not come.
//! A `result` with one odd field still ends its turn.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sluice_wire::control::{RequestId, Success};

/// A value when it is of the wanted kind, and nothing in the place of any other.
struct Lenient<T>(PhantomData<T>);

/// What a kind can be made of.
trait Kind<'de>: Sized + Default {
    fn borrowed(_: &'de str) -> Self {
        Self::default()
    }
    fn owned(_: &str) -> Self {
        Self::default()
    }
    fn flag(_: bool) -> Self {
        Self::default()
    }
    fn number(_: f64) -> Self {
        Self::default()
    }
    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| Self::default())
    }
    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_map(map).map(|_| Self::default())
    }
}

impl<'de, T: Kind<'de>> Visitor<'de> for Lenient<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        Ok(T::borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::owned(text))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Ok(T::number(number as f64))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Ok(T::number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        Ok(T::number(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::list(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }
}

macro_rules! lenient {
    ($($name:ty),+) => {$(
        impl<'de: 'a, 'a> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Lenient(PhantomData))
            }
        }
    )+};
}

/// A string.
#[derive(Debug, Default)]
pub(crate) struct Word<'a>(pub(crate) Option<Cow<'a, str>>);

impl Word<'_> {
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(crate) fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn boxed(&self) -> Option<Box<str>> {
        self.get().map(Into::into)
    }
}

impl<'de: 'a, 'a> Kind<'de> for Word<'a> {
    fn borrowed(text: &'de str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }
    fn owned(text: &str) -> Self {
        Self(Some(Cow::Owned(text.to_owned())))
    }
}

/// `true`, or anything else.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Flag(pub(crate) bool);

impl<'de> Kind<'de> for Flag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

/// A number.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Num(pub(crate) Option<f64>);

impl Num {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn count(self) -> u64 {
        self.0.unwrap_or_default() as u64
    }
}

impl<'de> Kind<'de> for Num {
    fn number(number: f64) -> Self {
        Self(Some(number))
    }
}

/// A list; its odd members are members that did not come.
#[derive(Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Kind<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Self(list))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Lenient(PhantomData))
    }
}

/// An object of known fields.
#[derive(Debug)]
pub(crate) struct Obj<T>(pub(crate) Option<T>);

impl<T> Default for Obj<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Kind<'de> for Obj<T> {
    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(|it| Self(Some(it)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Obj<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Lenient(PhantomData))
    }
}

lenient!(Word<'a>, Flag, Num);

/// A value left unread.
pub(crate) type Later<'a> = Option<&'a RawValue>;

/// Reads one that was left.
pub(crate) fn later<'a, T: Deserialize<'a>>(value: Later<'a>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

/// `assistant` and `user`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MessageFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) message: Obj<Inner<'a>>,
    #[serde(rename = "isReplay")]
    pub(crate) is_replay: Flag,
    #[serde(borrow)]
    pub(crate) user_message_uuids: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_result: Later<'a>,
}

/// `message` inside one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Inner<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) model: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: List<Obj<Block<'a>>>,
    pub(crate) usage: Obj<Usage>,
}

/// One block, without what it says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) ty: Word<'a>,
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    pub(crate) is_error: Flag,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) input_tokens: Num,
    pub(crate) cache_creation_input_tokens: Num,
    pub(crate) cache_read_input_tokens: Num,
    pub(crate) output_tokens: Num,
}

/// `stream_event`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Stream<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) event: Obj<ApiEvent<'a>>,
}

/// The event of the Messages API inside one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ApiEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) ty: Word<'a>,
    pub(crate) index: Num,
    #[serde(borrow)]
    pub(crate) message: Obj<Inner<'a>>,
    #[serde(borrow)]
    pub(crate) content_block: Obj<Block<'a>>,
    #[serde(borrow)]
    pub(crate) delta: Obj<Delta<'a>>,
    pub(crate) usage: Obj<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Word<'a>,
    #[serde(borrow)]
    pub(crate) partial_json: Word<'a>,
    #[serde(borrow)]
    pub(crate) stop_reason: Word<'a>,
}

/// `result`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TurnResult<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    #[serde(borrow)]
    pub(crate) session_id: Word<'a>,
    pub(crate) is_error: Flag,
    #[serde(borrow)]
    pub(crate) terminal_reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) origin: Obj<Origin<'a>>,
    #[serde(borrow)]
    pub(crate) user_message_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) user_message_uuids: List<Word<'a>>,
    pub(crate) total_cost_usd: Num,
    pub(crate) usage: Obj<Usage>,
    #[serde(borrow, rename = "modelUsage")]
    pub(crate) model_usage: Later<'a>,
    #[serde(borrow)]
    pub(crate) model_usage_since_last_result: Later<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Origin<'a> {
    #[serde(borrow)]
    pub(crate) kind: Word<'a>,
}

/// Totals of one model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ModelUsage {
    #[serde(rename = "costUSD")]
    pub(crate) cost: Num,
    #[serde(rename = "contextWindow")]
    pub(crate) window: Num,
}

/// The small `system` messages; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct System<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow, rename = "permissionMode")]
    pub(crate) mode: Word<'a>,
    #[serde(borrow)]
    pub(crate) state: Word<'a>,
    #[serde(borrow)]
    pub(crate) title: Word<'a>,
    #[serde(borrow)]
    pub(crate) fallback_model: Word<'a>,
    #[serde(borrow)]
    pub(crate) user_message_uuids: Later<'a>,
    #[serde(borrow)]
    pub(crate) compact_metadata: Later<'a>,
    #[serde(borrow)]
    pub(crate) commands: Later<'a>,
    #[serde(borrow)]
    pub(crate) task_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) task_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(borrow)]
    pub(crate) subagent_type: Word<'a>,
    pub(crate) is_backgrounded: Flag,
    #[serde(borrow)]
    pub(crate) output_file: Word<'a>,
    #[serde(borrow)]
    pub(crate) summary: Word<'a>,
    #[serde(borrow)]
    pub(crate) last_tool_name: Word<'a>,
    pub(crate) usage: Obj<TaskUsage>,
    #[serde(borrow)]
    pub(crate) patch: Obj<Patch<'a>>,
    #[serde(borrow)]
    pub(crate) tasks: List<Obj<Listed<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TaskUsage {
    pub(crate) total_tokens: Num,
    pub(crate) tool_uses: Num,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Patch<'a> {
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(rename = "is_backgrounded")]
    pub(crate) background: Flag,
}

/// A task in the list of running ones.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Listed<'a> {
    #[serde(borrow)]
    pub(crate) task_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) task_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) description: Word<'a>,
    #[serde(borrow)]
    pub(crate) subagent_type: Word<'a>,
}

/// `command_lifecycle`, `tool_progress`, `conversation_reset`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Note<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) command_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) state: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) new_conversation_id: Word<'a>,
}

/// `control_request` and `control_cancel_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Control<'a> {
    pub(crate) request_id: RequestId,
    #[serde(borrow)]
    pub(crate) request: Obj<Asked<'a>>,
}

/// What a request is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked<'a> {
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) agent_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) callback_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) server_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) mcp_server_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) mode: Word<'a>,
    #[serde(borrow)]
    pub(crate) model: Word<'a>,
    #[serde(borrow)]
    pub(crate) message_uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) input: Later<'a>,
}

/// `control_response`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Responded<'a> {
    #[serde(borrow)]
    pub(crate) response: Obj<Response<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Response<'a> {
    #[serde(borrow)]
    pub(crate) subtype: Word<'a>,
    pub(crate) request_id: RequestId,
    #[serde(borrow)]
    pub(crate) response: Later<'a>,
    #[serde(borrow)]
    pub(crate) pending_permission_requests: List<&'a RawValue>,
}

impl Response<'_> {
    pub(crate) fn is_success(&self) -> bool {
        self.subtype.get() == Some(Success::SUBTYPE)
    }
}
