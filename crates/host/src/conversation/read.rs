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

/// `true`, `false`, or anything else.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct MaybeFlag(pub(crate) Option<bool>);

impl<'de> Kind<'de> for MaybeFlag {
    fn flag(flag: bool) -> Self {
        Self(Some(flag))
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

lenient!(Word<'a>, Flag, MaybeFlag, Num, Content<'a>);

#[cfg(test)]
thread_local! {
    /// The number of lines that were read as a whole.
    pub(crate) static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Reads a whole line of the agent. The fold and the items use what it gives; nothing else reads the line.
pub(crate) fn line<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    #[cfg(test)]
    LINES_READ.with(|count| count.set(count.get() + 1));
    serde_json::from_str(text).ok()
}

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
    #[serde(rename = "isSynthetic")]
    pub(crate) is_synthetic: Flag,
    #[serde(borrow)]
    pub(crate) user_message_uuids: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_result: Later<'a>,
    #[serde(borrow)]
    pub(crate) tool_result_meta: Later<'a>,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
    pub(crate) is_api_error_message: Flag,
    #[serde(borrow)]
    pub(crate) local_command_run: Obj<LocalRun<'a>>,
    pub(crate) thinking_duration_ms: Num,
    /// The person who sent a prompt, where the agent is shared.
    #[serde(borrow)]
    pub(crate) sluice_by: Word<'a>,
}

/// The local command that an answer comes from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LocalRun<'a> {
    #[serde(borrow)]
    pub(crate) command: Word<'a>,
    #[serde(borrow)]
    pub(crate) args: Word<'a>,
}

/// How a call came to its result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ResultMeta<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) permission_decision: Obj<Decided<'a>>,
}

/// Who decided about a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Decided<'a> {
    #[serde(borrow)]
    pub(crate) decision: Word<'a>,
    #[serde(borrow)]
    pub(crate) source: Word<'a>,
    #[serde(borrow)]
    pub(crate) reason_type: Word<'a>,
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
    pub(crate) content: Content<'a>,
    pub(crate) usage: Obj<Usage>,
}

/// The content of a message.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Obj<Block<'a>>>),
}

impl Default for Content<'_> {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl<'a> Content<'a> {
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        let blocks = match self {
            Self::Blocks(blocks) => blocks.as_slice(),
            Self::Text(_) => &[],
        };
        blocks.iter().filter_map(|block| block.0.as_ref())
    }

    /// Returns the text, with the text blocks joined by line ends.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone().into_owned(),
            Self::Blocks(_) => {
                let texts = self.blocks().filter(|block| block.ty.get() == Some("text"));
                let texts: Vec<String> = texts.map(|block| later(block.text).unwrap_or_default()).collect();
                texts.join("\n")
            }
        }
    }
}

impl<'de: 'a, 'a> Kind<'de> for Content<'a> {
    fn borrowed(text: &'de str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
    fn owned(text: &str) -> Self {
        Self::Text(Cow::Owned(text.to_owned()))
    }
    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        List::list(seq).map(|list| Self::Blocks(list.0))
    }
}

/// One block. What it says is left unread.
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
    #[serde(borrow)]
    pub(crate) text: Later<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Later<'a>,
    #[serde(borrow)]
    pub(crate) input: Later<'a>,
    #[serde(borrow)]
    pub(crate) content: Later<'a>,
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
    pub(crate) duration_api_ms: Num,
    #[serde(borrow)]
    pub(crate) result: Later<'a>,
    #[serde(borrow)]
    pub(crate) errors: List<Word<'a>>,
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
    pub(crate) is_backgrounded: MaybeFlag,
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
    #[serde(borrow)]
    pub(crate) compact_error: Word<'a>,
    pub(crate) skip_transcript: Flag,
}

/// `api_retry`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RetryFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    pub(crate) attempt: Num,
    pub(crate) max_retries: Num,
    pub(crate) retry_delay_ms: Num,
    pub(crate) error_status: Num,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
}

/// `hook_started` and `hook_response`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HookFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_name: Word<'a>,
    #[serde(borrow)]
    pub(crate) hook_event: Word<'a>,
    #[serde(borrow)]
    pub(crate) outcome: Word<'a>,
    pub(crate) exit_code: Num,
    #[serde(borrow)]
    pub(crate) output: Word<'a>,
}

/// `system` messages that tell the person something; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NoticeFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: Word<'a>,
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) level: Word<'a>,
    #[serde(borrow)]
    pub(crate) tag: Word<'a>,
    #[serde(rename = "isMeta")]
    pub(crate) is_meta: Flag,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) original_model: Word<'a>,
    #[serde(borrow)]
    pub(crate) fallback_model: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) reason: Word<'a>,
    #[serde(borrow)]
    pub(crate) error: Word<'a>,
    #[serde(borrow)]
    pub(crate) memories: List<Obj<PathField<'a>>>,
    #[serde(borrow)]
    pub(crate) files: List<Obj<PathField<'a>>>,
}

/// A file that a notice names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PathField<'a> {
    #[serde(borrow)]
    pub(crate) path: Word<'a>,
    #[serde(borrow)]
    pub(crate) filename: Word<'a>,
}

/// `permission_denied`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DeniedFields<'a> {
    #[serde(borrow)]
    pub(crate) uuid: Word<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) decision_reason_type: Word<'a>,
    #[serde(borrow)]
    pub(crate) message: Word<'a>,
}

/// `thinking_tokens`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ThinkingFields {
    pub(crate) estimated_tokens: Num,
}

/// `rate_limit_event`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LimitFields<'a> {
    #[serde(borrow)]
    pub(crate) rate_limit_info: Obj<Limit<'a>>,
}

/// The state of a limit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Limit<'a> {
    #[serde(borrow)]
    pub(crate) status: Word<'a>,
    #[serde(borrow, rename = "rateLimitType")]
    pub(crate) kind: Word<'a>,
    #[serde(rename = "resetsAt")]
    pub(crate) resets_at: Num,
    pub(crate) utilization: Num,
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
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) summary: Word<'a>,
    #[serde(borrow)]
    pub(crate) suggestion: Word<'a>,
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
    pub(crate) user_message_id: Word<'a>,
    pub(crate) dry_run: Flag,
    #[serde(borrow)]
    pub(crate) decision_reason: Word<'a>,
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
