//! The options and environment a command line runs with, so that what was analysed is what runs.
//!
//! A line that was found to only read is decided by what is known at that moment. Two things could still change it: a
//! glob pattern that matches a new file whose name is an option, and a git repository that makes git run a program.
//! Neither can happen in a shell started with these options and variables.

use crate::shell::programs::look_up;
use crate::shell::wrappers::{known_name, transparent};
use crate::shell::{self, Simple, Word};

/// What is put before a line, and its environment variables.
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

/// The environment in which git obeys no repository: every setting that names a program and has a fixed name, and what makes it write or fetch on its own.
pub const GIT: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_CONFIG_COUNT", "15"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.pager"),
    ("GIT_CONFIG_VALUE_1", "cat"),
    ("GIT_CONFIG_KEY_2", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_2", "explicit"),
    ("GIT_CONFIG_KEY_3", "core.sshCommand"),
    ("GIT_CONFIG_VALUE_3", "false"),
    ("GIT_CONFIG_KEY_4", "core.askPass"),
    ("GIT_CONFIG_VALUE_4", "false"),
    ("GIT_CONFIG_KEY_5", "core.editor"),
    ("GIT_CONFIG_VALUE_5", "false"),
    ("GIT_CONFIG_KEY_6", "gpg.program"),
    ("GIT_CONFIG_VALUE_6", "false"),
    ("GIT_CONFIG_KEY_7", "gpg.ssh.program"),
    ("GIT_CONFIG_VALUE_7", "false"),
    ("GIT_CONFIG_KEY_8", "gpg.x509.program"),
    ("GIT_CONFIG_VALUE_8", "false"),
    ("GIT_CONFIG_KEY_9", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_9", "/dev/null"),
    ("GIT_CONFIG_KEY_10", "diff.ignoreSubmodules"),
    ("GIT_CONFIG_VALUE_10", "all"),
    ("GIT_CONFIG_KEY_11", "log.showSignature"),
    ("GIT_CONFIG_VALUE_11", "false"),
    ("GIT_CONFIG_KEY_12", "credential.helper"),
    ("GIT_CONFIG_VALUE_12", ""),
    ("GIT_CONFIG_KEY_13", "core.alternateRefsCommand"),
    ("GIT_CONFIG_VALUE_13", "false"),
    ("GIT_CONFIG_KEY_14", "submodule.recurse"),
    ("GIT_CONFIG_VALUE_14", "false"),
];

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

/// What `line` is run with.
#[must_use]
pub fn of(line: &str) -> Quiet {
    let analysis = shell::analyse(line);
    if !analysis.parsed || !analysis.proven() {
        return Quiet::default();
    }
    let known = |command: &Simple| command.words.is_empty() || look_up(transparent(&command.words)).is_some();
    let all_known = analysis.commands.iter().all(known);
    let runs = |name: &str| {
        let mut first = analysis
            .commands
            .iter()
            .map(|command| transparent(&command.words).first().and_then(known_name));
        all_known && first.any(|first| first == Some(name))
    };
    let git = |command: &&Simple| transparent(&command.words).first().and_then(known_name) == Some("git");
    let mut quiet = Quiet::default();
    let patterns = analysis
        .commands
        .iter()
        .flat_map(|command| &command.words)
        .any(|word| word.glob);
    if patterns && all_known {
        quiet.before = NO_OPTIONS;
    }
    // With a git among them that does more than read, a person or a rule has let the repository have its way.
    let mut gits = analysis.commands.iter().filter(git).peekable();
    if gits.peek().is_some() && gits.all(known) {
        quiet.env.extend(GIT);
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
        let words = || analysis.commands.iter().flat_map(|command| &command.words);
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
        assert_eq!(of("git status && npm test").env, GIT);
        // What was asked about runs as it was written.
        assert_eq!(of("rm -- -*"), Quiet::default());
        assert_eq!(of("git commit -m x && git status"), Quiet::default());
        assert_eq!(of("npm run x *"), Quiet::default());
    }

    #[test]
    fn every_pair_of_git_is_counted() {
        let count = GIT
            .iter()
            .find(|(name, _)| *name == "GIT_CONFIG_COUNT")
            .map(|(_, value)| *value);
        let keys = GIT
            .iter()
            .filter(|(name, _)| name.starts_with("GIT_CONFIG_KEY_"))
            .count();
        assert_eq!(count, Some(keys.to_string().as_str()));
    }
}
