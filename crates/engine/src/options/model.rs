//! Options of the model.

/// Options of the model.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Address and credentials.
    pub config: sluice_model::Config,
    /// The requested model: an alias or an id. `None` selects the default.
    pub name: Option<String>,
    /// Models to use if the requested one is overloaded or unavailable.
    pub fallbacks: Vec<String>,
    /// The maximum number of retries of a failed request.
    pub max_retries: u32,
    /// How much the model thinks.
    pub thinking: Thinking,
    /// The effort level.
    pub effort: Option<String>,
    /// The source of the API key, as reported in `init`.
    pub key_source: KeySource,
}

impl ModelOptions {
    /// Returns default options with this configuration.
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

/// How much the model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// The default of the model.
    #[default]
    Default,
    /// Thinking is disabled.
    Off,
    /// The model decides.
    Adaptive,
    /// Up to this number of tokens.
    Budget(u32),
}

/// Where the API key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable.
    Environment,
    /// A command that prints the key.
    Helper,
    /// A token, or a header set by the user: there are credentials, but no API key.
    Token,
    /// There are no credentials. Requests are not sent; the response says what to do.
    None,
    /// No key is needed: the built-in demo model responds.
    Demo,
}

impl KeySource {
    /// The value in `init`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "ANTHROPIC_API_KEY",
            Self::Helper => "apiKeyHelper",
            Self::Token | Self::None | Self::Demo => "none",
        }
    }
}
