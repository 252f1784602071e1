//! What was used, and what it cost.

use crate::open::open_enum;
use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// Tokens of one answer, or of one turn in `result`.
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
    /// How the output was spent.
    pub struct OutputTokensDetails {
        thinking_tokens: u64,
    }
}

wire_struct! {
    /// Calls the API ran itself.
    pub struct ServerToolRequests {
        web_search_requests: u64,
        web_fetch_requests: Option<u64>,
    }
}

wire_struct! {
    /// Tokens written to the cache, by how long they live.
    pub struct CacheCreation {
        ephemeral_1h_input_tokens: u64,
        ephemeral_5m_input_tokens: u64,
    }
}

open_enum! {
    /// Which price list a cost comes from.
    pub enum CostBasis {
        Unknown = "unknown",
        List = "list",
        Managed = "managed",
    }
}

wire_struct! {
    /// Totals of one model since the process began.
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
