//! The committed JSON Schema and TypeScript match the structs.

use std::path::Path;

use serde_json::Value;

fn check(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("generated").join(name);
    if std::env::var_os("SLUICE_BLESS").is_some() {
        std::fs::write(&path, generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "generated/{name} is out of date; run with SLUICE_BLESS=1 to write it"
    );
}

fn json_schema() -> Value {
    sluice_wire::schema::json_schema()
}

#[test]
fn committed_json_schema_is_up_to_date() {
    let mut text = serde_json::to_string_pretty(&json_schema()).unwrap();
    text.push('\n');
    check("schema.json", &text);
}

#[test]
fn committed_typescript_is_up_to_date() {
    check("wire.ts", &sluice_wire::schema::typescript());
}

#[test]
fn schema_and_typescript_have_the_same_types_with_unique_names() {
    let schema = json_schema();
    let definitions = schema["$defs"].as_object().unwrap();
    // The generator appends a number to the second type of the same name.
    let doubled: Vec<&String> = definitions
        .keys()
        .filter(|name| {
            let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
            stem != *name && definitions.contains_key(stem)
        })
        .collect();
    assert_eq!(doubled, Vec::<&String>::new());
    let typescript = sluice_wire::schema::typescript();
    for name in definitions.keys() {
        assert!(typescript.contains(&format!("export type {name} = ")), "{name}");
    }
}

/// If the schema for unknown members accepted known tags, it would accept invalid messages.
#[test]
fn the_schema_of_unknown_members_excludes_known_tags() {
    let schema = json_schema();
    let other = |name: &str| {
        schema["$defs"][name]["anyOf"]
            .as_array()
            .unwrap()
            .last()
            .cloned()
            .unwrap()
    };
    assert_eq!(other("System")["properties"]["type"]["const"], "system");
    assert_eq!(other("System")["required"][0], "type");
    let known = &other("ToHost")["properties"]["type"]["not"]["enum"];
    assert!(known.as_array().unwrap().contains(&"assistant".into()));
    let known = &other("Block")["properties"]["type"]["not"]["enum"];
    assert!(known.as_array().unwrap().contains(&"text".into()));
}

#[test]
fn every_reference_has_a_definition() {
    fn visit(value: &Value, definitions: &serde_json::Map<String, Value>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    let name = reference.strip_prefix("#/$defs/").unwrap();
                    assert!(definitions.contains_key(name), "{reference}");
                }
                fields.values().for_each(|it| visit(it, definitions));
            }
            Value::Array(items) => items.iter().for_each(|it| visit(it, definitions)),
            _ => {}
        }
    }
    let schema = json_schema();
    visit(&schema, schema["$defs"].as_object().unwrap());
}
