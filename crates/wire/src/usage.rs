//! Token usage and cost.

use crate::open::open_enum;
use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// The token usage of a model message or, in `result`, of a turn.
    pub struct Usage {
        input_tokens: u64,
        cache_creation_input_tokens: Option<u64>,
        cache_read_input_tokens: Option<u64>,
        output_tokens: u64,
        output_tokens_details: Option<OutputTokensDetails>,
        server_tool_use: Option<ServerToolRequests>,
        service_tier: Option<String>,
        cache_creation: Option<CacheCreation>,
        inference_geo: Option<String>,
        iterations: Option<Raw>,
        speed: Option<String>,
        fallback_credit: Option<Raw>,
    }
}

wire_struct! {
    /// Details of the output tokens.
    pub struct OutputTokensDetails {
        thinking_tokens: u64,
    }
}

wire_struct! {
    /// The number of tool calls that the API ran itself.
    pub struct ServerToolRequests {
        web_search_requests: u64,
        web_fetch_requests: Option<u64>,
    }
}

wire_struct! {
    /// Tokens written to the prompt cache, by the lifetime of the cache entry.
    pub struct CacheCreation {
        ephemeral_1h_input_tokens: u64,
        ephemeral_5m_input_tokens: u64,
    }
}

open_enum! {
    /// The price list from which a cost was calculated.
    pub enum CostBasis {
        Unknown = "unknown",
        List = "list",
        Managed = "managed",
    }
}

wire_struct! {
    /// The total usage of a model since the process started.
    pub struct ModelUsage {
        input_tokens: u64 as "inputTokens",
        output_tokens: u64 as "outputTokens",
        thinking_tokens: Option<u64> as "thinkingTokens",
        cache_read_input_tokens: u64 as "cacheReadInputTokens",
        cache_creation_input_tokens: u64 as "cacheCreationInputTokens",
        cache_creation_ephemeral_5m_input_tokens: Option<u64> as "cacheCreationEphemeral5mInputTokens",
        cache_creation_ephemeral_1h_input_tokens: Option<u64> as "cacheCreationEphemeral1hInputTokens",
        web_search_requests: u64 as "webSearchRequests",
        cost_usd: Number as "costUSD",
        context_window: Option<u64> as "contextWindow",
        max_output_tokens: Option<u64> as "maxOutputTokens",
        canonical_model: Option<String> as "canonicalModel",
        provider: Option<String>,
        cost_basis: Option<CostBasis> as "costBasis",
    }
}
