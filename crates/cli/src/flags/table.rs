//! Every flag, once: its spellings, what it takes, the field it fills, and its line of help.

use super::fields::{Flags, InputFormat, OutputFormat};

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) short: Option<char>,
    pub(super) aliases: &'static [&'static str],
    pub(super) takes: Takes,
    pub(super) fills: Fills,
    pub(super) shown: Shown,
    pub(super) help: &'static str,
}

/// Whether `--help` names the flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Yes,
    /// No: said by hosts, not by people.
    ToHosts,
    /// No: read and kept, but its feature is still to come.
    Later,
}

/// How many words follow the flag; the text names the value in help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    One(&'static str),
    /// At most one, and never a word that begins with a dash.
    Maybe(&'static str),
    /// All words up to the next one that begins with a dash.
    Several(&'static str),
}

type Field<T> = fn(&mut Flags) -> &mut T;

/// The field a flag fills, and how its words become the field's value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fills {
    Switch(Field<bool>),
    Text(Field<Option<String>>),
    Count(Field<Option<u32>>),
    Tokens(Field<Option<u64>>),
    Dollars(Field<Option<f64>>),
    /// Words kept whole, in order, over all repetitions.
    Words(Field<Vec<String>>),
    /// Tool rules over all repetitions; commas and spaces outside parentheses separate.
    Rules(Field<Vec<String>>),
    /// Names, separated as rules are; given and empty differs from not given.
    Names(Field<Option<Vec<String>>>),
    /// Comma lists; given and empty differs from not given. The last repetition counts.
    Commas(Field<Option<Vec<String>>>),
    Output(Field<OutputFormat>),
    Input(Field<InputFormat>),
    Mode(Field<Option<String>>),
}

/// Spellings of `--permission-mode`, and what each is called on the wire.
pub(super) const MODES: &[(&str, &str)] = &[
    ("acceptEdits", "acceptEdits"),
    ("auto", "auto"),
    ("bypassPermissions", "bypassPermissions"),
    ("manual", "default"),
    ("dontAsk", "dontAsk"),
    ("plan", "plan"),
    // Older SDKs always say it; newer ones say it when asked for the default by name.
    ("default", "default"),
];

impl Flag {
    const fn row(name: &'static str, takes: Takes, fills: Fills, help: &'static str) -> Self {
        Self {
            name,
            short: None,
            aliases: &[],
            takes,
            fills,
            shown: Shown::Yes,
            help,
        }
    }

    const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn to_hosts(mut self) -> Self {
        self.shown = Shown::ToHosts;
        self
    }

    const fn later(mut self) -> Self {
        self.shown = Shown::Later;
        self
    }

    /// The flag as messages show it: `--model <name>`.
    pub(super) fn usage(&self) -> String {
        let name = self.name;
        match self.takes {
            Takes::Nothing => format!("--{name}"),
            Takes::One(value) => format!("--{name} <{value}>"),
            Takes::Maybe(value) => format!("--{name} [{value}]"),
            Takes::Several(value) => format!("--{name} <{value}...>"),
        }
    }
}

const fn switch(name: &'static str, field: Field<bool>, help: &'static str) -> Flag {
    Flag::row(name, Takes::Nothing, Fills::Switch(field), help)
}

const fn text(name: &'static str, value: &'static str, field: Field<Option<String>>, help: &'static str) -> Flag {
    Flag::row(name, Takes::One(value), Fills::Text(field), help)
}

const fn maybe(name: &'static str, value: &'static str, field: Field<Option<String>>, help: &'static str) -> Flag {
    Flag::row(name, Takes::Maybe(value), Fills::Text(field), help)
}

const fn one(name: &'static str, value: &'static str, fills: Fills, help: &'static str) -> Flag {
    Flag::row(name, Takes::One(value), fills, help)
}

const fn several(name: &'static str, value: &'static str, fills: Fills, help: &'static str) -> Flag {
    Flag::row(name, Takes::Several(value), fills, help)
}

/// The table, in the order of `--help`.
#[rustfmt::skip] // one flag, one line
pub(super) const FLAGS: &[Flag] = &[
    // What to do at all.
    switch("print", |f| &mut f.print, "Answer the prompt on stdout and exit").short('p'),
    switch("version", |f| &mut f.version, "Print the version and exit").short('v'),
    switch("help", |f| &mut f.help, "Print this help and exit").short('h'),
    // The shape of input and output.
    one("output-format", "format", Fills::Output(|f| &mut f.output_format), "Shape of stdout: text, json (one result), stream-json (every message as it comes)"),
    one("input-format", "format", Fills::Input(|f| &mut f.input_format), "Shape of stdin: text, or stream-json (messages and control requests)"),
    switch("verbose", |f| &mut f.verbose, "Print every message, not only the result"),
    switch("include-partial-messages", |f| &mut f.include_partial_messages, "With stream-json: also print the pieces of a message while it is being written"),
    switch("include-hook-events", |f| &mut f.include_hook_events, "With stream-json: also print when a hook starts, reports and ends"),
    switch("replay-user-messages", |f| &mut f.replay_user_messages, "With stream-json both ways: print each prompt back once it is taken up"),
    switch("forward-subagent-text", |f| &mut f.forward_subagent_text, "With stream-json: also print what subagents say"),
    maybe("prompt-suggestions", "on|off", |f| &mut f.prompt_suggestions, "After each turn, suggest what to ask next").later(),
    text("json-schema", "schema", |f| &mut f.json_schema, "JSON Schema the final answer must satisfy"),
    // The model and how hard it thinks.
    text("model", "name", |f| &mut f.model, "Model: an alias (opus, sonnet, haiku) or a full name"),
    one("fallback-model", "names", Fills::Commas(|f| &mut f.fallback_model), "Models to try in order while the first one is overloaded, separated by commas"),
    several("betas", "names", Fills::Names(|f| &mut f.betas), "Beta features to ask the Messages API for"),
    text("effort", "level", |f| &mut f.effort, "How hard to think: low, medium, high, xhigh, max"),
    text("thinking", "kind", |f| &mut f.thinking, "Thinking: adaptive, enabled or disabled").to_hosts(),
    text("thinking-display", "how", |f| &mut f.thinking_display, "What is shown of thinking: summarized or omitted").to_hosts(),
    one("max-thinking-tokens", "n", Fills::Count(|f| &mut f.max_thinking_tokens), "Tokens the model may spend on thinking").to_hosts(),
    // Limits.
    one("max-turns", "n", Fills::Count(|f| &mut f.max_turns), "Stop after this many rounds with the model (0: no limit)"),
    one("max-budget-usd", "amount", Fills::Dollars(|f| &mut f.max_budget_usd), "Stop once this much has been spent"),
    one("task-budget", "tokens", Fills::Tokens(|f| &mut f.task_budget), "Tokens one prompt may use in all").later(),
    // What the model is told.
    text("system-prompt", "text", |f| &mut f.system_prompt, "Replace the system prompt"),
    text("system-prompt-file", "path", |f| &mut f.system_prompt_file, "Replace the system prompt by this file").to_hosts(),
    text("append-system-prompt", "text", |f| &mut f.append_system_prompt, "Add to the end of the system prompt"),
    text("append-system-prompt-file", "path", |f| &mut f.append_system_prompt_file, "Add this file to the end of the system prompt").to_hosts(),
    text("system-prompt-snapshot", "on|off", |f| &mut f.system_prompt_snapshot, "Keep a conversation's first system prompt for the rest of it").later(),
    switch("exclude-dynamic-system-prompt-sections", |f| &mut f.exclude_dynamic_system_prompt_sections, "Say what differs per machine in the first prompt, not in the system prompt").later(),
    // Tools and who may run them.
    several("tools", "names", Fills::Names(|f| &mut f.tools), "Built-in tools to offer; \"\" for none, default for the usual set"),
    several("allowedTools", "rules", Fills::Rules(|f| &mut f.allowed_tools), "Calls that may run without asking, e.g. \"Read Bash(git log:*)\"").alias(&["allowed-tools"]),
    several("disallowedTools", "rules", Fills::Rules(|f| &mut f.disallowed_tools), "Calls that may never run").alias(&["disallowed-tools"]),
    one("permission-mode", "mode", Fills::Mode(|f| &mut f.permission_mode), "What happens to calls no rule decides: manual, acceptEdits, plan, dontAsk, auto, bypassPermissions"),
    text("permission-prompt-tool", "tool", |f| &mut f.permission_prompt_tool, "Who answers asks: stdio, or the name of an MCP tool").to_hosts(),
    text("permission-prompts", "host|none", |f| &mut f.permission_prompts, "none: nobody answers, every ask is refused at once"),
    switch("allow-dangerously-skip-permissions", |f| &mut f.allow_dangerously_skip_permissions, "Let bypassPermissions be chosen later"),
    switch("dangerously-skip-permissions", |f| &mut f.dangerously_skip_permissions, "Run every call without asking"),
    switch("restricted", |f| &mut f.restricted, "Nothing that runs commands, nothing outside the working folders").later(),
    // Which conversation.
    switch("continue", |f| &mut f.continue_session, "Go on with the latest conversation of this folder").short('c').later(),
    maybe("resume", "id or title", |f| &mut f.resume, "Go on with a conversation; alone: choose one").short('r').later(),
    switch("fork-session", |f| &mut f.fork_session, "With --resume or --continue: go on under a new id").later(),
    text("resume-session-at", "uuid", |f| &mut f.resume_session_at, "With --resume: forget what came after this message").later(),
    text("resume-drops-turn", "uuid", |f| &mut f.resume_drops_turn, "With --resume-session-at: only if nothing but this prompt's turn is forgotten").later(),
    text("session-id", "uuid", |f| &mut f.session_id, "Id of the new conversation"),
    switch("session-mirror", |f| &mut f.session_mirror, "Print the lines written to the transcript").later(),
    switch("no-session-persistence", |f| &mut f.no_session_persistence, "Write no transcript").later(),
    text("name", "title", |f| &mut f.name, "Title of the conversation").short('n').later(),
    maybe("from-pr", "number or url", |f| &mut f.from_pr, "Go on with the conversation linked to a pull request").later(),
    text("autocompact", "auto|tokens", |f| &mut f.autocompact, "How much context there may be before it is summarised").later(),
    // Settings, folders, servers, plugins, agents.
    text("settings", "path or json", |f| &mut f.settings, "Further settings: a file, or JSON").later(),
    text("managed-settings", "json", |f| &mut f.managed_settings, "Settings nothing else can override").later(),
    switch("managed-settings-in-initialize", |f| &mut f.managed_settings_in_initialize, "Wait for such settings in the first control request").later(),
    one("setting-sources", "names", Fills::Commas(|f| &mut f.setting_sources), "Settings to read: user, project, local; \"\" for none").later(),
    several("add-dir", "folders", Fills::Words(|f| &mut f.add_dir), "Further folders the tools may work in"),
    text("project-config-root", "folder", |f| &mut f.project_config_root, "Where project settings are looked for").later(),
    several("file", "specs", Fills::Words(|f| &mut f.file), "Files to fetch at the start, each as id:path").later(),
    several("mcp-config", "paths or json", Fills::Words(|f| &mut f.mcp_config), "MCP servers: files, or JSON"),
    switch("strict-mcp-config", |f| &mut f.strict_mcp_config, "Only the MCP servers of --mcp-config"),
    one("plugin-dir", "path", Fills::Words(|f| &mut f.plugin_dir), "Load a plugin from a folder; may be repeated"),
    one("plugin-dir-no-mcp", "path", Fills::Words(|f| &mut f.plugin_dir_no_mcp), "As --plugin-dir, without its MCP servers"),
    one("plugin-url", "url", Fills::Words(|f| &mut f.plugin_url), "Load a plugin from an address; may be repeated").later(),
    text("agent", "name", |f| &mut f.agent, "Agent that leads the conversation"),
    text("agents", "json or path", |f| &mut f.agents, "Further agents"),
    switch("disable-slash-commands", |f| &mut f.disable_slash_commands, "No commands and no skills"),
    switch("init", |f| &mut f.init, "Run the Setup hooks of the project first"),
    switch("init-only", |f| &mut f.init_only, "Run the Setup and SessionStart hooks, and nothing else"),
    switch("maintenance", |f| &mut f.maintenance, "Run the Setup hooks that are for maintenance first"),
    // How the process is started and watched.
    switch("await-initialize", |f| &mut f.await_initialize, "The first line on stdin must be initialize").later(),
    switch("await-claim", |f| &mut f.await_claim, "Start up and wait to be given a session").later(),
    text("sdk-url", "url", |f| &mut f.sdk_url, "Speak over this address, not over stdio").later(),
    maybe("worktree", "name", |f| &mut f.worktree, "Work in a new git worktree").short('w').later(),
    switch("bare", |f| &mut f.bare, "No hooks, plugins, memory files or background work").later(),
    switch("safe-mode", |f| &mut f.safe_mode, "Without any customisation, to find out what is broken").later(),
    switch("bg", |f| &mut f.background, "Start in the background and return at once").alias(&["background"]).later(),
    switch("brief", |f| &mut f.brief, "Give the model a tool to send short messages to the person").later(),
    maybe("debug", "categories", |f| &mut f.debug, "Log what happens, perhaps only some categories").short('d').later(),
    text("debug-file", "path", |f| &mut f.debug_file, "Log to this file").later(),
];
