//! Helpers for the code that the struct and union macros generate to read and write fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::{Extra, Map, Object, Raw};

/// The type of a field: whether it may be absent, and the value of an absent field.
pub(crate) trait Field: Sized {
    /// Returns the value of an absent field, or `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether the field is left out when writing.
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Field for Option<T> {
    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Field for Vec<T> {}
impl<T> Field for Box<T> {}
impl<T> Field for Map<T> {}

macro_rules! plain_field {
    ($($ty:ty),* $(,)?) => { $(impl Field for $ty {})* };
}
plain_field!(String, bool, u64, i64, Raw, Object, serde_json::Value, crate::Number);

/// A struct or union that can be read from the entries of a JSON object.
pub(crate) trait FromMap<'de>: Sized {
    const EXPECTING: &'static str;

    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

pub(crate) struct MapVisitor<T>(PhantomData<T>);

impl<T> MapVisitor<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: FromMap<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object ({})", T::EXPECTING)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_map(map)
    }
}

/// A key of an object, borrowed from the input if it contains no escape sequence.
pub(crate) struct Key<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// Reads the value of the field `name`. An error starts with the name of the field, so that errors in nested
/// fields contain the path.
pub(crate) fn read<'de, A: MapAccess<'de>, T: Deserialize<'de>>(map: &mut A, name: &str) -> Result<T, A::Error> {
    map.next_value()
        .map_err(|error| A::Error::custom(format_args!("{name}: {error}")))
}

/// The name of a tag with an unexpected value, and the error message.
pub(crate) type WrongTag = Option<(&'static str, String)>;

/// Reads a tag. If a tag occurs twice, the last one counts; so an unexpected value becomes an error only at the end
/// of the object.
pub(crate) fn read_tag<'de, A: MapAccess<'de>>(
    map: &mut A,
    name: &'static str,
    expected: &str,
    wrong: &mut WrongTag,
) -> Result<(), A::Error> {
    let found: Key<'de> = read(map, name)?;
    if found.0 != expected {
        let found = found.0;
        *wrong = Some((name, format!("{name}: expected `{expected}`, found `{found}`")));
    } else if wrong.as_ref().is_some_and(|(tag, _)| *tag == name) {
        *wrong = None;
    }
    Ok(())
}

pub(crate) fn check_tags<E: Error>(wrong: WrongTag) -> Result<(), E> {
    match wrong {
        Some((_, error)) => Err(E::custom(error)),
        None => Ok(()),
    }
}

pub(crate) fn finish<T: Field, E: Error>(slot: Option<T>, name: &'static str) -> Result<T, E> {
    match slot.or_else(T::absent) {
        Some(value) => Ok(value),
        None => Err(E::missing_field(name)),
    }
}

pub(crate) fn note_null<T: Field>(value: &T, name: &'static str, extra: &mut Extra) {
    if value.is_absent() {
        extra.write_null(name);
    }
}

pub(crate) fn keep<'de, A: MapAccess<'de>>(map: &mut A, key: Key<'de>, extra: &mut Extra) -> Result<(), A::Error> {
    let raw = read(map, &key.0)?;
    extra.keep(key.0.into(), raw);
    Ok(())
}

/// The entries read before a union's tag was found, then the rest of the object.
pub(crate) struct Chained<'de, A> {
    before: std::vec::IntoIter<(Key<'de>, Raw)>,
    value: Option<Raw>,
    rest: A,
}

impl<'de, A> Chained<'de, A> {
    pub(crate) fn new(before: Vec<(Key<'de>, Raw)>, rest: A) -> Self {
        Self {
            before: before.into_iter(),
            value: None,
            rest,
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Chained<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.before.next() {
            Some((key, value)) => {
                self.value = Some(value);
                let key = serde::de::value::CowStrDeserializer::new(key.0);
                seed.deserialize(key).map(Some)
            }
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(raw) => owned(&raw, seed).map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

fn owned<'de, V: DeserializeSeed<'de>>(raw: &Raw, seed: V) -> Result<V::Value, serde_json::Error> {
    // The buffered text does not live for 'de. Reading it as a stream prevents borrowing from it.
    let mut reader = serde_json::Deserializer::from_reader(raw.get().as_bytes());
    seed.deserialize(&mut reader)
}
