//! The input of a tool call while the model writes it: the beginning of a JSON text.

use serde_json::Value;

/// Returns what the beginning of a JSON text already contains. A text that is being written is included as far as it goes;
/// a name without a value is left out.
pub(super) fn complete(text: &str) -> Value {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let mut open: Vec<char> = Vec::new();
    // The last place after which the text can be closed, and what is open there.
    let mut sound: (usize, Vec<char>) = (0, Vec::new());
    let mut string: Option<bool> = None;
    let mut is_name = false;
    let mut escape_began = None;
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        if string.is_some() {
            match (escape_began, letter) {
                (Some(began), _) => {
                    let length = at - began;
                    let unicode = text.get(began + 1..).is_some_and(|rest| rest.starts_with('u'));
                    if !unicode || length >= 5 {
                        escape_began = None;
                    }
                }
                (None, '\\') => escape_began = Some(at),
                (None, '"') => string = None,
                _ => {}
            }
            if escape_began.is_none() && !is_name {
                let mut closing = open.clone();
                if string.is_some() {
                    closing.push('"');
                }
                sound = (end, closing);
            }
            continue;
        }
        match letter {
            '"' => {
                string = Some(true);
                is_name = open.last() == Some(&'}') && names_next(text.get(..at).unwrap_or_default());
                if !is_name {
                    let mut closing = open.clone();
                    closing.push('"');
                    sound = (end, closing);
                }
            }
            '{' | '[' => {
                open.push(if letter == '{' { '}' } else { ']' });
                sound = (end, open.clone());
            }
            '}' | ']' => {
                open.pop();
                sound = (end, open.clone());
            }
            ',' => sound = (at, open.clone()),
            _ => {}
        }
    }
    let (end, closing) = sound;
    let mut whole = text.get(..end).unwrap_or_default().to_owned();
    whole.extend(closing.iter().rev());
    serde_json::from_str(&whole).unwrap_or(Value::Null)
}

/// Returns whether a string after this text, inside an object, is a name.
fn names_next(before: &str) -> bool {
    matches!(before.trim_end().chars().next_back(), Some('{' | ','))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_so_far_is_read() {
        for (text, wanted) in [
            ("", Value::Null),
            ("{", json!({})),
            (r#"{"comm"#, json!({})),
            (r#"{"command""#, json!({})),
            (r#"{"command":"#, json!({})),
            (r#"{"command":"ls"#, json!({"command": "ls"})),
            (r#"{"command":"a\"#, json!({"command": "a"})),
            (r#"{"command":"a\u00e"#, json!({"command": "a"})),
            (r#"{"command":"a\u00e9"#, json!({"command": "aé"})),
            (r#"{"command":"a\n"#, json!({"command": "a\n"})),
            (r#"{"a":"x","limit":1"#, json!({"a": "x"})),
            (r#"{"a":"x","limit":12,"#, json!({"a": "x", "limit": 12})),
            (r#"{"edits":[{"old":"x"#, json!({"edits": [{"old": "x"}]})),
        ] {
            assert_eq!(complete(text), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_is_written_only_grows(text in "\\PC{0,40}") {
            let whole = json!({"first": text, "list": ["x", 1]}).to_string();
            let mut last = String::new();
            for end in (0..=whole.len()).filter(|at| whole.is_char_boundary(*at)) {
                let value = complete(&whole[..end]);
                let first = value.get("first").and_then(Value::as_str).unwrap_or_default();
                prop_assert!(first.starts_with(&last) || last.is_empty());
                last = first.to_owned();
            }
            prop_assert_eq!(last, text);
        }
    }
}
