//! The options and environment a command line runs with, so that what was analysed is what runs.
//!
//! A line that was found to only read is decided by what is known at that moment. Two things could still change it: a
//! glob pattern that matches a new file whose name is an option, and a git repository that makes git run a program.
//! Neither can happen in a shell started with these options and variables.

use std::sync::LazyLock;

use crate::shell::programs::look_up;
use crate::shell::wrappers::{known_name, transparent};
use crate::shell::{self, Simple, Word};

/// The words before a line, and its environment variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quiet {
    /// Bash words to run first; empty when there are none.
    pub before: &'static str,
    /// Variables for its environment.
    pub env: Vec<(&'static str, &'static str)>,
    /// Whether git may be bound to the repository that was judged: nothing but commands that are known run, so no other
    /// program inherits that.
    pub binds_git: bool,
    /// Whether git needs a copy of the index: `git describe --dirty` refreshes it, and heeds no `GIT_OPTIONAL_LOCKS`.
    pub copies_index: bool,
    /// Where nothing but commands that are known run: the names of the programs, and all other words without a slash.
    pub programs: Vec<String>,
}

/// No pattern becomes a word that begins with a dash. Setting the variable would let patterns match hidden files as well.
const NO_OPTIONS: &str = "GLOBIGNORE='-*'; shopt -u dotglob; ";

/// The settings with fixed names that name a program, or make git write or fetch on its own, with harmless values.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("safe.bareRepository", "explicit"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("core.editor", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("core.hooksPath", "/dev/null"),
    ("diff.ignoreSubmodules", "all"),
    ("log.showSignature", "false"),
    ("credential.helper", ""),
    ("core.alternateRefsCommand", "false"),
    ("submodule.recurse", "false"),
];

/// The environment in which git obeys no repository.
pub static GIT: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let mut env = vec![
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_PAGER", "cat"),
        ("GIT_CONFIG_COUNT", SETTINGS.len().to_string().leak()),
    ];
    for (at, (key, value)) in SETTINGS.iter().enumerate() {
        env.push((format!("GIT_CONFIG_KEY_{at}").leak(), key));
        env.push((format!("GIT_CONFIG_VALUE_{at}").leak(), value));
    }
    env
});

/// What makes a pager open files through another program.
const PAGER: &[(&str, &str)] = &[
    ("LESSOPEN", ""),
    ("LESSCLOSE", ""),
    ("LESSSECURE", "1"),
    ("LESS", ""),
    ("MORE", ""),
];

/// Programs that ask a server on their own, with what prevents that: `go` would fetch and run another of itself where the
/// folder says so, `terraform` looks for a newer version.
const SILENCED: &[(&str, (&str, &str))] = &[
    ("go", ("GOTOOLCHAIN", "local")),
    ("terraform", ("CHECKPOINT_DISABLE", "1")),
];

/// The program that a command runs in the end.
fn name(command: &Simple) -> Option<&str> {
    transparent(&command.words).first().and_then(known_name)
}

/// What `line` is run with.
#[must_use]
pub fn of(line: &str) -> Quiet {
    let analysis = shell::analyse(line);
    if !analysis.parsed || !analysis.proven() {
        return Quiet::default();
    }
    let known = |command: &Simple| command.words.is_empty() || look_up(transparent(&command.words)).is_some();
    let all_known = analysis.commands.iter().all(known);
    let runs = |program: &str| all_known && analysis.commands.iter().any(|command| name(command) == Some(program));
    let git = |command: &&Simple| name(command) == Some("git");
    let mut quiet = Quiet::default();
    let words = || analysis.commands.iter().flat_map(|command| &command.words);
    if all_known && words().any(|word| word.glob) {
        quiet.before = NO_OPTIONS;
    }
    // With a git among them that does more than read, a person or a rule has let the repository have its way.
    let mut gits = analysis.commands.iter().filter(git).peekable();
    if gits.peek().is_some() && gits.all(known) {
        quiet.env.extend(GIT.iter());
        quiet.binds_git = all_known;
    }
    for (program, variable) in SILENCED {
        if runs(program) {
            quiet.env.push(*variable);
        }
    }
    if runs("less") || runs("more") {
        quiet.env.extend(PAGER);
    }
    if all_known {
        let dirty = |word: &Word| word.literal().is_some_and(|text| text.starts_with("--dirty"));
        quiet.copies_index = quiet.binds_git && words().any(dirty);
        let bare = words()
            .filter_map(|word| word.text.as_deref())
            .filter(|text| !text.contains('/'));
        quiet.programs = bare.map(str::to_owned).collect();
        let launched = |command: &Simple| look_up(transparent(&command.words)).map_or(&[][..], |doing| doing.runs);
        let launched = analysis.commands.iter().flat_map(launched);
        quiet.programs.extend(launched.map(|name| (*name).to_owned()));
    }
    quiet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_read_are_quietened() {
        assert_eq!((of("ls").before, of("ls").env), ("", Vec::new()));
        assert_eq!(of("sed -n 1p *").before, NO_OPTIONS);
        assert_eq!(of("for f in *.md; do head \"$f\"; done").before, NO_OPTIONS);
        assert_eq!(of("git status && npm test").env, *GIT);
        // A line that needed permission runs as it was written.
        assert_eq!(of("rm -- -*"), Quiet::default());
        assert_eq!(of("git commit -m x && git status"), Quiet::default());
        assert_eq!(of("npm run x *"), Quiet::default());
    }
}
