//! Cards of Bash.

use serde_json::Value;

use super::{CallCard, FAILURE, Parts, RESULT, took};
use crate::view::amount;

pub(super) fn done(call: &CallCard, text: &str, value: &Value) -> Parts {
    if let Some(job) = value.get("backgroundTaskId").and_then(Value::as_str) {
        let moved = value.get("backgroundedByUser").and_then(Value::as_bool) == Some(true);
        let parts = Parts::default();
        return match moved || call.time.as_secs() > 2 {
            true => parts
                .fact(format!("moved to the background after {}", amount::running(call.time)))
                .fact(format!("job {job}")),
            false => parts.fact(format!("job {job}")),
        };
    }
    let word = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let said = match (word("stdout"), word("stderr")) {
        ("", "") if value.is_object() => String::new(),
        ("", "") => text.to_owned(),
        (out, "") => out.to_owned(),
        ("", problems) => problems.to_owned(),
        (out, problems) => format!("{}\n{problems}", out.trim_end_matches('\n')),
    };
    let parts = took(call.time).into_iter().fold(Parts::default(), Parts::fact);
    parts.last(&said, RESULT)
}

pub(super) fn failed(call: &CallCard, text: &str) -> Parts {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (code, said) = match first.strip_prefix("Exit code ") {
        Some(code) => (Some(format!("exit {code}")), rest),
        None => (None, text),
    };
    let facts = code.into_iter().chain(took(call.time));
    facts.fold(Parts::default(), Parts::fact).last(said, FAILURE)
}
