//! The names rules are written with. They are words of the rule language: `Edit(src/**)` speaks of every tool that
//! changes files, whatever it is called. What a tool touches it says itself ([`crate::Touches`]).

/// Rules about command lines.
pub const BASH: &str = "Bash";
/// Rules about reading files.
pub const READ: &str = "Read";
/// Rules about changing files.
pub const EDIT: &str = "Edit";
/// Rules about hosts.
pub const WEB_FETCH: &str = "WebFetch";

/// Whether a path rule of this name speaks of reading. Rules that deny or ask are taken by any name they were ever
/// written with; rules that allow only by [`READ`].
pub(crate) fn reads(name: &str) -> bool {
    matches!(name, READ | "Glob" | "Grep" | "LS" | "NotebookRead")
}

/// Whether a path rule of this name speaks of changing files; rules that allow only by [`EDIT`].
pub(crate) fn edits(name: &str) -> bool {
    matches!(name, EDIT | "Write" | "NotebookEdit" | "MultiEdit")
}

/// What a name that rules were written with earlier is called now.
pub(crate) fn canonical(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "KillShell" | "KillBash" => "TaskStop",
        "BashOutput" | "AgentOutput" => "TaskOutput",
        other => other,
    }
}
