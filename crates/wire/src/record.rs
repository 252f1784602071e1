//! Objects of the protocol: named fields in the order they are written, the rest kept.

/// The name of a field on the wire.
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}
pub(crate) use wire_name;

/// Defines an object.
///
/// ```text
/// pub struct Status ["type" = "system", "subtype" = "status"] {   constants, written first
///     status: Option<Activity> = null,                            always written, `null` when `None`
///     permission_mode: Option<PermissionMode> as "permissionMode", left out when `None`
///     uuid: String,                                               must be there
/// }
/// ```
///
/// Reading goes straight from the text into the fields; unknown ones end up in `extra` unparsed.
macro_rules! wire_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $([$($tag:literal = $tag_text:literal),+])? {
            $(
                $(#[$field_meta:meta])*
                $field:ident : $ty:ty $(as $wire:literal)? $(= $null:ident)?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $(
                $(#[$field_meta])*
                #[doc = concat!("(`", $crate::record::wire_name!($field $($wire)?), "`)")]
                pub $field: $ty,
            )*
            /// Fields without a name here.
            pub extra: $crate::Extra,
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $($(map.serialize_entry($tag, $tag_text)?;)+)?
                $($crate::record::write_field!(
                    self.$field, $crate::record::wire_name!($field $($wire)?), self.extra, map $(, $null)?
                );)*
                self.extra.write(&mut map)?;
                map.end()
            }
        }

        impl<'de> $crate::field::FromMap<'de> for $name {
            const EXPECTING: &'static str = stringify!($name);

            fn from_map<A: serde::de::MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
                let mut extra = $crate::Extra::default();
                $(let mut $field: Option<$ty> = None;)*
                while let Some(key) = map.next_key::<$crate::field::Key<'de>>()? {
                    match &*key.0 {
                        $($($tag => $crate::field::expect_tag(&mut map, $tag, $tag_text)?,)+)?
                        $(
                            $crate::record::wire_name!($field $($wire)?) => {
                                $field = Some($crate::field::read(
                                    &mut map,
                                    $crate::record::wire_name!($field $($wire)?),
                                )?);
                            }
                        )*
                        _ => $crate::field::keep(&mut map, key, &mut extra)?,
                    }
                }
                Ok(Self {
                    $($field: $crate::record::end_field!(
                        $field, $crate::record::wire_name!($field $($wire)?), extra $(, $null)?
                    ),)*
                    extra,
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map($crate::field::MapVisitor::<Self>::new())
            }
        }

        impl $crate::field::Field for $name {}
    };
}
pub(crate) use wire_struct;

macro_rules! write_field {
    ($value:expr, $name:expr, $extra:expr, $map:ident) => {
        if !$crate::field::Field::is_absent(&$value) {
            $map.serialize_entry($name, &$value)?;
        } else if $extra.was_null($name) {
            $map.serialize_entry($name, &())?;
        }
    };
    ($value:expr, $name:expr, $extra:expr, $map:ident, null) => {
        if $value.is_some() || !$extra.was_absent($name) {
            $map.serialize_entry($name, &$value)?;
        }
    };
}
pub(crate) use write_field;

macro_rules! end_field {
    ($slot:expr, $name:expr, $extra:ident) => {{
        if let Some(value) = &$slot {
            $crate::field::note_null(value, $name, &mut $extra);
        }
        $crate::field::finish($slot, $name)?
    }};
    ($slot:expr, $name:expr, $extra:ident, null) => {{
        if $slot.is_none() {
            $extra.note_absent($name);
        }
        $slot.flatten()
    }};
}
pub(crate) use end_field;
