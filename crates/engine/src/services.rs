//! Services of a session for its tools: the small model, web search of the provider, deferred tools, and the path of
//! the plan file.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sluice_hooks::HookModel;
use sluice_model::{Cache, Client, Names, Request, Thinking};
use sluice_tools::{AnyTool, DeferredTool, Pending, SearchHit, SearchPart, SearchReply, SearchRequest, Services};

use crate::ledger::SharedLedger;

/// The maximum number of tokens of a response of the small model.
const MAX_TOKENS: u32 = 4096;
/// The maximum number of web searches per call.
const MAX_SEARCHES: u32 = 8;

/// Services of a session for its tools, shared with running calls.
#[derive(Debug)]
pub(crate) struct ToolServices {
    client: Arc<Client>,
    plan_file: PathBuf,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    mode: String,
    model: String,
    /// The tools that a tool search can find.
    deferred: Vec<AnyTool>,
    /// Usage of requests by tools that has not been added to the ledger yet.
    used: Vec<(String, Value)>,
}

impl ToolServices {
    pub(crate) fn new(client: Arc<Client>, plan_file: PathBuf) -> Self {
        Self {
            client,
            plan_file,
            shared: Mutex::default(),
        }
    }

    /// Updates the state that calls see.
    pub(crate) fn update(&self, mode: &str, model: &str, deferred: Vec<AnyTool>) {
        let mut shared = self.lock();
        mode.clone_into(&mut shared.mode);
        model.clone_into(&mut shared.model);
        shared.deferred = deferred;
    }

    /// Adds the usage of requests by tools to the ledger.
    pub(crate) fn settle(&self, ledger: &SharedLedger) {
        for (model, usage) in self.lock().used.drain(..) {
            ledger.add(&model, &usage);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request outside the conversation. Returns the text of the response.
    pub(crate) async fn answer(&self, request: Request) -> Result<String, String> {
        let blocks = self.ask(request).await?;
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        Ok(texts.join("\n"))
    }

    async fn ask(&self, request: Request) -> Result<Vec<Value>, String> {
        let model = request.model.clone();
        let (message, _) = self
            .client
            .create(&request)
            .await
            .map_err(|failure| self.client.explain(&failure, &model))?;
        if let Some(usage) = message.get("usage") {
            self.lock().used.push((model, usage.clone()));
        }
        Ok(message
            .get("content")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default())
    }
}

impl Services for ToolServices {
    fn complete<'a>(&'a self, system: &'a str, prompt: String) -> Pending<'a, Result<String, String>> {
        Box::pin(async move {
            let messages = vec![json!({"role": "user", "content": prompt})];
            let mut request = Request::new(self.client.names().small(), messages);
            request.max_tokens = MAX_TOKENS;
            request.system = vec![json!({"type": "text", "text": system})];
            request.thinking = Thinking::Off;
            request.cache = Cache::Off;
            self.answer(request).await
        })
    }

    fn search<'a>(&'a self, search: SearchRequest) -> Pending<'a, Result<SearchReply, String>> {
        Box::pin(async move {
            let prompt = format!("Search the web for: {}", search.query);
            let model = self.lock().model.clone();
            let mut request = Request::new(model, vec![json!({"role": "user", "content": prompt})]);
            request.cache = Cache::Off;
            request.tools = vec![search_tool(&search)];
            Ok(search_reply(&self.ask(request).await?))
        })
    }

    fn deferred(&self) -> Vec<DeferredTool> {
        let describe = |tool: &AnyTool| DeferredTool {
            name: tool.descriptor().name.to_string(),
            description: tool.descriptor().description.to_string(),
        };
        self.lock().deferred.iter().map(describe).collect()
    }

    fn plan_file(&self) -> PathBuf {
        self.plan_file.clone()
    }

    fn permission_mode(&self) -> String {
        self.lock().mode.clone()
    }
}

impl HookModel for ToolServices {
    fn answer(&self, request: Request) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(self.answer(request))
    }

    fn names(&self) -> &Names {
        self.client.names()
    }
}

/// The definition of the provider's web search tool, which runs on the server.
fn search_tool(search: &SearchRequest) -> Value {
    let mut tool = json!({"type": "web_search_20250305", "name": "web_search", "max_uses": MAX_SEARCHES});
    if let Some(map) = tool.as_object_mut() {
        for (key, domains) in [
            ("allowed_domains", &search.allowed_domains),
            ("blocked_domains", &search.blocked_domains),
        ] {
            if !domains.is_empty() {
                map.insert(key.to_owned(), json!(domains));
            }
        }
    }
    tool
}

/// Converts the content of a response to search results.
fn search_reply(blocks: &[Value]) -> SearchReply {
    let mut reply = SearchReply::default();
    for block in blocks {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match text("type").as_str() {
            "text" => reply.parts.push(SearchPart::Text(text("text"))),
            "web_search_tool_result" => {
                reply.searches += 1;
                reply.parts.push(match block.get("content") {
                    Some(Value::Array(found)) => SearchPart::Hits {
                        tool_use_id: text("tool_use_id"),
                        hits: found.iter().map(hit).collect(),
                    },
                    other => SearchPart::Text(format!("The search failed: {}", other.map_or("", error_code))),
                });
            }
            _ => {}
        }
    }
    reply
}

fn error_code(content: &Value) -> &str {
    content
        .get("error_code")
        .and_then(Value::as_str)
        .unwrap_or("unknown error")
}

fn hit(found: &Value) -> SearchHit {
    let text = |key: &str| found.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    SearchHit {
        title: text("title"),
        url: text("url"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_reply_contains_hits_texts_and_failures() {
        let reply = search_reply(&[
            json!({"type": "text", "text": "Looking."}),
            json!({"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}),
            json!({"type": "web_search_tool_result", "tool_use_id": "srv", "content": [
                {"type": "web_search_result", "title": "T", "url": "https://e.example/x"}]}),
            json!({"type": "web_search_tool_result", "tool_use_id": "srv2", "content":
                {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}}),
        ]);
        assert_eq!(reply.searches, 2);
        assert_eq!(
            reply.parts,
            [
                SearchPart::Text("Looking.".into()),
                SearchPart::Hits {
                    tool_use_id: "srv".into(),
                    hits: vec![SearchHit {
                        title: "T".into(),
                        url: "https://e.example/x".into()
                    }],
                },
                SearchPart::Text("The search failed: max_uses_exceeded".into()),
            ]
        );
    }
}
