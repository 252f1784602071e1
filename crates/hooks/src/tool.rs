//! MCP tool hooks: the result of the tool is parsed like the output of a command hook.

use serde_json::Value;
use sluice_servers::ServerCall;
use sluice_wire::stdout::system::HookOutcome;

use crate::output::{self, Failure, HookAnswer};
use crate::run::{Due, HookRun, Seen};

/// A prepared call, or the reason why it is not possible.
pub type Prepared = Result<(ServerCall, Value), String>;

/// Calls the tool and parses its result.
pub async fn run(run: &HookRun, due: &Due, prepared: Prepared) -> Result<HookAnswer, Failure> {
    let called = match prepared {
        Ok((call, input)) => tokio::time::timeout(due.patience(), call.run(input)).await,
        Err(why) => Ok(Err(why)),
    };
    let (answer, text, outcome) = match called {
        Err(_) => (Err(Failure::TimedOut), String::new(), HookOutcome::Cancelled),
        Ok(Err(why)) => (Err(Failure::Broken(why.clone())), why, HookOutcome::Error),
        Ok(Ok(result)) => {
            let text = result_text(&result);
            let answer = match result.get("isError") {
                Some(Value::Bool(true)) => Err(Failure::Broken(text.clone())),
                _ => output::of_text(run.event, &text),
            };
            let outcome = match answer {
                Ok(_) => HookOutcome::Success,
                Err(_) => HookOutcome::Error,
            };
            (answer, text, outcome)
        }
    };
    let seen = Seen {
        exit_code: (outcome == HookOutcome::Success).then_some(0),
        ..Seen::text(text)
    };
    run.say_ended(&due.id, seen, outcome).await;
    answer
}

/// Returns the text of a tool's result.
fn result_text(result: &Value) -> String {
    match result.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Replaces placeholders like `${tool_input.file_path}` in the input with values of the event. A string that consists
/// of one placeholder is replaced with a value of any type. A placeholder without a value is replaced with an empty
/// string.
pub fn filled(input: &Value, event: &Value) -> Value {
    match input {
        Value::String(text) => fill(text, event),
        Value::Array(list) => list.iter().map(|value| filled(value, event)).collect(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (key.clone(), filled(value, event)));
            Value::Object(pairs.collect())
        }
        other => other.clone(),
    }
}

fn fill(text: &str, event: &Value) -> Value {
    let named = |name: &str| name.split('.').try_fold(event, |value, key| value.get(key)).cloned();
    let alone = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    if let Some(name) = alone.filter(|name| !name.contains('}')) {
        return named(name).unwrap_or_else(|| Value::String(String::new()));
    }
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        whole.push_str(before);
        let Some((name, rest_of_text)) = after.split_once('}') else {
            whole.push_str("${");
            rest = after;
            continue;
        };
        match named(name) {
            Some(Value::String(text)) => whole.push_str(&text),
            Some(value) => whole.push_str(&value.to_string()),
            None => {}
        }
        rest = rest_of_text;
    }
    whole.push_str(rest);
    Value::String(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_replaced_with_values_of_the_event() {
        let event = json!({"tool_input": {"file_path": "/a", "limit": 3}, "cwd": "/w"});
        for (text, wanted) in [
            ("${tool_input.file_path}", json!("/a")),
            ("${tool_input.limit}", json!(3)),
            ("at ${cwd}, ${tool_input.limit} lines", json!("at /w, 3 lines")),
            ("${no.such}", json!("")),
            ("no ${no.such} here", json!("no  here")),
            ("${cwd", json!("${cwd")),
            ("plain", json!("plain")),
        ] {
            assert_eq!(fill(text, &event), wanted, "{text}");
        }
        let nested = filled(&json!({"list": ["${cwd}", 5], "on": true}), &event);
        assert_eq!(nested, json!({"list": ["/w", 5], "on": true}));
    }

    #[test]
    fn the_text_of_a_result_is_extracted() {
        assert_eq!(result_text(&json!({"content": "plain"})), "plain");
        let blocks = json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]);
        assert_eq!(result_text(&json!({"content": blocks})), "a\nb");
        assert_eq!(result_text(&json!({})), "");
    }
}
