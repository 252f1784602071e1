//! Functions of the session that tools use: a second model, web search, deferred tools, the plan.

use std::fmt;
use std::path::PathBuf;

use crate::tool::Pending;

/// Functions that the session provides to its tools.
pub trait Services: Send + Sync + fmt::Debug {
    /// Sends one prompt to a small, fast model without tools.
    fn complete<'a>(&'a self, system: &'a str, prompt: String) -> Pending<'a, Result<String, String>>;

    /// Uses the web search of the model provider.
    fn search<'a>(&'a self, request: SearchRequest) -> Pending<'a, Result<SearchReply, String>>;

    /// Returns the tools that are available but whose schemas are not shown to the model.
    fn deferred(&self) -> Vec<DeferredTool>;

    /// Returns the path of this session's plan; the file may not exist yet.
    fn plan_file(&self) -> PathBuf;

    /// Returns the permission mode in its wire format.
    fn permission_mode(&self) -> String;
}

/// A web search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// What to look for.
    pub query: String,
    /// Restricts results to these domains; empty for no restriction.
    pub allowed_domains: Vec<String>,
    /// Excludes results from these domains.
    pub blocked_domains: Vec<String>,
}

/// Result of a web search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchReply {
    /// Parts of the result in order.
    pub parts: Vec<SearchPart>,
    /// Number of searches performed.
    pub searches: u64,
}

/// Part of a search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchPart {
    /// Text of the searching model, or the error of a search.
    Text(String),
    /// Pages found by one search.
    Hits {
        /// Id of the server-side tool call.
        tool_use_id: String,
        /// The pages, best first.
        hits: Vec<SearchHit>,
    },
}

/// A page found by a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
}

/// A tool that can be loaded on demand.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredTool {
    /// Name on the wire.
    pub name: String,
    /// Description for the model.
    pub description: String,
}

/// Provides nothing; for tests and for doors without a model.
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
