//! Who answers, and how.

/// What a session is told about the model.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// How it is reached.
    pub config: sluice_model::Config,
    /// The model asked for: an alias or an id; none is the default.
    pub name: Option<String>,
    /// Models to go on with when the first is overloaded.
    pub fallbacks: Vec<String>,
    /// How often a failed request is repeated.
    pub max_retries: u32,
    /// How much the model may think.
    pub thinking: Thinking,
    /// How hard it should try.
    pub effort: Option<String>,
    /// Where the key comes from, as `init` tells it.
    pub key_source: KeySource,
}

impl ModelOptions {
    /// The usual model, reached this way.
    #[must_use]
    pub fn new(config: sluice_model::Config) -> Self {
        Self {
            config,
            name: None,
            fallbacks: Vec::new(),
            max_retries: sluice_model::retry::DEFAULT_MAX_RETRIES,
            thinking: Thinking::Default,
            effort: None,
            key_source: KeySource::Environment,
        }
    }
}

/// How much the model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// As the model does by default.
    #[default]
    Default,
    /// Not at all.
    Off,
    /// As much as it sees fit.
    Adaptive,
    /// Up to so many tokens.
    Budget(u32),
}

/// Where the API key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// The environment.
    Environment,
    /// A command that prints it.
    Helper,
    /// A token, or a header that a person set: there is a credential, but no key.
    Token,
    /// There is none: no request is made, and the answer says what to do.
    None,
    /// None is needed: the built-in demo model answers.
    Demo,
}

impl KeySource {
    /// As `init` tells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "ANTHROPIC_API_KEY",
            Self::Helper => "apiKeyHelper",
            Self::Token | Self::None | Self::Demo => "none",
        }
    }
}
