//! The configuration of the client, which reads no environment variables itself.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use sluice_net::Network;

use crate::adjustments::Adjustments;
use crate::names::Names;

/// The default base URL.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// How to reach the model.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address in front of `/v1/messages` (`ANTHROPIC_BASE_URL`); a path in it is kept.
    pub base_url: String,
    /// The credentials.
    pub auth: Auth,
    /// Headers added to every request (`ANTHROPIC_CUSTOM_HEADERS`); they win over our own.
    pub headers: Vec<(String, String)>,
    /// Values of `anthropic-beta` sent with every request.
    pub betas: Vec<String>,
    /// Trusted certificates, proxies and the client certificate.
    pub network: Network,
    /// The `user-agent` header.
    pub user_agent: String,
    /// Silence inside a stream after which it counts as stalled.
    pub stall: Duration,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait for the head of a response, and for the whole of one that is not streamed.
    pub response_timeout: Duration,
    /// Longest time a streamed response may take from its head to its end.
    pub longest_reply: Duration,
    /// What models are called there.
    pub names: Names,
    /// Changes to every request.
    pub adjustments: Adjustments,
}

impl Config {
    /// A configuration with the usual waits and nothing special.
    pub fn new(base_url: impl Into<String>, auth: Auth) -> Self {
        Self {
            base_url: base_url.into(),
            auth,
            headers: Vec::new(),
            betas: Vec::new(),
            network: Network::default(),
            user_agent: concat!("sluice/", env!("CARGO_PKG_VERSION")).to_owned(),
            stall: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(30),
            response_timeout: Duration::from_secs(600),
            longest_reply: Duration::from_hours(1),
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
    /// No credentials: requests are refused here, unless [`Config::headers`] carries some.
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
    /// A command that prints the credential (`apiKeyHelper`). Its output is sent in both headers, except where
    /// [`Helper::key`] or [`Helper::token`] is set.
    Helper(Helper),
}

// Secrets stay out of logs.
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
    /// What `sh -c` runs.
    pub command: String,
    /// How long an answer is used before the command runs again.
    pub ttl: Duration,
    /// How long the command may take.
    pub timeout: Duration,
    /// Where it runs; the current directory if absent.
    pub cwd: Option<PathBuf>,
    /// Sent as `x-api-key` in place of the output.
    pub key: Option<String>,
    /// Sent as `authorization: Bearer` in place of the output.
    pub token: Option<String>,
}

// Secrets stay out of logs.
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
    /// A helper whose key is valid for five minutes.
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
