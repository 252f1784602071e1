//! The manual page, generated from the flag table.

use clap::Command;

/// Returns the page in roff format, for `man -l -`.
pub(crate) fn page(command: &Command) -> String {
    let mut out = String::new();
    out.push_str(&format!(".TH SLUICE 1 \"\" \"sluice {}\"\n", env!("CARGO_PKG_VERSION")));
    out.push_str(".SH NAME\nsluice \\- a coding agent compatible with Claude Code\n");
    out.push_str(".SH SYNOPSIS\n.B sluice\n[\\fIOPTIONS\\fR] [\\fIPROMPT\\fR]\n.br\n.B sluice\n\\fICOMMAND\\fR\n");
    out.push_str(".SH OPTIONS\n");
    options(command, &mut out);
    out.push_str(".SH COMMANDS\n");
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        out.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", roff(sub.get_name()), roff(&about)));
        for inner in sub.get_subcommands() {
            let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
            out.push_str(&format!(
                ".RS\n.TP\n\\fB{}\\fR\n{}\n.RE\n",
                roff(inner.get_name()),
                roff(&about)
            ));
        }
    }
    out.push_str(".SH FILES\n.TP\n\\fI~/.claude\\fR\nSettings, transcripts, commands, agents; CLAUDE_CONFIG_DIR names another folder.\n");
    out.push_str(
        ".SH ENVIRONMENT\n.TP\n\\fBANTHROPIC_API_KEY\\fR\nThe API key; without one a built\\-in demo model answers in the terminal and in the browser.\n",
    );
    out.push_str(".TP\n\\fBANTHROPIC_BASE_URL\\fR\nAnother server that speaks the Messages API.\n");
    out.push_str(".TP\n\\fBNO_COLOR\\fR\nNo colours.");
    out
}

fn options(command: &Command, out: &mut String) {
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let Some(name) = arg.get_long() else { continue };
        let short = arg
            .get_short()
            .map(|short| format!("\\fB\\-{short}\\fR, "))
            .unwrap_or_default();
        let value = match arg.get_value_names() {
            Some(names) if arg.get_action().takes_values() => {
                let names: Vec<String> = names.iter().map(ToString::to_string).collect();
                format!(" \\fI{}\\fR", roff(&names.join(" ")))
            }
            _ => String::new(),
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        out.push_str(&format!(
            ".TP\n{short}\\fB\\-\\-{}\\fR{value}\n{}\n",
            roff(name),
            roff(&help)
        ));
    }
}

/// Escapes text for roff.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    let safe = text.lines().map(|line| {
        if line.starts_with(['.', '\'']) {
            format!("\\&{line}")
        } else {
            line.to_owned()
        }
    });
    safe.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_names_every_option_that_is_shown() {
        let command = crate::flags::command();
        let page = super::page(&command);
        let shown = command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set())
            .filter_map(|arg| arg.get_long());
        for name in shown {
            assert!(page.contains(&format!("\\-\\-{}", name.replace('-', "\\-"))), "{name}");
        }
        assert!(page.starts_with(".TH SLUICE 1"));
    }
}
