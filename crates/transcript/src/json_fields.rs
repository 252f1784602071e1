//! Finds the fields of a JSON line without parsing it: only brackets and quotes are matched, their content is skipped.
//!
//! It accepts every JSON object and some lines that are not valid JSON. Code that needs the content parses it
//! properly. An incomplete line is detected here.

use memchr::memchr2;

/// Calls `show` with the raw key and the raw value of each field of an object, until `show` returns false. Returns
/// false if the line is not an object; `show` may have been called for some fields by then.
pub(super) fn fields<'a>(line: &'a [u8], mut show: impl FnMut(&'a [u8], &'a [u8]) -> bool) -> bool {
    let mut at = spaces(line, 0);
    if line.get(at) != Some(&b'{') {
        return false;
    }
    at = spaces(line, at + 1);
    if line.get(at) == Some(&b'}') {
        return spaces(line, at + 1) == line.len();
    }
    loop {
        let Some((key, after)) = string(line, at) else {
            return false;
        };
        at = spaces(line, after);
        if line.get(at) != Some(&b':') {
            return false;
        }
        at = spaces(line, at + 1);
        let Some(end) = value(line, at) else { return false };
        if !show(key, line.get(at..end).unwrap_or_default()) {
            return true;
        }
        at = spaces(line, end);
        match line.get(at) {
            Some(b',') => at = spaces(line, at + 1),
            Some(b'}') => return spaces(line, at + 1) == line.len(),
            _ => return false,
        }
    }
}

/// Calls `show` with the raw text of each element of an array. Returns false if the text is not an array.
pub(super) fn elements<'a>(list: &'a [u8], mut show: impl FnMut(&'a [u8])) -> bool {
    let mut at = spaces(list, 0);
    if list.get(at) != Some(&b'[') {
        return false;
    }
    at = spaces(list, at + 1);
    if list.get(at) == Some(&b']') {
        return spaces(list, at + 1) == list.len();
    }
    loop {
        let Some(end) = value(list, at) else { return false };
        show(list.get(at..end).unwrap_or_default());
        at = spaces(list, end);
        match list.get(at) {
            Some(b',') => at = spaces(list, at + 1),
            Some(b']') => return spaces(list, at + 1) == list.len(),
            _ => return false,
        }
    }
}

fn spaces(line: &[u8], from: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    let space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    from + rest.iter().take_while(|byte| space(byte)).count()
}

/// Returns the text between the quotes of the string that starts at `from`, and the position after it.
fn string(line: &[u8], from: usize) -> Option<(&[u8], usize)> {
    if line.get(from) != Some(&b'"') {
        return None;
    }
    let mut at = from + 1;
    loop {
        let found = at + memchr2(b'"', b'\\', line.get(at..)?)?;
        if line.get(found) == Some(&b'"') {
            return Some((line.get(from + 1..found)?, found + 1));
        }
        at = found + 2;
    }
}

/// Returns the position after the value that starts at `from`.
fn value(line: &[u8], from: usize) -> Option<usize> {
    match line.get(from)? {
        b'"' => string(line, from).map(|(_, end)| end),
        b'{' | b'[' => nested(line, from),
        _ => {
            let rest = line.get(from..)?;
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
            let length = rest.iter().take_while(|byte| plain(byte)).count();
            (length > 0).then_some(from + length)
        }
    }
}

/// Returns the position after the object or array that starts at `from`.
fn nested(line: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = from;
    loop {
        match line.get(at)? {
            b'"' => {
                at = string(line, at)?.1;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn seen(line: &[u8]) -> Option<Map<String, Value>> {
        let mut map = Map::new();
        let whole = fields(line, |key, value| {
            let key = [b"\"", key, b"\""].concat();
            let key: String = serde_json::from_slice(&key).unwrap();
            map.insert(key, serde_json::from_slice(value).unwrap());
            true
        });
        whole.then_some(map)
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f32>().prop_map(|number| json!(f64::from(number))),
            "[a\"\\\\{}\\[\\], \n\u{e9}\u{1f600}]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a\"\\\\{}:]{0,3}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn all_fields_of_any_object_are_found(fields in prop::collection::vec(("[a\"\\\\{}:]{0,3}", any_json()), 0..5), pretty: bool) {
            let object: Map<String, Value> = fields.into_iter().collect();
            let text = if pretty { serde_json::to_vec_pretty(&object) } else { serde_json::to_vec(&object) }.unwrap();
            prop_assert_eq!(seen(&text), Some(object));
            for cut in 0..text.len() {
                prop_assert!(!super::fields(text.get(..cut).unwrap(), |_, _| true), "truncated at {}", cut);
            }
        }

        #[test]
        fn all_elements_of_any_array_are_found(list in prop::collection::vec(any_json(), 0..5), pretty: bool) {
            let text = if pretty { serde_json::to_vec_pretty(&list) } else { serde_json::to_vec(&list) }.unwrap();
            let mut seen: Vec<Value> = Vec::new();
            prop_assert!(elements(&text, |element| seen.push(serde_json::from_slice(element).unwrap())));
            prop_assert_eq!(seen, list);
            for cut in 0..text.len() {
                prop_assert!(!elements(text.get(..cut).unwrap(), |_| {}), "truncated at {}", cut);
            }
        }

        #[test]
        fn any_bytes_are_handled_without_a_panic(line in prop::collection::vec(prop_oneof![Just(b'"'), Just(b'{'), Just(b'}'), Just(b'['),
            Just(b']'), Just(b':'), Just(b','), Just(b'\\'), any::<u8>()], 0..60)) {
            fields(&line, |_, _| true);
            elements(&line, |_| {});
        }
    }

    #[test]
    fn the_caller_can_stop_early() {
        let mut keys = 0;
        assert!(fields(br#"{"a":1,"b":oops"#, |_, _| {
            keys += 1;
            false
        }));
        assert_eq!(keys, 1);
    }
}
