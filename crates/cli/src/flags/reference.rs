//! `docs/reference/flags.md`: the table of flags and the commands as a page of the documentation.

use std::fmt::Write as _;
use std::path::Path;

use clap::Command;

use super::command::command;
use super::table::{GROUPS, Takes};

/// Returns the page.
fn page() -> String {
    let mut out = String::from(
        "# Flags and commands\n\n<!-- Generated from crates/cli/src/flags by `make reference`. -->\n\n\
         `sluice [OPTIONS] [PROMPT]` starts a session in the terminal; with `-p` it prints one answer. `sluice --help` prints the same list.\n",
    );
    for group in GROUPS.iter().filter(|group| !group.name.is_empty()) {
        let flags = group.flags.iter().filter(|flag| !flag.hidden);
        let _ = write!(out, "\n## {}\n\n| flag | effect |\n|---|---|\n", group.name);
        for flag in flags {
            let short = flag.short.map(|short| format!("`-{short}`, ")).unwrap_or_default();
            let values = match flag.values() {
                values if flag.takes == Takes::Nothing || values.is_empty() => String::new(),
                values => format!(" Values: `{}`.", values.join("`, `")),
            };
            let _ = writeln!(
                out,
                "| {short}`{}` | {}.{values} |",
                cell(&flag.usage()),
                cell(flag.help)
            );
        }
    }
    out.push_str("\n## Commands\n\n");
    for sub in command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
        commands(sub, "sluice", &mut out);
    }
    out
}

/// Adds a command, and the commands below it.
fn commands(sub: &Command, parents: &str, out: &mut String) {
    let name = format!("{parents} {}", sub.get_name());
    let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(out, "### `{name}`\n\n{about}.\n\n");
    let arguments: Vec<_> = sub.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    if !arguments.is_empty() {
        out.push_str("| argument | effect |\n|---|---|\n");
        for arg in arguments {
            let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
            let value = value.map(|names| names.join(" ")).unwrap_or_default();
            let usage = match arg.get_long() {
                Some(long) => format!("--{long} {value}").trim_end().to_owned(),
                None => value,
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "| `{}` | {} |", cell(&usage), cell(&help));
        }
        out.push('\n');
    }
    for inner in sub.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        commands(inner, &name, out);
    }
}

/// Returns a text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[test]
fn reference_of_flags_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/flags.md");
    if std::env::var_os("SLUICE_WRITE_DOCS").is_some() {
        std::fs::write(&file, page()).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page(),
        "docs/reference/flags.md is not current: run `make reference`"
    );
}
