//! The macro that defines unions: objects whose type depends on the value of one field, the tag.

use serde::de::{Error, MapAccess};
use serde::{Serialize, Serializer};

use crate::Raw;
use crate::field::{Chained, Key};

/// An unknown member of a union: its tag and the whole object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unknown {
    /// The tag if it is a string.
    pub tag: Option<String>,
    /// The whole object.
    pub value: Raw,
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// An object that was read up to its tag: the fields before the tag are buffered.
pub(crate) struct Tagged<'de, A> {
    tag: Option<Raw>,
    before: Vec<(Key<'de>, Raw)>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> Tagged<'de, A> {
    /// Reads the object up to the field `name`. Usually that is the first field, and nothing is buffered.
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

    /// Reads the rest of an object with an unknown tag and returns the whole object as text.
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

/// Defines a union: the name of the tag, the variant for unknown members, then one variant per tag value.
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
            /// An unknown kind.
            $unknown($crate::Unknown),
        }

        impl $name {
            /// All known values of the tag.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the value of the tag.
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
