//! The table of settings keys: name, type, scopes that may set it, and its effect.
//!
//! Code that reads a setting refers to its row, so this table describes all settings that are read. Unknown keys are
//! preserved and displayed; like most keys they are held back until the folder is trusted.

use serde_json::{Map, Value};
use sluice_permission::Source;

use crate::writers::Writable;

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The name in a settings file.
    pub name: &'static str,
    /// Description in one sentence. It begins with a space, as documentation comments do.
    about: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// Whether it applies in an untrusted folder.
    pub untrusted: Untrusted,
    /// How the values of several files are combined.
    pub merge: Merge,
    /// The scopes that may set it.
    pub scopes: Scopes,
    /// Which hosts may write it, and to which files (`update_settings`).
    pub writable: Writable,
    /// The values that `/config` accepts, if the setting can be changed for a session.
    pub configurable: Option<&'static str>,
    /// The part of the session to reconfigure when the setting changes.
    pub concerns: Concerns,
    /// Whether the list of held-back settings contains the names in its value.
    pub told_by_name: bool,
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One of several types.
    Any,
    /// A boolean.
    Flag,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A list.
    List,
    /// An object.
    Object,
}

/// Whether a setting of an untrusted folder applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untrusted {
    /// It does not apply.
    Waits,
    /// It only applies if a program requested the project's settings (`--setting-sources`).
    CountsForHosts,
    /// It applies: it runs no program, connects to nothing, redirects no request, changes no stored data and avoids no
    /// permission request.
    Counts,
}

/// How the values of several files are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Objects are merged key by key and lists are concatenated; other values come from the strongest file.
    Joined,
    /// The whole value comes from the strongest file, because the order of the list matters.
    Replaced,
}

/// The scopes that may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scopes {
    /// All scopes.
    All,
    /// All scopes except project and local.
    NotProjects,
    /// The files of the user and the administrator.
    Owners,
    /// The files of the administrator.
    Policy,
}

/// The part of a session to reconfigure when a setting changes. Rules, hooks and environment variables always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concerns {
    /// Nothing: the setting is read when it is needed.
    Nothing,
    /// The sandbox.
    Sandbox,
    /// The set of MCP servers that may be connected.
    Servers,
}

impl Shape {
    /// Whether a value has this type.
    #[must_use]
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Flag => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    /// Parses a value that the user typed.
    #[must_use]
    pub fn read(self, word: &str) -> Option<Value> {
        let read = match self {
            Self::Text => return Some(word.into()),
            Self::Any => serde_json::from_str(word).unwrap_or_else(|_| word.into()),
            Self::Flag | Self::Number | Self::List | Self::Object => serde_json::from_str(word).ok()?,
        };
        self.fits(&read).then_some(read)
    }

    /// Returns a description of the type for messages.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Flag => "true or false",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

impl Scopes {
    /// Whether a file of this scope may set the key.
    #[must_use]
    pub fn hold(self, source: Source) -> bool {
        match self {
            Self::All => true,
            Self::NotProjects => !matches!(source, Source::Project | Source::Local),
            Self::Owners => matches!(source, Source::User | Source::Policy),
            Self::Policy => source == Source::Policy,
        }
    }
}

impl Key {
    /// Returns what it sets, in one sentence.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about.trim_start()
    }

    /// Creates a row with the defaults: all scopes may set the key, it is held back in an untrusted folder, and no host
    /// may write it.
    const fn new(name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            about: "",
            shape,
            untrusted: Untrusted::Waits,
            merge: Merge::Joined,
            scopes: Scopes::All,
            writable: Writable::Never,
            configurable: None,
            concerns: Concerns::Nothing,
            told_by_name: false,
        }
    }

    /// Whether the value of a stronger file replaces that of a weaker one, instead of being merged with it.
    #[must_use]
    pub fn merge_replaces(&self) -> bool {
        self.merge == Merge::Replaced || !matches!(self.shape, Shape::List | Shape::Object | Shape::Any)
    }

    const fn any(name: &'static str) -> Self {
        Self::new(name, Shape::Any)
    }

    const fn flag(name: &'static str) -> Self {
        Self::new(name, Shape::Flag)
    }

    const fn text(name: &'static str) -> Self {
        Self::new(name, Shape::Text)
    }

    const fn number(name: &'static str) -> Self {
        Self::new(name, Shape::Number)
    }

    const fn list(name: &'static str) -> Self {
        Self::new(name, Shape::List)
    }

    const fn object(name: &'static str) -> Self {
        Self::new(name, Shape::Object)
    }

    const fn counts(mut self) -> Self {
        self.untrusted = Untrusted::Counts;
        self
    }

    const fn counts_for_hosts(mut self) -> Self {
        self.untrusted = Untrusted::CountsForHosts;
        self
    }

    const fn replaced(mut self) -> Self {
        self.merge = Merge::Replaced;
        self
    }

    const fn of(mut self, scopes: Scopes) -> Self {
        self.scopes = scopes;
        self
    }

    const fn writable(mut self, writable: Writable) -> Self {
        self.writable = writable;
        self
    }

    const fn configurable(mut self, values: &'static str) -> Self {
        self.configurable = Some(values);
        self
    }

    const fn concerns(mut self, concerns: Concerns) -> Self {
        self.concerns = concerns;
        self
    }

    const fn told_by_name(mut self) -> Self {
        self.told_by_name = true;
        self
    }
}

macro_rules! keys {
    ($($(#[doc = $about:literal])+ $constant:ident = $key:expr;)+) => {
        $(
            $(#[doc = $about])+
            pub const $constant: Key = Key { about: concat!($($about),+), ..$key };
        )+

        /// All settings.
        pub const TABLE: &[Key] = &[$($constant),+];
    };
}

keys! {
    /// The JSON schema of the file, for editors.
    SCHEMA = Key::text("$schema").counts();
    // The conversation.
    /// The agent definition that a session starts with (`--agent`).
    AGENT = Key::text("agent");
    /// Whether the model thinks before it answers. Default: `true`.
    ALWAYS_THINKING_ENABLED = Key::flag("alwaysThinkingEnabled").counts().configurable("true|false").writable(Writable::OwnHosts);
    /// Attribution in commits and pull requests. Not used: Sluice adds none.
    ATTRIBUTION = Key::any("attribution").counts().writable(Writable::OwnHosts);
    /// Whether the conversation is compacted when the context window is nearly full. Default: `true`.
    AUTO_COMPACT_ENABLED = Key::flag("autoCompactEnabled").counts().configurable("true|false").writable(Writable::OwnHosts);
    /// The number of tokens at which the conversation is compacted, if it is smaller than the context window.
    AUTO_COMPACT_WINDOW = Key::number("autoCompactWindow").counts();
    /// Whether the agent keeps notes in the memory folder. Default: `true`.
    AUTO_MEMORY_ENABLED = Key::flag("autoMemoryEnabled").writable(Writable::OwnHosts);
    // Files in this folder are written without a permission request, so a project must not set it.
    /// The memory folder.
    AUTO_MEMORY_DIRECTORY = Key::text("autoMemoryDirectory").of(Scopes::NotProjects);
    /// Patterns of `CLAUDE.md` files that are not loaded.
    CLAUDE_MD_EXCLUDES = Key::list("claudeMdExcludes");
    /// The older form of `attribution`. Not used: Sluice adds none.
    INCLUDE_CO_AUTHORED_BY = Key::flag("includeCoAuthoredBy").counts().writable(Writable::OwnHosts);
    /// Whether the system prompt contains instructions for git. Not used.
    INCLUDE_GIT_INSTRUCTIONS = Key::flag("includeGitInstructions").counts();
    /// The language in which the model answers.
    LANGUAGE = Key::text("language").counts().configurable("<language>").writable(Writable::OwnHosts);
    /// The output style: a name from `/output-style`.
    OUTPUT_STYLE = Key::text("outputStyle").counts().writable(Writable::AnyHostUserAndLocal).configurable("<style>");
    /// Whether the model suggests the next prompt after a turn.
    PROMPT_SUGGESTION_ENABLED = Key::flag("promptSuggestionEnabled").writable(Writable::OwnHosts);
    /// Whether `@` leaves out ignored files. Not used.
    RESPECT_GITIGNORE = Key::flag("respectGitignore").counts().configurable("true|false").writable(Writable::OwnHosts);
    // The model.
    /// A command that prints the API key.
    API_KEY_HELPER = Key::text("apiKeyHelper");
    /// The models that can be selected, as names or beginnings of names.
    AVAILABLE_MODELS = Key::list("availableModels");
    /// Models that cannot be selected. Not used.
    DENIED_MODELS = Key::list("deniedModels").counts();
    /// The effort of the model: `low`, `medium`, `high`, `xhigh` or `max`.
    EFFORT_LEVEL = Key::text("effortLevel").counts().writable(Writable::AnyHostUser).configurable("low|medium|high|xhigh|max");
    /// The models that answer while the first one is overloaded. Not used: use `--fallback-model`.
    FALLBACK_MODEL = Key::any("fallbackModel").counts_for_hosts().replaced().writable(Writable::OwnHosts);
    /// The highest effort that can be selected. Not used.
    MAX_EFFORT_LEVEL = Key::text("maxEffortLevel").counts();
    /// The model: an alias such as `sonnet`, or a full name.
    MODEL = Key::text("model").counts_for_hosts().configurable("<model>").writable(Writable::OwnHosts);
    /// An object with the model id to send to the server, by the requested model id.
    MODEL_OVERRIDES = Key::object("modelOverrides");
    /// Settings by model, such as `effortLevel`.
    MODEL_SETTINGS = Key::object("modelSettings");
    // Permissions and environment.
    /// Permission rules and modes; its keys are listed below.
    PERMISSIONS = Key::object("permissions").writable(Writable::Terminal);
    /// Whether only the administrator's allow rules apply.
    ALLOW_MANAGED_PERMISSION_RULES_ONLY = Key::flag("allowManagedPermissionRulesOnly").of(Scopes::Policy);
    /// `"disable"` turns off the permission mode `auto`.
    DISABLE_AUTO_MODE = Key::any("disableAutoMode");
    /// `"disable"` turns off the permission mode `bypassPermissions`.
    DISABLE_BYPASS_PERMISSIONS_MODE = Key::any("disableBypassPermissionsMode");
    /// Environment variables for the session and the commands it runs.
    ENV = Key::object("env").told_by_name();
    /// `"merge"` adds the settings of the program that started Sluice to the administrator's.
    PARENT_SETTINGS_BEHAVIOR = Key::text("parentSettingsBehavior").of(Scopes::Policy);
    /// The sandbox of commands.
    SANDBOX = Key::object("sandbox").concerns(Concerns::Sandbox);
    /// Folders that are trusted without a question.
    TRUSTED_FOLDERS = Key::list("trustedFolders").of(Scopes::Owners);
    // Hooks.
    /// Hooks, by event.
    HOOKS = Key::object("hooks").counts_for_hosts().told_by_name();
    /// Whether only the administrator's hooks run.
    ALLOW_MANAGED_HOOKS_ONLY = Key::flag("allowManagedHooksOnly").of(Scopes::Policy);
    /// Patterns of the addresses that HTTP hooks may use.
    ALLOWED_HTTP_HOOK_URLS = Key::list("allowedHttpHookUrls");
    /// Whether hooks and the status line are off.
    DISABLE_ALL_HOOKS = Key::flag("disableAllHooks");
    /// Environment variables that HTTP hooks may send.
    HTTP_HOOK_ALLOWED_ENV_VARS = Key::list("httpHookAllowedEnvVars");
    // Skills, commands and plugins.
    /// Whether shell commands in skills and slash commands do not run.
    DISABLE_SKILL_SHELL_EXECUTION = Key::flag("disableSkillShellExecution");
    /// Whether a plugin is enabled, by `name@marketplace`.
    ENABLED_PLUGINS = Key::object("enabledPlugins").writable(Writable::Terminal);
    /// The part of the context window that the list of skills may use.
    SKILL_LISTING_BUDGET_FRACTION = Key::number("skillListingBudgetFraction");
    /// The maximum length of a description in the list of skills.
    SKILL_LISTING_MAX_DESC_CHARS = Key::number("skillListingMaxDescChars");
    /// `"on"`, `"name-only"`, `"user-invocable-only"` or `"off"`, by skill.
    SKILL_OVERRIDES = Key::object("skillOverrides");
    // MCP servers.
    /// Whether only the administrator's list of MCP servers counts. Not used: it is always so.
    ALLOW_MANAGED_MCP_SERVERS_ONLY = Key::flag("allowManagedMcpServersOnly").concerns(Concerns::Servers);
    /// The MCP servers that may be connected. Only the administrator's list excludes others.
    ALLOWED_MCP_SERVERS = Key::list("allowedMcpServers").concerns(Concerns::Servers);
    /// The MCP servers that are never connected.
    DENIED_MCP_SERVERS = Key::list("deniedMcpServers").counts().concerns(Concerns::Servers);
    /// Servers of `.mcp.json` that were rejected.
    DISABLED_MCPJSON_SERVERS = Key::list("disabledMcpjsonServers").counts().concerns(Concerns::Servers);
    /// Whether all servers of `.mcp.json` are approved.
    ENABLE_ALL_PROJECT_MCP_SERVERS = Key::flag("enableAllProjectMcpServers").counts_for_hosts().concerns(Concerns::Servers);
    /// Servers of `.mcp.json` that were approved.
    ENABLED_MCPJSON_SERVERS = Key::list("enabledMcpjsonServers").counts_for_hosts().concerns(Concerns::Servers);
    // Display.
    /// The keys of the message box: `normal` or `vim`.
    EDITOR_MODE = Key::text("editorMode").counts().writable(Writable::OwnHosts);
    /// The maximum width of text in the terminal, in columns.
    MAX_PROSE_WIDTH = Key::number("maxProseWidth").counts().writable(Writable::OwnHosts);
    /// How the terminal notifies you: `auto`, `terminal_bell` or `notifications_disabled`.
    PREFERRED_NOTIF_CHANNEL = Key::text("preferredNotifChannel").counts().writable(Writable::OwnHosts);
    /// Whether animations are off.
    PREFERS_REDUCED_MOTION = Key::flag("prefersReducedMotion").counts().writable(Writable::OwnHosts);
    /// Whether the model answers when you run a command with `!`.
    RESPOND_TO_BASH_COMMANDS = Key::flag("respondToBashCommands").writable(Writable::OwnHosts);
    /// Whether the terminal shows when a prompt was sent.
    SHOW_MESSAGE_TIMESTAMPS = Key::flag("showMessageTimestamps").counts().writable(Writable::OwnHosts);
    /// Whether the terminal shows how long a turn took. Default: `true`.
    SHOW_TURN_DURATION = Key::flag("showTurnDuration").counts().writable(Writable::OwnHosts);
    /// Whether summaries of thinking are shown. Not used.
    SHOW_THINKING_SUMMARIES = Key::flag("showThinkingSummaries").counts().writable(Writable::OwnHosts);
    /// Settings of Sluice's terminal: `wrap`, `glyphs`, `screenReader`, `escapeMs`, `notifyAfter`.
    SLUICE = Key::object("sluice").writable(Writable::OwnHosts);
    /// Whether tips are shown while the agent works. Not used: Sluice shows none.
    SPINNER_TIPS_ENABLED = Key::flag("spinnerTipsEnabled").counts().writable(Writable::OwnHosts);
    /// The command that prints the status line.
    STATUS_LINE = Key::object("statusLine").writable(Writable::Terminal);
    /// Whether code is shown without colours.
    SYNTAX_HIGHLIGHTING_DISABLED = Key::flag("syntaxHighlightingDisabled").counts().writable(Writable::OwnHosts);
    /// Whether the task bar of the terminal shows progress. Default: `true`.
    TERMINAL_PROGRESS_BAR_ENABLED = Key::flag("terminalProgressBarEnabled").counts().writable(Writable::OwnHosts);
    /// Whether the title of the terminal window is the title of the session. Default: `true`.
    TERMINAL_TITLE_FROM_RENAME = Key::flag("terminalTitleFromRename").counts().writable(Writable::OwnHosts);
    /// The colours of the terminal.
    THEME = Key::text("theme").counts().writable(Writable::OwnHosts);
    /// The format of times: `auto`, `24-hour`, `12-hour` or `24-hour-utc`.
    TIME_FORMAT = Key::text("timeFormat").counts().writable(Writable::OwnHosts);
    /// Whether the terminal shows the whole output of tool calls.
    VERBOSE = Key::flag("verbose").counts().writable(Writable::OwnHosts);
    /// The view at the start: `default`, `verbose` or `focus`. Not used.
    VIEW_MODE = Key::text("viewMode").counts().writable(Writable::OwnHosts);
}

/// Returns the row of a key.
#[must_use]
pub fn find(name: &str) -> Option<&'static Key> {
    TABLE.iter().find(|key| key.name == name)
}

/// Returns the keys among `changes` whose value has the wrong type. `null`, which removes a key, is allowed.
#[must_use]
pub fn misshapen(changes: &Map<String, Value>) -> Vec<&'static Key> {
    let wrong = |key: &&Key| {
        let value = changes.get(key.name).filter(|value| !value.is_null());
        value.is_some_and(|value| !key.shape.fits(value))
    };
    TABLE.iter().filter(wrong).collect()
}

/// A setting inside `permissions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionKey {
    /// The name in a settings file.
    pub name: &'static str,
    /// Description in one sentence. It begins with a space, as documentation comments do.
    about: &'static str,
    /// Whether it is a restriction.
    pub restricts: Restricts,
}

/// Whether a setting is a restriction, which applies even in an untrusted folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restricts {
    /// It permits something.
    Never,
    /// Every value is a restriction.
    Always,
    /// The value `true` is a restriction.
    WhenTrue,
    /// A mode that allows nothing by itself is a restriction.
    WhenAsking,
}

/// Permission modes that allow nothing by themselves.
const ASKING_MODES: &[&str] = &["default", "dontAsk", "manual", "plan"];

impl PermissionKey {
    /// Returns what it sets, in one sentence.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about.trim_start()
    }
}

impl Restricts {
    /// Whether this value is a restriction.
    #[must_use]
    pub fn by(self, value: &Value) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::WhenTrue => *value == Value::Bool(true),
            Self::WhenAsking => value.as_str().is_some_and(|mode| ASKING_MODES.contains(&mode)),
        }
    }
}

/// The settings inside `permissions`.
pub mod permissions {
    use super::{PermissionKey, Restricts};

    macro_rules! keys {
        ($($(#[doc = $about:literal])+ $constant:ident = $name:literal, $restricts:ident;)+) => {
            $(
                $(#[doc = $about])+
                pub const $constant: PermissionKey = PermissionKey {
                    name: $name,
                    about: concat!($($about),+),
                    restricts: Restricts::$restricts,
                };
            )+

            /// All settings inside `permissions`.
            pub const TABLE: &[PermissionKey] = &[$($constant),+];
        };
    }

    keys! {
        /// Rules that allow calls without a permission request.
        ALLOW = "allow", Never;
        /// Rules that require a permission request.
        ASK = "ask", Always;
        /// Rules that deny calls.
        DENY = "deny", Always;
        /// Further folders that the agent may work in.
        ADDITIONAL_DIRECTORIES = "additionalDirectories", Never;
        /// Whether reading outside the working folders is denied.
        BLOCK_READS_OUTSIDE = "blockReadsOutsideWorkingDirectories", WhenTrue;
        /// Whether writing outside the working folders is denied.
        BLOCK_WRITES_OUTSIDE = "blockWritesOutsideWorkingDirectories", WhenTrue;
        /// The permission mode in which sessions start.
        DEFAULT_MODE = "defaultMode", WhenAsking;
        /// Whether calls that need a permission request are denied instead.
        DENY_INSTEAD_OF_PROMPTING = "denyInsteadOfPrompting", Never;
        /// `"disable"` turns off the permission mode `auto`.
        DISABLE_AUTO_MODE = "disableAutoMode", Always;
        /// `"disable"` turns off the permission mode `bypassPermissions`.
        DISABLE_BYPASS_PERMISSIONS_MODE = "disableBypassPermissionsMode", Always;
    }

    /// Returns the row of a key.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static PermissionKey> {
        TABLE.iter().find(|key| key.name == name)
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
