//! The committed schema and TypeScript are those of the structs.

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
fn json_schema_is_committed() {
    let mut text = serde_json::to_string_pretty(&json_schema()).unwrap();
    text.push('\n');
    check("schema.json", &text);
}

#[test]
fn typescript_is_committed() {
    check("wire.ts", &sluice_wire::schema::typescript());
}

#[test]
fn both_name_the_same_types_and_no_name_is_taken_twice() {
    let schema = json_schema();
    let definitions = schema["$defs"].as_object().unwrap();
    // A second type of the same name would get a number.
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

/// An escape that fits everything would make the schema say yes to everything.
#[test]
fn what_is_unknown_must_not_claim_a_known_tag() {
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
fn every_reference_leads_somewhere() {
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
