//! The table of known models: names, limits, prices, thinking modes.

use crate::request::Thinking;

/// The model used when none is named.
pub const DEFAULT: &str = "claude-opus-5-5";
/// The model for small jobs beside the conversation.
pub const SMALL: &str = "claude-haiku-5-5";

/// Marks a name whose large context window is asked for.
pub(crate) const LARGE: &str = "[1m]";
pub(crate) const LARGE_WINDOW: u64 = 1_000_000;
/// The beta under which older models take a large window.
const LARGE_BETA: &str = "context-1m-2025-08-07";

const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// What is known about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Canonical id, without a date; empty for an unknown model.
    pub id: &'static str,
    /// What to call it on screen; empty for an unknown model.
    pub name: &'static str,
    /// Context window in tokens.
    pub window: u64,
    /// Most output tokens to ask for.
    pub max_output: u32,
    /// List prices; `None` if we do not know them.
    pub prices: Option<Prices>,
    /// Prices of requests with a prompt longer than so many tokens.
    pub long: Option<(u64, Prices)>,
    /// How it thinks.
    pub thinking: Thinks,
    /// Levels of `effort` it takes.
    pub efforts: &'static [&'static str],
}

impl Model {
    /// Whether it is in the table.
    pub fn is_known(&self) -> bool {
        !self.id.is_empty()
    }
}

/// How a model thinks, which decides what it can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinks {
    /// As much as it finds right, and it cannot be told not to.
    Adaptively,
    /// Within a budget, if it is given one.
    WithinBudget,
    /// It does not, or that is not known.
    Never,
}

impl Thinks {
    /// The default thinking mode.
    pub fn default(self) -> Thinking {
        // A request clamps its budget to what its output leaves room for.
        self.budget(u32::MAX)
    }

    /// What comes closest to no thinking.
    pub fn off(self) -> Thinking {
        match self {
            Self::Adaptively => Thinking::Adaptive,
            Self::WithinBudget | Self::Never => Thinking::Off,
        }
    }

    /// What comes closest to so many tokens.
    pub fn budget(self, tokens: u32) -> Thinking {
        match self {
            Self::Adaptively => Thinking::Adaptive,
            Self::WithinBudget => Thinking::Budget(tokens),
            Self::Never => Thinking::Off,
        }
    }
}

/// US dollars per million tokens.
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

/// US dollars per web search, for every model.
pub const WEB_SEARCH: f64 = 0.01;

impl Prices {
    /// Cache prices are the same multiples of the input price for every model.
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
        thinking: Thinks::WithinBudget,
        efforts: &[],
    }
}

const fn latest(id: &'static str, name: &'static str, input: f64, output: f64) -> Model {
    Model {
        window: 1_000_000,
        max_output: 128_000,
        thinking: Thinks::Adaptively,
        efforts: EFFORTS,
        ..model(id, name, input, output)
    }
}

/// One that is not the newest of its kind any more.
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
        thinking: Thinks::Never,
        ..model("claude-3-5-sonnet", "Sonnet 3.5", 3.0, 15.0)
    },
    Model {
        max_output: 8192,
        thinking: Thinks::Never,
        ..model("claude-3-5-haiku", "Haiku 3.5", 0.8, 4.0)
    },
];

/// An unknown model, perhaps a local one: modest limits, no thinking, no price.
const UNKNOWN: Model = Model {
    prices: None,
    thinking: Thinks::Never,
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
    // No longer served; asking for one means its successor.
    ("claude-opus-4-1", "claude-opus-5-5"),
    ("claude-opus-4-1-20250805", "claude-opus-5-5"),
    ("claude-opus-4-20250514", "claude-opus-5-5"),
    ("claude-opus-4-0", "claude-opus-5-5"),
];

/// The model's entry, whatever date its id carries.
pub fn find(id: &str) -> Option<&'static Model> {
    let id = canonical(id);
    TABLE.iter().find(|model| model.id == id)
}

/// What to assume about a model, known or not; a `[1m]` name gets its large window.
pub fn facts(id: &str) -> Model {
    let mut model = find(id).copied().unwrap_or(UNKNOWN);
    if id.ends_with(LARGE) {
        model.window = model.window.max(LARGE_WINDOW);
    }
    model
}

/// The id without date, `-latest` or window mark.
pub fn canonical(id: &str) -> &str {
    let id = api_name(id);
    match id.rsplit_once('-') {
        Some((base, "latest")) => base,
        Some((base, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => id,
    }
}

/// The name the API knows: without the window mark.
pub fn api_name(id: &str) -> &str {
    id.strip_suffix(LARGE).unwrap_or(id)
}

/// The beta a name needs, if any.
pub fn beta(id: &str) -> Option<&'static str> {
    id.ends_with(LARGE).then_some(LARGE_BETA)
}

/// What to call a model on screen.
pub fn name(id: &str) -> &str {
    find(id).map_or(id, |model| model.name)
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
