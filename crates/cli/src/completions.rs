//! Shell completions, generated from the flag table.

use clap::Command;
use clap_complete::Shell;

/// Returns the completion script for a shell.
pub(crate) fn script(shell: Shell, mut command: Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "sluice", &mut script);
    let script = String::from_utf8_lossy(&script).trim_end().to_owned();
    match shell {
        // `argparse` fails while the last option has no value yet, which would disable completion of values.
        Shell::Fish => script.replacen("\n    or return\n", "\n    or return 0\n", 1),
        _ => script,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::Command as Process;

    use super::*;
    use crate::flags::{command, completion_command};

    const SHELLS: [Shell; 5] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish];

    #[test]
    fn every_shell_completes_every_visible_option_and_command() {
        let command = command();
        let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let options = options.filter_map(|arg| arg.get_long());
        let words: Vec<&str> = options
            .chain(command.get_subcommands().map(Command::get_name))
            .collect();
        assert!(words.len() > 50);
        for shell in SHELLS {
            let script = script(shell, completion_command());
            for word in &words {
                assert!(script.contains(word), "{shell:?} does not complete {word}");
            }
        }
    }

    #[test]
    fn hidden_options_are_not_completed() {
        let command = command();
        let hidden: Vec<&str> = command
            .get_arguments()
            .filter(|arg| arg.is_hide_set())
            .filter_map(|arg| arg.get_long())
            .collect();
        assert!(hidden.len() > 10);
        let script = script(Shell::Bash, completion_command());
        for name in hidden {
            assert!(!script.contains(&format!("--{name} ")), "{name}");
        }
    }

    /// Completes the last word of a command line in a real bash.
    fn completed(words: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let script = script(Shell::Bash, completion_command());
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let last = words.len() - 1;
        let previous = &words[last - 1];
        let run = format!(
            "{script}\nCOMP_WORDS=({}); COMP_CWORD={last}; COMP_TYPE=9\n_sluice sluice {} {previous}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words[last],
        );
        let output = Process::new("bash")
            .args(["--norc", "-c", &run])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn fish_completes_the_value_of_the_last_option() {
        assert!(script(Shell::Fish, completion_command()).contains("\n    or return 0\n"));
    }

    #[test]
    fn values_of_options_are_completed() {
        assert_eq!(completed(&["sluice", "--permission-mode", "acc"]), ["acceptEdits"]);
        assert_eq!(completed(&["sluice", "--output-format", "stream"]), ["stream-json"]);
        assert_eq!(completed(&["sluice", "--model", "op"]), ["opus"]);
        assert_eq!(completed(&["sluice", "--effort", "xh"]), ["xhigh"]);
        assert_eq!(completed(&["sluice", "--settings", "fol"]), ["folder"]);
        assert_eq!(completed(&["sluice", "serve", "--log-format", "j"]), ["json"]);
        assert_eq!(completed(&["sluice", "completions", "power"]), ["powershell"]);
    }
}
