//! Changes to every request that a person configured with environment variables and settings.

use serde_json::{Map, Value};

use crate::cache::Cache;

/// The beta for a cache duration of one hour.
const LONG_CACHE_BETA: &str = "extended-cache-ttl-2025-04-11";

/// The changes to every request before it is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjustments {
    /// The cache duration of requests that use the cache (`DISABLE_PROMPT_CACHING`, `ENABLE_PROMPT_CACHING_1H`).
    pub cache: Option<Cache>,
    /// Omits `thinking` (`CLAUDE_CODE_DISABLE_THINKING`).
    pub no_thinking: bool,
    /// Requests tool input as the model writes it, without validation on the server
    /// (`CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING`).
    pub eager_tool_input: bool,
    /// Top-level fields that are added to the body and replace those of the request (`CLAUDE_CODE_EXTRA_BODY`).
    pub body: Map<String, Value>,
    /// The id to send for a model, by model id (setting `modelOverrides`).
    pub models: Map<String, Value>,
}

impl Adjustments {
    /// Fields that [`Adjustments::body`] cannot replace: they contain the conversation or determine how the response is
    /// parsed.
    pub const FIXED: [&str; 4] = ["messages", "stream", "system", "tools"];

    /// Returns the cache duration to use for a request that specifies `cache`.
    pub(crate) fn cache(&self, cache: Cache) -> Cache {
        match (cache, self.cache) {
            (Cache::Off, _) | (_, None) => cache,
            (_, Some(chosen)) => chosen,
        }
    }

    /// Returns the beta that a request with this cache duration needs.
    pub(crate) fn cache_beta(&self, cache: Cache) -> Option<&'static str> {
        (self.cache(cache) == Cache::Hour).then_some(LONG_CACHE_BETA)
    }

    /// Returns the id to send for a model.
    pub(crate) fn model<'a>(&'a self, id: &'a str) -> &'a str {
        self.models.get(id).and_then(Value::as_str).unwrap_or(id)
    }
}
