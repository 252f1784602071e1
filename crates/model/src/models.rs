//! The table of known models: names, limits, prices, thinking modes.

use crate::request::Thinking;

/// The default model.
pub const DEFAULT: &str = "claude-opus-5-5";
/// The default model for small tasks outside the conversation.
pub const SMALL: &str = "claude-haiku-5-5";

/// The suffix of model names that requests the large context window.
pub(crate) const LARGE: &str = "[1m]";
pub(crate) const LARGE_WINDOW: u64 = 1_000_000;
/// The beta for the large context window of older models.
const LARGE_BETA: &str = "context-1m-2025-08-07";

const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// Facts about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The canonical id without a date; empty for an unknown model.
    pub id: &'static str,
    /// The display name; empty for an unknown model.
    pub name: &'static str,
    /// The context window in tokens.
    pub window: u64,
    /// The maximum number of output tokens to request.
    pub max_output: u32,
    /// List prices; `None` if unknown.
    pub prices: Option<Prices>,
    /// The prices of requests whose prompt has more than this number of tokens.
    pub long: Option<(u64, Prices)>,
    /// Which thinking modes it supports.
    pub thinking: ThinkingSupport,
    /// The levels of `effort` it supports.
    pub efforts: &'static [&'static str],
}

impl Model {
    /// Returns whether the model is in the table.
    pub fn is_known(&self) -> bool {
        !self.id.is_empty()
    }
}

/// The thinking modes that a model supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingSupport {
    /// The model decides how much it thinks; thinking cannot be disabled.
    Adaptive,
    /// Thinking with a token budget.
    Budget,
    /// No thinking, or unknown.
    None,
}

impl ThinkingSupport {
    /// Returns the default thinking mode.
    pub fn default(self) -> Thinking {
        // A request limits the budget to what its maximum output allows.
        self.budget(u32::MAX)
    }

    /// Returns the mode closest to no thinking.
    pub fn off(self) -> Thinking {
        match self {
            Self::Adaptive => Thinking::Adaptive,
            Self::Budget | Self::None => Thinking::Off,
        }
    }

    /// Returns the mode closest to a budget of this many tokens.
    pub fn budget(self, tokens: u32) -> Thinking {
        match self {
            Self::Adaptive => Thinking::Adaptive,
            Self::Budget => Thinking::Budget(tokens),
            Self::None => Thinking::Off,
        }
    }
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Input that was neither read from nor written to the cache.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Input written to the cache for five minutes.
    pub cache_write_5m: f64,
    /// Input written to the cache for an hour.
    pub cache_write_1h: f64,
}

/// The price of a web search in US dollars, for all models.
pub const WEB_SEARCH: f64 = 0.01;

impl Prices {
    /// Derives the cache prices, which are the same multiples of the input price for every model.
    pub(crate) const fn list(input: f64, output: f64) -> Self {
        Self {
            input,
            output,
            cache_read: input * 0.1,
            cache_write_5m: input * 1.25,
            cache_write_1h: input * 2.0,
        }
    }
}

const fn model(id: &'static str, name: &'static str, input: f64, output: f64) -> Model {
    Model {
        id,
        name,
        window: 200_000,
        max_output: 32_000,
        prices: Some(Prices::list(input, output)),
        long: None,
        thinking: ThinkingSupport::Budget,
        efforts: &[],
    }
}

const fn latest(id: &'static str, name: &'static str, input: f64, output: f64) -> Model {
    Model {
        window: 1_000_000,
        max_output: 128_000,
        thinking: ThinkingSupport::Adaptive,
        efforts: EFFORTS,
        ..model(id, name, input, output)
    }
}

/// A model that is no longer the newest of its family.
const fn recent(id: &'static str, name: &'static str, input: f64, output: f64) -> Model {
    Model {
        max_output: 64_000,
        ..latest(id, name, input, output)
    }
}

const TABLE: &[Model] = &[
    latest("claude-opus-5-5", "Opus 5.5", 4.0, 20.0),
    latest("claude-fable-5-2", "Fable 5.2", 8.0, 40.0),
    latest("claude-sonnet-5-5", "Sonnet 5.5", 2.0, 10.0),
    Model {
        long: Some((100_000, Prices::list(0.5, 2.5))),
        ..latest("claude-haiku-5-5", "Haiku 5.5", 0.1, 0.5)
    },
    recent("claude-opus-5", "Opus 5", 5.0, 25.0),
    recent("claude-fable-5-1", "Fable 5.1", 10.0, 50.0),
    recent("claude-fable-5", "Fable 5", 10.0, 50.0),
    recent("claude-sonnet-5", "Sonnet 5", 2.0, 10.0),
    recent("claude-opus-4-8", "Opus 4.8", 5.0, 25.0),
    recent("claude-opus-4-7", "Opus 4.7", 5.0, 25.0),
    Model {
        window: 200_000,
        ..recent("claude-opus-4-6", "Opus 4.6", 5.0, 25.0)
    },
    Model {
        window: 200_000,
        max_output: 32_000,
        ..recent("claude-sonnet-4-6", "Sonnet 4.6", 3.0, 15.0)
    },
    model("claude-sonnet-4-5", "Sonnet 4.5", 3.0, 15.0),
    model("claude-opus-4-5", "Opus 4.5", 5.0, 25.0),
    model("claude-haiku-4-5", "Haiku 4.5", 1.0, 5.0),
    model("claude-sonnet-4", "Sonnet 4", 3.0, 15.0),
    model("claude-3-7-sonnet", "Sonnet 3.7", 3.0, 15.0),
    Model {
        max_output: 8192,
        thinking: ThinkingSupport::None,
        ..model("claude-3-5-sonnet", "Sonnet 3.5", 3.0, 15.0)
    },
    Model {
        max_output: 8192,
        thinking: ThinkingSupport::None,
        ..model("claude-3-5-haiku", "Haiku 3.5", 0.8, 4.0)
    },
];

/// The facts assumed about an unknown model, such as a local one.
const UNKNOWN: Model = Model {
    prices: None,
    thinking: ThinkingSupport::None,
    ..model("", "", 0.0, 0.0)
};

pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("default", DEFAULT),
    ("opus", "claude-opus-5-5"),
    ("fable", "claude-fable-5-2"),
    ("best", "claude-opus-5-5"),
    ("sonnet", "claude-sonnet-5-5"),
    ("opusplan", "claude-sonnet-5-5"),
    ("haiku", "claude-haiku-5-5"),
    // Retired models are replaced by their successor.
    ("claude-opus-4-1", "claude-opus-5-5"),
    ("claude-opus-4-1-20250805", "claude-opus-5-5"),
    ("claude-opus-4-20250514", "claude-opus-5-5"),
    ("claude-opus-4-0", "claude-opus-5-5"),
];

/// Returns the model with this id, with or without a date.
pub fn find(id: &str) -> Option<&'static Model> {
    let id = canonical(id);
    TABLE.iter().find(|model| model.id == id)
}

/// Returns the facts about a model, known or not. A `[1m]` name gets its large window.
pub fn facts(id: &str) -> Model {
    let mut model = find(id).copied().unwrap_or(UNKNOWN);
    if id.ends_with(LARGE) {
        model.window = model.window.max(LARGE_WINDOW);
    }
    model
}

/// Returns the id without date, `-latest` and window suffix.
pub fn canonical(id: &str) -> &str {
    let id = api_name(id);
    match id.rsplit_once('-') {
        Some((base, "latest")) => base,
        Some((base, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => id,
    }
}

/// Returns the name for the API, without the window suffix.
pub fn api_name(id: &str) -> &str {
    id.strip_suffix(LARGE).unwrap_or(id)
}

/// Returns the beta that a name needs, if any.
pub fn beta(id: &str) -> Option<&'static str> {
    id.ends_with(LARGE).then_some(LARGE_BETA)
}

/// Returns the display name of a model.
pub fn name(id: &str) -> &str {
    find(id).map_or(id, |model| model.name)
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
