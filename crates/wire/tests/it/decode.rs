//! Decoding handles any input without a panic and loses nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sluice_wire::Frame;

const LINES: [&str; 2] = [include_str!("lines/agent.ndjson"), include_str!("lines/host.ndjson")];

/// Generates a JSON value. All numbers are integers, so that they are printed like JavaScript prints them.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("[a-z_]{1,6}|type|subtype|uuid|\\PC{0,4}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Generates one of the lines; `true` if an agent wrote it.
fn any_line() -> impl Strategy<Value = (bool, Value)> {
    let lines: Vec<(bool, Value)> = LINES
        .iter()
        .enumerate()
        .flat_map(|(side, text)| {
            text.lines()
                .map(move |line| (side == 0, serde_json::from_str(line).unwrap()))
        })
        .collect();
    proptest::sample::select(lines)
}

fn round_trip(agent: bool, line: &str) -> Result<Value, String> {
    let frame = Frame::parse(line).map_err(|error| error.to_string())?;
    assert_eq!(frame.text(), line);
    let written = if agent {
        frame.to_host().map(|message| message.to_line())
    } else {
        frame.to_agent().map(|message| message.to_line())
    };
    let written = written.map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&written).unwrap())
}

/// Fields that contain structs. Other objects are maps, whose values must have the right type.
const INNER: [&str; 6] = ["message", "request", "response", "usage", "input", "patch"];

/// Adds `fields` under unknown names to the object, or to an object `depth` levels inside it.
fn add(value: &mut Value, fields: &Map<String, Value>, depth: usize) {
    let Some(object) = value.as_object_mut() else { return };
    if depth > 0 {
        let inner = object
            .iter_mut()
            .find(|(name, it)| INNER.contains(&name.as_str()) && it.is_object());
        if let Some((_, inner)) = inner {
            add(inner, fields, depth - 1);
            return;
        }
    }
    for (name, field) in fields {
        object.insert(format!("zz_{name}"), field.clone());
    }
}

/// Returns the object with the order of the keys reversed at every depth.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .rev()
                .map(|(key, inner)| (key.clone(), reversed(inner)))
                .collect(),
        ),
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    for (agent, text) in [(true, LINES[0]), (false, LINES[1])] {
        for line in text.lines() {
            let turned = reversed(&serde_json::from_str(line).unwrap());
            assert_eq!(round_trip(agent, &turned.to_string()), Ok(turned));
        }
    }
}

#[test]
fn whitespace_between_values_does_not_matter() {
    for (agent, text) in [(true, LINES[0]), (false, LINES[1])] {
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let spaced = serde_json::to_string_pretty(&value).unwrap().replace('\n', " ");
            assert_eq!(round_trip(agent, &spaced), Ok(value));
        }
    }
}

proptest! {
    #[test]
    fn any_text_gives_a_frame_or_an_error(text in "\\PC{0,60}") {
        drop(round_trip(true, &text));
        drop(round_trip(false, &text));
    }

    #[test]
    fn any_object_with_a_type_gives_a_frame(value in any_value(), ty in "[a-z_]{0,8}|user|system|result|control_request") {
        let line = match value {
            Value::Object(mut fields) => {
                fields.insert("type".to_owned(), json!(ty));
                Value::Object(fields)
            }
            other => json!({"type": ty, "value": other}),
        }
        .to_string();
        let frame = Frame::parse(&line).unwrap();
        prop_assert_eq!(frame.ty(), ty);
        // A message that can be parsed is written round_trip unchanged.
        let sent: Value = serde_json::from_str(&line).unwrap();
        for agent in [true, false] {
            if let Ok(written) = round_trip(agent, &line) {
                prop_assert_eq!(&written, &sent);
            }
        }
    }

    #[test]
    fn unknown_fields_are_preserved_at_any_depth(
        (agent, mut line) in any_line(),
        fields in vec(("[a-z]{1,4}", any_value()), 1..4),
        depth in 0usize..3,
    ) {
        add(&mut line, &fields.into_iter().collect(), depth);
        prop_assert_eq!(round_trip(agent, &line.to_string()), Ok(line));
    }

    #[test]
    fn a_field_with_any_value_is_preserved_or_rejected(
        (agent, mut line) in any_line(),
        value in any_value(),
        which in any::<proptest::sample::Index>(),
    ) {
        let object = line.as_object_mut().unwrap();
        let key = which.get(&object.keys().cloned().collect::<Vec<_>>()).clone();
        object.insert(key, value);
        if let Ok(written) = round_trip(agent, &line.to_string()) {
            prop_assert_eq!(written, line);
        }
    }

    #[test]
    fn a_truncated_line_gives_an_error_with_its_text(
        (agent, line) in any_line(),
        at in any::<proptest::sample::Index>(),
    ) {
        let text = line.to_string();
        let cut = &text[..text.floor_char_boundary(at.index(text.len() - 1))];
        prop_assert!(round_trip(agent, cut).is_err());
        prop_assert_eq!(&*Frame::parse(cut).unwrap_err().text, cut);
    }
}
