//! Environment variables, read once.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use sluice_engine::settings::read_named;
use sluice_engine::{Compaction, StateEvents};
use sluice_model::{CLIENT_CERT, CLIENT_KEY, ClientCertificate, Names, Network, Proxy};

use self::requests::RequestVariables;
use crate::servers;

mod requests;

/// The variables used by this crate.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub(crate) cwd: PathBuf,
    /// True if the current folder was deleted.
    pub(crate) cwd_gone: bool,
    pub(crate) home: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, or `~/.claude`.
    pub(crate) config_dir: PathBuf,
    /// `~/.claude.json`, which contains the list of trusted folders.
    pub(crate) global_config: PathBuf,
    pub(crate) temp_dir: PathBuf,
    pub(crate) is_root: bool,
    pub(crate) is_sandbox: bool,
    /// `CLAUDE_CODE_SIMPLE`: same as `--bare`.
    pub(crate) simple: bool,
    /// `CLAUDE_CODE_SAFE_MODE`: same as `--safe-mode`.
    pub(crate) safe_mode: bool,
    /// `SLUICE_TERMINAL`: opens the terminal interface even if standard output is not a terminal.
    pub(crate) terminal: bool,

    pub(crate) api_key: Option<String>,
    pub(crate) auth_token: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) custom_headers: Option<String>,
    /// `ANTHROPIC_BETAS`.
    pub(crate) betas: Vec<String>,
    pub(crate) requests: RequestVariables,
    /// How long the output of `apiKeyHelper` is cached.
    pub(crate) helper_ttl: Option<Duration>,
    /// True if the host chose the provider with its URL and credentials; settings files do not change them.
    pub(crate) provider_of_host: bool,
    pub(crate) proxy: Proxy,
    pub(crate) extra_certs: Option<PathBuf>,
    /// `CLAUDE_CODE_CLIENT_CERT`: client certificate for servers that request one.
    pub(crate) client_cert: Option<PathBuf>,
    /// `CLAUDE_CODE_CLIENT_KEY`: its private key, if stored in another file.
    pub(crate) client_key: Option<PathBuf>,
    pub(crate) user_agent_suffix: Option<String>,

    pub(crate) model: Option<String>,
    /// Replacement of the default model.
    pub(crate) default_model: Option<String>,
    /// Custom models for the names `opus`, `sonnet` and `haiku`.
    pub(crate) model_names: Names,
    /// `CLAUDE_CODE_MAX_OUTPUT_TOKENS`.
    pub(crate) max_output: Option<u32>,
    /// Timeout for the start of a response.
    pub(crate) response_timeout: Option<Duration>,
    pub(crate) max_retries: Option<u32>,
    pub(crate) max_thinking_tokens: Option<u32>,
    pub(crate) effort: Option<String>,
    /// `CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION`, which overrides the settings.
    pub(crate) prompt_suggestions: Option<bool>,
    /// `CLAUDE_CODE_ENABLE_TASKS=0`: use the todo list instead of the task list.
    pub(crate) todo_list: bool,

    /// Variables for MCP servers.
    pub(crate) mcp: servers::Variables,

    /// `CLAUDE_CODE_STARTUP_FAILURE_RESULTS`: reports a failed start to the host as a `result`.
    pub(crate) startup_results: bool,
    /// Name of the program that started the session, as set by the SDKs.
    pub(crate) entrypoint: Option<String>,
    pub(crate) state_events: StateEvents,
    pub(crate) compaction: Compaction,
    /// True if file checkpoints are enabled.
    pub(crate) checkpointing: bool,
    /// True if the agent may write notes about a project.
    pub(crate) notes: bool,
    /// True if memory files of additional folders are read.
    pub(crate) memory_of_added_folders: bool,
    pub(crate) background_wait: Option<Duration>,
    /// True if background tasks are disabled.
    pub(crate) no_background_tasks: bool,
    /// `CLAUDE_CODE_RESUME_INTERRUPTED_TURN`.
    pub(crate) resume_interrupted_turn: bool,
    pub(crate) no_agent_summaries: bool,
    pub(crate) stream_hold: Option<Duration>,

    /// All variables, for the commands of a session.
    pub(crate) all: Vec<(OsString, OsString)>,
}

/// Maximum time to wait for background tasks after the end of input.
const BACKGROUND_WAIT: Duration = Duration::from_mins(10);

impl Environment {
    /// Reads the variables of this process.
    pub(crate) fn read() -> Self {
        Self::from(&Variables(env::vars_os().collect()))
    }

    /// Returns the network configuration for all connections.
    pub(crate) fn network(&self) -> Result<Network, String> {
        let read = |path: &PathBuf| read_named(path).map_err(|error| error.to_string());
        Ok(Network {
            proxy: self.proxy.clone(),
            extra_roots: self.extra_certs.as_ref().map(read).transpose()?,
            client_certificate: self.client_certificate()?,
        })
    }

    /// Returns the name of the variable that contains the token.
    pub(crate) fn auth_token_name(&self) -> &'static str {
        if self.has_subscription() {
            "CLAUDE_CODE_OAUTH_TOKEN"
        } else {
            "ANTHROPIC_AUTH_TOKEN"
        }
    }

    /// True if the token belongs to a subscription.
    pub(crate) fn has_subscription(&self) -> bool {
        self.auth_token.is_some() && !self.has("ANTHROPIC_AUTH_TOKEN")
    }

    /// True if a variable is set and not empty.
    fn has(&self, name: &str) -> bool {
        self.all
            .iter()
            .any(|(known, value)| *known == *name && !value.is_empty())
    }

    /// Returns the client certificate, if one is configured.
    fn client_certificate(&self) -> Result<Option<ClientCertificate>, String> {
        let read = |name: &str, path: &PathBuf| read_named(path).map_err(|error| format!("{name}: {error}"));
        let certificate = match (&self.client_cert, &self.client_key) {
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err(format!("{CLIENT_KEY} is set, but {CLIENT_CERT} is not: set both")),
            (Some(path), _) => read(CLIENT_CERT, path)?,
        };
        // Without a separate file, the certificate file also contains the key.
        let key = self
            .client_key
            .as_ref()
            .map(|path| read(CLIENT_KEY, path))
            .transpose()?;
        ClientCertificate::from_pem(&certificate, key.as_ref().unwrap_or(&certificate))
            .map(Some)
            .map_err(|error| error.to_string())
    }

    /// Returns the environment with the variables of settings files applied.
    pub(crate) fn with(&self, settings: Vec<(String, String)>) -> Self {
        if settings.is_empty() {
            return self.clone();
        }
        let mut all = self.all.clone();
        let settings = settings
            .into_iter()
            .filter(|(name, _)| !(self.provider_of_host && is_of_provider(name)));
        for (name, value) in settings {
            all.retain(|(known, _)| *known != *name);
            all.push((name.into(), value.into()));
        }
        Self {
            cwd: self.cwd.clone(),
            simple: self.simple,
            safe_mode: self.safe_mode,
            ..Self::from(&Variables(all))
        }
    }

    /// Returns the environment of a process that was claimed for another folder.
    pub(crate) fn claimed(&self, cwd: PathBuf, variables: Vec<(String, String)>) -> Self {
        let mut all = self.all.clone();
        for (name, value) in variables {
            all.retain(|(known, _)| *known != *name);
            all.push((name.into(), value.into()));
        }
        Self {
            cwd,
            cwd_gone: false,
            simple: self.simple,
            safe_mode: self.safe_mode,
            ..Self::from(&Variables(all))
        }
    }

    /// Sets a variable for the commands of a session.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.all.retain(|(known, _)| *known != *name);
        self.all.push((name.into(), value.into()));
    }

    fn from(variables: &Variables) -> Self {
        let home = variables.text("HOME").map(PathBuf::from).or_else(env::home_dir);
        let home = home.unwrap_or_else(|| PathBuf::from("/"));
        Self {
            cwd: current_dir(variables),
            cwd_gone: env::current_dir().is_err(),
            config_dir: variables
                .text("CLAUDE_CONFIG_DIR")
                .map_or_else(|| home.join(".claude"), PathBuf::from),
            global_config: match variables.text("CLAUDE_CONFIG_DIR") {
                Some(dir) => PathBuf::from(dir).join(".claude.json"),
                None => home.join(".claude.json"),
            },
            home,
            temp_dir: env::temp_dir(),
            is_root: is_root(),
            is_sandbox: variables.truthy("IS_SANDBOX"),
            simple: variables.truthy("CLAUDE_CODE_SIMPLE"),
            safe_mode: variables.truthy("CLAUDE_CODE_SAFE_MODE"),
            terminal: variables.truthy("SLUICE_TERMINAL"),
            api_key: variables.text("ANTHROPIC_API_KEY"),
            auth_token: variables.either("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            base_url: variables.text("ANTHROPIC_BASE_URL"),
            custom_headers: variables.text("ANTHROPIC_CUSTOM_HEADERS"),
            betas: variables.list("ANTHROPIC_BETAS"),
            requests: RequestVariables::read(variables),
            helper_ttl: variables
                .number("CLAUDE_CODE_API_KEY_HELPER_TTL_MS")
                .map(Duration::from_millis),
            provider_of_host: variables.truthy("CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"),
            proxy: Proxy {
                https: variables.either("HTTPS_PROXY", "https_proxy"),
                http: variables.either("HTTP_PROXY", "http_proxy"),
                all: variables.either("ALL_PROXY", "all_proxy"),
                no_proxy: variables.either("NO_PROXY", "no_proxy"),
            },
            extra_certs: variables
                .either("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")
                .map(PathBuf::from),
            client_cert: variables.text(CLIENT_CERT).map(PathBuf::from),
            client_key: variables.text(CLIENT_KEY).map(PathBuf::from),
            user_agent_suffix: variables.text("CLAUDE_AGENT_SDK_CLIENT_APP"),
            model: variables.text("ANTHROPIC_MODEL"),
            default_model: variables
                .text("ANTHROPIC_DEFAULT_MODEL")
                .filter(|name| !Names::is_alias(name)),
            model_names: Names::read(|name| variables.text(name)),
            max_output: variables
                .number("CLAUDE_CODE_MAX_OUTPUT_TOKENS")
                .filter(|most| *most > 0),
            response_timeout: variables
                .number("CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS")
                .or_else(|| variables.number("API_TIMEOUT_MS"))
                .filter(|most| *most > 0)
                .map(Duration::from_millis),
            max_retries: variables.number("CLAUDE_CODE_MAX_RETRIES"),
            max_thinking_tokens: variables.number("MAX_THINKING_TOKENS"),
            effort: variables.text("CLAUDE_CODE_EFFORT_LEVEL"),
            prompt_suggestions: variables
                .text("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION")
                .map(|_| variables.truthy("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION")),
            todo_list: variables.text("CLAUDE_CODE_ENABLE_TASKS").is_some()
                && !variables.truthy("CLAUDE_CODE_ENABLE_TASKS"),
            mcp: servers::Variables {
                timeout: variables.number("MCP_TIMEOUT").map(Duration::from_millis),
                tool_timeout: variables.number("MCP_TOOL_TIMEOUT").map(Duration::from_millis),
                output_tokens: variables.number("MAX_MCP_OUTPUT_TOKENS"),
                nonblocking: variables.truthy("MCP_CONNECTION_NONBLOCKING"),
                defer: !variables.denied("ENABLE_TOOL_SEARCH"),
            },
            startup_results: variables.truthy("CLAUDE_CODE_STARTUP_FAILURE_RESULTS"),
            entrypoint: variables.text("CLAUDE_CODE_ENTRYPOINT"),
            state_events: variables.state_events(),
            checkpointing: variables.truthy("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"),
            notes: !variables.truthy("CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
            memory_of_added_folders: variables.truthy("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"),
            compaction: Compaction {
                off: variables.truthy("DISABLE_COMPACT"),
                manual_only: variables.truthy("DISABLE_AUTO_COMPACT"),
                window: variables.number("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
                percent: variables
                    .number("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")
                    .filter(|percent| (1..=100).contains(percent)),
            },
            background_wait: variables.background_wait(),
            no_agent_summaries: variables.truthy("CLAUDE_CODE_DISABLE_AGENT_PROGRESS_SUMMARIES"),
            no_background_tasks: variables.truthy("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
            resume_interrupted_turn: variables.truthy("CLAUDE_CODE_RESUME_INTERRUPTED_TURN"),
            stream_hold: variables
                .number("CLAUDE_CODE_STREAM_EVENT_HOLD_MS")
                .map(Duration::from_millis),
            all: variables.0.clone(),
        }
    }
}

/// True for variables that select a provider, its URL or its credentials.
fn is_of_provider(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLOUD_ML_REGION",
    ];
    const PREFIXES: &[&str] = &[
        "ANTHROPIC_AWS_",
        "ANTHROPIC_BEDROCK_",
        "ANTHROPIC_FOUNDRY_",
        "ANTHROPIC_VERTEX_",
        "AWS_",
        "CLAUDE_CODE_SKIP_",
        "CLAUDE_CODE_USE_",
        "GOOGLE_",
        "VERTEX_REGION_",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns the current folder: `$PWD` if it names the same folder, to keep symlinks as the user typed them.
fn current_dir(variables: &Variables) -> PathBuf {
    let real = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    match variables.text("PWD").map(PathBuf::from) {
        Some(named) if named.is_absolute() && named.canonicalize().ok() == real.canonicalize().ok() => named,
        _ => real,
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Variables by name.
struct Variables(Vec<(OsString, OsString)>);

impl Variables {
    /// Returns a variable that is set and not empty.
    fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == *name)?;
        value.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
    }

    fn either(&self, first: &str, second: &str) -> Option<String> {
        self.text(first).or_else(|| self.text(second))
    }

    /// True if a variable that also accepts other values is set to "no".
    fn denied(&self, name: &str) -> bool {
        let off = |value: String| matches!(value.trim().to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off");
        self.text(name).is_some_and(off)
    }

    /// Returns the entries of a comma-separated list.
    fn list(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(str::to_owned).collect()
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.trim().parse().ok()
    }

    fn truthy(&self, name: &str) -> bool {
        let on = |value: String| matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on");
        self.text(name).is_some_and(on)
    }

    fn state_events(&self) -> StateEvents {
        if self.truthy("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") {
            StateEvents::Visible
        } else if self.truthy("CLAUDE_CODE_SDK_READS_SESSION_STATE") {
            StateEvents::HostOnly
        } else {
            StateEvents::Off
        }
    }

    fn background_wait(&self) -> Option<Duration> {
        match self.number::<u64>("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS") {
            Some(0) => None,
            Some(ms) => Some(Duration::from_millis(ms)),
            None => Some(BACKGROUND_WAIT),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Reads a client certificate from files of the `sluice-net` tests.
    fn client_certificate(named: &[(&str, &str)]) -> Result<bool, String> {
        let files = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../net/tests/it/tls");
        let named = named
            .iter()
            .map(|(name, file)| ((*name).into(), files.join(file).into_os_string()));
        let environment = Environment::from(&Variables(named.collect()));
        Ok(environment.network()?.client_certificate.is_some())
    }

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let pairs = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Environment::from(&Variables(pairs.collect()))
    }

    /// Observed in 2.1.325.
    #[test]
    fn a_flag_is_on_by_four_words_and_off_by_all_others() {
        for (value, on) in [
            ("1", true),
            (" TRUE ", true),
            ("yes", true),
            ("on", true),
            ("0", false),
            ("2", false),
            ("false", false),
            ("", false),
            ("enabled", false),
        ] {
            assert_eq!(environment(&[("IS_SANDBOX", value)]).is_sandbox, on, "{value:?}");
        }
    }

    #[test]
    fn a_host_that_manages_the_provider_is_not_overridden_by_settings() {
        let shell = [
            ("CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST", "1"),
            ("ANTHROPIC_API_KEY", "of-host"),
        ];
        let settings = || {
            [
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_BASE_URL",
                "ANTHROPIC_AUTH_TOKEN",
                "ANTHROPIC_MODEL",
            ]
            .map(|name| (name.to_owned(), "of-settings".to_owned()))
            .to_vec()
        };
        let managed = environment(&shell).with(settings());
        assert_eq!(managed.api_key.as_deref(), Some("of-host"));
        assert_eq!((managed.base_url, managed.auth_token), (None, None));
        assert_eq!(managed.model.as_deref(), Some("of-settings"));
        let free = environment(&[("ANTHROPIC_API_KEY", "of-shell")]).with(settings());
        assert_eq!(free.api_key.as_deref(), Some("of-settings"));
    }

    #[test]
    fn the_default_model_is_an_id() {
        let named = |name| environment(&[("ANTHROPIC_DEFAULT_MODEL", name)]).default_model;
        assert_eq!(named("sonnet"), None);
        assert_eq!(named("qwen3").as_deref(), Some("qwen3"));
        assert_eq!(environment(&[("ANTHROPIC_BETAS", "a, b,,")]).betas, ["a", "b"]);
    }

    #[test]
    fn a_client_certificate_comes_from_its_variables() {
        let both = [(CLIENT_CERT, "client.pem"), (CLIENT_KEY, "client-key.pem")];
        assert_eq!(client_certificate(&both), Ok(true));
        assert_eq!(client_certificate(&[]), Ok(false));
    }

    #[test]
    fn a_wrong_client_certificate_is_named_by_its_variable() {
        let [certificate, key] = [(CLIENT_CERT, "client.pem"), (CLIENT_KEY, "client-key.pem")];
        for (named, why) in [
            (
                vec![key],
                "CLAUDE_CODE_CLIENT_KEY is set, but CLAUDE_CODE_CLIENT_CERT is not",
            ),
            (vec![certificate], "CLAUDE_CODE_CLIENT_KEY: no private key"),
            (
                vec![(CLIENT_CERT, "none.pem"), key],
                "CLAUDE_CODE_CLIENT_CERT: cannot read ",
            ),
            (
                vec![certificate, (CLIENT_KEY, "none.pem")],
                "CLAUDE_CODE_CLIENT_KEY: cannot read ",
            ),
            (
                vec![certificate, (CLIENT_KEY, "client-key-encrypted.pem")],
                "CLAUDE_CODE_CLIENT_KEY: the private key is encrypted",
            ),
        ] {
            let error = client_certificate(&named).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
