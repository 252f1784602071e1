//! Bash builtins that set a variable or evaluate text.
//!
//! What bash evaluates inside words (substitutions, subscripts, arithmetic, `${x@P}`) is in [`super::words`], what it
//! evaluates in compound commands in [`super::parse`]. This table has all builtins: a name that is not in it is a
//! program.

use super::{Problem, Word};

/// What a builtin does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Changes nothing that a later command would notice, with any arguments.
    Inert,
    /// Runs other text, or changes which program a name refers to.
    Evaluates,
    /// Sets variables: names may hold subscripts, which are evaluated.
    Assigns,
    /// Compares: `-v` and arithmetic operators evaluate subscripts.
    Tests,
    /// Goes to another directory.
    Moves,
    /// Runs the command that follows.
    Wraps,
    /// Changes the shell's own state: its options, jobs, limits.
    Changes,
}

/// Bash's own list (`compgen -b`), by what each may do.
const BUILTINS: &[(Builtin, &str)] = &[
    (
        Builtin::Evaluates,
        ". alias bind compgen complete enable eval fc hash history let mapfile readarray set shopt source trap",
    ),
    (
        Builtin::Inert,
        ": break caller continue echo exit false help logout pwd return times true type",
    ),
    (Builtin::Tests, "[ test"),
    (
        Builtin::Changes,
        "bg compopt disown fg kill shift suspend ulimit umask unalias",
    ),
    (Builtin::Wraps, "builtin command exec jobs"),
    (Builtin::Moves, "cd dirs popd pushd"),
    (
        Builtin::Assigns,
        "declare export getopts local printf read readonly typeset unset wait",
    ),
];

/// What the builtin called `name` may do.
#[must_use]
pub fn builtin(name: &str) -> Option<Builtin> {
    let (does, _) = BUILTINS.iter().find(|(_, names)| listed(names, name))?;
    Some(*does)
}

/// Why a builtin with these arguments may run text that was not analysed.
#[must_use]
pub fn evaluates(name: &str, arguments: &[Word]) -> Option<Problem> {
    let said = || Some(Problem::Evaluates(name.to_owned()));
    // A name that is not written out, or has a subscript.
    let odd = |word: &Word| word.literal().is_none_or(|text| text.contains(['[', '(', '$', '`']));
    match builtin(name)? {
        Builtin::Inert | Builtin::Moves | Builtin::Wraps | Builtin::Changes => None,
        Builtin::Evaluates => said(),
        Builtin::Assigns if name == "printf" => {
            let format = arguments.first()?.literal();
            format
                .is_none_or(|text| text.starts_with('-') && text != "--")
                .then(said)?
        }
        Builtin::Assigns if name == "wait" => arguments.iter().any(odd).then(said)?,
        Builtin::Assigns => {
            // `-i` makes an expression of the value, `-n` a name, `-a` and `-A` a list of words.
            let evaluating = |word: &Word| {
                word.literal().is_some_and(|text| {
                    matches!(name, "declare" | "typeset" | "local" | "export" | "readonly")
                        && text.starts_with(['-', '+'])
                        && text.contains(['i', 'n', 'a', 'A'])
                })
            };
            if arguments.iter().any(|word| odd(word) || evaluating(word)) {
                return said();
            }
            let set = arguments.iter().filter_map(|word| {
                let text = word.text.as_deref()?;
                let name = text.split('=').next().unwrap_or(text).trim_end_matches('+');
                (!name.starts_with('-') && !own_variable(name)).then(|| name.to_owned())
            });
            match name {
                // Without a value nothing changes but what is seen of it.
                "unset" | "getopts" | "read" => {
                    let mut texts = arguments.iter().filter_map(|word| word.text.as_deref());
                    texts
                        .any(|text| !text.starts_with('-') && text.contains('='))
                        .then(said)?
                }
                _ => set
                    .into_iter()
                    .find(|name| !harmless_variable(name))
                    .map(Problem::Assignment),
            }
        }
        Builtin::Tests => {
            let inner = match arguments.split_last() {
                Some((_, inner)) if name == "[" => inner,
                _ => arguments,
            };
            let evaluates = |word: &Word| word.may_be(|text| listed("-v -R -eq -ne -lt -le -gt -ge", text));
            (inner.iter().any(evaluates) && inner.iter().any(odd)).then(said)?
        }
    }
}

/// Whether these words may set variables in a way that is not tracked.
pub(crate) fn may_assign(words: &[Word]) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    let Some(name) = first.literal() else {
        return true;
    };
    if name == "printf" {
        let option = |word: &Word| word.literal().is_none_or(|text| text.starts_with('-'));
        return words.get(1).is_some_and(option);
    }
    let assigns = |does| matches!(does, Builtin::Assigns | Builtin::Evaluates | Builtin::Wraps);
    builtin(name).is_some_and(assigns) && reads_into(words).is_empty()
}

/// The variables a plain `read` sets; none when it is not plain.
pub(crate) fn reads_into(words: &[Word]) -> Vec<String> {
    let Some(("read", arguments)) = words
        .split_first()
        .and_then(|(first, rest)| Some((first.literal()?, rest)))
    else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let arguments = match arguments.split_first() {
        Some((first, rest)) if first.literal() == Some("-r") => rest,
        _ => arguments,
    };
    for word in arguments {
        match word.literal() {
            Some(name) if own_variable(name) => names.push(name.to_owned()),
            _ => return Vec::new(),
        }
    }
    names
}

/// A line's own variable: no program looks at a lower-case name without an underscore, nor at these.
#[must_use]
pub fn own_variable(name: &str) -> bool {
    let lower = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) && name != "histchars";
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    (lower && begins) || listed("FILE FILES DIR NAME COUNT F D N I", name)
}

/// Whether a list, separated by spaces, has this name.
#[must_use]
pub fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|known| known == name)
}

/// Variables that only change how output looks or which tests run, with any value.
#[must_use]
pub fn harmless_variable(name: &str) -> bool {
    const KNOWN: &str = "CI COLUMNS LINES LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ TERM NO_COLOR \
        FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM RUST_LOG RUST_BACKTRACE RUST_TEST_THREADS CARGO_TERM_COLOR \
        CARGO_INCREMENTAL NODE_ENV PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED RAILS_ENV \
        RACK_ENV GIT_TERMINAL_PROMPT";
    listed(KNOWN, name)
}

/// Variables every shell has, with values that are not secret.
const EVERYBODYS: &str = "PATH HOME PWD OLDPWD USER LOGNAME SHELL HOSTNAME LANG TERM UID EUID SHLVL RANDOM SECONDS BASH_VERSION OSTYPE \
    HOSTTYPE MACHTYPE PPID LINENO";

/// Whether the value of the variable is not secret.
pub(crate) fn is_everybodys(name: &str) -> bool {
    listed(EVERYBODYS, name) || harmless_variable(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<Word> {
        list.iter().map(|text| Word::plain(text)).collect()
    }

    #[test]
    fn the_table_has_every_builtin() {
        let Ok(output) = std::process::Command::new("bash").args(["-c", "compgen -b"]).output() else {
            eprintln!("skipped: no bash here");
            return;
        };
        for name in String::from_utf8_lossy(&output.stdout).lines() {
            assert!(builtin(name).is_some(), "{name} is a builtin without an entry");
        }
    }

    #[test]
    fn subscripts_and_expressions_are_evaluated() {
        for list in [
            &["declare", "a[$(x)]=1"][..],
            &["export", "a[0]=1"],
            &["declare", "-i", "a=b"],
            &["local", "-n", "a=b"],
            &["declare", "-a", "a=(1)"],
            &["printf", "-v", "x", "y"],
            &["printf", "-vx", "y"],
            &["read", "a[0]"],
            &["test", "-v", "a[0]"],
            &["[", "1", "-eq", "a[0]", "]"],
            &["wait", "-p", "a[0]"],
            &["export", "PATH=x"],
            &["let", "1"],
            &["trap", "x", "EXIT"],
            &["hash", "-p", "x", "ls"],
            &["mapfile", "x"],
        ] {
            let words = words(list);
            assert!(evaluates(list[0], &words[1..]).is_some(), "{list:?}");
        }
        for list in [
            &["echo", "a[0]"][..],
            &["declare", "x=1"],
            &["export", "CI=1"],
            &["read", "-r", "x"],
            &["test", "-f", "x"],
            &["[", "-n", "x", "]"],
            &["printf", "%s", "-v"],
        ] {
            let words = words(list);
            assert_eq!(evaluates(list[0], &words[1..]), None, "{list:?}");
        }
    }
}
