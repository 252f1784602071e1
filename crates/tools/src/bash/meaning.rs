//! Interprets a command line for display only; it does not affect permission decisions.

/// Programs without output on success.
const SILENT: &[&str] = &[
    "cd", "chgrp", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "set", "touch", "unset",
    "wait",
];

/// True if success without output is normal for this command.
pub(super) fn is_silent(command: &str) -> bool {
    let programs = programs(command);
    !programs.is_empty() && programs.iter().all(|program| SILENT.contains(&program.as_str()))
}

/// True if a command starts by sleeping. If it times out it is killed, because continuing in the background is of no
/// use.
pub(super) fn only_waits(command: &str) -> bool {
    programs(command).first().is_some_and(|program| program == "sleep")
}

/// Returns the meaning of exit code 1 if it is a regular result. The last program determines the exit code.
pub(super) fn of_exit(command: &str, code: i32) -> Option<&'static str> {
    let program = programs(command).pop()?;
    match (program.as_str(), code) {
        ("grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack", 1) => Some("No matches found"),
        ("diff" | "cmp" | "colordiff", 1) => Some("Files differ"),
        ("test" | "[" | "[[", 1) => Some("Condition is false"),
        ("find", 1) => Some("Some directories could not be searched"),
        _ => None,
    }
}

/// Returns the program of each simple command in order, skipping assignments. Quotes are respected; nested commands are
/// not parsed.
fn programs(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    // true until the program of the current simple command is found
    let mut wanted = true;
    let mut quote = None;
    let mut characters = command.chars().peekable();
    let mut end_word = |word: &mut String, wanted: &mut bool| {
        let word = std::mem::take(word);
        if *wanted && !word.is_empty() && !is_assignment(&word) {
            found.push(word.rsplit('/').next().unwrap_or_default().to_owned());
            *wanted = false;
        }
    };
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some('"'), '\\') | (None, '\\') => word.extend(characters.next()),
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => quote = Some(character),
            (None, '>') if characters.peek() == Some(&'&') => {
                // `2>&1` does not end a command
                characters.next();
                word.push_str(">&");
            }
            (None, ';' | '|' | '&' | '\n') => {
                end_word(&mut word, &mut wanted);
                wanted = true;
            }
            (None, ' ' | '\t') => end_word(&mut word, &mut wanted),
            (None, _) => word.push(character),
        }
    }
    end_word(&mut word, &mut wanted);
    found
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|part| part.is_ascii_alphanumeric() || part == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        assert_eq!(
            programs("FOO=1 /bin/ls -l | grep 'a;b' && echo \"x | y\"; cd /"),
            ["ls", "grep", "echo", "cd"]
        );
        assert_eq!(programs("make 2>&1 | tail"), ["make", "tail"]);
        assert!(programs("  ").is_empty());
    }

    #[test]
    fn exit_one_is_an_answer_for_some() {
        assert_eq!(of_exit("grep zzz a.txt", 1), Some("No matches found"));
        assert_eq!(of_exit("cat a | grep zzz", 1), Some("No matches found"));
        assert_eq!(of_exit("grep zzz a | cat nothing", 1), None);
        assert_eq!(of_exit("grep zzz a.txt", 2), None);
        assert_eq!(of_exit("[ -f x ]", 1), Some("Condition is false"));
        assert_eq!(of_exit("false", 1), None);
    }

    #[test]
    fn some_programs_are_silent_on_success() {
        assert!(is_silent("cd src") && is_silent("mkdir -p a && touch a/b") && is_silent("export ZZ=1"));
        assert!(!is_silent("true") && !is_silent("cd src && ls") && !is_silent("grep zzz a.txt"));
    }
}
