//! `$REQ{regex}`: text of a reply that is copied from the request, for ids and paths that the agent generates.

use regex::Regex;
use serde_json::Value;

use super::{Piece, Reply};
use crate::json_text::spaced;

const MARK: &str = "$REQ{";

/// Replaces every `$REQ{regex}` of a reply with the first group of the expression in the request.
pub(super) fn from_request(reply: &Reply, request: &Value) -> Reply {
    let mut reply = reply.clone();
    let mut text = None;
    let mut fill = |words: &mut String| {
        if words.contains(MARK) {
            let text = text.get_or_insert_with(|| searched(request));
            *words = replaced(words, text);
        }
    };
    for piece in &mut reply.content {
        if let Piece::Block(block) = piece {
            each_string(block, &mut fill);
        }
    }
    let words = [
        &mut reply.stop_reason,
        &mut reply.model,
        &mut reply.kind,
        &mut reply.message,
    ];
    words.into_iter().flatten().for_each(&mut fill);
    reply.headers.iter_mut().for_each(|(_, value)| fill(value));
    reply
}

/// Returns the regular expression in `words`, if there is one: from the mark to the last brace.
pub(super) fn expression(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once(MARK)?;
    let end = rest.rfind('}')?;
    rest.get(..end)
}

fn replaced(words: &str, text: &str) -> String {
    let Some(expression) = expression(words) else {
        return words.to_owned();
    };
    let found = Regex::new(expression)
        .ok()
        .and_then(|regex| regex.captures(text))
        .and_then(|groups| groups.get(1).or_else(|| groups.get(0)));
    let found = found.map_or("no-match", |group| group.as_str());
    words.replacen(&format!("{MARK}{expression}}}"), found, 1)
}

fn searched(request: &Value) -> String {
    let part = |key: &str| spaced(request.get(key).unwrap_or(&Value::Null));
    part("system") + &part("messages")
}

fn each_string(value: &mut Value, fill: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(words) => fill(words),
        Value::Array(list) => list.iter_mut().for_each(|item| each_string(item, fill)),
        Value::Object(map) => map.values_mut().for_each(|item| each_string(item, fill)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
