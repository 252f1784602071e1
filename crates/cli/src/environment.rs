//! The environment, read once.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use sluice_engine::StateEvents;
use sluice_model::Proxy;

/// What the variables say, as far as anybody here asks.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub(crate) cwd: PathBuf,
    pub(crate) home: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, or `~/.claude`.
    pub(crate) config_dir: PathBuf,
    pub(crate) temp_dir: PathBuf,
    pub(crate) is_root: bool,
    pub(crate) is_sandbox: bool,

    pub(crate) api_key: Option<String>,
    pub(crate) auth_token: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) custom_headers: Option<String>,
    pub(crate) proxy: Proxy,
    pub(crate) extra_certs: Option<PathBuf>,
    pub(crate) user_agent_suffix: Option<String>,

    pub(crate) model: Option<String>,
    pub(crate) max_retries: Option<u32>,
    pub(crate) max_thinking_tokens: Option<u32>,
    pub(crate) effort: Option<String>,

    pub(crate) state_events: StateEvents,
    pub(crate) background_wait: Option<Duration>,
    pub(crate) stream_hold: Option<Duration>,

    /// Everything, for the commands a session runs.
    pub(crate) all: Vec<(OsString, OsString)>,
}

/// How long background work is waited for after the input has ended.
const BACKGROUND_WAIT: Duration = Duration::from_mins(10);

impl Environment {
    pub(crate) fn read() -> Self {
        let home = text("HOME")
            .map(PathBuf::from)
            .or_else(env::home_dir)
            .unwrap_or_else(|| PathBuf::from("/"));
        Self {
            cwd: current_dir(),
            config_dir: text("CLAUDE_CONFIG_DIR").map_or_else(|| home.join(".claude"), PathBuf::from),
            home,
            temp_dir: env::temp_dir(),
            is_root: is_root(),
            is_sandbox: truthy("IS_SANDBOX"),
            api_key: text("ANTHROPIC_API_KEY"),
            auth_token: text("ANTHROPIC_AUTH_TOKEN").or_else(|| text("CLAUDE_CODE_OAUTH_TOKEN")),
            base_url: text("ANTHROPIC_BASE_URL"),
            custom_headers: text("ANTHROPIC_CUSTOM_HEADERS"),
            proxy: Proxy {
                https: either("HTTPS_PROXY", "https_proxy"),
                http: either("HTTP_PROXY", "http_proxy"),
                all: either("ALL_PROXY", "all_proxy"),
                no_proxy: either("NO_PROXY", "no_proxy"),
            },
            extra_certs: text("NODE_EXTRA_CA_CERTS")
                .or_else(|| text("SSL_CERT_FILE"))
                .map(PathBuf::from),
            user_agent_suffix: text("CLAUDE_AGENT_SDK_CLIENT_APP"),
            model: text("ANTHROPIC_MODEL"),
            max_retries: number("CLAUDE_CODE_MAX_RETRIES"),
            max_thinking_tokens: number("MAX_THINKING_TOKENS"),
            effort: text("CLAUDE_CODE_EFFORT_LEVEL"),
            state_events: state_events(),
            background_wait: background_wait(),
            stream_hold: number("CLAUDE_CODE_STREAM_EVENT_HOLD_MS").map(Duration::from_millis),
            all: env::vars_os().collect(),
        }
    }
}

/// Where we are, by the name the person uses for it: `$PWD` when it is the same place.
fn current_dir() -> PathBuf {
    let real = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    match text("PWD").map(PathBuf::from) {
        Some(named) if named.is_absolute() && named.canonicalize().ok() == real.canonicalize().ok() => named,
        _ => real,
    }
}

fn state_events() -> StateEvents {
    if truthy("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") {
        StateEvents::Visible
    } else if truthy("CLAUDE_CODE_SDK_READS_SESSION_STATE") {
        StateEvents::HostOnly
    } else {
        StateEvents::Off
    }
}

fn background_wait() -> Option<Duration> {
    match number::<u64>("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS") {
        Some(0) => None,
        Some(ms) => Some(Duration::from_millis(ms)),
        None => Some(BACKGROUND_WAIT),
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A variable that is set and not empty.
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn either(upper: &str, lower: &str) -> Option<String> {
    text(upper).or_else(|| text(lower))
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    text(name)?.trim().parse().ok()
}

fn truthy(name: &str) -> bool {
    text(name).is_some_and(|value| !matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off"))
}
