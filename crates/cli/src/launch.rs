//! Builds the options of a session from the command line and the environment.

use std::path::{Path, PathBuf};

use sluice_engine::settings::{Chosen, FlagSettings, Opener, Places, Settings, Writer, read_named};
use sluice_engine::{
    AgentOptions, Asker, CatalogueOptions, Compaction, ConversationOptions, Folders, HostOptions, KeySource,
    LimitOptions, MemoryOptions, ModelOptions, Options, OutputSchema, PermissionOptions, PluginDir, PromptOptions,
    SessionOptions, Setup, SystemPrompt, Thinking, ToolOptions,
};
use sluice_model::{Auth, Config, DEFAULT_BASE_URL, Helper};
use sluice_wire::mode::PermissionMode;

use crate::conversation::{self, Conversation};
use crate::environment::Environment;
use crate::flags::{Flags, SPOKEN, Window};
use crate::servers;
use crate::startup::Refusal;

/// Behaviour without credentials.
#[derive(Debug, Clone)]
pub(crate) enum Keyless {
    /// Refuses, with instructions.
    Refuse,
    /// Uses the demo model at this address.
    Demo(String),
}

/// Path of the managed settings.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// Environment variables and settings files of a session.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) environment: Environment,
    pub(crate) settings: Settings,
}

impl Place {
    /// Reads the settings files and applies their variables.
    pub(crate) fn look(flags: &Flags, environment: &Environment, opener: Opener) -> Self {
        let places = Places {
            cwd: match &flags.project_config_root {
                Some(root) => root.into(),
                None => environment.cwd.clone(),
            },
            home: environment.home.clone(),
            config_dir: environment.config_dir.clone(),
            managed: MANAGED.into(),
            global: environment.global_config.clone(),
        };
        let flag = flags
            .settings
            .as_deref()
            .map(|argument| FlagSettings::from_argument(argument, &environment.cwd));
        let settings = Settings::load(&places, &chosen(flags), flag, flags.managed_settings.as_deref());
        let settings = settings.opened_by(opener).working_in(&environment.cwd);
        let settings = if flags.trust_folder {
            settings.vouched_for()
        } else {
            settings
        };
        let settings = if flags.bare || flags.safe_mode {
            settings.plainly()
        } else {
            settings
        };
        Self {
            environment: environment.with(settings.env()),
            settings,
        }
    }

    /// True if any credentials are configured.
    pub(crate) fn has_key(&self) -> bool {
        let environment = &self.environment;
        environment.api_key.is_some()
            || environment.auth_token.is_some()
            || self.settings.api_key_helper().is_some()
            || carries_credential(&custom_headers(environment.custom_headers.as_deref()))
    }
}

/// Determines who chose the folder of a headless session. A program that explicitly includes the project's settings
/// wants its hooks and servers to run; otherwise the folder is not trusted.
pub(crate) fn opener(flags: &Flags) -> Opener {
    let projects = |source: &String| matches!(source.as_str(), "project" | "local");
    match &flags.setting_sources {
        Some(sources) if sources.iter().any(projects) => Opener::Host,
        _ => Opener::Person,
    }
}

fn chosen(flags: &Flags) -> Chosen {
    match &flags.setting_sources {
        None => Chosen::ALL,
        Some(sources) => {
            let has = |name: &str| sources.iter().any(|source| source == name);
            Chosen {
                user: has("user"),
                project: has("project"),
                local: has("local"),
            }
        }
    }
}

/// Returns a message for each unusable folder of `--add-dir`. The session starts without it, and uses it once it
/// exists.
pub(crate) fn unusable_folders(flags: &Flags, environment: &Environment) -> Vec<String> {
    let why = |dir: &String| match std::fs::metadata(absolute(&environment.cwd, dir)) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(format!("--add-dir {dir}: not a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(format!("--add-dir {dir}: no such folder")),
        Err(error) => Some(format!("--add-dir {dir}: {error}")),
    };
    flags.add_dir.iter().filter_map(why).collect()
}

/// Refuses definitions of `--agents` with errors: a session without one of its agents would do something else than it was
/// started for.
fn check_agents(flags: &Flags, environment: &Environment) -> Result<(), Refusal> {
    let given = flags.agents.as_deref().filter(|given| !given.trim().is_empty());
    let problems = given.map(|given| sluice_engine::agent_problems(given, &environment.cwd));
    match problems.filter(|problems| !problems.is_empty()) {
        Some(problems) => Err(Refusal::from(format!("--agents: {}", problems.join("; ")))),
        None => Ok(()),
    }
}

/// Builds the options of a session, or returns why it cannot start.
pub(crate) fn options(flags: &Flags, place: &Place, keyless: Keyless) -> Result<Options, Refusal> {
    let Place { environment, settings } = place;
    let mode = mode(flags, environment)?;
    check_agents(flags, environment)?;
    let Conversation {
        session_id,
        keeping,
        earlier,
        refusal,
    } = conversation::choose(flags, environment)?;
    let added = flags.add_dir.iter().map(|dir| absolute(&environment.cwd, dir));
    let checkpoints = environment.config_dir.join("file-history");
    Ok(Options {
        cwd: environment.cwd.clone(),
        folders: Folders {
            added: added.collect(),
            home: environment.home.clone(),
            checkpoints: environment.checkpointing.then_some(checkpoints),
            plans: environment.config_dir.join("plans"),
            outputs: output_dir(environment, &session_id),
            preloaded: None,
        },
        session: SessionOptions {
            id: session_id,
            keeping,
            earlier,
            refusal,
            setup: setup(flags),
            resume_interrupted: environment.resume_interrupted_turn,
            parked: false,
        },
        settings: settings.clone(),
        env: environment.all.clone().into(),
        model: model(flags, place, keyless)?,
        prompt: PromptOptions {
            words: system_prompt(flags, environment)?,
            memory: MemoryOptions {
                off: flags.bare,
                of_added_folders: environment.memory_of_added_folders,
            },
            notes: environment.notes && !flags.bare && !flags.safe_mode && !flags.restricted,
            date: today(),
        },
        conversation: conversation(flags, environment)?,
        catalogue: catalogue(flags, environment),
        servers: servers::options(flags, environment)?,
        tools: ToolOptions {
            offered: flags.tools.clone(),
            todo_list: environment.todo_list,
            ..ToolOptions::default()
        },
        permissions: PermissionOptions {
            allowed: flags.allowed_tools.clone(),
            disallowed: flags.disallowed_tools.clone(),
            mode,
            bypass_launched: flags.dangerously_skip_permissions || flags.allow_dangerously_skip_permissions,
            restricted: flags.restricted,
            asker: asker(flags),
        },
        agents: AgentOptions {
            given: flags.agents.clone(),
            lead: flags.agent.clone(),
            forward_text: flags.forward_subagent_text,
            never_in_background: environment.no_background_tasks,
            no_summaries: environment.no_agent_summaries,
            ..AgentOptions::default()
        },
        limits: LimitOptions {
            max_turns: flags.max_turns,
            max_budget_usd: flags.max_budget_usd,
            compaction: compaction(flags, environment),
            background_wait: environment.background_wait,
        },
        host: HostOptions {
            partial: flags.include_partial_messages,
            hook_events: flags.include_hook_events,
            awaits_initialize: flags.await_initialize,
            replay: flags.replay_user_messages,
            state_events: environment.state_events,
            writer: match flags.own_host {
                Some(_) => Writer::Page,
                None => Writer::Host,
            },
        },
    })
}

/// Builds the model options from the command line, then the environment, then the settings.
fn model(flags: &Flags, place: &Place, keyless: Keyless) -> Result<ModelOptions, Refusal> {
    let environment = &place.environment;
    let (config, key_source) = model_config(flags, place, keyless)?;
    let max_retries = sluice_model::retry::DEFAULT_MAX_RETRIES;
    Ok(ModelOptions {
        config,
        name: model_name(flags, place),
        fallbacks: flags.fallback_model.clone().unwrap_or_default(),
        max_retries: environment.max_retries.unwrap_or(max_retries),
        thinking: thinking(flags, environment),
        effort: flags.effort.clone().or_else(|| environment.effort.clone()),
        key_source,
    })
}

/// Builds the options for compaction.
fn compaction(flags: &Flags, environment: &Environment) -> Compaction {
    let window = match flags.autocompact {
        // The context window of the model, regardless of other settings.
        Some(Window::Auto) => Some(u64::MAX),
        Some(Window::Tokens(tokens)) => Some(tokens),
        None => environment.compaction.window,
    };
    Compaction {
        window,
        ..environment.compaction
    }
}

fn conversation(flags: &Flags, environment: &Environment) -> Result<ConversationOptions, Refusal> {
    let off = |word: &str| matches!(word, "false" | "0" | "no" | "off");
    Ok(ConversationOptions {
        task_budget: flags.task_budget,
        max_output: environment.max_output,
        thinking_display: flags.thinking_display.clone(),
        suggestions: flags.prompt_suggestions.as_deref().is_some_and(|word| !off(word)),
        suggestions_forced: environment.prompt_suggestions,
        output_schema: output_schema(flags)?,
    })
}

/// Returns the setup to run first.
fn setup(flags: &Flags) -> Option<Setup> {
    if flags.init_only {
        Some(Setup::InitOnly)
    } else if flags.init {
        Some(Setup::Init)
    } else {
        flags.maintenance.then_some(Setup::Maintenance)
    }
}

/// Returns the plugins named on the command line.
pub(crate) fn plugin_dirs(flags: &Flags, environment: &Environment) -> Vec<PluginDir> {
    let dirs = |paths: &[String], without_mcp: bool| -> Vec<PluginDir> {
        let dir = |path: &String| PluginDir {
            path: absolute(&environment.cwd, path),
            without_mcp,
            failed: None,
        };
        paths.iter().map(dir).collect()
    };
    let mut plugin_dirs = dirs(&flags.plugin_dir, false);
    plugin_dirs.extend(dirs(&flags.plugin_dir_no_mcp, true));
    plugin_dirs.extend(flags.plugins_brought.iter().cloned());
    plugin_dirs
}

/// Builds the options for plugins and slash commands.
fn catalogue(flags: &Flags, environment: &Environment) -> CatalogueOptions {
    CatalogueOptions {
        plugin_dirs: plugin_dirs(flags, environment),
        without_commands: flags.disable_slash_commands,
        skills: None,
    }
}

/// Returns the initial permission mode. Root may not bypass permissions unless the process is confined otherwise.
fn mode(flags: &Flags, environment: &Environment) -> Result<Option<PermissionMode>, Refusal> {
    let mode = match &flags.permission_mode {
        _ if flags.dangerously_skip_permissions => Some(PermissionMode::BypassPermissions),
        Some(word) => Some(PermissionMode::from(word.as_str())),
        None => None,
    };
    if mode == Some(PermissionMode::BypassPermissions) && environment.is_root && !environment.is_sandbox {
        return Err(Refusal::new(
            "bypass_root",
            "--dangerously-skip-permissions cannot be used with root/sudo: run as another user, or set IS_SANDBOX=1 \
             inside a sandbox",
        ));
    }
    Ok(mode)
}

/// True if settings disable a permission mode.
pub(crate) fn is_disabled(mode: &PermissionMode, place: &Place) -> bool {
    match mode {
        PermissionMode::BypassPermissions => place.settings.bypass_disabled(),
        PermissionMode::Auto => place.settings.auto_disabled(),
        _ => false,
    }
}

fn asker(flags: &Flags) -> Asker {
    if flags.permission_prompts.as_deref() == Some("none") {
        return Asker::Refuses;
    }
    match flags.permission_prompt_tool.as_deref() {
        Some("stdio") => Asker::Host,
        Some(tool) if tool.starts_with("mcp__") => Asker::Tool(tool.to_owned()),
        _ => Asker::Nobody,
    }
}

fn thinking(flags: &Flags, environment: &Environment) -> Thinking {
    match (
        flags.thinking.as_deref(),
        flags.max_thinking_tokens.or(environment.max_thinking_tokens),
    ) {
        (Some("disabled"), _) => Thinking::Off,
        (_, Some(0)) => Thinking::Off,
        (_, Some(tokens)) => Thinking::Budget(tokens),
        (Some("adaptive"), None) => Thinking::Adaptive,
        _ => Thinking::Default,
    }
}

fn output_schema(flags: &Flags) -> Result<Option<OutputSchema>, String> {
    let parse = |text: &str| OutputSchema::parse(text).map_err(|error| format!("--json-schema: {error}"));
    flags.json_schema.as_deref().map(parse).transpose()
}

fn system_prompt(flags: &Flags, environment: &Environment) -> Result<SystemPrompt, String> {
    let from_file = |path: &Option<String>| match path {
        Some(path) => read_named(&environment.cwd.join(path))
            .map(Some)
            .map_err(|error| error.to_string()),
        None => Ok(None),
    };
    Ok(SystemPrompt {
        replace: from_file(&flags.system_prompt_file)?.or_else(|| flags.system_prompt.clone()),
        append: from_file(&flags.append_system_prompt_file)?.or_else(|| flags.append_system_prompt.clone()),
        keep: match flags.system_prompt_snapshot.as_deref() {
            Some(said) => said == "on",
            None => !flags.bare,
        },
        bare: flags.bare,
        place_apart: flags.exclude_dynamic_system_prompt_sections,
        ..SystemPrompt::default()
    })
}

fn model_config(flags: &Flags, place: &Place, keyless: Keyless) -> Result<(Config, KeySource), String> {
    let Place { environment, settings } = place;
    let headers = custom_headers(environment.custom_headers.as_deref());
    let (auth, source) = credentials(environment, settings, &headers);
    let mut config = Config::new(environment.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL), auth);
    config.headers = headers;
    config.betas = flags.betas.clone().unwrap_or_default();
    config.betas.extend(environment.betas.iter().cloned());
    config.adjustments = environment.requests.adjustments(settings.model_overrides())?;
    config.network = environment.network()?;
    config.names = match environment.base_url {
        // A custom server may have no other model.
        Some(_) => {
            let main = environment.model_names.resolve(model_name(flags, place).as_deref());
            environment.model_names.with_main(&main)
        }
        None => environment.model_names.clone(),
    };
    if let Some(most) = environment.response_timeout {
        config.response_timeout = most;
    }
    config.user_agent = user_agent(environment);
    match (source, keyless) {
        (KeySource::None, Keyless::Demo(address)) => {
            let mut config = Config::new(address, Auth::ApiKey("demo".to_owned()));
            config.user_agent = user_agent(environment);
            Ok((config, KeySource::Demo))
        }
        (source, _) => Ok((config, source)),
    }
}

/// Returns the credentials and their source. Key and token are sent in separate headers, both if both are set;
/// `apiKeyHelper` fills the header that has none. The reference CLI (2.1.325) does the same.
fn credentials(environment: &Environment, settings: &Settings, headers: &[(String, String)]) -> (Auth, KeySource) {
    let (key, token) = (environment.api_key.clone(), environment.auth_token.clone());
    let has_key = key.is_some();
    match (key, token, settings.api_key_helper()) {
        (Some(key), Some(token), _) => (Auth::Both { key, token }, KeySource::Environment),
        (key, token, Some(command)) => {
            let mut helper = Helper::new(command);
            helper.ttl = environment.helper_ttl.unwrap_or(helper.ttl);
            (helper.key, helper.token) = (key, token);
            let source = if has_key {
                KeySource::Environment
            } else {
                KeySource::Helper
            };
            (Auth::Helper(helper), source)
        }
        (Some(key), None, None) => (Auth::ApiKey(key), KeySource::Environment),
        (None, Some(token), None) if environment.has_subscription() => (Auth::Subscription(token), KeySource::Token),
        (None, Some(token), None) => (Auth::Bearer(token), KeySource::Token),
        (None, None, None) if carries_credential(headers) => (Auth::None, KeySource::Token),
        (None, None, None) => (Auth::None, KeySource::None),
    }
}

/// True if a custom header authenticates requests.
fn carries_credential(headers: &[(String, String)]) -> bool {
    let credential = |name: &str| ["authorization", "x-api-key"].contains(&name.to_ascii_lowercase().as_str());
    headers.iter().any(|(name, _)| credential(name))
}

/// Returns the configured model: by flag, variable or setting.
fn model_name(flags: &Flags, place: &Place) -> Option<String> {
    let Place { environment, settings } = place;
    let of_settings = || settings.model().map(str::to_owned);
    let name = flags.model.clone().or_else(|| environment.model.clone());
    name.or_else(of_settings).or_else(|| environment.default_model.clone())
}

fn user_agent(environment: &Environment) -> String {
    let base = format!("sluice/{} (protocol {SPOKEN})", env!("CARGO_PKG_VERSION"));
    match &environment.user_agent_suffix {
        Some(app) => format!("{base} {app}"),
        None => base,
    }
}

/// Parses lines of the form `Name: value`.
fn custom_headers(text: Option<&str>) -> Vec<(String, String)> {
    let line = |line: &str| {
        line.split_once(':')
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
    };
    text.into_iter().flat_map(str::lines).filter_map(line).collect()
}

/// Returns the folder for large outputs: outside of the project, separate for each user, project and session.
fn output_dir(environment: &Environment, session_id: &str) -> PathBuf {
    let uid = rustix::process::geteuid().as_raw();
    let key: String = environment
        .cwd
        .to_string_lossy()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    environment
        .temp_dir
        .join(format!("sluice-{uid}"))
        .join(key)
        .join(session_id)
        .join("tasks")
}

fn absolute(cwd: &Path, path: &str) -> PathBuf {
    cwd.join(path)
}

fn today() -> String {
    jiff::Zoned::now().date().to_string()
}
