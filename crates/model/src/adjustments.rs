//! Changes that a person asked for to every request, by variables and settings.

use serde_json::{Map, Value};

use crate::cache::Cache;

/// The beta under which the server keeps a cache for an hour.
const LONG_CACHE_BETA: &str = "extended-cache-ttl-2025-04-11";

/// The changes to every request before it is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjustments {
    /// The cache duration of requests that use the cache (`DISABLE_PROMPT_CACHING`, `ENABLE_PROMPT_CACHING_1H`).
    pub cache: Option<Cache>,
    /// Sends no `thinking` (`CLAUDE_CODE_DISABLE_THINKING`).
    pub no_thinking: bool,
    /// Asks for the input of tools as the model writes it, before it is checked to be JSON
    /// (`CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING`).
    pub eager_tool_input: bool,
    /// Top-level fields added to the body; they replace ours (`CLAUDE_CODE_EXTRA_BODY`).
    pub body: Map<String, Value>,
    /// The id that is sent for a model, by the id of the model (setting `modelOverrides`).
    pub models: Map<String, Value>,
}

impl Adjustments {
    /// Fields that [`Adjustments::body`] cannot replace: they hold the conversation or decide how the answer is read.
    pub const FIXED: [&str; 4] = ["messages", "stream", "system", "tools"];

    /// The cache duration of a request that asks for `cache`.
    pub(crate) fn cache(&self, cache: Cache) -> Cache {
        match (cache, self.cache) {
            (Cache::Off, _) | (_, None) => cache,
            (_, Some(chosen)) => chosen,
        }
    }

    /// The beta that a request with this cache duration needs.
    pub(crate) fn cache_beta(&self, cache: Cache) -> Option<&'static str> {
        (self.cache(cache) == Cache::Hour).then_some(LONG_CACHE_BETA)
    }

    /// The id that is sent for a model.
    pub(crate) fn model<'a>(&'a self, id: &'a str) -> &'a str {
        self.models.get(id).and_then(Value::as_str).unwrap_or(id)
    }
}
