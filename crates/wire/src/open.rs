//! String enums of the protocol that preserve unknown values.

/// Defines an enum of known strings with a variant `Other` for unknown ones. The first variant is the default.
macro_rules! open_enum {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $(#[$first_meta:meta])* $first:ident = $first_text:literal
            $(, $(#[$variant_meta:meta])* $variant:ident = $text:literal)* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[$first_meta])*
            #[doc = concat!("`", $first_text, "`")]
            #[default]
            $first,
            $(
                $(#[$variant_meta])*
                #[doc = concat!("`", $text, "`")]
                $variant,
            )*
            /// An unknown value.
            Other(Box<str>),
        }

        impl $name {
            /// All known values.
            pub const KNOWN: &'static [&'static str] = &[$first_text $(, $text)*];

            /// Returns the value on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    Self::$first => $first_text,
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = $crate::field::Key::deserialize(deserializer)?;
                Ok(Self::from(&*word.0))
            }
        }

        impl $crate::field::Field for $name {}

        $crate::record::schema_traits! {
            $name, [$($doc),*],
            schema: |_| $crate::schema::words(&[$($doc),*], $name::KNOWN),
            ts: |_| $crate::schema::ts_words($name::KNOWN),
            uses: []
        }
    };
}
pub(crate) use open_enum;
