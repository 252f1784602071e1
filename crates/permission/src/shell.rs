//! Shell analysis: a command line taken apart into commands, or the reasons why it cannot be.
//!
//! The line is parsed into a typed tree behind limits ([`caps`], [`shape`]). The tree is walked into simple commands
//! ([`parse`]) made of decoded words ([`word`], [`words`], [`braces`]); what bash's own builtins evaluate is a table
//! ([`builtins`]). Parts of a simple command that run something else are unwrapped ([`wrappers`]), or found in text
//! that is run ([`evaluators`]) and in options that are given to a shell ([`orders`]). What a program does is looked up ([`programs`]) and turned into reads and
//! writes ([`effects`]). Nothing here knows about permission rules.

pub mod braces;
pub mod builtins;
pub mod caps;
pub mod effects;
pub mod evaluators;
pub mod orders;
pub mod parse;
pub mod programs;
pub mod shape;
pub mod word;
pub mod words;
pub mod wrappers;

use std::rc::Rc;

pub use word::Word;
pub use words::Values;

/// Why a line cannot be analysed completely, in the order in which reasons are shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Problem {
    /// Longer than what is analysed.
    TooLong,
    /// Nested deeper, or of more parts, than what is analysed.
    TooDeep,
    /// A character that hides or reorders text.
    Invisible(char),
    /// Not the language we know.
    Unparsable,
    /// `$( )`, backticks, `<( )`.
    Nested,
    /// `$x`, `${x}`, `$'…'` with an unusual escape, `{a,b}`, `$(( ))`.
    Variable,
    /// The name of the program is not written out.
    UnknownProgram,
    /// A function is defined.
    Function,
    /// A coprocess is started.
    Coprocess,
    /// A variable is set that can change what programs do.
    Assignment(String),
    /// A builtin or program that runs text it is given.
    Evaluates(String),
    /// Something a rule is about is named where it may be run.
    Mentions(String),
    /// A setting of the repository, or a file of the folder, names a program to run.
    Configured(String),
    /// Commands of one line use more than one git repository.
    SeveralRepositories,
    /// The directory is not known where a path is used.
    UnknownDirectory,
    /// A network connection by redirection.
    Network,
    /// A loop that waits in every round.
    Waits,
}

impl Problem {
    /// The sentence people read.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::TooLong => "This command is too long to be checked".to_owned(),
            Self::TooDeep => "This command is nested too deeply to be checked".to_owned(),
            Self::Invisible(c) => format!(
                "This command contains the invisible or reordering character {}",
                c.escape_unicode()
            ),
            Self::Unparsable => "This command could not be read as bash".to_owned(),
            Self::Nested => "A command inside this command decides what runs".to_owned(),
            Self::Variable => "A value in this command is only known while it runs".to_owned(),
            Self::UnknownProgram => "The program that would run is not written out".to_owned(),
            Self::Function => "This command defines a function".to_owned(),
            Self::Coprocess => "This command starts a coprocess".to_owned(),
            Self::Assignment(name) => {
                format!("This command sets {name}, which can change what programs do")
            }
            Self::Evaluates(what) => format!("{what} runs text that is not checked"),
            Self::Mentions(name) => {
                format!("This command names {name}, which a permission rule is about, where it may run")
            }
            Self::SeveralRepositories => "The commands use more than one git repository".to_owned(),
            Self::Configured(what) => format!("{what} may name a program that would run"),
            Self::UnknownDirectory => "The directory this command works in is not known".to_owned(),
            Self::Waits => "A loop in this command waits: how long it runs is only known while it does".to_owned(),
            Self::Network => "This command opens a network connection by redirection".to_owned(),
        }
    }
}

/// A way the shell may have changed directory before a command: the targets, one after the other.
pub type Chain = Rc<[Word]>;

/// One simple command.
#[derive(Debug, Clone)]
pub struct Simple {
    /// `NAME=value` before the program.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// The directories it may run in, relative to where the line starts; never empty.
    pub chains: Rc<[Chain]>,
    /// Found in a string given to a shell: what another program may run.
    pub nested: bool,
    /// Found inside a substitution: it runs, and its output is part of another command.
    pub inner: bool,
    /// The number of substitutions around it.
    pub level: usize,
    /// Part of a list that as a whole is a member of a pipeline: others in it print and read as well.
    pub grouped: bool,
    /// Inside a loop.
    pub looped: bool,
    /// Reads the output of another command.
    pub piped: bool,
    /// The same command once more, with the next value of a loop.
    pub again: bool,
    /// The pipeline it is part of: commands with the same number may read each other's output.
    pub pipeline: usize,
    /// Texts it reads: here-documents and here-strings, as written.
    pub inputs: Vec<String>,
    /// Reads a descriptor that something else opened.
    pub takes_descriptor: bool,
    /// Its messages may go where its output goes.
    pub joins_errors: bool,
}

impl Simple {
    /// The words as written, one space between them, assignments first.
    #[must_use]
    pub fn raw(&self) -> String {
        let assignments = self.assignments.iter().map(|one| one.raw.as_str());
        join(assignments.chain(self.words.iter().map(|word| word.raw.as_str())))
    }

    /// Whether it waits, round by round.
    #[must_use]
    pub fn waits(&self) -> bool {
        let words = wrappers::transparent(&self.words);
        self.looped && words.first().and_then(wrappers::known_name) == Some("sleep")
    }

    /// The variable before the command that is not known to change nothing.
    #[must_use]
    pub fn unknown_variable(&self) -> Option<&str> {
        // Before a plain `read` it says how that one line is split.
        let reads = !builtins::reads_into(&self.words).is_empty();
        // The name of a zone may be that of any file.
        let file = |one: &Assignment| {
            let value = one.value.as_ref().and_then(Word::literal);
            one.name == "TZ"
                && value.is_none_or(|value| value.trim_start_matches(':').starts_with('/') || value.contains(".."))
        };
        let unknown =
            |one: &&Assignment| !(builtins::harmless_variable(&one.name) || (reads && one.name == "IFS")) || file(one);
        // On its own it is the line's, and was looked at when it was set.
        if self.words.is_empty() {
            return None;
        }
        self.assignments.iter().find(unknown).map(|one| one.name.as_str())
    }
}

pub(crate) fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// One assignment before a command or on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Whether it sets one variable to one text.
    pub plain: bool,
    /// That text, where it is known.
    pub value: Option<Word>,
    /// As written.
    pub raw: String,
}

/// What a redirection does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `>&file`
    Write,
    /// `<>`
    Both,
}

/// A redirection to or from a file.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// Which way.
    pub direction: Direction,
    /// The file.
    pub target: Word,
}

/// A command line taken apart.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    /// Every simple command that was found, also within substitutions.
    pub commands: Vec<Simple>,
    /// Why the line is not proven; empty if it is.
    pub problems: Vec<Problem>,
    /// Why some of its words are not known. The programs that get them have to be harmless with any value.
    pub soft: Vec<Problem>,
    /// Whether the line could be read at all. If not, rules are held against every word of it.
    pub parsed: bool,
    /// Commands that are not nested.
    pub top: usize,
}

impl Analysis {
    pub(crate) fn note(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(crate) fn note_soft(&mut self, problem: Problem) {
        if !self.soft.contains(&problem) {
            self.soft.push(problem);
        }
    }

    /// Whether everything in it is known.
    #[must_use]
    pub fn proven(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Takes `command` apart. Never fails: what it cannot do is in [`Analysis::problems`].
#[must_use]
pub fn analyse(command: &str) -> Analysis {
    let mut analysis = parse::analyse(command, 0);
    let mut found = Vec::new();
    for command in &analysis.commands {
        texts_of(command, 1, &mut found);
    }
    analysis.commands.extend(found);
    analysis
}

/// How many command lines given to shells as text are opened.
const MOST_TEXTS: usize = 64;

/// The commands in the texts a command hands to a shell, as if it ran them itself: what must not
/// happen must not happen there either.
fn texts_of(command: &Simple, depth: usize, found: &mut Vec<Simple>) {
    for text in evaluators::texts(&command.words) {
        if depth > caps::MOST_SHELLS || found.len() >= MOST_TEXTS {
            return;
        }
        for inner in parse::analyse(text, depth).commands {
            let chains = command.chains.iter().flat_map(|outer| {
                inner
                    .chains
                    .iter()
                    .map(|chain| outer.iter().chain(chain.iter()).cloned().collect::<Chain>())
            });
            let inner = Simple {
                chains: chains.take(16).collect(),
                nested: true,
                grouped: true,
                ..inner.clone()
            };
            texts_of(&inner, depth + 1, found);
            found.push(inner);
        }
    }
}
