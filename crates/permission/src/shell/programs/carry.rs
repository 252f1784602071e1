//! Programs that run another program on the names they are given, and pagers.

use super::super::Word;
use super::{Doing, Kind, Reach, look_up, options, table};

/// The number of words after `xargs` that are its own: its options end at the first word that is not an option.
fn own(arguments: &[Word]) -> usize {
    options::leading(arguments, &["-n", "-L", "-P", "-d", "-I", "-s", "-E"])
}

/// The command `xargs` runs.
#[must_use]
pub fn carried(arguments: &[Word]) -> Option<&[Word]> {
    arguments.get(own(arguments)..)
}

/// `xargs` with a program that only reads, for any names that it is given.
pub(super) fn xargs(arguments: &[Word]) -> Option<Doing> {
    let parsed = table::parse("xargs", arguments.get(..own(arguments))?)?;
    // Cut anywhere else a name becomes others.
    let cuts = |value: Option<&Word>| !matches!(value.and_then(Word::literal), Some("\\n" | "\\0" | "\n"));
    if parsed.given(&["d", "delimiter"]).any(cuts) {
        return None;
    }
    let command = carried(arguments)?;
    let replaced = parsed.given(&["I", "replace"]).next();
    let mut words: Vec<Word> = match replaced {
        Some(mark) => {
            let mark = mark?.literal().filter(|mark| !mark.is_empty())?;
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
        return Some(Doing::default());
    }
    if replaced.is_none() {
        words.push(Word::printed());
    }
    let prints = match words.first()?.literal() {
        Some("xargs" | "read" | "cd") => return None,
        name => matches!(name, Some("echo" | "basename" | "dirname")),
    };
    let doing = look_up(&words).filter(|doing| doing.kind == Kind::ReadOnly && doing.repository.is_none())?;
    (prints || doing.reads.iter().any(|(word, _)| word.piped)).then_some(doing)
}

/// `less` and `more` with files: without a terminal they print them. `LESSOPEN` and `LESS` belong to the user.
pub(super) fn pager(arguments: &[Word]) -> Option<Doing> {
    // `+` begins a command of the pager itself.
    if arguments.iter().any(|word| word.may_be(|text| text.starts_with('+'))) {
        return None;
    }
    let parsed = table::parse("less", arguments)?;
    Some(Doing::reading(parsed.positionals, Reach::File))
}
