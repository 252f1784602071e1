//! The macro that defines the objects of the protocol: fields in the order in which they are written, and unknown
//! fields, which are preserved.

/// Expands to the name of a field on the wire.
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
///     uuid: String,                                               required
/// }
/// ```
///
/// Parsing reads the text directly into the fields. Unknown fields are stored in `extra` unparsed.
macro_rules! wire_struct {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident $([$($tag:literal = $tag_text:literal),+])? {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident : $ty:ty $(as $wire:literal)? $(= $null:ident)?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $(
                $(#[doc = $field_doc])*
                #[doc = concat!("(`", $crate::record::wire_name!($field $($wire)?), "`)")]
                pub $field: $ty,
            )*
            /// Unknown fields.
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
                #[allow(unused_mut)]
                let mut wrong = $crate::field::WrongTag::None;
                $(let mut $field: Option<$ty> = None;)*
                while let Some(key) = map.next_key::<$crate::field::Key<'de>>()? {
                    match &*key.0 {
                        $($($tag => {
                            $crate::field::read_tag(&mut map, $tag, $tag_text, &mut wrong)?;
                        })+)?
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
                $crate::field::check_tags(wrong)?;
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

        $crate::record::schema_traits! {
            $name, [$($doc),*],
            schema: |_generator| {
                #[allow(unused_mut)]
                let mut object = $crate::schema::ObjectSchema::new(&[$($doc),*]);
                $($(object.tag($tag, $tag_text);)+)?
                $(object.field::<$ty>(
                    _generator,
                    $crate::record::wire_name!($field $($wire)?),
                    &[$($field_doc),*],
                );)*
                object.finish()
            },
            ts: |_config| $crate::schema::object(&[
                $($(format!("{}: {:?}", $tag, $tag_text),)+)?
                $($crate::record::ts_property!(
                    $ty, _config, $crate::record::wire_name!($field $($wire)?) $(, $null)?
                ),)*
            ]),
            uses: [$($ty),*]
        }
    };
}
pub(crate) use wire_struct;

#[cfg(feature = "schema")]
macro_rules! ts_property {
    ($ty:ty, $config:ident, $name:expr) => {
        $crate::schema::property::<$ty>($config, $name)
    };
    ($ty:ty, $config:ident, $name:expr, null) => {
        $crate::schema::nullable::<$ty>($config, $name)
    };
}
#[cfg(feature = "schema")]
pub(crate) use ts_property;

/// Implements the traits for the export as JSON Schema and TypeScript.
#[cfg(feature = "schema")]
macro_rules! schema_traits {
    (
        $name:ident, [$($doc:literal),*],
        schema: $schema:expr,
        ts: $ts:expr,
        uses: [$($used:ty),*]
    ) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $crate::schema::name(module_path!(), stringify!($name))
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema = $schema;
                schema(generator)
            }
        }

        impl ts_rs::TS for $name {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn docs() -> Option<String> {
                Some(format!("/** {} */\n", $crate::schema::describe(&[$($doc),*])))
            }

            fn name(_: &ts_rs::Config) -> String {
                $crate::schema::name(module_path!(), stringify!($name)).into_owned()
            }

            fn inline(config: &ts_rs::Config) -> String {
                let inline: fn(&ts_rs::Config) -> String = $ts;
                inline(config)
            }

            fn decl(config: &ts_rs::Config) -> String {
                format!("type {} = {};", Self::name(config), Self::inline(config))
            }

            fn decl_concrete(config: &ts_rs::Config) -> String {
                Self::decl(config)
            }

            fn visit_dependencies(_visitor: &mut impl ts_rs::TypeVisitor)
            where
                Self: 'static,
            {
                $(
                    _visitor.visit::<$used>();
                    <$used as ts_rs::TS>::visit_generics(_visitor);
                )*
            }

            fn output_path() -> Option<std::path::PathBuf> {
                Some($crate::schema::FILE.into())
            }
        }
    };
}
#[cfg(not(feature = "schema"))]
macro_rules! schema_traits {
    ($($ignored:tt)*) => {};
}
pub(crate) use schema_traits;

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
            $extra.leave_out($name);
        }
        $slot.flatten()
    }};
}
pub(crate) use end_field;
