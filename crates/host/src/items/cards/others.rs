//! The web, subagents, and tools of MCP servers.

use std::time::Duration;

use serde_json::Value;

use super::{Call, CardBody, Fields as _, Subject};
use crate::items::card::{Argument, ArgumentValue, Mcp, Subagent, Web, WebFetch, WebHit, WebSearch};

pub(super) fn fetch(call: &Call<'_>) -> (Subject, CardBody) {
    let url = call.word("url");
    let value = call.value();
    let fetch = WebFetch {
        url: url.clone(),
        prompt: call.optional("prompt"),
        code: value.and_then(|value| value.count("code")),
        bytes: value.and_then(|value| value.count("bytes")),
        answer: value.and_then(|value| value.word("result")).map(str::to_owned),
    };
    (Subject::Url(url), CardBody::Web(Web::Fetch(fetch)))
}

pub(super) fn search(call: &Call<'_>) -> (Subject, CardBody) {
    let query = call.word("query");
    let results = call.value().and_then(|value| value.list("results")).unwrap_or_default();
    let hits = results.iter().filter_map(|result| result.list("content")).flatten();
    let hits = hits.map(|hit| WebHit {
        title: hit.word("title").unwrap_or_default().to_owned(),
        url: hit.word("url").unwrap_or_default().to_owned(),
    });
    let search = WebSearch {
        query: query.clone(),
        hits: hits.collect(),
    };
    (Subject::Query(query), CardBody::Web(Web::Search(search)))
}

pub(super) fn agent(call: &Call<'_>) -> (Subject, CardBody) {
    let description = call.word("description");
    let value = call.value();
    let count = |name: &str| value.and_then(|value| value.count(name));
    let report = value.and_then(|value| value.pointer("/content/0/text")?.as_str());
    let agent = Subagent {
        kind: call.optional("subagent_type"),
        description: description.clone(),
        prompt: call.word("prompt"),
        report: report.map(str::to_owned),
        duration: count("totalDurationMs").map(Duration::from_millis),
        calls: count("totalToolUseCount"),
        tokens: count("totalTokens"),
    };
    (Subject::Phrase(description), CardBody::Subagent(agent))
}

pub(super) fn mcp(call: &Call<'_>, server: &str, tool: &str) -> (Subject, CardBody) {
    let fields = call.input.as_object().into_iter().flatten();
    let arguments: Vec<Argument> = fields
        .map(|(name, value)| Argument {
            name: name.clone(),
            value: match value {
                Value::String(text) => ArgumentValue::Text(text.clone()),
                other => ArgumentValue::Json(other.to_string()),
            },
        })
        .collect();
    let mcp = Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.clone(),
    };
    (Subject::Arguments(arguments), CardBody::Mcp(mcp))
}
