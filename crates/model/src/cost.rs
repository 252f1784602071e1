//! Token usage and cost, in the form of `result` messages.

use serde_json::{Map, Number, Value, json};

use crate::models::{self, Model, Prices, WEB_SEARCH};

/// Token counts of one response, from its `usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// `input_tokens`.
    pub input: u64,
    /// `output_tokens`, thinking included.
    pub output: u64,
    /// `output_tokens_details.thinking_tokens`.
    pub thinking: u64,
    /// `cache_read_input_tokens`.
    pub cache_read: u64,
    /// `cache_creation_input_tokens`.
    pub cache_write: u64,
    /// `cache_creation.ephemeral_5m_input_tokens`.
    pub cache_write_5m: u64,
    /// `cache_creation.ephemeral_1h_input_tokens`.
    pub cache_write_1h: u64,
    /// `server_tool_use.web_search_requests`.
    pub web_searches: u64,
    /// `server_tool_use.web_fetch_requests`.
    pub web_fetches: u64,
}

impl Tokens {
    /// Parses a `usage` object. Missing or null counts are zero.
    pub fn read(usage: &Value) -> Self {
        let at = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
        Self {
            input: at("/input_tokens"),
            output: at("/output_tokens"),
            thinking: at("/output_tokens_details/thinking_tokens"),
            cache_read: at("/cache_read_input_tokens"),
            cache_write: at("/cache_creation_input_tokens"),
            cache_write_5m: at("/cache_creation/ephemeral_5m_input_tokens"),
            cache_write_1h: at("/cache_creation/ephemeral_1h_input_tokens"),
            web_searches: at("/server_tool_use/web_search_requests"),
            web_fetches: at("/server_tool_use/web_fetch_requests"),
        }
    }

    /// Returns the number of tokens the model read, which is the size of the context at that request.
    pub fn prompt(&self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        self.combine(more, u64::saturating_add)
    }

    fn minus(&self, less: &Self) -> Self {
        self.combine(less, u64::saturating_sub)
    }

    fn combine(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            input: with(self.input, other.input),
            output: with(self.output, other.output),
            thinking: with(self.thinking, other.thinking),
            cache_read: with(self.cache_read, other.cache_read),
            cache_write: with(self.cache_write, other.cache_write),
            cache_write_5m: with(self.cache_write_5m, other.cache_write_5m),
            cache_write_1h: with(self.cache_write_1h, other.cache_write_1h),
            web_searches: with(self.web_searches, other.web_searches),
            web_fetches: with(self.web_fetches, other.web_fetches),
        }
    }

    /// Returns the `usage` of a `result`.
    pub fn to_usage(&self) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output,
            "output_tokens_details": { "thinking_tokens": self.thinking },
            "server_tool_use": { "web_search_requests": self.web_searches, "web_fetch_requests": self.web_fetches },
            "service_tier": "standard",
            "cache_creation": {
                "ephemeral_1h_input_tokens": self.cache_write_1h,
                "ephemeral_5m_input_tokens": self.cache_write_5m,
            },
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
        })
    }

    /// Returns the cost of one request in US dollars, or `None` if the prices of the model are unknown.
    pub fn cost(&self, model: &Model) -> Option<f64> {
        let prices = match model.long {
            Some((over, prices)) if self.prompt() > over => prices,
            _ => model.prices?,
        };
        Some(self.at(&prices))
    }

    fn at(&self, prices: &Prices) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 / 1e6 * price;
        // Writes that the server does not split by duration count as five-minute writes.
        let short = self.cache_write.saturating_sub(self.cache_write_1h);
        million(self.input, prices.input)
            + million(self.output, prices.output)
            + million(self.cache_read, prices.cache_read)
            + million(short, prices.cache_write_5m)
            + million(self.cache_write_1h, prices.cache_write_1h)
            + self.web_searches as f64 * WEB_SEARCH
    }
}

/// Cumulative usage and cost by model, in order of first use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    entries: Vec<ModelEntry>,
    /// The cost is always zero.
    free: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct ModelEntry {
    model: String,
    tokens: Tokens,
    cost: f64,
}

impl Ledger {
    /// Creates an empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty ledger that counts tokens but applies no prices.
    pub fn free() -> Self {
        Self {
            free: true,
            ..Self::default()
        }
    }

    /// Adds the `usage` of one response. Returns its cost, or `None` if the prices of the model are unknown: no cost is
    /// added then, and [`Ledger::model_usage`] reports it.
    pub fn add(&mut self, model: &str, usage: &Value) -> Option<f64> {
        let tokens = Tokens::read(usage);
        let cost = match self.free {
            true => Some(0.0),
            false => tokens.cost(&models::facts(model)),
        };
        let entry = self.entry(model);
        entry.tokens = entry.tokens.plus(&tokens);
        entry.cost += cost.unwrap_or(0.0);
        cost
    }

    /// Returns `total_cost_usd`.
    pub fn total_cost_usd(&self) -> f64 {
        // `sum` of no floats is -0.
        self.entries.iter().fold(0.0, |sum, entry| sum + entry.cost)
    }

    /// Returns `total_cost_usd` as JSON. A whole number has no fraction.
    pub fn total_cost_value(&self) -> Value {
        dollars(self.total_cost_usd())
    }

    /// Returns the sum of the tokens of all models.
    pub fn tokens(&self) -> Tokens {
        self.entries
            .iter()
            .fold(Tokens::default(), |sum, entry| sum.plus(&entry.tokens))
    }

    /// Returns `modelUsage`: a map from model to its usage, with `costBasis` `list` or `unknown`.
    pub fn model_usage(&self) -> Value {
        let usage: Map<String, Value> = self
            .entries
            .iter()
            .map(|entry| (entry.model.clone(), entry.value()))
            .collect();
        Value::Object(usage)
    }

    /// Returns the used models with unknown prices, so that a total can be marked as incomplete.
    pub fn unpriced(&self) -> impl Iterator<Item = &str> {
        let unpriced = |entry: &&ModelEntry| models::facts(&entry.model).prices.is_none();
        self.entries.iter().filter(unpriced).map(|entry| entry.model.as_str())
    }

    /// Returns what was added since `earlier`, an older clone of this ledger.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let changed = self.entries.iter().filter_map(|entry| {
            let Some(before) = earlier.entries.iter().find(|before| before.model == entry.model) else {
                return Some(entry.clone());
            };
            (before != entry).then(|| ModelEntry {
                model: entry.model.clone(),
                tokens: entry.tokens.minus(&before.tokens),
                cost: entry.cost - before.cost,
            })
        });
        Self {
            entries: changed.collect(),
            free: self.free,
        }
    }

    /// Adds usage that [`Ledger::model_usage`] returned earlier.
    pub fn restore(&mut self, model_usage: &Value) {
        for (model, usage) in model_usage.as_object().into_iter().flatten() {
            let at = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
            let tokens = Tokens {
                input: at("inputTokens"),
                output: at("outputTokens"),
                thinking: at("thinkingTokens"),
                cache_read: at("cacheReadInputTokens"),
                cache_write: at("cacheCreationInputTokens"),
                cache_write_5m: at("cacheCreationEphemeral5mInputTokens"),
                cache_write_1h: at("cacheCreationEphemeral1hInputTokens"),
                web_searches: at("webSearchRequests"),
                web_fetches: 0,
            };
            let entry = self.entry(model);
            entry.tokens = entry.tokens.plus(&tokens);
            entry.cost += usage.get("costUSD").and_then(Value::as_f64).unwrap_or(0.0);
        }
    }

    /// Removes all entries, as `/clear` does.
    pub fn reset(&mut self) {
        self.entries.clear();
    }

    fn entry(&mut self, model: &str) -> &mut ModelEntry {
        let at = self
            .entries
            .iter()
            .position(|entry| entry.model == model)
            .unwrap_or_else(|| {
                self.entries.push(ModelEntry {
                    model: model.to_owned(),
                    tokens: Tokens::default(),
                    cost: 0.0,
                });
                self.entries.len() - 1
            });
        #[expect(clippy::indexing_slicing, reason = "the index was found or created a line above")]
        &mut self.entries[at]
    }
}

impl ModelEntry {
    fn value(&self) -> Value {
        let model = models::facts(&self.model);
        json!({
            "inputTokens": self.tokens.input,
            "outputTokens": self.tokens.output,
            "cacheReadInputTokens": self.tokens.cache_read,
            "cacheCreationInputTokens": self.tokens.cache_write,
            "webSearchRequests": self.tokens.web_searches,
            "costUSD": dollars(self.cost),
            "contextWindow": model.window,
            "maxOutputTokens": model.max_output,
            "thinkingTokens": self.tokens.thinking,
            "cacheCreationEphemeral5mInputTokens": self.tokens.cache_write_5m,
            "cacheCreationEphemeral1hInputTokens": self.tokens.cache_write_1h,
            "canonicalModel": models::canonical(&self.model),
            "provider": "firstParty",
            "costBasis": if model.prices.is_some() { "list" } else { "unknown" },
        })
    }
}

/// Converts an amount in US dollars to JSON.
fn dollars(amount: f64) -> Value {
    if amount == 0.0 {
        return 0.into();
    }
    Number::from_f64(amount).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
