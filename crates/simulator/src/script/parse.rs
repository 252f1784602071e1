//! Parses scripts from JSON and reports errors with their position.

use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use regex::Regex;
use serde_json::{Map, Value};

use super::fill::expression;
use super::{Piece, Reply, Script};
use crate::error::ScriptError;

type Parsed<T> = Result<T, ScriptError>;

const REPLY_KEYS: &[&str] = &[
    "about",
    "content",
    "delay",
    "first_delay",
    "usage",
    "output_tokens",
    "stop_reason",
    "model",
    "headers",
    "repeat",
    "when",
    "error",
    "kind",
    "message",
    "cut",
    "cut_after",
    "error_after",
    "hang_after",
    "hang_s",
    "gate",
    "gate_each",
];
const SCRIPT_KEYS: &[&str] = &["about", "name", "tag", "mode", "replies"];

pub(super) fn script(value: &Value) -> Parsed<Script> {
    let (at, fields, name) = match value {
        Value::Array(list) => return Ok(with_replies(Script::new(), replies(list, "replies")?)),
        Value::Object(scenario) => match scenario.get("api") {
            Some(Value::Object(api)) => ("api.", api, scenario.get("name")),
            Some(_) => {
                return Err(ScriptError::new(
                    "api",
                    "not an object",
                    "write {\"api\": {\"replies\": [...]}}",
                ));
            }
            // A scenario without `api` sends no requests to a model.
            None if scenario.contains_key("host") || scenario.contains_key("runs") => return Ok(Script::new()),
            None => ("", scenario, scenario.get("name")),
        },
        _ => {
            return Err(ScriptError::new(
                "script",
                "neither an object nor a list",
                "write {\"replies\": [...]}, a list of replies, or a scenario with an `api` part",
            ));
        }
    };
    known_keys(fields, SCRIPT_KEYS, at)?;
    let list = match fields.get("replies") {
        None => &Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            return Err(ScriptError::new(
                format!("{at}replies"),
                "not a list",
                "list the replies in order",
            ));
        }
    };
    let mut script = with_replies(Script::new(), replies(list, &format!("{at}replies"))?);
    if let Some(tag) = fields.get("tag").or(name) {
        script.tag = text(tag, &format!("{at}tag"))?;
    }
    match fields.get("mode").map(|mode| (mode.as_str(), mode)) {
        None | Some((Some("serve"), _)) => {}
        Some((Some("refuse"), _)) => script.refuse = true,
        Some((_, mode)) => {
            return Err(ScriptError::new(
                format!("{at}mode"),
                format!("{mode} is not a mode"),
                "use \"serve\" (the default) or \"refuse\" (all connections are refused)",
            ));
        }
    }
    Ok(script)
}

fn with_replies(mut script: Script, replies: Vec<Reply>) -> Script {
    script.replies = replies;
    script
}

fn replies(list: &[Value], at: &str) -> Parsed<Vec<Reply>> {
    let numbered = list.iter().enumerate();
    numbered
        .map(|(index, value)| reply(value, &format!("{at}[{index}]")))
        .collect()
}

fn reply(value: &Value, at: &str) -> Parsed<Reply> {
    let fields = match value {
        Value::Array(list) => {
            return Ok(Reply {
                content: content(list, at)?,
                ..Reply::default()
            });
        }
        Value::Object(fields) => fields,
        _ => {
            return Err(ScriptError::new(
                at,
                "neither a list nor an object",
                "a reply is a list of content blocks, or an object with `content`, `error` or `cut`",
            ));
        }
    };
    known_keys(fields, REPLY_KEYS, &format!("{at}."))?;
    let here = |key: &str| format!("{at}.{key}");
    let words = |key: &str| fields.get(key).map(|value| text(value, &here(key))).transpose();
    let wait = |key: &str| fields.get(key).map(|value| seconds(value, &here(key))).transpose();
    let number = |key: &str| fields.get(key).map(|value| count(value, &here(key))).transpose();

    let mut reply = Reply {
        delay: wait("delay")?.unwrap_or_default(),
        first_delay: wait("first_delay")?.unwrap_or_default(),
        output_tokens: number("output_tokens")?.map(|tokens| tokens as u64),
        stop_reason: words("stop_reason")?,
        model: words("model")?,
        when: words("when")?,
        kind: words("kind")?,
        message: words("message")?,
        gate_head: words("gate")?,
        gate_each: words("gate_each")?,
        cut_after: number("cut_after")?,
        error_after: number("error_after")?,
        ..Reply::default()
    };
    for (key, field) in [
        ("kind", &reply.kind),
        ("message", &reply.message),
        ("model", &reply.model),
    ] {
        field
            .as_ref()
            .map_or(Ok(()), |words| expressions(&Value::String(words.clone()), &here(key)))?;
    }
    if let Some(silence_after) = number("hang_after")? {
        reply.hang = Some((silence_after, wait("hang_s")?.unwrap_or(Duration::from_secs(600))));
    }
    if let Some(status) = number("error")? {
        reply.status = u16::try_from(status).ok().filter(|code| (100..1000).contains(code));
        if reply.status.is_none() {
            let problem = format!("{status} is not an HTTP status");
            return Err(ScriptError::new(here("error"), problem, "use 400 to 599"));
        }
    }
    parse_content(fields, at, &mut reply)?;
    reply.headers = headers(fields, at)?;
    Ok(reply)
}

/// Parses the fields of a reply that are lists, objects or fixed values.
fn parse_content(fields: &Map<String, Value>, at: &str, reply: &mut Reply) -> Parsed<()> {
    let wrong = |key: &str, problem: &str, hint: &str| Err(ScriptError::new(format!("{at}.{key}"), problem, hint));
    match fields.get("content") {
        None => {}
        Some(Value::Array(list)) => reply.content = content(list, &format!("{at}.content"))?,
        Some(_) => return wrong("content", "not a list", "list the content blocks of the reply"),
    }
    match fields.get("usage") {
        None => {}
        Some(Value::Object(usage)) => reply.usage = usage.clone(),
        Some(_) => return wrong("usage", "not an object", "write {\"input_tokens\": 10}"),
    }
    match fields.get("repeat") {
        None => {}
        Some(Value::Bool(repeat)) => reply.repeat = *repeat,
        Some(_) => return wrong("repeat", "not true or false", "write true or leave it out"),
    }
    match fields.get("cut").map(Value::as_str) {
        None => {}
        Some(Some("before_headers")) => reply.cut_before_headers = true,
        Some(_) => {
            let hint = "use \"before_headers\", or `cut_after` with a number of events";
            return wrong("cut", "unknown value", hint);
        }
    }
    Ok(())
}

fn headers(fields: &Map<String, Value>, at: &str) -> Parsed<Vec<(String, String)>> {
    let at = format!("{at}.headers");
    let headers = match fields.get("headers") {
        None => return Ok(Vec::new()),
        Some(Value::Object(headers)) => headers,
        Some(_) => return Err(ScriptError::new(at, "not an object", "write {\"retry-after\": \"1\"}")),
    };
    let header = |(name, value): (&String, &Value)| {
        let at = format!("{at}.{name}");
        let value = text(value, &at)?;
        if HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::from_str(&value).is_err() {
            return Err(ScriptError::new(
                at,
                "not an HTTP header",
                "use letters, digits and dashes in the name, one line as the value",
            ));
        }
        Ok((name.clone(), value))
    };
    headers.iter().map(header).collect()
}

fn content(list: &[Value], at: &str) -> Parsed<Vec<Piece>> {
    let numbered = list.iter().enumerate();
    numbered
        .map(|(index, value)| piece(value, &format!("{at}[{index}]")))
        .collect()
}

fn piece(value: &Value, at: &str) -> Parsed<Piece> {
    let Value::Object(block) = value else {
        return Err(ScriptError::new(
            at,
            "not an object",
            "write {\"type\": \"text\", \"text\": \"Hello\"}",
        ));
    };
    if let Some(name) = block.get("gate") {
        return Ok(Piece::Gate(text(name, &format!("{at}.gate"))?));
    }
    let kind = block.get("type").and_then(Value::as_str).ok_or_else(|| {
        ScriptError::new(
            format!("{at}.type"),
            "missing",
            "use text, thinking, redacted_thinking or tool_use, or write {\"gate\": \"name\"}",
        )
    })?;
    let needs = |key: &str, is: fn(&Value) -> bool, hint: &str| match block.get(key) {
        Some(value) if is(value) => Ok(()),
        Some(_) => Err(ScriptError::new(format!("{at}.{key}"), "of the wrong type", hint)),
        None => Err(ScriptError::new(format!("{at}.{key}"), "missing", hint)),
    };
    match kind {
        "text" if block.contains_key("parts") => {
            needs(
                "parts",
                is_parts,
                "list strings and gates: [\"Hel\", {\"gate\": \"half\"}, \"lo\"]",
            )?;
        }
        "text" => needs("text", Value::is_string, "write the text of the model")?,
        "thinking" => needs("thinking", Value::is_string, "write the thinking of the model")?,
        "tool_use" => {
            needs("name", Value::is_string, "name the tool, as in \"Bash\"")?;
            if !block.contains_key("raw_input") {
                needs(
                    "input",
                    Value::is_object,
                    "give the input object, or `raw_input` for its text",
                )?;
            }
        }
        // Other block types are sent unchanged in one event.
        _ => {}
    }
    expressions(value, at)?;
    Ok(Piece::Block(value.clone()))
}

fn is_parts(value: &Value) -> bool {
    value.as_array().is_some_and(|parts| {
        parts
            .iter()
            .all(|part| part.is_string() || part.get("gate").is_some_and(Value::is_string))
    })
}

/// Checks that every `$REQ{…}` contains a valid regular expression.
fn expressions(value: &Value, at: &str) -> Parsed<()> {
    match value {
        Value::String(words) => match expression(words).map(Regex::new) {
            Some(Err(error)) => Err(ScriptError::new(
                at,
                format!("$REQ contains no valid regular expression ({error})"),
                "write $REQ{with id: (\\w+)}; the first group is copied from the request",
            )),
            _ => Ok(()),
        },
        Value::Array(list) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| expressions(item, &format!("{at}[{index}]"))),
        Value::Object(map) => map
            .iter()
            .try_for_each(|(key, item)| expressions(item, &format!("{at}.{key}"))),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

pub(crate) fn known_keys(fields: &Map<String, Value>, known: &[&str], at: &str) -> Parsed<()> {
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(ScriptError::new(
            format!("{at}{key}"),
            "unknown key",
            format!("known keys are {}", known.join(", ")),
        )),
        None => Ok(()),
    }
}

pub(crate) fn text(value: &Value, at: &str) -> Parsed<String> {
    let words = value.as_str().map(str::to_owned);
    words.ok_or_else(|| ScriptError::new(at, format!("{value} is not a string"), "put it in quotes"))
}

pub(crate) fn seconds(value: &Value, at: &str) -> Parsed<Duration> {
    let wait = value
        .as_f64()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.ok_or_else(|| {
        ScriptError::new(
            at,
            format!("{value} is not a duration"),
            "give seconds as a number, as in 0.25",
        )
    })
}

pub(crate) fn count(value: &Value, at: &str) -> Parsed<usize> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| ScriptError::new(at, format!("{value} is not a count"), "give a whole number, 0 or more"))
}
