//! What a tool needs of the session it runs in: a second model, a web search, deferred tools, the plan.

use std::fmt;
use std::path::PathBuf;

use crate::tool::Pending;

/// What the session does for its tools.
pub trait Services: Send + Sync + fmt::Debug {
    /// A small, fast model answers one prompt, without tools.
    fn complete<'a>(&'a self, system: &'a str, prompt: String) -> Pending<'a, Result<String, String>>;

    /// The model provider's own web search.
    fn search<'a>(&'a self, request: SearchRequest) -> Pending<'a, Result<SearchReply, String>>;

    /// Tools that are there but were not offered to the model with their schemas.
    fn deferred(&self) -> Vec<DeferredTool>;

    /// Where this session's plan goes; the file may not exist yet.
    fn plan_file(&self) -> PathBuf;

    /// The permission mode in force, as the wire names it.
    fn permission_mode(&self) -> String;
}

/// A search of the web.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// What to look for.
    pub query: String,
    /// Only these domains, where there are any.
    pub allowed_domains: Vec<String>,
    /// Not these domains.
    pub blocked_domains: Vec<String>,
}

/// What a search came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchReply {
    /// What came back, in order.
    pub parts: Vec<SearchPart>,
    /// How many searches were made.
    pub searches: u64,
}

/// One piece of a search's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchPart {
    /// Something the searching model said, or why one search failed.
    Text(String),
    /// What one search found.
    Hits {
        /// The id of the server's own call.
        tool_use_id: String,
        /// The pages, best first.
        hits: Vec<SearchHit>,
    },
}

/// One page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: String,
}

/// A tool that can be loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredTool {
    /// Its name on the wire.
    pub name: String,
    /// What it does.
    pub description: String,
}

/// No services: for tests, and for doors without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl Services for NoServices {
    fn complete<'a>(&'a self, _system: &'a str, _prompt: String) -> Pending<'a, Result<String, String>> {
        Box::pin(std::future::ready(Err("there is no model here".to_owned())))
    }

    fn search<'a>(&'a self, _request: SearchRequest) -> Pending<'a, Result<SearchReply, String>> {
        Box::pin(std::future::ready(Err("there is no web search here".to_owned())))
    }

    fn deferred(&self) -> Vec<DeferredTool> {
        Vec::new()
    }

    fn plan_file(&self) -> PathBuf {
        PathBuf::new()
    }

    fn permission_mode(&self) -> String {
        "default".to_owned()
    }
}
