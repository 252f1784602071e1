//! WebSearch: the web search of the model provider.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use tokio::time::Instant;

use crate::context::Context;
use crate::input;
use crate::outcome::Outcome;
use crate::services::{SearchPart, SearchReply, SearchRequest};
use crate::tool::{Descriptor, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "WebSearch".into(),
    description: "Searches the web, for what is newer than what you know or not in it.\n\n\
        - You get titles and addresses of pages, and what was found out from them; WebFetch reads a page more closely.\n\
        - `allowed_domains` restricts the search to some sites, `blocked_domains` leaves some out; use one or the other.\n\
        - Put the current year into a query about something recent.\n\
        - When you use what you found, name the pages it came from, as Markdown links.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 2, "description": "What to look for."},
            "allowed_domains": {"type": "array", "items": {"type": "string"}, "description": "Only pages of these sites."},
            "blocked_domains": {"type": "array", "items": {"type": "string"}, "description": "No pages of these sites."},
        },
        "required": ["query"],
        "additionalProperties": false,
    }),
    touches: Touches::SearchesWeb { query: "query" },
    needs_model: true,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct WebSearch;

#[derive(Debug, Deserialize)]
struct Input {
    query: String,
    #[serde(default)]
    allowed_domains: Vec<String>,
    #[serde(default)]
    blocked_domains: Vec<String>,
}

impl Tool for WebSearch {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(std::future::ready(request(input).err()))
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let request = match request(&input) {
                Ok(request) => request,
                Err(outcome) => return outcome,
            };
            let query = request.query.clone();
            let began = Instant::now();
            let reply = tokio::select! {
                biased;
                () = cx.cancel.cancelled() => return Outcome::interrupted(),
                reply = cx.services.search(request) => reply,
            };
            match reply {
                Ok(reply) => report(&query, &reply, began.elapsed().as_secs_f64()),
                Err(error) => Outcome::failed(format!("The web could not be searched: {error}")),
            }
        })
    }
}

fn request(input: &Value) -> Result<SearchRequest, Outcome> {
    let input: Input = input::parsed(&DESCRIPTOR, input)?;
    if !input.allowed_domains.is_empty() && !input.blocked_domains.is_empty() {
        return Err(Outcome::refused(
            "Give either allowed_domains or blocked_domains: a search cannot have both",
        ));
    }
    Ok(SearchRequest {
        query: input.query,
        allowed_domains: input.allowed_domains,
        blocked_domains: input.blocked_domains,
    })
}

fn report(query: &str, reply: &SearchReply, seconds: f64) -> Outcome {
    let mut said = format!("Web search results for query: \"{query}\"\n");
    let mut results = Vec::new();
    for part in &reply.parts {
        match part {
            SearchPart::Text(text) => {
                said.push_str(&format!("\n{}\n", text.trim()));
                results.push(json!(text));
            }
            SearchPart::Hits { tool_use_id, hits } => {
                let links: Vec<Value> = hits
                    .iter()
                    .map(|hit| json!({"title": hit.title, "url": hit.url}))
                    .collect();
                if links.is_empty() {
                    said.push_str("\nNo pages were found.\n");
                }
                for hit in hits {
                    said.push_str(&format!("\n- [{}]({})", hit.title.replace(['[', ']'], ""), hit.url));
                }
                said.push('\n');
                results.push(json!({"tool_use_id": tool_use_id, "content": links}));
            }
        }
    }
    if results.is_empty() {
        said.push_str("\nNothing was found.\n");
    }
    said.push_str("\nName the pages you rely on in your answer, as Markdown links.");
    Outcome::ok(
        said,
        json!({
            "query": query,
            "results": results,
            "durationSeconds": seconds,
            "searchCount": reply.searches,
        }),
    )
}
