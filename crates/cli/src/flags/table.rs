//! Every flag, once: its spellings, what it takes, the field it fills, and its line of help.

use super::fields::{Flags, InputFormat, OutputFormat, Window};

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) short: Option<char>,
    pub(super) aliases: &'static [&'static str],
    pub(super) takes: Takes,
    pub(super) fills: Fills,
    /// Whether `--help` leaves it out: it is said by hosts, not by people.
    pub(super) hidden: bool,
    pub(super) help: &'static str,
}

/// Flags that belong together, and what `--help` calls them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) flags: &'static [Flag],
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
    /// One of these words; the first stands for a flag without a value.
    Choice(Field<Option<String>>, &'static [&'static str]),
    /// `auto`, or how many tokens.
    Window(Field<Option<Window>>),
    /// Nothing: the reference CLI has it, and there is no such thing here. The text says what to do instead.
    Refused(&'static str),
}

/// Yes and no, as people write them.
pub(super) const YES_NO: &[&str] = &["true", "false", "1", "0", "yes", "no", "on", "off"];

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
            hidden: false,
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
        self.hidden = true;
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
    Group { name: "What to do", flags: &[
        switch("print", |f| &mut f.print, "Answer the prompt on stdout and exit").short('p'),
        switch("version", |f| &mut f.version, "Print the version and exit").short('v'),
        switch("help", |f| &mut f.help, "Print this help and exit").short('h'),
    ] },
    Group { name: "Input and output", flags: &[
        one("output-format", "format", Fills::Output(|f| &mut f.output_format), "text, json (one result) or stream-json (every message as it comes)"),
        one("input-format", "format", Fills::Input(|f| &mut f.input_format), "text, or stream-json (messages and control requests)"),
        switch("verbose", |f| &mut f.verbose, "Print every message, not only the result"),
        switch("include-partial-messages", |f| &mut f.include_partial_messages, "Also print messages while they are being written"),
        switch("include-hook-events", |f| &mut f.include_hook_events, "Also print when a hook starts, reports and ends"),
        switch("replay-user-messages", |f| &mut f.replay_user_messages, "Print each prompt back once it is taken up"),
        switch("forward-subagent-text", |f| &mut f.forward_subagent_text, "Also print what subagents say"),
        Flag::row("prompt-suggestions", Takes::Maybe("on|off"), Fills::Choice(|f| &mut f.prompt_suggestions, YES_NO), "After each turn, suggest what to ask next"),
        text("json-schema", "schema", |f| &mut f.json_schema, "JSON Schema the final answer must satisfy"),
    ] },
    Group { name: "Model", flags: &[
        text("model", "name", |f| &mut f.model, "An alias (opus, sonnet, haiku) or a full name"),
        one("fallback-model", "names", Fills::Commas(|f| &mut f.fallback_model), "Models to try in order while the first one is overloaded"),
        several("betas", "names", Fills::Names(|f| &mut f.betas), "Beta features to ask the Messages API for"),
        text("effort", "level", |f| &mut f.effort, "How hard to think: low, medium, high, xhigh, max"),
        choice("thinking", "kind", |f| &mut f.thinking, &["adaptive", "enabled", "disabled"], "Thinking: adaptive, enabled or disabled").to_hosts(),
        choice("thinking-display", "how", |f| &mut f.thinking_display, &["summarized", "omitted"], "What is shown of thinking").to_hosts(),
        one("max-thinking-tokens", "n", Fills::Count(|f| &mut f.max_thinking_tokens), "Tokens the model may spend on thinking").to_hosts(),
    ] },
    Group { name: "Limits", flags: &[
        one("max-turns", "n", Fills::Count(|f| &mut f.max_turns), "Stop after this many rounds with the model (0: no limit)"),
        one("max-budget-usd", "amount", Fills::Dollars(|f| &mut f.max_budget_usd), "Stop once this much has been spent"),
        one("task-budget", "tokens", Fills::Tokens(|f| &mut f.task_budget), "Tokens the model is told it has for the task"),
        one("autocompact", "auto|tokens", Fills::Window(|f| &mut f.autocompact), "Context there may be before it is summarised: auto, or 100k to 1M"),
    ] },
    Group { name: "What the model is told", flags: &[
        text("system-prompt", "text", |f| &mut f.system_prompt, "Replace the system prompt"),
        text("system-prompt-file", "path", |f| &mut f.system_prompt_file, "Replace the system prompt by this file"),
        text("append-system-prompt", "text", |f| &mut f.append_system_prompt, "Add to the end of the system prompt"),
        text("append-system-prompt-file", "path", |f| &mut f.append_system_prompt_file, "Add this file to the end of the system prompt"),
        choice("system-prompt-snapshot", "on|off", |f| &mut f.system_prompt_snapshot, &["off", "on"], "Keep the system prompt a conversation began with (on unless --bare)"),
        switch("exclude-dynamic-system-prompt-sections", |f| &mut f.exclude_dynamic_system_prompt_sections, "Say what differs per machine in the first prompt"),
    ] },
    Group { name: "Tools and permissions", flags: &[
        several("tools", "names", Fills::Names(|f| &mut f.tools), "Built-in tools to offer; \"\" for none, default for the usual set"),
        several("allowedTools", "rules", Fills::Rules(|f| &mut f.allowed_tools), "Calls that may run without asking, e.g. \"Read Bash(git log:*)\"").alias(&["allowed-tools"]),
        several("disallowedTools", "rules", Fills::Rules(|f| &mut f.disallowed_tools), "Calls that may never run").alias(&["disallowed-tools"]),
        one("permission-mode", "mode", Fills::Mode(|f| &mut f.permission_mode), "manual, acceptEdits, plan, dontAsk, auto or bypassPermissions"),
        text("permission-prompt-tool", "tool", |f| &mut f.permission_prompt_tool, "Who answers asks: stdio, or the name of an MCP tool").to_hosts(),
        choice("permission-prompts", "host|none", |f| &mut f.permission_prompts, &["host", "none"], "none: nobody answers, every ask is refused at once"),
        switch("allow-dangerously-skip-permissions", |f| &mut f.allow_dangerously_skip_permissions, "Let bypassPermissions be chosen later"),
        switch("dangerously-skip-permissions", |f| &mut f.dangerously_skip_permissions, "Run every call without asking"),
        switch("restricted", |f| &mut f.restricted, "Nothing that runs commands, no file outside the working folders"),
        switch("trust-folder", |f| &mut f.trust_folder, "This folder's own hooks, servers and settings count, this once"),
        several("add-dir", "folders", Fills::Words(|f| &mut f.add_dir), "Further folders the tools may work in"),
    ] },
    Group { name: "Which conversation", flags: &[
        switch("continue", |f| &mut f.continue_session, "Go on with the latest conversation of this folder").short('c'),
        maybe("resume", "id or title", |f| &mut f.resume, "Go on with a conversation").short('r'),
        switch("fork-session", |f| &mut f.fork_session, "With --resume or --continue: go on under a new id"),
        text("resume-session-at", "uuid", |f| &mut f.resume_session_at, "With --resume: forget what came after this message").to_hosts(),
        text("resume-drops-turn", "uuid", |f| &mut f.resume_drops_turn, "With --resume-session-at: only if nothing but this prompt's turn is forgotten").to_hosts(),
        text("session-id", "uuid", |f| &mut f.session_id, "Id of the new conversation"),
        text("name", "title", |f| &mut f.name, "Title of the conversation").short('n'),
        switch("session-mirror", |f| &mut f.session_mirror, "Print the lines written to the transcript").to_hosts(),
        switch("no-session-persistence", |f| &mut f.no_session_persistence, "Write no transcript"),
        maybe("worktree", "name", |f| &mut f.worktree, "Work in a git worktree of its own, under .claude/worktrees").short('w'),
    ] },
    Group { name: "Settings, servers, plugins, agents", flags: &[
        text("settings", "path or json", |f| &mut f.settings, "Further settings: a file, or JSON"),
        one("setting-sources", "names", Fills::Commas(|f| &mut f.setting_sources), "Settings to read: user, project, local; \"\" for none"),
        text("managed-settings", "json", |f| &mut f.managed_settings, "Settings nothing else can override").to_hosts(),
        switch("managed-settings-in-initialize", |f| &mut f.managed_settings_in_initialize, "Take them from the first control request").to_hosts(),
        text("project-config-root", "folder", |f| &mut f.project_config_root, "Where the project's settings are looked for, not in this folder").to_hosts(),
        several("mcp-config", "paths or json", Fills::Words(|f| &mut f.mcp_config), "MCP servers: files, or JSON"),
        switch("strict-mcp-config", |f| &mut f.strict_mcp_config, "Only the MCP servers of --mcp-config"),
        one("plugin-dir", "path", Fills::Words(|f| &mut f.plugin_dir), "Load a plugin from a folder or a zip; may be repeated"),
        one("plugin-dir-no-mcp", "path", Fills::Words(|f| &mut f.plugin_dir_no_mcp), "As --plugin-dir, without its MCP servers"),
        one("plugin-url", "url", Fills::Words(|f| &mut f.plugin_url), "Fetch a plugin as a zip, for this session; may be repeated"),
        text("agent", "name", |f| &mut f.agent, "Agent that leads the conversation"),
        text("agent-command", "command", |f| &mut f.agent_command, "Show another agent that speaks stream-json, such as claude"),
        text("agents", "json or path", |f| &mut f.agents, "Further agents"),
        switch("disable-slash-commands", |f| &mut f.disable_slash_commands, "No commands and no skills"),
        switch("ax-screen-reader", |f| &mut f.screen_reader, "Lines instead of a screen that is redrawn, for screen readers"),
        switch("bare", |f| &mut f.bare, "Only what the command line names: no memory, hooks, plugins, servers"),
        switch("safe-mode", |f| &mut f.safe_mode, "Without any customisation, to find out what is broken"),
    ] },
    Group { name: "Starting and watching", flags: &[
        switch("init", |f| &mut f.init, "Run the Setup hooks of the project first"),
        switch("init-only", |f| &mut f.init_only, "Run the Setup and SessionStart hooks, and nothing else"),
        switch("maintenance", |f| &mut f.maintenance, "Run the Setup hooks that are for maintenance first"),
        switch("await-initialize", |f| &mut f.await_initialize, "The first line on stdin must be initialize").to_hosts(),
        maybe("debug", "categories", |f| &mut f.debug, "Log what happens; alone everything, else e.g. api,hooks or !mcp").short('d'),
        text("debug-file", "path", |f| &mut f.debug_file, "Log to this file"),
    ] },
    // What belongs to somebody's service, or to a program other than this one.
    Group { name: "", flags: &[
        refused("await-claim", Takes::Nothing, "starting takes milliseconds: start a session when its folder is known, not before"),
        refused("sdk-url", Takes::One("url"), "speak stream-json on stdin and stdout: --input-format stream-json --output-format stream-json --verbose"),
        refused("file", Takes::Several("specs"), "nothing is fetched by id here; put the files into the folder and name them in the prompt, as @path"),
        refused("from-pr", Takes::Maybe("number or url"), "conversations are not linked to pull requests here; give --resume an id or a title"),
        refused("bg", Takes::Nothing, "start it in the background of your shell, as in: sluice -p PROMPT > answer.txt &").alias(&["background"]),
        refused("brief", Takes::Nothing, "what the model says is printed as it comes, so it has no other way to say it; leave the flag out"),
        refused("cloud", Takes::Maybe("session"), "sessions run on this machine; leave the flag out"),
        refused("environment", Takes::One("id"), "sessions run on this machine; leave the flag out"),
        refused("teleport", Takes::Maybe("session"), "sessions live on this machine; give --resume an id or a title"),
        refused("remote-control", Takes::Maybe("name"), "a session is driven from elsewhere over stream-json on stdin and stdout"),
        refused("desktop", Takes::Nothing, "there is no desktop program; leave the flag out"),
        refused("chrome", Takes::Nothing, "a browser is reached through an MCP server: --mcp-config"),
        refused("ide", Takes::Nothing, "editors start the agent themselves, over stream-json"),
        refused("tmux", Takes::Maybe("kind"), "start it inside of tmux, with --worktree"),
    ] },
];

/// Every flag, in that order.
pub(super) fn flags() -> impl Iterator<Item = &'static Flag> + Clone {
    GROUPS.iter().flat_map(|group| group.flags)
}
