//! Programs that run another program on the names they are given, and pagers.

use super::super::Word;
use super::options::Options;
use super::{Doing, Kind, Reach, look_up};

pub(super) const XARGS: Options = Options {
    short: "0rtxn:L:P:d:I:s:E:",
    long: "null no-run-if-empty verbose exit max-args= max-lines= max-procs= delimiter= replace= max-chars= version",
    numbers: false,
};

/// How many of the words after `xargs` are its own: its options end at the first word that is none.
fn own(arguments: &[Word]) -> usize {
    let mut own = 0;
    while let Some(text) = arguments
        .get(own)
        .and_then(Word::literal)
        .filter(|text| text.starts_with('-'))
    {
        let valued = text.len() == 2 && matches!(text, "-n" | "-L" | "-P" | "-d" | "-I" | "-s" | "-E");
        own += if valued { 2 } else { 1 };
    }
    own
}

/// The command `xargs` runs.
#[must_use]
pub fn carried(arguments: &[Word]) -> Option<&[Word]> {
    arguments.get(own(arguments)..)
}

/// `xargs` with a program that only reads, whatever names it is given.
pub(super) fn xargs(arguments: &[Word]) -> Option<Doing> {
    let own = own(arguments);
    let options = arguments.get(..own)?;
    let parsed = XARGS.parse(options)?;
    // Cut anywhere else a name becomes others.
    let cuts = |(name, value): &(String, Option<Word>)| {
        let at = value.as_ref().and_then(Word::literal);
        matches!(name.as_str(), "d" | "delimiter") && !matches!(at, Some("\\n" | "\\0" | "\n"))
    };
    if parsed.options.iter().any(cuts) {
        return None;
    }
    let command = arguments.get(own..)?;
    let replaced = parsed
        .options
        .iter()
        .find(|(name, _)| matches!(name.as_str(), "I" | "replace"));
    let mut words: Vec<Word> = match replaced {
        Some((_, mark)) => {
            let mark = mark.as_ref()?.literal().filter(|mark| !mark.is_empty())?;
            // As a part of a word it makes the name of something else.
            let put = |word: &Word| match word.text.as_deref() {
                Some(text) if text == mark => Some(Word::printed()),
                Some(text) if text.contains(mark) => None,
                _ => Some(word.clone()),
            };
            command.iter().map(put).collect::<Option<_>>()?
        }
        None => command.to_vec(),
    };
    if words.is_empty() {
        return Some(Doing::read_only());
    }
    if replaced.is_none() {
        words.push(Word::printed());
    }
    if matches!(words.first().and_then(Word::literal), Some("xargs" | "read" | "cd")) {
        return None;
    }
    let prints = matches!(
        words.first().and_then(Word::literal),
        Some("echo" | "basename" | "dirname")
    );
    let doing = look_up(&words).filter(|doing| doing.kind == Kind::ReadOnly && doing.repository.is_none())?;
    (prints || doing.reads.iter().any(|(word, _)| word.piped)).then_some(doing)
}

/// What `less` and `more` may be given. Not `-o`, `-k`, `-T`, `-t`.
pub(super) const PAGER: Options = Options {
    short: "SNRrFXEeiIn",
    long: "chop-long-lines LINE-NUMBERS RAW-CONTROL-CHARS quit-if-one-screen no-init version",
    numbers: false,
};

/// `less` and `more` with files: without a terminal they print them. `LESSOPEN` and `LESS` are the person's own.
pub(super) fn pager(arguments: &[Word]) -> Option<Doing> {
    // `+` begins a command of the pager itself.
    if arguments
        .iter()
        .any(|word| word.text.as_deref().is_none_or(|text| text.starts_with('+')))
    {
        return None;
    }
    let parsed = PAGER.parse(arguments)?;
    let mut doing = Doing::read_only();
    doing
        .reads
        .extend(parsed.positionals.into_iter().map(|word| (word, Reach::File)));
    Some(doing)
}
