//! `--help`: the flag table as a page with groups, one line per flag.

use super::command::command;
use super::table::{Flag, GROUPS};

/// Column at which descriptions start.
const COLUMN: usize = 38;

/// Returns the text of `--help`.
pub(crate) fn help() -> String {
    let command = command();
    let mut page = format!(
        "{}\n\nUsage: sluice [OPTIONS] [PROMPT]\n       sluice <COMMAND>\n\nCommands:\n",
        command.get_about().map(ToString::to_string).unwrap_or_default(),
    );
    for command in command.get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        page.push_str(&row(command.get_name(), &about));
    }
    for group in GROUPS.iter().filter(|group| !group.name.is_empty()) {
        page.push_str(&format!("\n{}:\n", group.name));
        for flag in group.flags.iter().filter(|flag| !flag.hidden) {
            page.push_str(&row(&name(flag), flag.help));
        }
    }
    page.push_str("\nEach command has its own --help.");
    page
}

fn row(name: &str, about: &str) -> String {
    format!("  {name:<COLUMN$} {about}\n")
}

/// Returns the spellings of a flag and its value.
fn name(flag: &Flag) -> String {
    match flag.short {
        Some(short) => format!("-{short}, {}", flag.usage()),
        None => format!("    {}", flag.usage()),
    }
}
