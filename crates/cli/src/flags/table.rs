//! All flags: spellings, values, the field each sets, and its description.

use super::fields::{Flags, InputFormat, OutputFormat, Window};

/// A flag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) short: Option<char>,
    pub(super) aliases: &'static [&'static str],
    pub(super) takes: Takes,
    pub(super) fills: Fills,
    /// True if `--help` omits it, because only hosts use it.
    pub(super) hidden: bool,
    pub(super) help: &'static str,
    /// Common values of a flag that also accepts others.
    pub(super) examples: &'static [&'static str],
}

/// A group of flags with its heading in `--help`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) flags: &'static [Flag],
}

/// Number of values of a flag; the text names the value in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    One(&'static str),
    /// At most one value, which cannot start with a dash.
    Maybe(&'static str),
    /// All words up to the next one that starts with a dash.
    Several(&'static str),
}

type Field<T> = fn(&mut Flags) -> &mut T;

/// The field that a flag sets, and the conversion of its values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fills {
    Switch(Field<bool>),
    Text(Field<Option<String>>),
    Count(Field<Option<u32>>),
    Tokens(Field<Option<u64>>),
    Dollars(Field<Option<f64>>),
    /// Unsplit values of all repetitions, in order.
    Words(Field<Vec<String>>),
    /// Tool rules of all repetitions, separated by commas and spaces outside parentheses.
    Rules(Field<Vec<String>>),
    /// Names, separated like rules; an empty value differs from an absent flag.
    Names(Field<Option<Vec<String>>>),
    /// Comma-separated list; an empty value differs from an absent flag. The last repetition counts.
    Commas(Field<Option<Vec<String>>>),
    Output(Field<OutputFormat>),
    Input(Field<InputFormat>),
    Mode(Field<Option<String>>),
    /// One of these words; the first one is the value of a flag without value.
    Choice(Field<Option<String>>, &'static [&'static str]),
    /// `auto`, or a number of tokens.
    Window(Field<Option<Window>>),
    /// A flag of the reference CLI that does not apply here. The text names an alternative.
    Refused(&'static str),
}

/// Accepted spellings of booleans.
pub(super) const YES_NO: &[&str] = &["true", "false", "1", "0", "yes", "no", "on", "off"];

/// Spellings of `--permission-mode` and their wire names.
pub(super) const MODES: &[(&str, &str)] = &[
    ("acceptEdits", "acceptEdits"),
    ("auto", "auto"),
    ("bypassPermissions", "bypassPermissions"),
    ("manual", "default"),
    ("dontAsk", "dontAsk"),
    ("plan", "plan"),
    // Older SDKs always pass it; newer ones if the default is requested by name.
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
            hidden: false,
            help,
            examples: &[],
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

    const fn examples(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }

    const fn to_hosts(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Returns the values for shell completion; empty if any text is accepted.
    pub(super) fn values(&self) -> Vec<&'static str> {
        match self.fills {
            Fills::Output(_) => OutputFormat::CHOICES.to_vec(),
            Fills::Input(_) => InputFormat::CHOICES.to_vec(),
            Fills::Mode(_) => MODES.iter().map(|(spelling, _)| *spelling).collect(),
            Fills::Choice(_, words) => words.to_vec(),
            _ => self.examples.to_vec(),
        }
    }

    /// Formats the flag for messages: `--model <name>`.
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

const fn choice(
    name: &'static str,
    value: &'static str,
    field: Field<Option<String>>,
    words: &'static [&'static str],
    help: &'static str,
) -> Flag {
    Flag::row(name, Takes::One(value), Fills::Choice(field, words), help)
}

const fn refused(name: &'static str, takes: Takes, instead: &'static str) -> Flag {
    Flag::row(name, takes, Fills::Refused(instead), "").to_hosts()
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
pub(super) const GROUPS: &[Group] = &[
    Group { name: "General", flags: &[
        switch("print", |f| &mut f.print, "Print the answer to the prompt on stdout and exit").short('p'),
        switch("version", |f| &mut f.version, "Print the version and exit").short('v'),
        switch("help", |f| &mut f.help, "Print this help and exit").short('h'),
    ] },
    Group { name: "Input and output", flags: &[
        one("output-format", "format", Fills::Output(|f| &mut f.output_format), "text, json (one result) or stream-json (every message as it arrives)"),
        one("input-format", "format", Fills::Input(|f| &mut f.input_format), "text, or stream-json (messages and control requests)"),
        switch("verbose", |f| &mut f.verbose, "Print every message, not only the result"),
        switch("include-partial-messages", |f| &mut f.include_partial_messages, "Also print partial messages while the model writes them"),
        switch("include-hook-events", |f| &mut f.include_hook_events, "Also print hook events: start, progress, end"),
        switch("replay-user-messages", |f| &mut f.replay_user_messages, "Print each user message back once its turn starts"),
        switch("forward-subagent-text", |f| &mut f.forward_subagent_text, "Also print the text of subagents"),
        Flag::row("prompt-suggestions", Takes::Maybe("on|off"), Fills::Choice(|f| &mut f.prompt_suggestions, YES_NO), "After each turn, suggest what to ask next"),
        text("json-schema", "schema", |f| &mut f.json_schema, "JSON Schema the final answer must satisfy"),
    ] },
    Group { name: "Model", flags: &[
        text("model", "name", |f| &mut f.model, "Model: an alias (opus, sonnet, haiku) or a full name").examples(&["opus", "sonnet", "haiku"]),
        one("fallback-model", "names", Fills::Commas(|f| &mut f.fallback_model), "Models to use, in order, while the first is overloaded or missing"),
        several("betas", "names", Fills::Names(|f| &mut f.betas), "Beta headers for requests to the Messages API"),
        text("effort", "level", |f| &mut f.effort, "Effort level: low, medium, high, xhigh, max").examples(&["low", "medium", "high", "xhigh", "max"]),
        choice("thinking", "kind", |f| &mut f.thinking, &["adaptive", "enabled", "disabled"], "Thinking: adaptive, enabled or disabled").to_hosts(),
        choice("thinking-display", "how", |f| &mut f.thinking_display, &["summarized", "omitted"], "How thinking is shown: summarized or omitted").to_hosts(),
        one("max-thinking-tokens", "n", Fills::Count(|f| &mut f.max_thinking_tokens), "Tokens the model may spend on thinking").to_hosts(),
    ] },
    Group { name: "Limits", flags: &[
        one("max-turns", "n", Fills::Count(|f| &mut f.max_turns), "Stop after this many model requests in a turn (0: no limit)"),
        one("max-budget-usd", "amount", Fills::Dollars(|f| &mut f.max_budget_usd), "Stop once this much has been spent, in US dollars"),
        one("task-budget", "tokens", Fills::Tokens(|f| &mut f.task_budget), "Token budget of the task, which the model is shown"),
        one("autocompact", "auto|tokens", Fills::Window(|f| &mut f.autocompact), "Compact the context at this size: auto, or 100k to 1M tokens"),
    ] },
    Group { name: "System prompt", flags: &[
        text("system-prompt", "text", |f| &mut f.system_prompt, "Replace the system prompt"),
        text("system-prompt-file", "path", |f| &mut f.system_prompt_file, "Replace the system prompt with this file"),
        text("append-system-prompt", "text", |f| &mut f.append_system_prompt, "Add to the end of the system prompt"),
        text("append-system-prompt-file", "path", |f| &mut f.append_system_prompt_file, "Add this file to the end of the system prompt"),
        choice("system-prompt-snapshot", "on|off", |f| &mut f.system_prompt_snapshot, &["off", "on"], "Keep the system prompt a conversation began with (on unless --bare)"),
        switch("exclude-dynamic-system-prompt-sections", |f| &mut f.exclude_dynamic_system_prompt_sections, "Move machine-specific parts to the first prompt"),
    ] },
    Group { name: "Tools and permissions", flags: &[
        several("tools", "names", Fills::Names(|f| &mut f.tools), "Built-in tools to offer; \"\" for none, default for the usual set"),
        several("allowedTools", "rules", Fills::Rules(|f| &mut f.allowed_tools), "Allow rules: run without asking, e.g. \"Read Bash(git log:*)\"").alias(&["allowed-tools"]),
        several("disallowedTools", "rules", Fills::Rules(|f| &mut f.disallowed_tools), "Deny rules: never run").alias(&["disallowed-tools"]),
        one("permission-mode", "mode", Fills::Mode(|f| &mut f.permission_mode), "manual, acceptEdits, plan, dontAsk, auto or bypassPermissions"),
        text("permission-prompt-tool", "tool", |f| &mut f.permission_prompt_tool, "Who answers permission requests: stdio, or the name of an MCP tool").to_hosts(),
        choice("permission-prompts", "host|none", |f| &mut f.permission_prompts, &["host", "none"], "none: permission requests are denied"),
        switch("allow-dangerously-skip-permissions", |f| &mut f.allow_dangerously_skip_permissions, "Allow switching to bypassPermissions later"),
        switch("dangerously-skip-permissions", |f| &mut f.dangerously_skip_permissions, "Use mode bypassPermissions: run tools without asking"),
        switch("restricted", |f| &mut f.restricted, "No tools that run commands; file tools stay in the working folders"),
        switch("trust-folder", |f| &mut f.trust_folder, "Trust this folder for this run: its hooks, MCP servers, settings"),
        several("add-dir", "folders", Fills::Words(|f| &mut f.add_dir), "Additional folders the tools may work in"),
    ] },
    Group { name: "Session", flags: &[
        switch("continue", |f| &mut f.continue_session, "Resume the latest session of this folder").short('c'),
        maybe("resume", "id or title", |f| &mut f.resume, "Resume a session by id or title; without one, choose from a list").short('r'),
        switch("fork-session", |f| &mut f.fork_session, "With --resume or --continue: resume as a copy with a new id"),
        text("resume-session-at", "uuid", |f| &mut f.resume_session_at, "With --resume: leave out what came after this message").to_hosts(),
        text("resume-drops-turn", "uuid", |f| &mut f.resume_drops_turn, "With --resume-session-at: only if nothing but this prompt's turn is left out").to_hosts(),
        text("session-id", "uuid", |f| &mut f.session_id, "Id of the new session"),
        text("name", "title", |f| &mut f.name, "Title of the session").short('n'),
        switch("session-mirror", |f| &mut f.session_mirror, "Also print the lines written to the transcript").to_hosts(),
        switch("no-session-persistence", |f| &mut f.no_session_persistence, "Do not save a transcript"),
        maybe("worktree", "name", |f| &mut f.worktree, "Run the session in a new git worktree, under .claude/worktrees").short('w'),
    ] },
    Group { name: "Settings, MCP servers, plugins, agents", flags: &[
        text("settings", "path or json", |f| &mut f.settings, "Additional settings: a file, or JSON"),
        one("setting-sources", "names", Fills::Commas(|f| &mut f.setting_sources), "Setting sources to read: user, project, local; \"\" for none").examples(&["user", "project", "local"]),
        switch("ignore-invalid-settings", |f| &mut f.ignore_invalid_settings, "Start without settings files that cannot be parsed"),
        choice("own-host", "page", |f| &mut f.own_host, &["page"], "Started by sluice serve: the page may write the settings it shows").to_hosts(),
        text("managed-settings", "json", |f| &mut f.managed_settings, "Managed settings (JSON): nothing else can override them").to_hosts(),
        switch("managed-settings-in-initialize", |f| &mut f.managed_settings_in_initialize, "Take managed settings from the initialize request").to_hosts(),
        text("project-config-root", "folder", |f| &mut f.project_config_root, "Read the project's settings from this folder instead").to_hosts(),
        several("mcp-config", "paths or json", Fills::Words(|f| &mut f.mcp_config), "Additional MCP servers: files, or JSON"),
        switch("strict-mcp-config", |f| &mut f.strict_mcp_config, "Use only the MCP servers of --mcp-config"),
        one("plugin-dir", "path", Fills::Words(|f| &mut f.plugin_dir), "Load a plugin from a folder or a zip; may be repeated"),
        one("plugin-dir-no-mcp", "path", Fills::Words(|f| &mut f.plugin_dir_no_mcp), "As --plugin-dir, without its MCP servers"),
        one("plugin-url", "url", Fills::Words(|f| &mut f.plugin_url), "Download a plugin as a zip for this session; may be repeated"),
        text("agent", "name", |f| &mut f.agent, "Agent definition to run the session with"),
        text("agent-command", "command", |f| &mut f.agent_command, "Drive another agent that speaks stream-json, such as claude"),
        text("agents", "json or path", |f| &mut f.agents, "Additional agent definitions"),
        switch("disable-slash-commands", |f| &mut f.disable_slash_commands, "Disable slash commands and skills"),
        switch("ax-screen-reader", |f| &mut f.screen_reader, "Plain lines for screen readers, nothing is redrawn"),
        switch("bare", |f| &mut f.bare, "Only what flags name: no memory, hooks, plugins, MCP servers"),
        switch("brief", |f| &mut f.brief, "Accepted for compatibility; has no effect").to_hosts(),
        switch("safe-mode", |f| &mut f.safe_mode, "Start without any customisation, to find out what is broken"),
    ] },
    Group { name: "Setup and debugging", flags: &[
        switch("init", |f| &mut f.init, "Run the Setup hooks (init) first"),
        switch("init-only", |f| &mut f.init_only, "Run the Setup and SessionStart hooks, then exit"),
        switch("maintenance", |f| &mut f.maintenance, "Run the Setup hooks (maintenance) first"),
        switch("await-initialize", |f| &mut f.await_initialize, "The first line on stdin must be initialize").to_hosts(),
        switch("await-claim", |f| &mut f.await_claim, "Wait for claim_session, which names the folder of the session").to_hosts(),
        maybe("debug", "categories", |f| &mut f.debug, "Write a debug log; of everything, or e.g. api,hooks or !mcp").short('d'),
        text("debug-file", "path", |f| &mut f.debug_file, "Write the debug log to this file"),
    ] },
    // Flags for services or programs that do not exist here.
    Group { name: "", flags: &[
        refused("sdk-url", Takes::One("url"), "speak stream-json on stdin and stdout: --input-format stream-json --output-format stream-json --verbose"),
        refused("file", Takes::Several("specs"), "files cannot be fetched by id; put them into the folder and mention them in the prompt as @path"),
        refused("from-pr", Takes::Maybe("number or url"), "sessions are not linked to pull requests; pass an id or a title to --resume"),
        refused("bg", Takes::Nothing, "start it in the background of your shell, as in: sluice -p PROMPT > answer.txt &").alias(&["background"]),
        refused("cloud", Takes::Maybe("session"), "sessions run on this machine; leave the flag out"),
        refused("environment", Takes::One("id"), "sessions run on this machine; leave the flag out"),
        refused("teleport", Takes::Maybe("session"), "sessions are kept on this machine; pass an id or a title to --resume"),
        refused("remote-control", Takes::Maybe("name"), "to use a session from another device, run: sluice serve"),
        refused("desktop", Takes::Nothing, "there is no desktop program; leave the flag out"),
        refused("chrome", Takes::Nothing, "use an MCP server that controls a browser: --mcp-config"),
        refused("ide", Takes::Nothing, "editors start the agent themselves, over stream-json"),
        refused("tmux", Takes::Maybe("kind"), "start sluice inside tmux, with --worktree"),
    ] },
];

/// Returns all flags in the order of the table.
pub(super) fn flags() -> impl Iterator<Item = &'static Flag> + Clone {
    GROUPS.iter().flat_map(|group| group.flags)
}
