//! Reading just as much of a line as the machine needs, without copying what it does not.
//!
//! The readers are lenient: a field of another kind than expected counts as one that did not come.
//! A `result` with one odd field still ends its turn.

mod control;
mod messages;
mod system;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

pub(crate) use control::{Control, Note, Responded, Response};
pub(crate) use messages::{
    ApiEvent, Block, Decided, Inner, MessageFields, ModelUsage, Origin, ResultMeta, Stream, TurnResult, Usage, UseMeta,
};
pub(crate) use system::{
    DeniedFields, HookFields, Limit, LimitFields, Listed, NoticeFields, PathField, RetryFields, System, ThinkingFields,
};

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
