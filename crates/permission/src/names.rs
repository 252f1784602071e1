//! Tool names in permission rules. They are words of the rule language: `Edit(src/**)` is about every tool that
//! changes files, by any name. Each tool declares what it touches ([`crate::Touches`]).

/// Rules about command lines.
pub const BASH: &str = "Bash";
/// Rules about reading files.
pub const READ: &str = "Read";
/// Rules about changing files.
pub const EDIT: &str = "Edit";
/// Rules about hosts.
pub const WEB_FETCH: &str = "WebFetch";

/// Rules about subagents.
pub const AGENT: &str = "Agent";
/// What [`AGENT`] was called earlier; it still is in rules, hooks and agent definitions.
pub const TASK: &str = "Task";

/// Whether a path rule of this name is about reading. Rules that deny or ask are taken by any name they were ever
/// written with; rules that allow only by [`READ`].
pub(crate) fn reads(name: &str) -> bool {
    matches!(name, READ | "Glob" | "Grep" | "LS" | "NotebookRead")
}

/// Whether a path rule of this name is about changing files; rules that allow only by [`EDIT`].
pub(crate) fn edits(name: &str) -> bool {
    matches!(name, EDIT | "Write" | "NotebookEdit" | "MultiEdit")
}

/// The name of today for one that rules were written with earlier.
pub(crate) fn canonical(name: &str) -> &str {
    match name {
        TASK => AGENT,
        "KillShell" | "KillBash" => "TaskStop",
        "BashOutput" | "AgentOutput" => "TaskOutput",
        other => other,
    }
}
