//! The configuration of the client. The client itself reads no environment variables.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use sluice_net::Network;

use crate::adjustments::Adjustments;
use crate::names::Names;

/// The default base URL.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// How to connect to the model.
#[derive(Clone, Debug)]
pub struct Config {
    /// The base URL before `/v1/messages` (`ANTHROPIC_BASE_URL`). It may contain a path.
    pub base_url: String,
    /// The credentials.
    pub auth: Auth,
    /// Headers added to every request (`ANTHROPIC_CUSTOM_HEADERS`). They replace standard headers of the same name.
    pub headers: Vec<(String, String)>,
    /// Values of `anthropic-beta` that are sent with every request.
    pub betas: Vec<String>,
    /// Trusted certificates, proxies and the client certificate.
    pub network: Network,
    /// The `user-agent` header.
    pub user_agent: String,
    /// Time without data after which a stream counts as stalled.
    pub stall_timeout: Duration,
    /// The timeout for establishing a connection.
    pub connect_timeout: Duration,
    /// The timeout for the head of a response, or for the complete response if it is not streamed.
    pub response_timeout: Duration,
    /// The maximum duration of a streamed response from its head to its end.
    pub max_response_time: Duration,
    /// The model names of the server.
    pub names: Names,
    /// Changes to every request.
    pub adjustments: Adjustments,
}

impl Config {
    /// Creates a configuration with default timeouts.
    pub fn new(base_url: impl Into<String>, auth: Auth) -> Self {
        Self {
            base_url: base_url.into(),
            auth,
            headers: Vec::new(),
            betas: Vec::new(),
            network: Network::default(),
            user_agent: concat!("sluice/", env!("CARGO_PKG_VERSION")).to_owned(),
            stall_timeout: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(30),
            response_timeout: Duration::from_secs(600),
            max_response_time: Duration::from_hours(1),
            names: Names::default(),
            adjustments: Adjustments::default(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new(DEFAULT_BASE_URL, Auth::None)
    }
}

/// How requests are authenticated.
#[derive(Clone, Default)]
pub enum Auth {
    /// No credentials: requests fail without being sent, unless [`Config::headers`] contains some.
    #[default]
    None,
    /// `x-api-key` (`ANTHROPIC_API_KEY`).
    ApiKey(String),
    /// `authorization: Bearer` (`ANTHROPIC_AUTH_TOKEN`).
    Bearer(String),
    /// `authorization: Bearer` with the token of a person's subscription (`CLAUDE_CODE_OAUTH_TOKEN`). Responses report
    /// the limits of the account.
    Subscription(String),
    /// Both headers, each with its own credential.
    Both {
        /// `x-api-key`.
        key: String,
        /// `authorization: Bearer`.
        token: String,
    },
    /// A command that prints the credential (`apiKeyHelper`). Its output is sent in both headers, unless [`Helper::key`] or
    /// [`Helper::token`] is set.
    Helper(Helper),
}

// Secrets are kept out of logs.
impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::ApiKey(_) => f.write_str("ApiKey(…)"),
            Self::Bearer(_) => f.write_str("Bearer(…)"),
            Self::Subscription(_) => f.write_str("Subscription(…)"),
            Self::Both { .. } => f.write_str("Both(…)"),
            Self::Helper(helper) => f.debug_tuple("Helper").field(helper).finish(),
        }
    }
}

/// A shell command whose standard output is the credential.
#[derive(Clone)]
pub struct Helper {
    /// The command, run with `sh -c`.
    pub command: String,
    /// How long the output is used before the command runs again.
    pub ttl: Duration,
    /// The timeout of the command.
    pub timeout: Duration,
    /// The working folder; the current one if absent.
    pub cwd: Option<PathBuf>,
    /// The value of `x-api-key`, instead of the output.
    pub key: Option<String>,
    /// The value of `authorization: Bearer`, instead of the output.
    pub token: Option<String>,
}

// Secrets are kept out of logs.
impl fmt::Debug for Helper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helper")
            .field("command", &self.command)
            .field("ttl", &self.ttl)
            .field("key", &self.key.is_some())
            .field("token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

impl Helper {
    /// Creates a helper whose output is used for five minutes.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            ttl: Duration::from_secs(300),
            timeout: Duration::from_secs(60),
            cwd: None,
            key: None,
            token: None,
        }
    }
}
