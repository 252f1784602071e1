//! Shell completions, made from the same table the command line is read with.

use clap::{Arg, Command};

/// A shell there are completions for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    pub(crate) const NAMES: [&str; 3] = ["bash", "zsh", "fish"];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            _ => return None,
        })
    }
}

/// The script to be sourced.
pub(crate) fn script(shell: Shell, command: &Command) -> String {
    match shell {
        Shell::Bash => bash(command),
        Shell::Zsh => zsh(command),
        Shell::Fish => fish(command),
    }
}

/// Options people are told about.
fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && arg.get_long().is_some())
}

fn words(command: &Command) -> Vec<String> {
    let options = options(command)
        .filter_map(|arg| arg.get_long())
        .map(|name| format!("--{name}"));
    let commands = command.get_subcommands().map(|command| command.get_name().to_owned());
    options.chain(commands).collect()
}

fn help(arg: &Arg) -> String {
    arg.get_help()
        .map(ToString::to_string)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn bash(command: &Command) -> String {
    let mut out = String::from("_sluice() {\n    local words\n    case \"${COMP_WORDS[1]}\" in\n");
    for sub in command.get_subcommands() {
        out.push_str(&format!(
            "        {}) words='{}' ;;\n",
            sub.get_name(),
            words(sub).join(" ")
        ));
    }
    out.push_str(&format!(
        "        *) words='{}' ;;\n    esac\n",
        words(command).join(" ")
    ));
    out.push_str("    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n");
    out.push_str("complete -o default -F _sluice sluice");
    out
}

fn zsh(command: &Command) -> String {
    let quoted = |text: &str| text.replace('\'', "'\\''").replace([':', '[', ']'], " ");
    let mut out = String::from("#compdef sluice\n_sluice() {\n    local -a commands options\n    commands=(\n");
    for sub in command.get_subcommands() {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        out.push_str(&format!("        '{}:{}'\n", sub.get_name(), quoted(&about)));
    }
    out.push_str("    )\n    options=(\n");
    for arg in options(command) {
        let name = arg.get_long().unwrap_or_default();
        let value = if arg.get_action().takes_values() {
            ":value:_files"
        } else {
            ""
        };
        out.push_str(&format!("        '--{name}[{}]{value}'\n", quoted(&help(arg))));
    }
    out.push_str(
        "    )\n    _arguments -s $options '1: :{_describe command commands}' '*::file:_files'\n}\n_sluice \"$@\"",
    );
    out
}

fn fish(command: &Command) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut lines = Vec::new();
    for sub in command.get_subcommands() {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        lines.push(format!(
            "complete -c sluice -n __fish_use_subcommand -f -a {} -d '{}'",
            sub.get_name(),
            quoted(&about)
        ));
        for arg in options(sub) {
            let name = arg.get_long().unwrap_or_default();
            let within = format!("__fish_seen_subcommand_from {}", sub.get_name());
            lines.push(format!(
                "complete -c sluice -n '{within}' -l {name} -d '{}'",
                quoted(&help(arg))
            ));
        }
    }
    for arg in options(command) {
        let name = arg.get_long().unwrap_or_default();
        let value = if arg.get_action().takes_values() { " -r" } else { "" };
        lines.push(format!(
            "complete -c sluice -n __fish_use_subcommand -l {name}{value} -d '{}'",
            quoted(&help(arg))
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_knows_every_option_and_command() {
        let command = crate::flags::command();
        for shell in Shell::NAMES.iter().filter_map(|name| Shell::named(name)) {
            let script = script(shell, &command);
            for word in words(&command) {
                let word = word.trim_start_matches("--");
                assert!(script.contains(word), "{shell:?} does not know {word}");
            }
        }
    }

    #[test]
    fn what_is_hidden_is_not_offered() {
        let command = crate::flags::command();
        let hidden: Vec<String> = command
            .get_arguments()
            .filter(|arg| arg.is_hide_set())
            .filter_map(|arg| arg.get_long())
            .map(|name| format!("--{name} "))
            .collect();
        assert!(!hidden.is_empty());
        let script = script(Shell::Bash, &command);
        assert!(hidden.iter().all(|name| !script.contains(name.as_str())));
    }
}
