//! Export of all messages as JSON Schema and TypeScript, generated from the struct definitions.
//!
//! The macros that define the structs implement [`schemars::JsonSchema`] and [`ts_rs::TS`] with the helpers
//! in this module; [`json_schema()`] and [`typescript`] each return one document with all types.
//! Unknown fields are allowed everywhere. The TypeScript has no type for unknown members of a union: a member
//! that matches everything would prevent narrowing to the others.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use ts_rs::{Config, TS, TypeVisitor};

use crate::content::{Block, Content};
#[allow(clippy::wildcard_imports, reason = "all response types")]
use crate::control::*;
use crate::field::Field;
use crate::hook::HookOutput;
use crate::{Number, Raw, TextOrTexts, ToAgent, ToHost};

/// The file for all TypeScript types.
pub(crate) const FILE: &str = "wire.ts";

/// Returns a name that is unique across both directions: types of the host's messages get the prefix `Stdin`.
pub(crate) fn name(module: &str, name: &'static str) -> Cow<'static, str> {
    if module.starts_with("sluice_wire::stdin") {
        Cow::Owned(format!("Stdin{name}"))
    } else {
        Cow::Borrowed(name)
    }
}

pub(crate) fn describe(docs: &[&str]) -> String {
    let lines: Vec<&str> = docs.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}

/// Builds the schema of an object.
pub(crate) struct ObjectSchema {
    description: String,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl ObjectSchema {
    pub(crate) fn new(docs: &[&str]) -> Self {
        Self {
            description: describe(docs),
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    pub(crate) fn tag(&mut self, name: &str, text: &str) {
        self.properties.insert(name.to_owned(), json!({"const": text}));
        self.required.push(name.into());
    }

    pub(crate) fn field<T: JsonSchema + Field>(&mut self, generator: &mut SchemaGenerator, name: &str, docs: &[&str]) {
        let mut schema = generator.subschema_for::<T>();
        let description = describe(docs);
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        self.properties.insert(name.to_owned(), schema.to_value());
        if T::absent().is_none() {
            self.required.push(name.into());
        }
    }

    pub(crate) fn finish(self) -> Schema {
        json_schema!({
            "type": "object",
            "description": self.description,
            "properties": self.properties,
            "required": self.required,
        })
    }
}

/// Returns the schema of a union: the known members, or an object with an unknown tag.
pub(crate) fn union(docs: &[&str], tag: &str, known: &[&str], members: Vec<Schema>) -> Schema {
    let other = json!({
        "type": "object",
        "properties": {tag: {"not": {"enum": known}}},
    });
    any_of(docs, members, other)
}

/// Returns the schema of the messages of one direction. Every message has a `type`.
pub(crate) fn by_type(docs: &[&str], known: &[&str], members: Vec<Schema>) -> Schema {
    let other = json!({
        "type": "object",
        "properties": {"type": {"type": "string", "not": {"enum": known}}},
        "required": ["type"],
    });
    any_of(docs, members, other)
}

/// Returns the schema of the `system` messages.
pub(crate) fn by_subtype(docs: &[&str], known: &[&str], members: Vec<Schema>) -> Schema {
    let other = json!({
        "type": "object",
        "properties": {"type": {"const": "system"}, "subtype": {"not": {"enum": known}}},
        "required": ["type"],
    });
    any_of(docs, members, other)
}

fn any_of(docs: &[&str], members: Vec<Schema>, other: Value) -> Schema {
    let mut any: Vec<Value> = members.into_iter().map(Schema::to_value).collect();
    any.push(other);
    json_schema!({"description": describe(docs), "anyOf": any})
}

/// Returns the schema of a string enum: the known values, or any other string.
pub(crate) fn words(docs: &[&str], known: &[&str]) -> Schema {
    json_schema!({
        "description": describe(docs),
        "anyOf": [{"enum": known}, {"type": "string"}],
    })
}

/// Returns the TypeScript declaration of a property.
pub(crate) fn property<T: TS + Field>(config: &Config, name: &str) -> String {
    let mark = if T::absent().is_some() { "?" } else { "" };
    let key = if name.starts_with('_') || name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
        name.to_owned()
    } else {
        format!("{name:?}")
    };
    format!("{key}{mark}: {}", T::name(config))
}

/// Returns the TypeScript declaration of a property that is always present but may be `null`.
pub(crate) fn nullable<T: TS>(config: &Config, name: &str) -> String {
    format!("{name}: {}", T::name(config))
}

pub(crate) fn object(properties: &[String]) -> String {
    if properties.is_empty() {
        "Record<string, never>".to_owned()
    } else {
        format!("{{ {} }}", properties.join(", "))
    }
}

/// Returns the TypeScript type of a string enum. It accepts any other string, and editors still complete the known
/// values.
pub(crate) fn ts_words(known: &[&str]) -> String {
    let mut words: Vec<String> = known.iter().map(|word| format!("{word:?}")).collect();
    words.push("(string & {})".to_owned());
    words.join(" | ")
}

/// Implements both traits for a type that no macro defines.
macro_rules! inline_type {
    ($ty:ty, $name:literal, $ts:expr, $schema:expr, [$($dependency:ty),*]) => {
        impl JsonSchema for $ty {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        }

        impl TS for $ty {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(config: &Config) -> String {
                Self::inline(config)
            }

            fn inline(config: &Config) -> String {
                let inline: fn(&Config) -> String = $ts;
                inline(config)
            }

            fn visit_generics(_visitor: &mut impl TypeVisitor)
            where
                Self: 'static,
            {
                $(_visitor.visit::<$dependency>();)*
            }
        }
    };
}

inline_type!(Raw, "Raw", |_| "unknown".to_owned(), |_| json_schema!(true), []);
inline_type!(
    Number,
    "Number",
    |_| "number".to_owned(),
    |_| json_schema!({"type": "number"}),
    []
);
inline_type!(
    RequestId,
    "RequestId",
    |_| "string | number".to_owned(),
    |_| json_schema!({"type": ["string", "number"]}),
    []
);
inline_type!(
    TextOrTexts,
    "TextOrTexts",
    |_| "string | Array<string>".to_owned(),
    |_| json_schema!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
    []
);
inline_type!(
    Content,
    "Content",
    |config| format!("string | Array<{}>", Block::name(config)),
    |generator| {
        let block = generator.subschema_for::<Block>();
        json_schema!({"anyOf": [{"type": "string"}, {"type": "array", "items": block}]})
    },
    [Block]
);

/// Collects a type and all types that it refers to.
trait TypeCollector {
    fn collect<T: JsonSchema + TS + 'static>(&mut self);
}

/// Collects the response type of a request, if it has one.
macro_rules! collect_response {
    ($into:ident, Done) => {};
    ($into:ident, Value) => {};
    ($into:ident, $response:ident) => {
        $into.collect::<$response>();
    };
}

macro_rules! define_collect_all {
    (
        hosts { $($host:ident = $host_text:literal -> $host_response:ident;)+ }
        agents { $($agent:ident = $agent_text:literal -> $agent_response:ident;)+ }
    ) => {
        /// Collects the messages and the responses to requests. They refer to all other types.
        fn collect_all(into: &mut impl TypeCollector) {
            into.collect::<ToHost>();
            into.collect::<ToAgent>();
            into.collect::<McpMessageResponse>();
            $(collect_response!(into, $host_response);)+
            $(collect_response!(into, $agent_response);)+
        }
    };
}

crate::control::table::requests!(define_collect_all);

impl TypeCollector for SchemaGenerator {
    fn collect<T: JsonSchema + TS + 'static>(&mut self) {
        self.subschema_for::<T>();
    }
}

impl TypeCollector for TypescriptCollector {
    fn collect<T: JsonSchema + TS + 'static>(&mut self) {
        self.visit::<T>();
    }
}

/// Returns a JSON Schema document with the definitions of all messages and responses.
#[must_use]
pub fn json_schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    collect_all(&mut generator);
    let mut definitions: Vec<(String, Value)> = generator.take_definitions(true).into_iter().collect();
    definitions.sort_by(|a, b| a.0.cmp(&b.0));
    let definitions: Map<String, Value> = definitions.into_iter().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The stream-json protocol",
        "anyOf": [{"$ref": "#/$defs/ToHost"}, {"$ref": "#/$defs/ToAgent"}],
        "$defs": definitions,
    })
}

/// Returns the TypeScript declarations of all messages and responses.
#[must_use]
pub fn typescript() -> String {
    let mut collector = TypescriptCollector {
        config: Config::new().with_large_int("number"),
        seen: HashSet::new(),
        declarations: BTreeMap::new(),
    };
    collect_all(&mut collector);
    let mut text = String::from(
        "// Generated from crates/wire. Do not edit.\n\
         // Ignore unknown fields, values and message types: newer versions may send them.\n",
    );
    for declaration in collector.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
    }
    text
}

struct TypescriptCollector {
    config: Config,
    seen: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for TypescriptCollector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}\n", T::decl(&self.config));
            self.declarations.insert(T::ident(&self.config), declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
