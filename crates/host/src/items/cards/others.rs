//! The web, subagents, and tools of MCP servers.

use std::time::Duration;

use serde_json::Value;

use super::{Call, CardBody, Fields as _, Subject};
use crate::items::Text;
use crate::items::card::{
    Argument, ArgumentValue, Finding, Findings, Mcp, Skill, Subagent, Web, WebFetch, WebHit, WebSearch,
};

pub(super) fn fetch(call: &Call<'_>) -> (Subject, CardBody) {
    let url = call.word("url");
    let value = call.value();
    let fetch = WebFetch {
        url: url.clone(),
        prompt: call.optional("prompt"),
        code: value.and_then(|value| value.count("code")),
        bytes: value.and_then(|value| value.count("bytes")),
        answer: value.and_then(|value| value.text("result")),
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
        snippet: ["snippet", "text", "description"]
            .iter()
            .find_map(|name| hit.word(name))
            .map(str::to_owned),
    });
    let words: Vec<&str> = results.iter().filter_map(Value::as_str).collect();
    let search = WebSearch {
        query: query.clone(),
        hits: hits.collect(),
        answer: Some(words.join("\n\n")).filter(|text| !text.is_empty()).map(Text::from),
    };
    (Subject::Query(query), CardBody::Web(Web::Search(search)))
}

pub(super) fn agent(call: &Call<'_>) -> (Subject, CardBody) {
    let description = call.word("description");
    let value = call.value();
    let count = |name: &str| value.and_then(|value| value.count(name));
    let report = value.and_then(|value| Text::of(value.pointer("/content/0/text")?));
    let agent = Subagent {
        kind: call.optional("subagent_type"),
        description: description.clone(),
        prompt: call.text("prompt"),
        report,
        duration: count("totalDurationMs").map(Duration::from_millis),
        calls: count("totalToolUseCount"),
        tokens: count("totalTokens"),
    };
    (Subject::Phrase(description), CardBody::Subagent(agent))
}

pub(super) fn skill(call: &Call<'_>) -> (Subject, CardBody) {
    let name = call
        .optional("skill")
        .or_else(|| call.optional("command"))
        .unwrap_or_default();
    let skill = Skill {
        name: name.clone(),
        arguments: call.optional("args"),
        text: None,
    };
    (Subject::Phrase(name), CardBody::Skill(skill))
}

pub(super) fn findings(call: &Call<'_>) -> (Subject, CardBody) {
    let findings = call.input.list("findings").unwrap_or_default().iter();
    let findings = findings.map(|finding| {
        let word = |name: &str| finding.word(name).unwrap_or_default().to_owned();
        Finding {
            file: word("file"),
            line: finding.count("line"),
            summary: word("summary"),
            scenario: word("failure_scenario"),
            confirmed: finding.word("verdict").map(|verdict| verdict == "CONFIRMED"),
        }
    });
    let findings = Findings {
        findings: findings.collect(),
    };
    (Subject::None, CardBody::Findings(findings))
}

pub(super) fn mcp(call: &Call<'_>, server: &str, tool: &str) -> (Subject, CardBody) {
    let fields = call.input.as_object().into_iter().flatten();
    let arguments: Vec<Argument> = fields
        .map(|(name, value)| Argument {
            name: name.clone(),
            value: match Text::of(value) {
                Some(text) => ArgumentValue::Text(text),
                None => ArgumentValue::Json(value.to_string()),
            },
        })
        .collect();
    let mcp = Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
        server_title: None,
        tool_title: None,
        arguments: arguments.clone(),
    };
    (Subject::Arguments(arguments), CardBody::Mcp(mcp))
}
