//! Objects that say with one field which of several they are.

use serde::de::{Error, MapAccess};
use serde::{Serialize, Serializer};

use crate::Raw;
use crate::field::{Chained, Key};

/// A member of a union this version does not know: what its tag said, and the whole object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unknown {
    /// The tag, when it was a string.
    pub tag: Option<String>,
    /// The object.
    pub value: Raw,
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// Where the tag stood, if it did.
pub(crate) struct Tagged<'de, A> {
    tag: Option<Raw>,
    before: Vec<(Key<'de>, Raw)>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> Tagged<'de, A> {
    /// Reads up to the field `name`; normally that is the first one and nothing is buffered.
    pub(crate) fn find(mut map: A, name: &str) -> Result<Self, A::Error> {
        let mut before = Vec::new();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let value: Raw = map.next_value()?;
            if key.0 == name {
                return Ok(Self {
                    tag: Some(value),
                    before,
                    rest: map,
                });
            }
            before.push((key, value));
        }
        Ok(Self {
            tag: None,
            before,
            rest: map,
        })
    }

    pub(crate) fn word(&self) -> Option<String> {
        self.tag.as_ref().and_then(|raw| raw.parse().ok())
    }

    pub(crate) fn rest(self) -> Chained<'de, A> {
        Chained::new(self.before, self.rest)
    }

    /// The whole object as text, for a tag nobody knows.
    pub(crate) fn unknown(mut self, name: &str) -> Result<Unknown, A::Error> {
        let tag = self.word();
        let mut entries: Vec<(String, Raw)> = self
            .before
            .into_iter()
            .map(|(key, value)| (key.0.into_owned(), value))
            .collect();
        if let Some(raw) = self.tag {
            entries.push((name.to_owned(), raw));
        }
        while let Some((key, value)) = self.rest.next_entry::<Key<'de>, Raw>()? {
            entries.push((key.0.into_owned(), value));
        }
        let value = object(&entries).map_err(A::Error::custom)?;
        Ok(Unknown { tag, value })
    }
}

fn object(entries: &[(String, Raw)]) -> Result<Raw, serde_json::Error> {
    let mut text = String::from("{");
    for (key, value) in entries {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(key)?);
        text.push(':');
        text.push_str(value.get());
    }
    text.push('}');
    Raw::from_text(text)
}

/// Defines a union: the tag's name, the variant for what is unknown, then one variant per tag.
macro_rules! wire_union {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident by $tag:literal, else $unknown:ident {
            $($variant:ident($inner:ty) = $text:literal),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant(Box<$inner>),
            )+
            /// A kind this version does not know.
            $unknown($crate::Unknown),
        }

        impl $name {
            /// Every kind known by name.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// What the tag says.
            #[must_use]
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $text,)+
                    Self::$unknown(unknown) => unknown.tag.as_deref().unwrap_or_default(),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$unknown($crate::Unknown::default())
            }
        }

        $(
            impl From<$inner> for $name {
                fn from(inner: $inner) -> Self {
                    Self::$variant(Box::new(inner))
                }
            }
        )+

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => inner.serialize(serializer),)+
                    Self::$unknown(unknown) => unknown.serialize(serializer),
                }
            }
        }

        impl<'de> $crate::field::FromMap<'de> for $name {
            const EXPECTING: &'static str = stringify!($name);

            fn from_map<A: serde::de::MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
                let tagged = $crate::union::Tagged::find(map, $tag)?;
                match tagged.word().as_deref() {
                    $(
                        Some($text) => <$inner as $crate::field::FromMap<'de>>::from_map(tagged.rest())
                            .map(|inner| Self::$variant(Box::new(inner))),
                    )+
                    _ => tagged.unknown($tag).map(Self::$unknown),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map($crate::field::MapVisitor::<Self>::new())
            }
        }

        impl $crate::field::Field for $name {}

        $crate::record::schema_traits! {
            $name, [$($doc),*],
            schema: |generator| $crate::schema::union(
                &[$($doc),*],
                $tag,
                $name::KNOWN,
                vec![$(generator.subschema_for::<$inner>()),+],
            ),
            ts: |config| [$(<$inner as ts_rs::TS>::name(config)),+].join(" | "),
            uses: [$($inner),+]
        }
    };
}
pub(crate) use wire_union;
