//! The effects of known programs, by their arguments. A program that is not listed is unknown.

mod archives;
mod carry;
mod files;
mod find;
mod git;
mod names;
mod options;
mod scripts;
mod table;

use super::Word;
use super::builtins::listed;
use super::wrappers::known_name;

pub use carry::carried;
pub use files::keeps_nothing;
pub use names::{Prints, prints, prints_id, prints_no_pattern};
pub(crate) use scripts::{awk, sed};
pub use table::falls_apart;
pub(crate) use table::is_git_reader;

/// How much of a path a program looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The file itself.
    File,
    /// The names in a directory.
    Names,
    /// Everything beneath it.
    Tree,
    /// Everything beneath it, and wherever links in there lead.
    Linked,
    /// Everything beneath it, and what the repository's index holds of it.
    Index,
    /// Everything beneath it where it is there; where it is not, it is a revision, with all that ever was.
    Revision,
    /// Everything beneath it where it is there; where it is not, it is `HEAD` or a commit before it.
    Commit,
    /// What the index and the commits that a branch, a tag or a reflog leads to hold beneath it.
    History,
    /// Every object of the repository.
    Objects,
}

/// What kind of program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Only reads.
    #[default]
    ReadOnly,
    /// Makes, moves or removes the files it names and nothing else.
    FileOp,
}

/// What a command does with files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doing {
    /// What kind it is.
    pub kind: Kind,
    /// The paths it reads.
    pub reads: Vec<(Word, Reach)>,
    /// The paths it writes, creates or removes.
    pub writes: Vec<Word>,
    /// The paths it removes with everything beneath.
    pub removes: Vec<Word>,
    /// No option does more than read, so it does not matter if a pattern became one.
    pub tame: bool,
    /// Files that would tell it what to run, were they there.
    pub obeys: Vec<Word>,
    /// It obeys a repository's configuration: the repository it finds from here.
    pub repository: Option<Word>,
    /// It compares submodules with the index by running git in them.
    pub enters_submodules: bool,
    /// Other programs that it runs by name.
    pub runs: &'static [&'static str],
}

impl Doing {
    /// Reads these and nothing else.
    fn reading(words: impl IntoIterator<Item = Word>, reach: Reach) -> Self {
        Self {
            reads: words.into_iter().map(|word| (word, reach)).collect(),
            ..Self::default()
        }
    }
}

/// What `words` does, if every one of its arguments is known to be harmless or a path.
#[must_use]
pub fn look_up(words: &[Word]) -> Option<Doing> {
    let (first, arguments) = words.split_first()?;
    let name = known_name(first)?;
    match name {
        "xargs" => carry::xargs(arguments),
        "less" | "more" => carry::pager(arguments),
        "git" => git::look_up(arguments),
        "find" => find::look_up(arguments),
        "sed" => sed(arguments),
        "awk" | "gawk" | "mawk" => awk(arguments),
        "jq" => scripts::jq(arguments),
        "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp" | "tee" => files::look_up(name, arguments),
        "cd" | "pushd" => files::change_directory(name, arguments),
        "popd" => arguments.is_empty().then(Doing::default),
        "tar" => archives::tar(arguments),
        "unzip" => archives::unzip(arguments),
        "zcat" => archives::zcat(arguments),
        "read" => (!super::builtins::reads_into(words).is_empty()).then(Doing::default),
        "test" | "[" => files::test(name, arguments),
        _ => table::look_up(name, arguments),
    }
}

/// What `words` removes, known program or not, for the checks that hold in every mode.
#[must_use]
pub fn removals(words: &[Word]) -> Vec<Word> {
    let Some((first, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let name = first.text.as_deref().map(super::wrappers::base);
    let option = |word: &Word| word.raw.starts_with('-');
    let named = || arguments.iter().filter(|word| !option(word)).cloned().collect();
    match name {
        Some("rm" | "rmdir" | "unlink" | "shred" | "srm") => named(),
        // The files it moves are removed from their place.
        Some("mv") => {
            let mut all: Vec<Word> = named();
            all.pop();
            all
        }
        Some("rsync") if arguments.iter().any(|word| word.raw.starts_with("--del")) => named(),
        // Whatever it is given.
        Some("xargs" | "gxargs") if carry::carried(arguments).is_some_and(removes_trees) => vec![Word {
            raw: "$".to_owned(),
            ..Word::default()
        }],
        Some("find" | "gfind") if empties(arguments) => {
            let from: Vec<Word> = arguments.iter().take_while(|word| !option(word)).cloned().collect();
            if from.is_empty() { vec![Word::plain(".")] } else { from }
        }
        _ => Vec::new(),
    }
}

/// Whether these words are an `rm` that removes folders with all that is in them.
fn removes_trees(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    let recursive = |text: &str| {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains(['r', 'R']))
            || (text.len() > 2 && "--recursive".starts_with(text))
    };
    text(0).map(super::wrappers::base) == Some("rm") && (1..words.len()).filter_map(text).any(recursive)
}

/// Whether a `find` removes all it finds, and nothing narrows what that is.
fn empties(arguments: &[Word]) -> bool {
    let texts: Vec<&str> = arguments.iter().filter_map(|word| word.text.as_deref()).collect();
    let removes = texts.contains(&"-delete")
        || texts.windows(2).any(|pair| {
            matches!(pair, ["-exec" | "-execdir" | "-ok" | "-okdir", program]
                if matches!(super::wrappers::base(program), "rm" | "unlink" | "shred" | "rmdir"))
        });
    const NARROWS: &str =
        "-name -iname -path -ipath -regex -iregex -wholename -newer -mtime -mmin -size -empty -samefile";
    let narrows = texts.iter().any(|text| listed(NARROWS, text));
    // A name that anything has narrows nothing, and the history is not one among others.
    let wide = texts
        .windows(2)
        .any(|pair| matches!(pair, [test, "*" | ".git" | ".*" | "*.git"] if test.ends_with("name")));
    removes && (!narrows || wide)
}

/// Every program that is known to read, with every option it is known with and the option's mark: ` ` a flag, `:` and `=`
/// one with a value, `%` one whose value is a file to read, `?` one whose value can only be glued to it. What the oracle
/// runs.
#[must_use]
pub fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    let mut all = table::corpus();
    all.push(("find".to_owned(), find::corpus()));
    all
}
